//! What a sender puts its segments on: its path, and the first link of it.

use net::{Packet, Queued, Verdict};
use tcp::{EcnBits, Wire};
use units::Time;

use crate::host::Machine;
use crate::link::{Link, Load};
use crate::path::Path;
use crate::records::{Event, EventKind};
use crate::spec::Spec;

/// A sender's wire while one of its events is handled; `LATE` if a link of the run may decide late.
pub(crate) struct PathWire<'a, const LATE: bool> {
    pub(crate) path: &'a mut Path,
    /// The link its segments reach first.
    pub(crate) link: &'a mut Link,
    pub(crate) machines: &'a mut Vec<Machine>,
    pub(crate) events: &'a mut Vec<Event>,
    pub(crate) flow: usize,
    pub(crate) spec: &'a Spec,
}

impl<const LATE: bool> PathWire<'_, LATE> {
    #[cold]
    fn note(&mut self, now: Time, kind: EventKind, value: f64, value2: f64) {
        if self.path.is_transfer {
            return;
        }
        let t_ns = now.since(self.path.access_delay()).0;
        self.events.push(Event { t_ns, flow: self.flow as i32, link: -1, kind, value, value2 });
    }

    #[cold]
    fn lose(&mut self, now: Time) {
        self.path.lost += 1;
        if self.spec.record_drops {
            self.note_link(now, EventKind::Drop);
        }
    }

    fn mark(&mut self, now: Time) {
        self.path.marked += 1;
        if self.spec.record_marks {
            self.note_link(now, EventKind::Mark);
        }
    }

    #[cold]
    fn note_link(&mut self, now: Time, kind: EventKind) {
        let link = self.path.data_link() as i32;
        let (value, value2) = (f64::NAN, f64::NAN);
        let flow = if self.path.is_transfer { -1 } else { self.flow as i32 };
        self.events.push(Event { t_ns: now.0, flow, link, kind, value, value2 });
    }

    /// A segment that is looked at, or any whose link decides late, enters its host or reaches its link.
    #[inline(never)]
    fn offer(&mut self, now: Time, seq: u64, packet: Packet, cwr: bool) {
        if self.path.is_hosted && self.path.side().is_some_and(|side| side.holds_segments) {
            self.enter_host(now, seq, packet, cwr);
        } else {
            self.reach_link(now, (seq, now), packet, cwr);
        }
    }

    /// Segment `seq`, sent at `sent`, reaches its link.
    pub(crate) fn reach_link(&mut self, now: Time, (seq, sent): (u64, Time), packet: Packet, cwr: bool) {
        if let (true, Some(served)) = (LATE, &mut self.link.served) {
            let Packet { bytes, ecn_capable, flow, .. } = packet;
            let load = Load::Segment { flow: self.flow, seq, sent, cwr, ce: false };
            self.path.under_way += 1;
            let is_l4s = self.path.is_l4s;
            return served.offer(now, Queued { bytes, ecn_capable, is_l4s, is_marked: false, key: 2 * flow, arrived: now, load });
        }
        match self.link.fifo.offer(now, packet) {
            Verdict::Departs(departs) => self.path.pass(departs, seq, sent, EcnBits { ce: false, cwr }),
            Verdict::DepartsMarked(departs) => {
                self.mark(now);
                self.path.pass(departs, seq, sent, EcnBits { ce: true, cwr });
            }
            Verdict::Dropped | Verdict::Lost => self.lose(now),
        }
    }
}

impl<const LATE: bool> Wire for PathWire<'_, LATE> {
    fn admit(&mut self, now: Time) -> bool {
        self.ask_device(now)
    }

    #[inline(never)]
    fn send(&mut self, now: Time, seq: u64) {
        self.send_train(now, seq, 1);
    }

    fn resend(&mut self, now: Time, seq: u64) {
        if LATE || self.path.is_ecn_capable {
            let packet = Packet { ecn_capable: self.path.resends_capable, ..self.path.packet() };
            self.offer(now, seq, packet, false);
        } else {
            self.send(now, seq);
        }
    }

    fn announce_reduction(&mut self) {
        self.path.cwr_due = true;
    }

    #[inline(always)]
    fn send_train(&mut self, now: Time, first: u64, segments: u64) {
        let packet = self.path.packet();
        if LATE || self.path.is_watched {
            for seq in first..first + segments {
                let cwr = std::mem::take(&mut self.path.cwr_due);
                self.offer(now, seq, packet, cwr);
            }
            return;
        }
        self.link.fifo.advance(now);
        for seq in first..first + segments {
            match self.link.fifo.admit(now, packet) {
                Verdict::Departs(departs) | Verdict::DepartsMarked(departs) => self.path.receive(departs, seq, now),
                Verdict::Dropped | Verdict::Lost => self.lose(now),
            }
        }
    }

    fn on_loss_episode(&mut self, now: Time, cwnd: f64, ssthresh: f64) {
        self.note(now, EventKind::LossEpisode, cwnd, ssthresh);
    }

    fn on_timeout(&mut self, now: Time, cwnd: f64) {
        self.note(now, EventKind::Timeout, cwnd, f64::NAN);
    }

    fn on_undo(&mut self, now: Time, cwnd: f64) {
        self.note(now, EventKind::Undo, cwnd, f64::NAN);
    }

    fn on_send_stall(&mut self, now: Time, cwnd: f64) {
        self.note(now, EventKind::SendStall, cwnd, f64::NAN);
    }

    fn on_slow_start_exit(&mut self, now: Time, cwnd: f64) {
        self.note(now, EventKind::SlowStartExit, cwnd, f64::NAN);
    }
}
