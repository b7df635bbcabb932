//! A flow's way through its host: its segments on the way to their link, its ACKs on the way to their sender, and what happens when.

use net::{Link, Packet};
use tcp::{Ack, EcnBits, Range};
use units::Time;

use super::delivery::Delivery;
use super::host::{Leaving, Side};
use super::load::{Load, Segment};
use super::path::Path;
use super::wire::PathWire;

impl Path {
    /// Its sender is on a host, if that is felt.
    pub(crate) fn put_on_host(&mut self, side: Option<Side>) {
        let Some(side) = side else { return };
        self.is_watched |= side.holds_segments;
        self.is_hosted = true;
        self.rare.get_or_insert_with(Box::default).side = Some(side);
        self.refresh_beyond();
    }

    /// The flow's part of its host.
    pub(crate) fn side(&mut self) -> Option<&mut Side> {
        self.rare.as_mut()?.side.as_mut()
    }

    /// [`Path::refresh_beyond`] where only what is in the host has changed.
    #[inline]
    pub(crate) fn refresh_host(&mut self) {
        let Some(rare) = self.rare.as_deref() else { return };
        self.beyond_at = rare.elsewhere_at.min(rare.side.as_ref().map_or(Time::NEVER, Side::next_at));
    }

    /// Of all that [`Path::pending_at`] looks at only the host can have an effect up to `now`.
    #[inline]
    pub(crate) fn is_calm_beside_host(&self, now: Time) -> bool {
        let elsewhere_at = self.rare.as_deref().map_or(Time::ZERO, |rare| rare.elsewhere_at);
        now.saturating_sub(self.felt_after) < self.receiver.deadline() && now < elsewhere_at
    }

    /// Something at the receiver can have an effect now.
    pub(crate) fn is_receiver_due(&self, now: Time) -> bool {
        let others = self.held_until().min(self.client_at()).min(self.receiver.reads_at());
        self.receiver.deadline().min(others).saturating_add(self.felt_after) <= now
    }

    /// The ACK will reach the host at `at`, plus jitter, and wait there for a tick or the processor.
    #[inline(never)]
    pub(crate) fn deliver_to_host(&mut self, at: Time, ack: Ack) {
        let at = self.arrival(at);
        let Some(side) = self.side() else { return };
        let delivery = Delivery::new(side.ticks.not_before(at), ack);
        if side.has_cpu {
            side.push_coming(delivery);
            self.beyond_at = self.beyond_at.min(delivery.at);
        } else {
            self.push_arriving(delivery);
        }
    }
}

impl<L: Link<Load>> PathWire<'_, L> {
    /// Whether the host's device takes one more segment, which is then its next.
    pub(crate) fn ask_device(&mut self, now: Time) -> bool {
        let packet = self.path.packet();
        let Some(side) = self.path.side() else { return true };
        side.admitted = self.around.machines[side.machine].take_segment(now, packet);
        side.admitted.is_some()
    }

    /// The sender hands a part of its handshake to its host: room is not asked for, and without any it is dropped.
    pub(crate) fn open_on_host(&mut self, now: Time, seq: u64, packet: Packet) {
        let Some(side) = self.path.side() else { return };
        side.admitted = self.around.machines[side.machine].take_segment(now, packet);
        if side.admitted.is_some() {
            self.enter_host(now, Range::of(seq), (packet, false));
        }
    }

    /// The sender hands segments to its host, alike as packets; the first of them may carry CWR.
    pub(crate) fn enter_host(&mut self, now: Time, segments: Range, (packet, cwr): (Packet, bool)) {
        let Some(side) = self.path.side() else { return };
        let machine = &mut self.around.machines[side.machine];
        for seq in segments.from..segments.to {
            let admitted = side.admitted.take().or_else(|| machine.take_segment(now, packet));
            let at = admitted.expect("a device that may be full is asked first");
            let bits = EcnBits { ce: false, cwr: cwr && seq == segments.from };
            side.push_leaving(Leaving { at, seq, sent: now, ecn_capable: packet.ecn_capable, bits });
        }
        let next_at = side.next_at();
        self.path.beyond_at = self.path.beyond_at.min(next_at);
    }

    /// What is due at the host happens: an ACK comes in, or a segment leaves. Returns when something happens there next. Before anything
    /// but this is asked for, [`Path::refresh_host`] must be called.
    #[inline]
    pub(crate) fn run_host(&mut self, now: Time, outstanding: u64) -> Time {
        let Some(side) = self.path.side() else { return Time::NEVER };
        if side.comes_at() > now {
            if let Some(segment) = side.take_leaving() {
                self.leave_host(segment);
            }
        } else if let Some(delivery) = side.take_coming() {
            let ack = delivery.ack();
            let has_sack = ack.has_sack && ack.label().is_none();
            let at = self.around.machines[side.machine].take_ack(now, has_sack, outstanding);
            self.path.push_arriving(Delivery::new(at, ack));
        }
        self.path.side().map_or(Time::NEVER, |side| side.next_at())
    }

    /// A segment has left the host.
    fn leave_host(&mut self, segment: Leaving) {
        let Leaving { at, seq, sent, ecn_capable, bits } = segment;
        let packet = Packet { ecn_capable, ..self.path.packet_of(seq) };
        self.reach_link(at, packet, Segment::new(seq, sent, bits));
    }
}
