//! A flow's way through its host: its segments on the way to their link, its ACKs on the way to their sender, and what happens when.

use net::{Link, Packet};
use tcp::{Ack, EcnBits};
use units::Time;

use super::delivery::Delivery;
use super::host::{Leaving, Side};
use super::load::{Load, Segment};
use super::path::Path;
use super::wire::PathWire;

impl Path {
    /// The same with its sender on a host.
    pub(crate) fn on_host(mut self, side: Option<Side>) -> Path {
        let Some(side) = side else { return self };
        self.is_watched |= side.holds_segments;
        self.is_hosted = true;
        self.rare.get_or_insert_with(Box::default).side = Some(side);
        self
    }

    /// The flow's part of its host.
    pub(crate) fn side(&mut self) -> Option<&mut Side> {
        self.rare.as_mut()?.side.as_mut()
    }

    /// The ACK will reach the host at `at`, plus jitter, and wait there for a tick or the processor.
    #[inline(never)]
    pub(crate) fn deliver_to_host(&mut self, at: Time, ack: Ack) {
        let at = self.arrival(at);
        let Some(side) = self.side() else { return };
        let delivery = Delivery::new(side.ticks.not_before(at), ack);
        if side.has_cpu {
            let is_next = side.coming.is_empty();
            side.coming.push_back(delivery);
            if is_next {
                self.refresh_beyond();
            }
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

    /// The sender hands a part of its handshake to its host: nobody asks whether there is room, and without any it is gone.
    pub(crate) fn open_on_host(&mut self, now: Time, seq: u64, packet: Packet) {
        let Some(side) = self.path.side() else { return };
        side.admitted = self.around.machines[side.machine].take_segment(now, packet);
        if side.admitted.is_some() {
            self.enter_host(now, seq, packet, false);
        }
    }

    /// The sender hands a segment to its host.
    pub(crate) fn enter_host(&mut self, now: Time, seq: u64, packet: Packet, cwr: bool) {
        let Some(side) = self.path.side() else { return };
        let admitted = side.admitted.take().or_else(|| self.around.machines[side.machine].take_segment(now, packet));
        let at = admitted.expect("a device that may be full is asked first");
        let is_next = side.leaving.is_empty();
        side.leaving.push_back(Leaving { at, seq, sent: now, ecn_capable: packet.ecn_capable, bits: EcnBits { ce: false, cwr } });
        if is_next {
            self.path.refresh_beyond();
        }
    }

    /// A segment has left the host.
    pub(crate) fn leave_host(&mut self, segment: Leaving) {
        let Leaving { at, seq, sent, ecn_capable, bits } = segment;
        let packet = Packet { ecn_capable, ..self.path.packet_of(seq) };
        self.reach_link(at, packet, Segment::new(seq, sent, bits));
    }
}
