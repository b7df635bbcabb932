//! How long a link takes, from the scenario's own words: a rate looked up afresh for each stretch of time, a trace written out in full.

use net::Limit;
use sim::{DelayStep, LinkSpec, QueueUnit};
use units::{Duration, Time};

/// A position in a link's service: what the packets before leave over.
#[derive(Clone, Copy, Debug, Default)]
pub struct Left {
    /// Bits times 10^9 that are still owed of packets that have left.
    pub work: u128,
    /// The opportunity at which the last packet left, and the bytes left of it.
    pub number: usize,
    /// See `number`.
    pub bytes: u64,
}

/// A link's service.
pub struct Service {
    spec: LinkSpec,
}

impl Service {
    /// The service of a link as given.
    pub fn new(spec: &LinkSpec) -> Service {
        Service { spec: spec.clone() }
    }

    /// Its steps of delay.
    pub fn delay_steps(&self) -> Vec<DelayStep> {
        self.spec.changes.delay_steps.clone()
    }

    /// How much its queue holds now.
    pub fn limit(&self, now: Time) -> Limit {
        let steps = self.spec.changes.queue_steps.iter().filter(|step| step.at_ns <= now.0);
        let queue = steps.max_by_key(|step| step.at_ns).map_or(self.spec.queue, |step| step.queue);
        match queue.unit {
            QueueUnit::Packets => Limit::Packets(queue.limit as u32),
            QueueUnit::Bytes => Limit::Bytes(queue.limit),
            QueueUnit::Ns => Limit::Delay(Duration(queue.limit)),
        }
    }

    /// Its rate is one and the same at all times.
    pub fn is_constant(&self) -> bool {
        let changes = &self.spec.changes;
        changes.trace_ms.is_empty() && changes.rate_steps.is_empty() && changes.outages.is_empty()
    }

    /// When a packet is through whose service begins now, and what it leaves over. None was left over if the link was idle.
    pub fn end(&self, now: Time, bytes: u32, left: Option<Left>) -> (Time, Left) {
        if self.spec.changes.trace_ms.is_empty() {
            self.end_at_rate(now, bytes, left.unwrap_or_default().work)
        } else {
            self.end_by_trace(now, bytes, left)
        }
    }

    fn end_at_rate(&self, now: Time, bytes: u32, owed: u128) -> (Time, Left) {
        let mut work = u128::from(bytes) * 8_000_000_000 + owed;
        let mut now = now.0;
        loop {
            let (rate, until) = (u128::from(self.rate(now)), self.next_edge(now));
            let done = rate * u128::from(until - now);
            // Through within this stretch but for what no whole nanosecond holds.
            if rate > 0 && (work <= done || work - done < rate) {
                let took = (work / rate).min(u128::from(until - now));
                return (Time(now + took as u64), Left { work: work - took * rate, ..Left::default() });
            }
            work -= done;
            now = until;
        }
    }

    fn rate(&self, now: u64) -> u64 {
        let changes = &self.spec.changes;
        if changes.outages.iter().any(|outage| outage.at_ns <= now && now < outage.at_ns + outage.length_ns) {
            return 0;
        }
        let steps = changes.rate_steps.iter().filter(|step| step.at_ns <= now);
        steps.max_by_key(|step| step.at_ns).map_or(self.spec.rate_bps, |step| step.rate_bps)
    }

    fn next_edge(&self, now: u64) -> u64 {
        let changes = &self.spec.changes;
        let edges = changes.outages.iter().flat_map(|outage| [outage.at_ns, outage.at_ns + outage.length_ns]);
        let edges = edges.chain(changes.rate_steps.iter().map(|step| step.at_ns));
        edges.filter(|&at| at > now).min().unwrap_or(u64::MAX)
    }

    /// Opportunities one after the other; an idle link let those up to now go by.
    fn end_by_trace(&self, now: Time, bytes: u32, left: Option<Left>) -> (Time, Left) {
        let mut left = left.unwrap_or_else(|| {
            let number = (0..).find(|&number| self.opportunity(number) > now).expect("lists start over");
            Left { work: 0, number, bytes: 1500 }
        });
        for _ in 0..bytes {
            if left.bytes == 0 {
                left = Left { work: 0, number: left.number + 1, bytes: 1500 };
            }
            left.bytes -= 1;
        }
        (self.opportunity(left.number), left)
    }

    fn opportunity(&self, number: usize) -> Time {
        let list = &self.spec.changes.trace_ms;
        Time::from_ms(list[list.len() - 1] * (number / list.len()) as u64 + list[number % list.len()])
    }
}
