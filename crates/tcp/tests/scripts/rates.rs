//! Delivery-rate samples (draft-cheng-iccrg-delivery-rate-estimation), by hand.

use cc::{CongestionControl, Connection, Control, LostSegment, Needs, RateSample, Window};
use tcp::{Ack, Range, Sack, Sender, SenderSpec};
use units::{ByteRate, Duration, Time};

use crate::{options, Tape};

/// Keeps what it is told, and the window as it is.
#[derive(Clone, Default)]
struct Recorder {
    samples: Vec<RateSample>,
    lost: Vec<LostSegment>,
    holds_back: bool,
    /// Bytes per second; none for no pacing to speak of.
    rate: Option<u64>,
    /// Of each sample, whether the window was the limit.
    limited: Vec<bool>,
}

impl CongestionControl for Recorder {
    fn needs(&self) -> Needs {
        Needs { control: Control::FullByRate, ..Needs::default() }
    }
    fn on_acked(&mut self, _w: &mut Window, _c: &Connection, _acked: u32) {
        unreachable!("the window is the rate's alone");
    }
    fn on_rate_sampled(&mut self, _w: &mut Window, c: &Connection, s: &RateSample) {
        self.samples.push(*s);
        self.limited.push(c.cwnd_limited);
    }
    fn on_segment_lost(&mut self, _w: &mut Window, _c: &Connection, s: &LostSegment) {
        self.lost.push(*s);
    }
    fn holds_back(&self) -> bool {
        self.holds_back
    }
    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        w.ssthresh
    }
    /// Or as good as none: a segment takes less than a nanosecond.
    fn pacing_rate(&self, _w: &Window, _c: &Connection) -> Option<ByteRate> {
        Some(ByteRate(self.rate.unwrap_or(u64::MAX >> 1)))
    }
}

/// Ten segments leave at time 0 on a path of 100 ms.
struct Script {
    sender: Sender<Recorder>,
    tape: Tape,
}

impl Script {
    fn open(segments: u64, recorder: Recorder) -> Script {
        Script::open_over(Duration::from_ms(100), segments, recorder)
    }

    fn open_over(rtt: Duration, segments: u64, recorder: Recorder) -> Script {
        let mut sender = Sender::new(SenderSpec { options: options(10), mss: 1448, segments, window: u64::MAX, device: false }, recorder);
        let mut tape = Tape::default();
        sender.on_started(Time::ZERO, rtt, &mut tape);
        Script { sender, tape }
    }

    /// The deadline comes: when, microseconds, and how many segments leave then.
    fn wait(&mut self) -> (u64, usize) {
        let (at, before) = (self.sender.deadline(), self.tape.sent.len());
        self.sender.on_deadline(at, &mut self.tape);
        (at.0 / 1000, self.tape.sent.len() - before)
    }

    /// The sample that an ACK at `ms` gives, with one SACK block or none.
    fn ack(&mut self, ms: u64, cumulative: u64, block: Option<(u64, u64)>) -> RateSample {
        let sack = block.map(|(from, to)| Sack {
            blocks: [Range { from, to }, Range::default(), Range::default()],
            duplicate: None,
            window: None,
        });
        let ack = Ack { cumulative, echo: Time::ZERO, has_sack: sack.is_some(), ..Ack::default() };
        self.sender.on_ack(Time::from_ms(ms), ack, sack.as_ref(), &mut self.tape);
        *self.sender.algorithm().samples.last().expect("a sample for each ACK")
    }
}

/// Delivered since the newest segment was sent, over the longer of the times to send it all and to acknowledge it all.
#[test]
fn a_sample_is_what_was_delivered_since_the_newest_segment_left() {
    let mut script = Script::open(u64::MAX, Recorder::default());
    let first = script.ack(100, 2, None);
    assert_eq!((first.delivered, first.interval), (Some(2), Some(Duration::from_ms(100))));
    assert_eq!((first.prior_delivered, first.prior_in_flight, first.tx_in_flight, first.acked), (0, 10, 2, 2));
    // Nothing was delivered before: the clock runs from the start.
    let second = script.ack(110, 5, None);
    assert_eq!((second.delivered, second.interval), (Some(5), Some(Duration::from_ms(110))));
    // Segment 11 left at 100 ms, when two were delivered: ten since, sent over 100 ms, acknowledged over 120 ms.
    let third = script.ack(220, 12, None);
    assert_eq!((third.prior_delivered, third.prior_time), (2, Time::from_ms(100)));
    assert_eq!((third.delivered, third.interval, third.rtt), (Some(10), Some(Duration::from_ms(120)), Some(Duration::from_ms(120))));
    assert_eq!((third.tx_in_flight, third.app_limited, third.lost), (10, false, 0));
    // Segment 14, the last of three, left at 110 ms after a segment of 0 ms: 110 ms to send, and again 120 to acknowledge.
    let fourth = script.ack(225, 15, None);
    assert_eq!((fourth.delivered, fourth.interval), (Some(10), Some(Duration::from_ms(115))));
}

/// Selective acknowledgements deliver too; an ACK that delivers nothing gives a sample of nothing.
#[test]
fn selective_acknowledgements_are_deliveries() {
    let mut script = Script::open(u64::MAX, Recorder::default());
    let sacked = script.ack(100, 0, Some((1, 3)));
    assert_eq!((sacked.delivered, sacked.acked, sacked.tx_in_flight), (Some(2), 2, 3));
    let again = script.ack(101, 0, Some((1, 3)));
    assert_eq!((again.delivered, again.interval, again.acked), (None, None, 0));
    assert_eq!(again.delivered_at, Time::from_ms(100));
    // Each once: the cumulative ACK of 0 to 2 delivers 0 alone. Its sample is older than the newest, and all three count.
    let filled = script.ack(110, 3, None);
    assert_eq!((filled.acked, filled.delivered), (1, Some(3)));
}

/// Segments 0 and 1 are found lost when 2 to 4 are SACKed: each was sent beside those before it, and the count goes on.
#[test]
fn losses_are_told_one_by_one_with_what_was_in_flight() {
    let mut script = Script::open(u64::MAX, Recorder::default());
    let sample = script.ack(100, 0, Some((2, 5)));
    let told = script.sender.algorithm().lost.iter().map(|s| (s.seq, s.tx_in_flight, s.lost_since_sent)).collect::<Vec<_>>();
    assert_eq!(told, [(0, 1, 1), (1, 2, 2)]);
    assert_eq!((sample.lost, sample.lost_since_sent), (2, 2));
}

/// With three segments to send and room for ten the application is what limits, until all three are delivered; a full window limits itself.
#[test]
fn a_sender_without_data_is_limited_by_the_application() {
    let script = Script::open(3, Recorder::default());
    assert_eq!(script.sender.connection().app_limited_until, 3 + 1);
    let script = Script::open(10, Recorder::default());
    assert_eq!(script.sender.connection().app_limited_until, 0);
    // An algorithm that holds back says so of all that is in flight, and of what it sends then.
    let mut script = Script::open(u64::MAX, Recorder { holds_back: true, ..Recorder::default() });
    assert!(!script.ack(100, 2, None).app_limited);
    assert_eq!(script.sender.connection().app_limited_until, 2 + 8 + 1);
    assert!(!script.ack(110, 10, None).app_limited);
    assert!(script.ack(200, 12, None).app_limited);
}

/// Ten segments fill the window; from then on pacing lets one leave per 100 ms. A round trip without a full window, and it limits no more.
#[test]
fn what_only_pacing_holds_back_does_not_fill_the_window_of_a_law_of_the_rate() {
    let mut script = Script::open(u64::MAX, Recorder { rate: Some(14_480), ..Recorder::default() });
    for (ms, cumulative) in [(100, 5), (110, 10), (200, 11), (300, 12), (400, 13)] {
        script.ack(ms, cumulative, None);
    }
    assert_eq!(script.sender.algorithm().limited, [true, true, true, false, false]);
}

/// Five of ten are acknowledged at 40 ms, and five more leave, the first at once, half a millisecond early for it was late, the others a
/// millisecond apart. The probe follows the last of them by two round trips of 40 ms and two ticks (RFC 8985 7.2), whether that is the last
/// that there is, or another was to follow when the application stopped, and whether or not an ACK that moves nothing came between.
#[test]
fn a_probe_follows_the_last_of_paced_segments() {
    let rate = Recorder { rate: Some(1_448_000), ..Recorder::default() };
    for (left, repeats, probed_us) in [(4, false, 125_500), (2, false, 123_500), (2, true, 123_500), (3, true, 124_500)] {
        let mut script = Script::open_over(Duration::from_ms(40), u64::MAX, rate.clone());
        script.ack(40, 5, None);
        for at in (40_500..).step_by(1000).take(left) {
            assert_eq!(script.wait(), (at, 1));
        }
        if repeats {
            let now = Time(script.sender.connection().now.0 + 250_000);
            let ack = Ack { cumulative: 5, echo: Time::ZERO, ..Ack::default() };
            script.sender.on_ack(now, ack, None, &mut script.tape);
        }
        if left < 4 {
            script.sender.on_stopped();
            assert_eq!(script.wait().1, 0, "the gate opens, and there is nothing to send");
        }
        assert_eq!(script.sender.deadline(), Time::from_us(probed_us), "{left} of 4 left, {repeats}");
    }
}
