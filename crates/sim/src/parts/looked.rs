//! Segments that are looked at when they arrive: those with ECN bits, that may lose their order, that answer a client, fill a buffer or are shown.

use tcp::{Bare, EcnBits, Opening};
use units::{Duration, Time};

use super::disorder::Held;
use super::load::Segment;
use super::path::Path;

impl Path {
    /// A segment that is looked at leaves its link.
    pub(super) fn pass(&mut self, departs: Time, segment: Segment) {
        let segment = Held { departs, seq: segment.seq(), sent: segment.sent, bits: segment.bits() };
        let Some(unordered) = self.unordered() else { return self.receive_held(segment) };
        let fate = unordered.disorder.draw();
        let segment = Held { departs: departs + fate.late_by, ..segment };
        if fate.late_by > Duration::ZERO {
            (0..fate.copies).for_each(|_| unordered.hold(segment));
            self.refresh_beyond();
        } else {
            self.release(departs);
            (0..fate.copies).for_each(|_| self.receive_held(segment));
        }
    }

    /// What was held back and would have left the link at `departs` or before arrives.
    pub(super) fn release(&mut self, departs: Time) {
        while let Some(unordered) = self.unordered() {
            let Some(segment) = unordered.release(departs) else { return };
            self.refresh_beyond();
            self.receive_held(segment);
        }
    }

    fn receive_held(&mut self, Held { departs, seq, sent, bits }: Held) {
        let arrives = departs + self.access_delay();
        while self.client_at().min(self.receiver.reads_at()).min(self.receiver.deadline()) < arrives {
            self.commit_pending();
        }
        if self.is_tapped {
            self.show_received(arrives, seq, sent, bits);
        }
        if let Some(Bare::Heard { .. }) = Bare::of(seq) {
            return self.tell_client(arrives, seq);
        }
        if self.receiver.buffer().is_some() {
            return self.keep(arrives, seq, sent, bits);
        }
        if self.is_tapped {
            return self.receive_shown(arrives, (seq, sent), bits);
        }
        if self.is_ecn_capable && Opening::of(seq).is_none() {
            self.receive_bits(departs, seq, sent, bits);
        } else {
            self.receive(departs, seq, sent);
        }
        self.tell_client(arrives, seq);
        self.tell_viewer(arrives);
    }

    /// The same for a segment of an ECN-capable flow: a change of its marks may send the ACK that waited on ahead.
    fn receive_bits(&mut self, departs: Time, seq: u64, sent: Time, bits: EcnBits) {
        if let Some(ack) = self.receiver.on_ecn_bits(bits) {
            self.send_ack(departs + self.access_delay(), ack);
        }
        self.receive(departs, seq, sent);
    }
}
