//! A law from outside that asks for anything, at any hook: windows of up to 2^31 segments, rates from none to all, from one call to the
//! next. Whatever it asks for, time passes: what it can do at one instant is bounded, and so is a run.

use std::sync::{Arc, Mutex};

use cc::{
    CaEvent, CaState, CongestionControl, Connection, Control, Controller, GuestLaw, GuestParameter, GuestProtocol, Guests, Needs,
    RateSample, RttSample, RttSamples, Window, SSTHRESH_INFINITE,
};
use sim::{run_with, Beside, Observer, Spec};
use tcp::Sender;
use units::{ByteRate, Stream, Time};

/// Segments that such a law may have under way.
const WIDEST: u64 = 1 << 22;

#[derive(Clone, Debug)]
struct Hostile {
    control: Control,
    draws: Arc<Mutex<Stream>>,
}

impl Hostile {
    fn draw(&self, of: u64) -> u64 {
        self.draws.lock().unwrap().up_to(of)
    }

    /// A window: least, most, or anything between.
    fn segments(&self) -> f64 {
        match self.draw(3) {
            0 => 1.0,
            1 => SSTHRESH_INFINITE,
            2 => self.draw(100) as f64 + 1.0,
            _ => self.draw(2_147_483_646) as f64 + 1.0,
        }
    }

    fn move_window(&self, w: &mut Window) {
        w.cwnd = self.segments();
        w.ssthresh = self.segments();
        w.cnt = self.draw(u64::from(u32::MAX)) as u32;
    }
}

impl CongestionControl for Hostile {
    fn needs(&self) -> Needs {
        Needs { control: self.control, rtt_samples: RttSamples::ByStack, ..Needs::default() }
    }
    fn slow_start(&self) -> Option<cc::slow_start::Kind> {
        None
    }
    fn on_established(&mut self, w: &mut Window, _c: &Connection) {
        self.move_window(w);
    }
    fn on_rtt_sampled(&mut self, w: &mut Window, _c: &Connection, _s: &RttSample) {
        self.move_window(w);
    }
    fn on_acked(&mut self, w: &mut Window, _c: &Connection, _acked: u32) {
        self.move_window(w);
    }
    fn on_rate_sampled(&mut self, w: &mut Window, _c: &Connection, _s: &RateSample) {
        self.move_window(w);
    }
    fn holds_back(&self) -> bool {
        self.draw(1) == 0
    }
    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        self.move_window(w);
        self.segments()
    }
    fn on_state_changed(&mut self, w: &mut Window, _c: &Connection, _to: CaState) {
        self.move_window(w);
    }
    fn on_event(&mut self, w: &mut Window, _c: &Connection, _e: CaEvent) {
        self.move_window(w);
    }
    fn undo(&mut self, _w: &mut Window, _c: &Connection) -> f64 {
        self.segments()
    }
    fn pacing_rate(&self, _w: &Window, _c: &Connection) -> Option<ByteRate> {
        match self.draw(3) {
            0 => None,
            1 => Some(ByteRate(1)),
            2 => Some(ByteRate(u64::MAX)),
            _ => Some(ByteRate(self.draw(1 << 40) + 1)),
        }
    }
}

impl GuestLaw for Hostile {
    fn boxed_clone(&self) -> Box<dyn GuestLaw> {
        Box::new(self.clone())
    }
    fn on_seated(&mut self, _flow: usize) {}
}

#[derive(Debug)]
struct Protocol {
    control: Control,
    seed: u64,
}

impl GuestProtocol for Protocol {
    fn name(&self) -> &'static str {
        "hostile"
    }
    fn parameters(&self) -> &[GuestParameter] {
        &[]
    }
    fn start(&self, _values: &[f64]) -> Result<Box<dyn GuestLaw>, String> {
        let draws = Arc::new(Mutex::new(Stream::named(self.seed, "hostile")));
        Ok(Box::new(Hostile { control: self.control, draws }))
    }
    fn for_another_run(&self) -> Arc<dyn GuestProtocol> {
        Arc::new(Protocol { control: self.control, seed: self.seed })
    }
}

/// What was under way at most, and that time went on.
#[derive(Default)]
struct Looker {
    widest: u64,
    latest: Time,
}

impl Observer for Looker {
    fn on_acked(&mut self, now: Time, _flow: usize, sender: &Sender<Controller>) {
        let c = sender.connection();
        self.widest = self.widest.max(c.nxt - c.una);
        self.latest = self.latest.max(now);
    }
}

#[test]
fn time_passes_whatever_a_law_from_outside_asks_for() {
    let mut widest = 0;
    for control in [Control::Window, Control::PacedWindow { ahead: 1 }, Control::Full, Control::FullByRate] {
        for seed in 0..2 {
            let spec = serde_json::json!({
                "seed": seed, "duration_ns": 700_000_000_u64, "warmup_ns": 0, "sample_ns": 100_000_000,
                "forward": {"rate_bps": 5_000_000, "queue": {"unit": "packets", "limit": 20}},
                "flows": [{"algorithm": "hostile", "rtt_ns": 5_000_000}, {"algorithm": "reno", "rtt_ns": 20_000_000}],
            });
            let spec = Spec::from_json(&spec.to_string()).unwrap();
            let mut guests = Guests::default();
            guests.insert("hostile", Arc::new(Protocol { control, seed }));
            let (mut looker, mut looks) = (Looker::default(), 0);
            let beside = Beside { guests: &guests, ..Beside::default() };
            let records = run_with(&spec, beside, &mut looker, || {
                looks += 1;
                // Each is 131,072 events; the link carries some 300 packets in this time.
                looks > 100
            })
            .unwrap_or_else(|error| panic!("{control:?}, seed {seed}: {error}"));
            assert!(looker.latest > Time(100_000_000), "{control:?}, seed {seed}: {:?}", looker.latest);
            assert!(records.flows[0].at_end.delivered > 0);
            assert!(looker.widest <= WIDEST, "{control:?}, seed {seed}: {} under way", looker.widest);
            widest = widest.max(looker.widest);
        }
    }
    assert_eq!(widest, WIDEST, "the bound is reached");
}
