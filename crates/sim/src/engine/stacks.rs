//! Flows that are whole stacks', in the engine.

use net::{Link, Packet};
use units::{Duration, Time};

use super::observer::Audience;
use super::run::Engine;
use crate::error::{RunError, StackFault};
use crate::parts::around::Noted;
use crate::parts::gaps::Passing;
use crate::parts::inbox::Side;
use crate::parts::load::{Content, Load, Payload};
use crate::parts::party::Party;
use crate::parts::stack::{datagram, window_packets, Step};
use crate::records::{EventKind, FlowRow, OwnCounts, SaidRow};
use crate::spec::{Direction, FlowSpec};

impl<O: Audience, L: Link<Load>> Engine<'_, O, L> {
    /// Handles the event that is due at a stack's flow, and more while they come before `bound`; returns the time of its next.
    ///
    /// # Errors
    /// What an endpoint could not do.
    #[inline(never)]
    pub(super) fn run_stack(&mut self, index: usize, bound: u64, look_at: u64) -> Result<u64, RunError> {
        loop {
            let (now, step) = self.stacks[index].next();
            self.events += 1;
            self.sample_stack(index, now);
            if self.links_at <= now {
                self.sample_links(now);
            }
            let number = self.stacks[index].flow;
            let clock = now - self.stacks[index].access_delay();
            match step {
                Step::Start => self.around.note(clock, number, EventKind::Start),
                Step::Stop => self.around.note(clock, number, EventKind::Stop),
                _ => {}
            }
            self.step_stack(index, now).map_err(|what| {
                let stack = self.stacks[index].known_as;
                RunError::Stack(StackFault { stack, flow: number, t_ns: clock.0, what })
            })?;
            let next = self.stacks[index].due();
            if next >= bound || self.events >= look_at || !self.around.changed.is_empty() {
                return Ok(next);
            }
        }
    }

    fn step_stack(&mut self, index: usize, now: Time) -> Result<(), endpoint::Fault> {
        let Some(side) = self.stacks[index].take()? else { return Ok(()) };
        while let Some((packet, payload)) = self.stacks[index].transmit(side, now)? {
            self.offer_datagram(index, now, packet, payload);
        }
        let was_done = self.stacks[index].completed;
        self.stacks[index].settle(side, now);
        if self.stacks[index].completed != was_done {
            let clock = now - self.stacks[index].access_delay();
            self.around.note(clock, self.stacks[index].flow, EventKind::Stop);
        }
        self.stacks[index].goes_on(now)
    }

    /// A datagram of a stack reaches its link, or, where none is on its way, is under way at once.
    fn offer_datagram(&mut self, index: usize, now: Time, packet: Packet, payload: Box<Payload>) {
        let side = if payload.is_data { Side::Client } else { Side::Server };
        let Some(link) = self.stacks[index].link(side) else {
            self.stacks[index].departs(now, payload);
            return;
        };
        let load = Load { owner: self.stacks[index].flow as u32, content: Content::Foreign(payload) };
        self.reach(link, Passing { at: now, packet, load });
    }

    /// The stack's flow with this number.
    pub(super) fn stack_of(&self, flow: u32) -> usize {
        self.stacks.iter().position(|stack| stack.flow == flow as usize).expect("a datagram's flow is a stack's")
    }

    /// A datagram leaves its last link: for the endpoint behind it.
    pub(super) fn datagram_leaves(&mut self, at: Time, flow: u32, payload: Box<Payload>) {
        let index = self.stack_of(flow);
        if self.stacks[index].departs(at, payload) {
            self.around.changed.push(Party::Stack(index));
        }
    }

    /// A link marks a datagram.
    pub(super) fn mark_datagram(&mut self, at: Time, link: usize, flow: u32, payload: &mut Payload) {
        let index = self.stack_of(flow);
        if payload.ecn != endpoint::Ecn::Ce && payload.is_data {
            self.stacks[index].marked += 1;
        }
        payload.ecn = endpoint::Ecn::Ce;
        self.around.note_mark(at, Noted { flow: Some(flow as usize), link });
    }

    /// A link drops a datagram.
    pub(super) fn lose_datagram(&mut self, at: Time, link: usize, flow: u32, is_data: bool) {
        if is_data {
            let index = self.stack_of(flow);
            self.stacks[index].lost += 1;
            self.around.note_drop(at, Noted { flow: Some(flow as usize), link });
        }
    }

    /// Takes the samples and the snapshot that fall before an event at `until`.
    pub(super) fn sample_stack(&mut self, index: usize, until: Time) {
        let stack = &mut self.stacks[index];
        stack.snapshot(until);
        if stack.next_sample > until {
            return;
        }
        let (interval, first) = (self.spec.sample_ns, stack.next_sample);
        let rows = (until - first).0 / interval + 1;
        stack.next_sample += Duration(rows * interval);
        let (said, read) = stack.said();
        if !said.is_connected {
            return;
        }
        let packets = |bytes: u64| bytes as f64 / datagram(&said);
        let row = SaidRow {
            t_ns: (first - stack.access_delay()).0,
            cwnd: said.window_bytes.map_or(f64::NAN, |_| window_packets(&said)),
            ssthresh: said.threshold_bytes.map(packets),
            srtt_us: said.srtt.map_or(f64::NAN, |time| time.as_secs_f64() * 1e6),
            min_rtt_ns: said.min_rtt.map(|time| time.as_nanos() as u64),
            delivered_bytes: read,
            lost: said.lost_packets,
            in_flight: said.in_flight_bytes.map(|bytes| packets(bytes) as u32),
            pacing_bps: said.pacing_bps,
            datagram_bytes: said.datagram_bytes.map_or(f64::NAN, |bytes| bytes as f64),
            state: said.congestion,
        };
        self.records.flow_samples.push_said(stack.flow, &row, rows);
    }

    /// At the end of the run: samples, and the flow's row.
    pub(super) fn close_stack(&mut self, index: usize, given: &FlowSpec, names: (&'static str, &'static str)) -> FlowRow {
        self.sample_stack(index, self.stacks[index].end);
        let spec = self.spec;
        let stack = &mut self.stacks[index];
        let (at_end, read) = stack.totals(stack.end);
        let (said, _) = stack.said();
        let completed = (stack.completed != Time::NEVER).then(|| (stack.completed - stack.access_delay()).0);
        let from = spec.warmup_ns.max(given.start_ns);
        let to = spec.duration_ns.min(given.stop_ns.unwrap_or(u64::MAX)).min(completed.unwrap_or(u64::MAX));
        FlowRow {
            algorithm: names.0,
            variant: names.1,
            is_reverse: given.direction == Direction::Reverse,
            start_s: given.start_ns as f64 * 1e-9,
            stop_s: given.stop_ns.map_or(f64::NAN, |stop| stop as f64 * 1e-9),
            completed_s: completed.map_or(f64::NAN, |ns| ns as f64 * 1e-9),
            mss_bytes: given.mss_bytes,
            packet_bytes: given.packet_bytes,
            lost_packets: stack.lost,
            marked_packets: stack.marked,
            host: None,
            send_stalls: None,
            receive_window_bytes: None,
            receive_limited_s: f64::NAN,
            window_s: to.saturating_sub(from) as f64 * 1e-9,
            at_window: stack.at_window.0,
            at_end,
            own: Some(OwnCounts { read_bytes: (stack.at_window.1, read), loss_episodes: said.reductions, timeouts: said.timeouts }),
        }
    }
}
