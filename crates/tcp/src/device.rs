//! A device queue below the sender that may be full: local congestion.
//!
//! A segment that its own host's queue refuses has not left: it is the next to be sent still, and the window is reduced as for a
//! congestion mark, without a retransmission (Linux since 2.4, `tcp_transmit_skb` and `tcp_enter_cwr`; web100 calls it a send stall).
//! Departure: a refused retransmission waits for the next ACK or timer, whose back-off goes on; Linux then asks again after half a second.

use cc::{CaState, CongestionControl};

use crate::sender::{Sender, Wire};
use crate::timers::{Kind, Timer};

impl<C: CongestionControl> Sender<C> {
    /// Whether the device takes one more segment. If not, the window is reduced.
    #[inline]
    pub(crate) fn is_admitted(&mut self, wire: &mut impl Wire) -> bool {
        self.care.is_none() || self.ask_device(wire)
    }

    #[inline(never)]
    fn ask_device(&mut self, wire: &mut impl Wire) -> bool {
        let Some(care) = self.care.as_mut().filter(|care| care.has_device) else { return true };
        care.device_is_full = !wire.admit(self.c.now);
        if care.device_is_full {
            care.refused += 1;
            if self.c.ca_state < CaState::Cwr {
                wire.on_send_stall(self.c.now, self.w.cwnd);
                self.undo.forbid();
                self.enter_cwr(wire);
            }
            self.await_device();
            return false;
        }
        true
    }

    /// The device is full of other flows' segments, and no ACK will come: asks again after a timeout (Linux's probe timer).
    pub(crate) fn await_device(&mut self) {
        if self.c.una == self.c.nxt && self.care.as_ref().is_some_and(|care| care.device_is_full) {
            self.timer = Timer { kind: Kind::Retransmission, deadline: self.c.now + self.rtt.rto() };
        }
    }
}
