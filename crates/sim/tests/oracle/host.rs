//! A host as a textbook has it: all that ever came in is written down, and when each piece of work is done follows from the one before.

use sim::HostSpec;
use units::{Duration, Time};

/// The host.
pub struct Host {
    spec: HostSpec,
    /// When the processor would have been done with each ACK if there were no segments.
    acks: Vec<u64>,
    /// When it was done with each ACK and segment in order of arrival, and what each cost.
    done: Vec<u64>,
    costs: Vec<u64>,
    /// Of each segment that the device took: when its last bit left.
    left: Vec<u64>,
    /// When the device's latest busy period began, and the bits it was given since.
    busy: (u64, u128),
}

impl Host {
    /// An idle host.
    pub fn new(spec: &HostSpec) -> Host {
        Host { spec: spec.clone(), acks: Vec::new(), done: Vec::new(), costs: Vec::new(), left: Vec::new(), busy: (0, 0) }
    }

    /// ACKs take time.
    pub fn has_processor(&self) -> bool {
        let HostSpec { packet_ns, ack_ns, sack_ns, stalls, .. } = &self.spec;
        packet_ns + ack_ns + sack_ns > 0 || !stalls.is_empty()
    }

    /// Segments do not leave at once.
    pub fn holds_segments(&self) -> bool {
        self.has_processor() || self.spec.device.is_some()
    }

    /// When an ACK is looked at that arrives at `at`, where the host's clock shows `behind` less.
    pub fn tick(&self, at: Time, behind: Duration) -> Time {
        match self.spec.ack_tick_ns {
            0 => at,
            tick => Time((at.0 - behind.0).div_ceil(tick) * tick + behind.0),
        }
    }

    /// When an ACK has been processed.
    pub fn take_ack(&mut self, now: Time, has_sack: bool, outstanding: u64) -> Time {
        let walk = if has_sack { self.spec.sack_ns * outstanding } else { 0 };
        let cost = self.spec.ack_ns + walk;
        self.done.push(self.after(self.done.last(), now.0, cost));
        self.costs.push(cost);
        self.acks.push(self.after(self.acks.last(), now.0, cost));
        Time(self.acks[self.acks.len() - 1])
    }

    /// When a segment of so many bytes has left; none if the device refuses it.
    pub fn take_segment(&mut self, now: Time, bytes: u32) -> Option<Time> {
        let mut ready = now.0;
        if self.has_processor() {
            ready = self.after(self.done.last(), now.0, self.spec.packet_ns);
            self.done.push(ready);
            self.costs.push(self.spec.packet_ns);
        }
        let Some(device) = self.spec.device else { return Some(Time(ready)) };
        let there = self.left.iter().rev().take_while(|&&left| left > ready).count() as u64;
        // One of them is on the wire.
        if there.saturating_sub(1) >= device.queue_packets {
            return None;
        }
        if there == 0 {
            self.busy = (ready, 0);
        }
        self.busy.1 += u128::from(bytes) * 8;
        let left = self.busy.0 + (self.busy.1 * 1_000_000_000 / u128::from(device.rate_bps)) as u64;
        self.left.push(left);
        Some(Time(left))
    }

    /// Nanoseconds of the work that was done by `at`.
    pub fn worked(&self, at: u64) -> u64 {
        self.done.iter().zip(&self.costs).filter(|(&done, _)| done <= at).map(|(_, cost)| cost).sum()
    }

    /// When work that comes at `now` is done after the work `before`.
    fn after(&self, before: Option<&u64>, now: u64, cost: u64) -> u64 {
        let mut at = now.max(before.copied().unwrap_or(0));
        let mut cost = cost;
        for stall in &self.spec.stalls {
            let over = stall.at_ns + stall.length_ns;
            if at >= over {
                continue;
            }
            // Work that ends as the stall begins is done.
            if at < stall.at_ns && cost <= stall.at_ns - at {
                break;
            }
            cost -= stall.at_ns.saturating_sub(at);
            at = over;
        }
        at + cost
    }
}
