//! What a sender sends while it acts.

use tcp::{Bare, EcnBits, Opening, Wire, SYN_BYTES};
use units::Time;

use super::engine::{bytes_of, ACK_BYTES};
use super::host::Host;

/// Takes down what a sender sends.
pub(super) struct Outbox<'a> {
    pub(super) segments: Vec<Sent>,
    pub(super) resent: Vec<u64>,
    cwr: bool,
    /// The sender's host, and the bytes of its segments.
    host: Option<(&'a mut Host, u32)>,
    admitted: Option<Time>,
    pub(super) refused: u64,
}

/// A segment on its way: when it was sent and when it left the host.
pub(super) struct Sent {
    pub(super) at: Time,
    pub(super) leaves: Time,
    pub(super) seq: u64,
    pub(super) bits: EcnBits,
}

impl Outbox<'_> {
    /// Of a sender on this host, with segments of so many bytes.
    pub(super) fn new(host: Option<(&mut Host, u32)>) -> Outbox<'_> {
        Outbox { segments: Vec::new(), resent: Vec::new(), cwr: false, host, admitted: None, refused: 0 }
    }

    /// A packet without data.
    pub(super) fn send_bare(&mut self, now: Time, what: Bare) {
        if let Some((host, _)) = &mut self.host {
            self.admitted = host.take_segment(now, bytes_of(what.seq(), ACK_BYTES));
            if self.admitted.is_none() {
                return;
            }
        }
        self.resend(now, what.seq());
    }

    fn add(&mut self, at: Time, seq: u64, bits: EcnBits) {
        let taken = self.admitted.take();
        let leaves = match &mut self.host {
            Some((host, bytes)) => taken.or_else(|| host.take_segment(at, *bytes)).expect("the sender asks first"),
            None => at,
        };
        self.segments.push(Sent { at, leaves, seq, bits });
    }
}

impl Wire for Outbox<'_> {
    fn admit(&mut self, now: Time) -> bool {
        let (host, bytes) = self.host.as_mut().expect("only a host's device refuses");
        self.admitted = host.take_segment(now, *bytes);
        self.refused += u64::from(self.admitted.is_none());
        self.admitted.is_some()
    }
    fn open(&mut self, now: Time, part: Opening) {
        let bytes = if part == Opening::Syn { SYN_BYTES } else { ACK_BYTES };
        if let Some((host, _)) = &mut self.host {
            self.admitted = host.take_segment(now, bytes);
            if self.admitted.is_none() {
                return;
            }
        }
        self.resend(now, part.seq());
    }
    fn probe_window(&mut self, now: Time) {
        self.send_bare(now, Bare::Probe);
    }
    fn send(&mut self, now: Time, seq: u64) {
        let cwr = std::mem::take(&mut self.cwr);
        self.add(now, seq, EcnBits { ce: false, cwr });
    }
    fn resend(&mut self, now: Time, seq: u64) {
        self.add(now, seq, EcnBits::default());
        self.resent.push(seq);
    }
    fn announce_reduction(&mut self) {
        self.cwr = true;
    }
    fn on_loss_episode(&mut self, _now: Time, _reduction: tcp::Reduction) {}
    fn on_timeout(&mut self, _now: Time, _cwnd: f64) {}
    fn on_undo(&mut self, _now: Time, _cwnd: f64) {}
    fn on_slow_start_exit(&mut self, _now: Time, _cwnd: f64) {}
}
