//! What a sender puts its segments on: its path, and the first link of it.

use net::{Answer, Link, Packet};
use tcp::{Bare, EcnBits, Opening, Range, Reduction, Wire};
use units::Time;

use super::around::{Around, Noted};
use super::gaps::Passing;
use super::load::{Content, Load, Segment};
use super::party::Party;
use super::path::Path;
use crate::records::{Event, EventKind};

/// A sender's wire while one of its events is handled.
pub(crate) struct PathWire<'a, L> {
    pub(crate) path: &'a mut Path,
    /// The link its segments reach first.
    pub(crate) link: &'a mut L,
    pub(crate) around: &'a mut Around,
    pub(crate) flow: usize,
}

impl<L: Link<Load>> PathWire<'_, L> {
    #[cold]
    fn note(&mut self, now: Time, kind: EventKind, value: f64, value2: f64) {
        if self.path.is_transfer {
            return;
        }
        let t_ns = now.saturating_sub(self.path.access_delay()).0;
        self.around.events.push(Event { t_ns, flow: self.flow as i32, link: -1, kind, value, value2 });
    }

    fn noted(&self) -> Noted {
        Noted { flow: (!self.path.is_transfer).then_some(self.flow), link: self.path.data_link() }
    }

    #[cold]
    fn lose(&mut self, now: Time) {
        self.path.lost += 1;
        self.around.note_drop(now, self.noted());
    }

    fn mark(&mut self, at: Time) {
        self.path.marked += 1;
        self.around.note_mark(at, self.noted());
    }

    /// Its segments wait in their host.
    #[inline]
    fn is_held_by_host(&mut self) -> bool {
        self.path.is_hosted && self.path.side().is_some_and(|side| side.holds_segments)
    }

    /// A segment of a path on which each is looked at enters its host or reaches its link.
    #[inline(never)]
    fn offer(&mut self, now: Time, seq: u64, packet: Packet, cwr: bool) {
        if self.is_held_by_host() {
            self.enter_host(now, Range::of(seq), (packet, cwr));
        } else {
            self.reach_link(now, packet, Segment::new(seq, now, EcnBits { ce: false, cwr }));
        }
    }

    /// A segment reaches its link.
    pub(crate) fn reach_link(&mut self, now: Time, packet: Packet, segment: Segment) {
        if self.path.is_tapped {
            self.path.show_sent(now, segment.shown(packet.ecn_capable));
        }
        let before = self.link.next_at();
        let load = Load { owner: self.flow as u32, content: Content::Segment(segment) };
        match self.link.offer(now, packet, load) {
            Answer::Departs(departs) => self.depart(departs, packet, segment),
            Answer::DepartsMarked { at, marked_at } => {
                self.mark(marked_at);
                self.depart(at, Packet { is_l4s: true, ..packet }, segment.marked());
            }
            Answer::Waits => {
                self.path.under_way += 1;
                if before == Time::NEVER || self.link.is_brimming() {
                    self.around.changed.push(Party::Link(self.path.data_link()));
                }
            }
            Answer::Dropped | Answer::Lost => self.lose(now),
        }
    }

    /// A packet without data enters its host or reaches its link.
    pub(crate) fn send_bare(&mut self, now: Time, what: Bare) {
        let (seq, packet) = (what.seq(), self.path.packet_of(what.seq()));
        if self.is_held_by_host() {
            self.open_on_host(now, seq, packet);
        } else {
            self.reach_link(now, packet, Segment::new(seq, now, EcnBits::default()));
        }
    }

    /// New segments of a path on which each is looked at.
    #[inline(never)]
    fn offer_train(&mut self, now: Time, segments: Range) {
        let (packet, cwr) = (self.path.packet(), std::mem::take(&mut self.path.cwr_due));
        if self.is_held_by_host() {
            return self.enter_host(now, segments, (packet, cwr));
        }
        for seq in segments.from..segments.to {
            let cwr = cwr && seq == segments.from;
            self.reach_link(now, packet, Segment::new(seq, now, EcnBits { ce: false, cwr }));
        }
    }

    /// A segment reaches a link that knows departures, now that `now` has begun there.
    #[inline(always)]
    fn admit_one(&mut self, now: Time, seq: u64) {
        let Some(fifo) = self.link.as_fifo() else { return };
        match fifo.admit(now, self.path.packet()) {
            Answer::Departs(departs) => self.path.receive(departs, seq, now),
            _ => self.lose(now),
        }
    }

    /// Segments reach a link that knows departures, now that `now` has begun there; they go on in pairs, for so the receiver takes them.
    #[inline(never)]
    fn admit_train(&mut self, now: Time, segments: Range) {
        let Some(fifo) = self.link.as_fifo() else { return };
        let packet = self.path.packet();
        let (mut refused, mut seq) = (0, segments.from);
        while seq < segments.to {
            let first = fifo.admit(now, packet);
            let second = if seq + 1 < segments.to { fifo.admit(now, packet) } else { Answer::Waits };
            match (first, second) {
                (Answer::Departs(first), Answer::Departs(second)) => self.path.receive_pair([first, second], seq, now),
                (Answer::Departs(first), _) => self.path.receive(first, seq, now),
                (_, Answer::Departs(second)) => self.path.receive(second, seq + 1, now),
                _ => {}
            }
            refused += [first, second].iter().filter(|answer| matches!(answer, Answer::Dropped | Answer::Lost)).count();
            seq += 2;
        }
        for _ in 0..refused {
            self.lose(now);
        }
    }

    /// Segments reach a link that decides late.
    #[inline(never)]
    fn queue_train(&mut self, now: Time, segments: Range) {
        let packet = self.path.packet();
        let Some(served) = self.link.as_served() else { return };
        let before = served.next_at();
        self.path.under_way += (segments.to - segments.from) as u32;
        for seq in segments.from..segments.to {
            let segment = Segment::new(seq, now, EcnBits::default());
            served.offer(now, packet, Load { owner: self.flow as u32, content: Content::Segment(segment) });
        }
        if before == Time::NEVER || served.is_brimming() {
            self.around.changed.push(Party::Link(self.path.data_link()));
        }
    }

    /// A segment leaves its first link, towards its receiver or the next hop.
    #[inline]
    fn depart(&mut self, departs: Time, packet: Packet, segment: Segment) {
        if self.path.is_tapped {
            self.path.show_passed(departs, segment.shown(packet.ecn_capable));
        }
        if self.around.gaps.len() == 0 {
            self.path.segment_departs(departs, segment);
        } else {
            self.leave_hop(departs, packet, segment);
        }
    }

    fn leave_hop(&mut self, departs: Time, packet: Packet, segment: Segment) {
        let (link, gaps) = (self.path.data_link(), &mut self.around.gaps);
        let load = Load { owner: self.flow as u32, content: Content::Segment(segment) };
        if let Some(between) = gaps.leaves(link, &load) {
            return self.path.segment_departs(departs - between, segment);
        }
        let was_next = gaps.next_at(link);
        self.path.under_way += gaps.pass_on(link, Passing { at: departs, packet, load });
        if gaps.next_at(link) != was_next {
            self.around.changed.push(Party::Gap(link));
        }
    }
}

impl<L: Link<Load>> Wire for PathWire<'_, L> {
    fn admit(&mut self, now: Time) -> bool {
        self.ask_device(now)
    }

    fn open(&mut self, now: Time, part: Opening) {
        let (seq, packet) = (part.seq(), self.path.opening_packet(part));
        if self.is_held_by_host() {
            self.open_on_host(now, seq, packet);
        } else {
            self.reach_link(now, packet, Segment::new(seq, now, EcnBits::default()));
        }
    }

    fn probe_window(&mut self, now: Time) {
        self.send_bare(now, Bare::Probe);
    }

    #[inline(never)]
    fn send(&mut self, now: Time, seq: u64) {
        self.send_train(now, Range::of(seq));
    }

    fn resend(&mut self, now: Time, seq: u64) {
        if self.path.is_ecn_capable {
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
    fn send_train(&mut self, now: Time, segments: Range) {
        let Range { from, to } = segments;
        if self.path.is_watched {
            return self.offer_train(now, segments);
        }
        let Some(fifo) = self.link.as_fifo() else { return self.queue_train(now, segments) };
        fifo.begin(now);
        if to - from == 1 {
            return self.admit_one(now, from);
        }
        let departures = if to - from == 2 { fifo.admit_pair(now, self.path.packet_bytes()) } else { None };
        match departures {
            Some(departures) => self.path.receive_pair(departures, from, now),
            None => self.admit_train(now, segments),
        }
    }

    fn on_loss_episode(&mut self, now: Time, reduction: Reduction) {
        self.note(now, EventKind::LossEpisode, reduction.cwnd, reduction.ssthresh);
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
