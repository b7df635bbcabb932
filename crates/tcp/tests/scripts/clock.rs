//! The clock that times segments: exact, or in jiffies.

use cc::{CongestionControl, Connection, Needs, RttSample, RttSamples, Window};
use tcp::{Ack, Options, Sender, SenderSpec};
use units::{Duration, Time};

use crate::{options, Tape};

/// Writes its RTT samples down.
#[derive(Default)]
struct Listener {
    stamps: bool,
    heard: Vec<Duration>,
}

impl CongestionControl for Listener {
    fn needs(&self) -> Needs {
        Needs { rtt_samples: if self.stamps { RttSamples::Exact } else { RttSamples::ByStack }, ..Needs::default() }
    }
    fn on_rtt_sampled(&mut self, _w: &mut Window, _c: &Connection, s: &RttSample) {
        self.heard.extend(s.rtt);
    }
    fn on_acked(&mut self, _w: &mut Window, _c: &Connection, _acked: u32) {}
    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        w.cwnd
    }
}

/// A sender on a path of 104 ms that has just opened at time 0.
fn open(rtt_granularity_s: f64, stamps: bool) -> (Sender<Listener>, Tape) {
    let options = Options { tlp: false, rtt_granularity_s, ..options(10) };
    let spec = SenderSpec { options, mss: 1448, segments: 10, window: u64::MAX, device: false };
    let mut sender = Sender::new(spec, Listener { stamps, ..Listener::default() });
    let mut tape = Tape::default();
    sender.on_started(Time::ZERO, Duration::from_ms(104), &mut tape);
    (sender, tape)
}

/// RTO = srtt + max(2 srtt, 200 ms) after the handshake's sample, and with HZ = 100 the 104 ms are ten ticks.
#[test]
fn a_coarse_clock_shortens_the_timeout() {
    for (rtt_granularity_s, timeout_ms) in [(0.0, 104 + 208), (0.01, 100 + 200)] {
        assert_eq!(open(rtt_granularity_s, false).0.deadline(), Time::from_ms(timeout_ms));
    }
}

/// An algorithm sees ticks too, on plain ACKs and on others, unless it stamps its segments itself (Linux's `TCP_CONG_RTT_STAMP`).
#[test]
fn an_algorithm_that_stamps_its_segments_sees_no_ticks() {
    for (stamps, heard_ms) in [(false, [100, 110]), (true, [104, 115])] {
        let (mut sender, mut tape) = open(0.01, stamps);
        let plain = Ack { cumulative: 2, ..Ack::default() };
        sender.on_ack(Time::from_ms(104), plain, None, &mut tape);
        let sack = tcp::Sack { blocks: [tcp::Range::of(5), tcp::Range::default(), tcp::Range::default()], duplicate: None, window: None };
        sender.on_ack(Time::from_ms(115), Ack { has_sack: true, ..plain }, Some(&sack), &mut tape);
        assert_eq!(sender.algorithm().heard, heard_ms.map(Duration::from_ms));
    }
}
