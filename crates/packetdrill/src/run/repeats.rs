//! When the stack under test sends a SYN or a SYN-ACK again.

use std::collections::BTreeMap;

use cc::Controller;
use tcp::{Arrival, Opening, Options, Receiver, ReceiverSpec, Reduction, Sender, SenderSpec, Wire};
use units::{Duration, Time};

use crate::outcome::Stop;

/// The side of a handshake that waits, with the stack's own timer.
#[derive(Clone, Debug)]
pub(super) enum Repeats {
    /// It asked.
    Syn(Box<Sender<Controller>>),
    /// It answered.
    SynAck(Box<Receiver>),
}

/// What leaves is known from the timer.
struct Mute;

impl Wire for Mute {
    fn send(&mut self, _now: Time, _seq: u64) {}
    fn on_loss_episode(&mut self, _now: Time, _reduction: Reduction) {}
    fn on_timeout(&mut self, _now: Time, _cwnd: f64) {}
    fn on_undo(&mut self, _now: Time, _cwnd: f64) {}
    fn on_slow_start_exit(&mut self, _now: Time, _cwnd: f64) {}
}

impl Repeats {
    /// A SYN leaves.
    pub(super) fn of_syn(at: Time, options: &Options, profile: &str) -> Result<Repeats, Stop> {
        let built = cc::build("reno", None, profile, &BTreeMap::new()).map_err(|error| Stop::NotDrivable(error.to_string()))?;
        let spec = SenderSpec { options: options.clone(), mss: 1460, segments: u64::MAX, window: u64::MAX, device: false };
        let mut sender = Sender::new(spec, built.algorithm);
        sender.on_opened(at, &mut Mute);
        Ok(Repeats::Syn(Box::new(sender)))
    }

    /// A SYN arrives, and is answered.
    pub(super) fn of_syn_ack(at: Time, options: &Options) -> Repeats {
        let mut receiver = Receiver::new(ReceiverSpec::new(options, Duration::from_ms(1)));
        receiver.answer_by_timer();
        receiver.on_segment(Arrival { at, seq: Opening::Syn.seq(), sent: at });
        Repeats::SynAck(Box::new(receiver))
    }

    /// The same SYN arrives once more.
    pub(super) fn on_asked_again(&mut self, at: Time) {
        if let Repeats::SynAck(receiver) = self {
            receiver.on_segment(Arrival { at, seq: Opening::Syn.seq(), sent: at });
        }
    }

    /// When it leaves again.
    pub(super) fn deadline(&self) -> Time {
        match self {
            Repeats::Syn(sender) => sender.deadline(),
            Repeats::SynAck(receiver) => receiver.deadline(),
        }
    }

    /// It does.
    pub(super) fn expire(&mut self) {
        let at = self.deadline();
        match self {
            Repeats::Syn(sender) => {
                sender.on_deadline(at, &mut Mute);
            }
            Repeats::SynAck(receiver) => {
                receiver.on_deadline();
            }
        }
    }
}
