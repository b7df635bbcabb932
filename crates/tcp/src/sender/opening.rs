//! How a connection begins: with a handshake, or established already.

use cc::{CaEvent, CongestionControl};
use units::{Duration, Time};

use super::Sender;
use crate::clock::Flight;
use crate::handshake::{Established, Handshake};
use crate::{Ack, Opening, Wire};

/// How far a connection has come.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stage {
    /// It has not started.
    New,
    /// Its SYN has no answer.
    Opening(Box<Handshake>),
    Established,
    /// Its application was gone before it was there.
    GivenUp,
}

impl<C: CongestionControl> Sender<C> {
    /// The connection is established: its handshake, which is over, gave one RTT sample. The first window leaves.
    pub fn on_started(&mut self, now: Time, handshake_rtt: Duration, wire: &mut impl Wire) {
        self.c.now = now;
        if !self.recovery.is_answered() {
            self.rack.on_syn_delivered(handshake_rtt);
        }
        self.establish(Some(Flight { sent: now, answered: now + handshake_rtt }), wire);
    }

    /// The same after a handshake that gave no RTT sample: its SYN left more than once, or it is not over while data leaves already (RFC 7413).
    pub fn on_started_untimed(&mut self, now: Time, wire: &mut impl Wire) {
        self.c.now = now;
        self.establish(None, wire);
    }

    /// A sender of a connection that the peer opened: the ACK of the handshake has told of its window, and the rate of pacing is that of the initial window.
    pub fn accepting(mut self) -> Sender<C> {
        self.recovery.takes_first_answer();
        self.limits.on_window_known();
        self
    }

    /// The connection opens: a SYN leaves.
    pub fn on_opened(&mut self, now: Time, wire: &mut impl Wire) {
        self.c.now = now;
        self.stage = Stage::Opening(Box::new(Handshake::new(now)));
        self.send_syn(wire);
    }

    /// A SYN was sent and has no answer.
    pub(super) fn is_opening(&self) -> bool {
        matches!(self.stage, Stage::Opening(_))
    }

    fn send_syn(&mut self, wire: &mut impl Wire) {
        wire.open(self.c.now, Opening::Syn);
        if let Stage::Opening(handshake) = &self.stage {
            self.timers.arm_opening(&self.c, handshake.timeout());
        }
    }

    /// The SYN has no answer in time: it leaves again, or the connection never opens.
    pub(super) fn on_syn_timeout(&mut self, wire: &mut impl Wire) {
        self.totals.timeouts += 1;
        if let Stage::Opening(handshake) = &mut self.stage {
            if handshake.on_timeout() {
                self.send_syn(wire);
            }
        }
    }

    /// The application is gone before the connection was there.
    pub(super) fn give_up_opening(&mut self) {
        if self.is_opening() {
            self.stage = Stage::GivenUp;
            self.timers.disarm();
        }
    }

    /// A SYN-ACK arrives. Only the first one counts. Its ACK leaves, and the first window behind it. Another is answered too (RFC 5961 4.2; Linux
    /// `tcp_send_challenge_ack`), if no data has told the peer of the first: the ACK may have been lost.
    pub(super) fn on_answered(&mut self, ack: &Ack, wire: &mut impl Wire) {
        let Stage::Opening(handshake) = &self.stage else {
            if self.stage == Stage::Established && self.c.nxt == 0 {
                wire.open(self.c.now, Opening::Ack);
            }
            return;
        };
        let Established { sample, is_cut } = handshake.on_answered(self.c.now, self.has_timestamps.then_some(ack.echo));
        if let Some(sent) = handshake.sent_once() {
            self.rack.on_syn_delivered(self.c.now - sent);
        }
        self.timers.disarm();
        if is_cut {
            self.w.cwnd = 1.0;
        }
        wire.open(self.c.now, Opening::Ack);
        self.establish(sample, wire);
    }

    /// With the RTT sample of the handshake, if there is one.
    fn establish(&mut self, handshake: Option<Flight>, wire: &mut impl Wire) {
        self.stage = Stage::Established;
        if let Some(flight) = handshake {
            self.rtt.on_handshake(flight.rtt());
            let timed = self.rtt.timed([flight; 2]);
            self.rtt.on_sampled(&mut self.c, timed.first);
            self.rtt.on_min_sampled(&mut self.c, timed.stamped);
        } else {
            self.rtt.on_handshake_untimed();
        }
        self.cc.on_established(&mut self.w, &self.c);
        self.cc.on_event(&mut self.w, &self.c, CaEvent::TxStarted);
        self.limits.on_window_set(self.c.now);
        self.set_opening_rate();
        self.recover_and_transmit(wire);
        self.find_way();
    }
}
