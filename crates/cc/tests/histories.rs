//! Random legal histories of hook calls for every variant of every protocol, also at the ends of each parameter's range.

use std::collections::BTreeMap;

use cc::slow_start::Kind;
use cc::{
    build, AckArrival, CaEvent, CaState, CongestionControl, Connection, Controller, LostSegment, RateSample, RttSample, RttSamples, Window,
    PROFILES, PROTOCOLS,
};
use proptest::prelude::*;
use units::{ByteRate, Duration, Time};

#[derive(Clone, Debug)]
enum Event {
    Ack { gap_us: u64, rtt_us: u64, acked: u32, limited: bool, marked: u32 },
    Duplicate { gap_us: u64, rtt_us: u64 },
    Loss { cwr: bool },
    Exit { undo: bool },
    Timeout { gap_us: u64 },
    Idle { gap_us: u64, restart: bool },
}

fn event() -> impl Strategy<Value = Event> {
    let rtt = prop_oneof![1_u64..500, 1_000_u64..300_000, Just(0_u64)];
    let ack = (0_u64..20_000, rtt, prop_oneof![Just(1_u32), 1_u32..100], prop::bool::weighted(0.9), 0_u32..300).prop_map(
        |(gap_us, rtt_us, acked, limited, marked)| Event::Ack { gap_us, rtt_us, acked, limited, marked: marked.saturating_sub(200) },
    );
    prop_oneof![
        20 => ack,
        2 => (0_u64..5_000, 1_u64..300_000).prop_map(|(gap_us, rtt_us)| Event::Duplicate { gap_us, rtt_us }),
        2 => any::<bool>().prop_map(|cwr| Event::Loss { cwr }),
        2 => any::<bool>().prop_map(|undo| Event::Exit { undo }),
        1 => (0_u64..3_000_000).prop_map(|gap_us| Event::Timeout { gap_us }),
        1 => (0_u64..600_000_000, any::<bool>()).prop_map(|(gap_us, restart)| Event::Idle { gap_us, restart }),
    ]
}

struct Flow {
    law: Controller,
    w: Window,
    c: Connection,
    prior_ssthresh: f64,
    /// Delivered, and when, as the last segment was sent.
    sent_at: (u64, Time),
}

impl Flow {
    fn start(law: Controller) -> Flow {
        let mut flow = Flow { law, w: Window::new(10), c: Connection::new(1448), prior_ssthresh: 0.0, sent_at: (0, Time::ZERO) };
        flow.law.on_established(&mut flow.w, &flow.c);
        flow.send();
        flow
    }

    fn send(&mut self) {
        self.c.in_flight = self.w.segments();
        self.c.nxt = self.c.nxt.max(self.c.una + u64::from(self.c.in_flight));
        self.c.last_sent = self.c.now;
    }

    fn wait(&mut self, gap_us: u64) {
        self.c.now += Duration::from_us(gap_us);
    }

    fn notify(&mut self, to: CaState) {
        self.law.on_state_changed(&mut self.w, &self.c, to);
        self.c.ca_state = to;
    }

    /// Calls a hook. One that was not asked for, which the transport does not call, must change nothing.
    fn tell(&mut self, is_wanted: bool, hook: impl FnOnce(&mut Controller, &mut Window, &Connection)) {
        let state = |flow: &Flow| format!("{:?} {:?}", flow.law, flow.w);
        let before = (!is_wanted).then(|| state(self));
        hook(&mut self.law, &mut self.w, &self.c);
        if let Some(before) = before {
            assert_eq!(before, state(self), "a hook that was not asked for");
        }
    }

    fn sample(&mut self, rtt_us: u64, acked: u32) {
        let rtt = (rtt_us > 0).then(|| Duration::from_us(rtt_us));
        if let Some(rtt) = rtt {
            self.c.rtt_min = self.c.rtt_min.min(rtt);
            self.c.srtt8_us = (rtt_us * 8) as u32;
            self.c.pacing_rate = ByteRate((1.2e6 * self.w.cwnd * 1448.0 / rtt_us as f64) as u64);
        }
        let forward = rtt.filter(|_| acked > 0).map(|rtt| rtt / 2);
        let echoed = rtt.filter(|_| acked > 0).map(|rtt| self.c.now.saturating_sub(rtt));
        let sample = RttSample { acked, rtt, forward, echoed, in_flight: self.c.in_flight };
        let arrival = AckArrival { slow_path: acked == 0, ece: false };
        let needs = self.law.needs();
        self.tell(needs.rtt_samples != RttSamples::Unused, |law, w, c| law.on_rtt_sampled(w, c, &sample));
        self.tell(needs.ack_arrivals, |law, w, c| law.on_ack_arrived(w, c, &arrival));
    }

    /// A round trip's delivery rate, or the ACK's own where there was no RTT sample.
    fn sample_rate(&mut self, rtt_us: u64, acked: u32, app_limited: bool) {
        let (prior_delivered, prior_time) = self.sent_at;
        let rtt = (rtt_us > 0).then(|| Duration::from_us(rtt_us));
        let sample = RateSample {
            prior_time,
            prior_delivered,
            delivered: Some((self.c.delivered - prior_delivered) as u32),
            interval: rtt.map(|rtt| rtt.max(self.c.now - prior_time)).filter(|&interval| interval >= self.c.rtt_min),
            delivered_at: self.c.now,
            rtt,
            lost: 0,
            acked,
            prior_in_flight: self.c.in_flight,
            tx_in_flight: self.c.in_flight,
            lost_since_sent: 0,
            app_limited,
        };
        self.c.in_flight = self.c.in_flight.saturating_sub(acked);
        self.law.on_rate_sampled(&mut self.w, &self.c, &sample);
        let held = self.c.delivered + u64::from(self.c.in_flight);
        self.c.app_limited_until = if self.law.holds_back() || app_limited { held.max(1) } else { 0 };
        if self.c.una >= self.c.nxt || acked > 50 {
            self.sent_at = (self.c.delivered, self.c.now);
        }
    }

    fn begin_episode(&mut self) {
        self.c.lost += 1;
        let lost = LostSegment { seq: self.c.una, tx_in_flight: self.c.in_flight, lost_since_sent: 1, app_limited: false };
        self.law.on_segment_lost(&mut self.w, &self.c, &lost);
        self.prior_ssthresh = self.w.ssthresh;
        self.c.prior_cwnd = self.w.cwnd;
        self.w.cnt = 0;
        self.w.ssthresh = self.law.ssthresh(&mut self.w, &self.c);
        assert!(self.w.ssthresh >= 2.0, "ssthresh() answered {}", self.w.ssthresh);
    }

    fn run(&mut self, event: &Event) {
        let calm = matches!(self.c.ca_state, CaState::Open | CaState::Disorder);
        match *event {
            Event::Ack { gap_us, rtt_us, acked, limited, marked } => {
                self.wait(gap_us);
                let acked = acked.min((self.c.nxt - self.c.una) as u32).max(1);
                self.c.una += u64::from(acked);
                self.c.nxt = self.c.nxt.max(self.c.una);
                self.c.delivered += u64::from(acked);
                self.c.delivered_ce += u64::from(marked.min(acked));
                self.c.cwnd_limited = limited;
                self.sample(rtt_us, acked);
                if self.c.ca_state == CaState::Disorder {
                    self.notify(CaState::Open);
                }
                if self.law.needs().control.is_by_rate() {
                    self.sample_rate(rtt_us, acked, !limited);
                } else if !matches!(self.c.ca_state, CaState::Recovery | CaState::Cwr) {
                    self.law.on_acked(&mut self.w, &self.c, acked);
                }
            }
            Event::Duplicate { gap_us, rtt_us } => {
                self.wait(gap_us);
                if self.c.ca_state == CaState::Open {
                    self.notify(CaState::Disorder);
                }
                self.sample(rtt_us, 0);
            }
            Event::Loss { cwr } if calm => {
                self.begin_episode();
                self.notify(if cwr { CaState::Cwr } else { CaState::Recovery });
                if !self.law.needs().control.is_full() {
                    self.w.cwnd = self.w.ssthresh;
                }
            }
            Event::Exit { undo } if !calm => {
                if undo {
                    self.w.cwnd = self.law.undo(&mut self.w, &self.c);
                    self.w.ssthresh = self.w.ssthresh.max(self.prior_ssthresh);
                } else if self.c.ca_state != CaState::Loss && !self.law.needs().control.is_full() {
                    self.w.cwnd = self.w.ssthresh;
                }
                self.notify(CaState::Open);
                self.law.on_event(&mut self.w, &self.c, CaEvent::ReductionCompleted);
            }
            Event::Timeout { gap_us } => {
                self.wait(gap_us);
                if calm {
                    self.begin_episode();
                    self.law.on_event(&mut self.w, &self.c, CaEvent::TimedOut);
                }
                self.w.cwnd = 1.0;
                self.w.cnt = 0;
                self.notify(CaState::Loss);
            }
            Event::Idle { gap_us, restart } if calm => {
                self.wait(gap_us);
                self.c.una = self.c.nxt;
                if restart {
                    self.law.on_event(&mut self.w, &self.c, CaEvent::WindowRestarted);
                    self.w.ssthresh = self.w.ssthresh.max(f64::floor(0.75 * self.w.cwnd));
                    self.w.cwnd = self.w.cwnd.min(10.0);
                }
                self.law.on_event(&mut self.w, &self.c, CaEvent::TxStarted);
            }
            _ => {}
        }
        self.send();
    }
}

fn check(label: &str, law: Controller, exact: bool, events: &[Event]) {
    let mut flow = Flow::start(law);
    for (number, event) in events.iter().enumerate() {
        flow.run(event);
        let (cwnd, ssthresh) = (flow.w.cwnd, flow.w.ssthresh);
        // Linux's Vegas takes the threshold to 1 at a window of 2.
        let sound = cwnd.is_finite() && cwnd >= 1.0 && ssthresh.is_finite() && ssthresh >= 1.0;
        assert!(sound, "{label}: event {number} {event:?}: cwnd {cwnd}, ssthresh {ssthresh}");
        assert!(!exact || (cwnd.fract() == 0.0 && ssthresh.fract() == 0.0), "{label}: event {number}: {cwnd} is not whole");
        if let Some(rate) = flow.law.pacing_rate(&flow.w, &flow.c) {
            assert!(rate > ByteRate::ZERO, "{label}: event {number}: pacing stopped");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn windows_stay_sound(events in prop::collection::vec(event(), 1..200)) {
        for protocol in PROTOCOLS {
            for variant in protocol.variants {
                let built = build(protocol.name, Some(variant.name), "linux-6.1", &BTreeMap::new()).unwrap();
                check(&format!("{}:{}", protocol.name, variant.name), built.algorithm, variant.exact_kernel, &events);
            }
        }
    }

    #[test]
    fn windows_stay_sound_behind_every_slow_start(events in prop::collection::vec(event(), 1..100)) {
        for protocol in PROTOCOLS {
            for variant in protocol.variants {
                for kind in Kind::ALL {
                    let built = build(protocol.name, Some(variant.name), PROFILES[0], &BTreeMap::new()).unwrap();
                    let Ok(built) = built.with_slow_start(kind.name()) else { continue };
                    let label = format!("{}:{},slow_start={}", protocol.name, variant.name, kind.name());
                    check(&label, built.algorithm, variant.exact_kernel, &events);
                }
            }
        }
    }

    #[test]
    fn windows_stay_sound_at_the_ends_of_every_parameter(events in prop::collection::vec(event(), 1..100)) {
        for protocol in PROTOCOLS {
            for parameter in protocol.parameters {
                for &(variant, _) in parameter.defaults {
                    for value in [parameter.min, parameter.max] {
                        let given = BTreeMap::from([(parameter.name.to_string(), value)]);
                        let built = build(protocol.name, Some(variant), PROFILES[0], &given).unwrap();
                        check(&format!("{}:{variant},{}={value}", protocol.name, parameter.name), built.algorithm, false, &events);
                    }
                }
            }
        }
    }
}
