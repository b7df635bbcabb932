//! Packet scripts: a sender driven by hand, ACK by ACK, with every segment it sends written down.

mod clock;
mod corners;
mod device;
mod marks;
mod packets;
mod prediction;
mod profiles;
mod rates;
mod recovery;
mod silence;
mod timers;
mod windows;

use std::collections::BTreeMap;

use cc::Controller;
use tcp::{Ack, Options, Range, Reduction, Sack, Sender, SenderSpec, Wire};
use units::{Duration, Time};

/// No segment, or no time.
pub(crate) const NOTHING: [u64; 0] = [];

/// Everything that left the sender.
#[derive(Default)]
pub(crate) struct Tape {
    pub(crate) sent: Vec<(u64, u64)>,
    pub(crate) episodes: Vec<(f64, f64)>,
    pub(crate) timeouts: Vec<u64>,
    pub(crate) undone: Vec<f64>,
    /// The window at each reduction for a full device.
    pub(crate) stalls: Vec<f64>,
    /// The first segment after each announcement of a reduction; none while that is still to be sent.
    pub(crate) announced: Vec<Option<u64>>,
    /// Segments that the device takes; none for any number.
    pub(crate) room: Option<u64>,
}

impl Wire for Tape {
    fn admit(&mut self, _now: Time) -> bool {
        let Some(room) = &mut self.room else { return true };
        let admits = *room > 0;
        *room -= u64::from(admits);
        admits
    }
    fn send(&mut self, now: Time, seq: u64) {
        self.sent.push((now.0 / 1000, seq));
        if let Some(announced) = self.announced.last_mut() {
            announced.get_or_insert(seq);
        }
    }
    fn announce_reduction(&mut self) {
        self.announced.push(None);
    }
    fn on_loss_episode(&mut self, _now: Time, reduction: Reduction) {
        self.episodes.push((reduction.cwnd, reduction.ssthresh));
    }
    fn on_timeout(&mut self, now: Time, _cwnd: f64) {
        self.timeouts.push(now.0 / 1000);
    }
    fn on_send_stall(&mut self, _now: Time, cwnd: f64) {
        self.stalls.push(cwnd);
    }
    fn on_undo(&mut self, _now: Time, cwnd: f64) {
        self.undone.push(cwnd);
    }
    fn on_slow_start_exit(&mut self, _now: Time, _cwnd: f64) {}
}

/// A Reno sender on a path of 100 ms that has just opened at time 0. All times are in milliseconds, and in microseconds on
/// the tape.
pub(crate) struct Script {
    pub(crate) sender: Sender<Controller>,
    pub(crate) tape: Tape,
}

pub(crate) fn options(initial_window: u32) -> Options {
    Options { initial_window, ..Options::of_profile("linux-6.1").expect("a profile") }
}

impl Script {
    pub(crate) fn open(options: Options, segments: u64, window: u64) -> Script {
        let reno = cc::build("reno", None, "linux-6.1", &BTreeMap::new()).expect("reno").algorithm;
        let mut sender = Sender::new(SenderSpec { options, mss: 1448, segments, window, device: false }, reno);
        let mut tape = Tape::default();
        sender.on_started(Time::ZERO, Duration::from_ms(100), &mut tape);
        Script { sender, tape }
    }

    /// The same, endless, above a device that takes `room` segments.
    pub(crate) fn open_on_device(options: Options, room: u64) -> Script {
        let reno = cc::build("reno", None, "linux-6.1", &BTreeMap::new()).expect("reno").algorithm;
        let spec = SenderSpec { options, mss: 1448, segments: u64::MAX, window: u64::MAX, device: true };
        let mut sender = Sender::new(spec, reno);
        let mut tape = Tape { room: Some(room), ..Tape::default() };
        sender.on_started(Time::ZERO, Duration::from_ms(100), &mut tape);
        Script { sender, tape }
    }

    /// Every segment sent so far.
    pub(crate) fn sent(&self) -> Vec<u64> {
        self.tape.sent.iter().map(|&(_, seq)| seq).collect()
    }

    /// An ACK without SACK information that echoes a segment sent at `echo`.
    pub(crate) fn ack(&mut self, ms: u64, cumulative: u64, echo: u64) -> Vec<u64> {
        self.deliver(ms, Ack { cumulative, echo: Time::from_ms(echo), has_sack: false, ..Ack::default() }, None)
    }

    /// An ACK with one SACK block.
    pub(crate) fn sack(&mut self, ms: u64, cumulative: u64, block: (u64, u64)) -> Vec<u64> {
        let block = Range { from: block.0, to: block.1 };
        let sack = Sack { blocks: [block, Range::default(), Range::default()], duplicate: None, window: None };
        self.deliver(ms, Ack { cumulative, echo: Time::ZERO, has_sack: true, ..Ack::default() }, Some(sack))
    }

    /// An ACK that reports `seq` as having arrived twice, and echoes time `echo`.
    pub(crate) fn duplicate(&mut self, ms: u64, cumulative: u64, seq: u64, echo: u64) -> Vec<u64> {
        let sack = Sack { blocks: [Range::default(); 3], duplicate: Some(seq), window: None };
        self.deliver(ms, Ack { cumulative, echo: Time::from_ms(echo), has_sack: true, ..Ack::default() }, Some(sack))
    }

    /// An ACK with this ECN feedback.
    pub(crate) fn marked(&mut self, ms: u64, cumulative: u64, ecn: u16) -> Vec<u64> {
        self.deliver(ms, Ack { cumulative, ecn, ..Ack::default() }, None)
    }

    fn deliver(&mut self, ms: u64, ack: Ack, sack: Option<Sack>) -> Vec<u64> {
        let before = self.tape.sent.len();
        self.sender.on_ack(Time::from_ms(ms), ack, sack.as_ref(), &mut self.tape);
        self.tape.sent[before..].iter().map(|&(_, seq)| seq).collect()
    }

    /// Lets the sender's timer expire, and returns when (microseconds) and what was sent.
    pub(crate) fn wait(&mut self) -> (u64, Vec<u64>) {
        let before = self.tape.sent.len();
        let at = self.sender.deadline();
        assert!(at < Time::NEVER, "no timer is armed");
        self.sender.on_deadline(at, &mut self.tape);
        (at.0 / 1000, self.tape.sent[before..].iter().map(|&(_, seq)| seq).collect())
    }

    pub(crate) fn cwnd(&self) -> f64 {
        self.sender.window().cwnd
    }
}
