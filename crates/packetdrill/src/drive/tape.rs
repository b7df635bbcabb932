//! Everything that leaves a sender, written down.

use tcp::{Reduction, Wire};
use units::Time;

/// A segment that left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// When.
    pub at: Time,
    /// Its number, from 0.
    pub seq: u64,
    /// It had left before.
    pub again: bool,
    /// It tells the receiver that the window was reduced (CWR of RFC 3168).
    pub reduced: bool,
    /// What it says of the marks that came the other way, as [`tcp::Ack::ecn`].
    pub ecn: u16,
}

/// The wire of a driven sender, and the device in front of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Tape {
    pub(super) sent: Vec<Sent>,
    /// When the peer was asked whether it has room.
    pub(super) probes: Vec<Time>,
    /// The device refuses every segment.
    pub(super) is_full: bool,
    /// The next new segment tells of a reduction.
    announces: bool,
}

impl Wire for Tape {
    fn admit(&mut self, _now: Time) -> bool {
        !self.is_full
    }

    fn probe_window(&mut self, now: Time) {
        self.probes.push(now);
    }

    fn send(&mut self, now: Time, seq: u64) {
        let reduced = std::mem::take(&mut self.announces);
        self.sent.push(Sent { at: now, seq, again: false, reduced, ecn: 0 });
    }

    fn resend(&mut self, now: Time, seq: u64) {
        self.sent.push(Sent { at: now, seq, again: true, reduced: false, ecn: 0 });
    }

    fn announce_reduction(&mut self) {
        self.announces = true;
    }

    fn on_loss_episode(&mut self, _now: Time, _reduction: Reduction) {}
    fn on_timeout(&mut self, _now: Time, _cwnd: f64) {}
    fn on_undo(&mut self, _now: Time, _cwnd: f64) {}
    fn on_slow_start_exit(&mut self, _now: Time, _cwnd: f64) {}
}
