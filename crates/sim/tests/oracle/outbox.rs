//! What a sender sends while it acts.

use tcp::{EcnBits, Wire};
use units::Time;

/// Takes down what a sender sends.
#[derive(Default)]
pub(super) struct Outbox {
    pub(super) segments: Vec<(Time, u64, EcnBits)>,
    pub(super) resent: Vec<u64>,
    cwr: bool,
}

impl Wire for Outbox {
    fn send(&mut self, now: Time, seq: u64) {
        self.segments.push((now, seq, EcnBits { ce: false, cwr: std::mem::take(&mut self.cwr) }));
    }
    fn resend(&mut self, now: Time, seq: u64) {
        self.segments.push((now, seq, EcnBits::default()));
        self.resent.push(seq);
    }
    fn announce_reduction(&mut self) {
        self.cwr = true;
    }
    fn on_loss_episode(&mut self, _now: Time, _cwnd: f64, _ssthresh: f64) {}
    fn on_timeout(&mut self, _now: Time, _cwnd: f64) {}
    fn on_undo(&mut self, _now: Time, _cwnd: f64) {}
    fn on_slow_start_exit(&mut self, _now: Time, _cwnd: f64) {}
}
