//! Laws that are told of each packet, in random scenarios: being told changes nothing, and what is told adds up.

#[allow(dead_code, unused_imports)]
mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use cc::{
    build, AckArrival, CaEvent, CaState, CongestionControl, Connection, Controller, GuestLaw, GuestParameter, GuestProtocol, Guests,
    LostSegment, Needs, Packet, RateSample, RttSample, Window,
};
use sim::{run_with, AckHash, Beside, Spec};
use units::{ByteRate, Stream};

/// What was told of all connections of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    sent: u64,
    repeated: u64,
    acked: u64,
    lost: u64,
}

/// A law of the registry that is told of each packet.
#[derive(Clone, Debug)]
struct Told {
    law: Controller,
    /// Numbers that left, and were not heard of since.
    outstanding: BTreeMap<u64, Packet>,
    lost: BTreeSet<u64>,
    /// The number of the next packet.
    next: u64,
    latest: BTreeMap<u64, u64>,
    counts: Arc<Mutex<Counts>>,
}

impl CongestionControl for Told {
    fn needs(&self) -> Needs {
        Needs { packets: true, ..self.law.needs() }
    }
    fn slow_start(&self) -> Option<cc::slow_start::Kind> {
        None
    }
    fn on_packet_sent(&mut self, _w: &mut Window, c: &Connection, p: &Packet) {
        assert_eq!((p.number, p.sent, p.in_flight, p.delivered), (self.next, c.now, c.in_flight + 1, c.delivered));
        assert_eq!(p.repeated, p.seq < c.nxt);
        self.next += 1;
        if let Some(before) = self.latest.insert(p.seq, p.number) {
            // Of a segment the latest packet alone is heard of again.
            self.outstanding.remove(&before);
            self.lost.remove(&before);
        }
        self.outstanding.insert(p.number, *p);
        let mut counts = self.counts.lock().unwrap();
        counts.sent += 1;
        counts.repeated += u64::from(p.repeated);
    }
    fn on_packet_acked(&mut self, _w: &mut Window, c: &Connection, p: &Packet) {
        let known = self.outstanding.remove(&p.number);
        assert_eq!(known, Some(*p), "what arrives had left, and arrives once");
        assert!(p.sent <= c.now && p.delivered < c.delivered);
        self.lost.remove(&p.number);
        self.latest.remove(&p.seq);
        self.counts.lock().unwrap().acked += 1;
    }
    fn on_packet_lost(&mut self, _w: &mut Window, _c: &Connection, p: &Packet) {
        assert_eq!(self.outstanding.get(&p.number), Some(p), "what is lost had left, and has not arrived");
        self.lost.insert(p.number);
        self.counts.lock().unwrap().lost += 1;
    }
    fn on_seeded(&mut self, stream: Stream) {
        self.law.on_seeded(stream);
    }
    fn on_established(&mut self, w: &mut Window, c: &Connection) {
        self.law.on_established(w, c);
    }
    fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
        self.law.on_rtt_sampled(w, c, s);
    }
    fn on_ack_arrived(&mut self, w: &mut Window, c: &Connection, a: &AckArrival) {
        self.law.on_ack_arrived(w, c, a);
    }
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        self.law.on_acked(w, c, acked);
    }
    fn on_rate_sampled(&mut self, w: &mut Window, c: &Connection, s: &RateSample) {
        self.law.on_rate_sampled(w, c, s);
    }
    fn holds_back(&self) -> bool {
        self.law.holds_back()
    }
    fn on_segment_lost(&mut self, w: &mut Window, c: &Connection, s: &LostSegment) {
        self.law.on_segment_lost(w, c, s);
    }
    fn on_state_changed(&mut self, w: &mut Window, c: &Connection, to: CaState) {
        self.law.on_state_changed(w, c, to);
    }
    fn on_event(&mut self, w: &mut Window, c: &Connection, e: CaEvent) {
        self.law.on_event(w, c, e);
    }
    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64 {
        self.law.ssthresh(w, c)
    }
    fn undo(&mut self, w: &mut Window, c: &Connection) -> f64 {
        self.law.undo(w, c)
    }
    fn pacing_rate(&self, w: &Window, c: &Connection) -> Option<ByteRate> {
        self.law.pacing_rate(w, c)
    }
}

impl GuestLaw for Told {
    fn boxed_clone(&self) -> Box<dyn GuestLaw> {
        Box::new(self.clone())
    }
    fn on_seated(&mut self, _flow: usize) {}
}

/// What makes it.
#[derive(Clone, Debug)]
struct Telling {
    algorithm: &'static str,
    counts: Arc<Mutex<Counts>>,
}

impl GuestProtocol for Telling {
    fn name(&self) -> &'static str {
        "telling"
    }
    fn parameters(&self) -> &[GuestParameter] {
        &[]
    }
    fn start(&self, _values: &[f64]) -> Result<Box<dyn GuestLaw>, String> {
        let law = build(self.algorithm, Some("linux-6.1"), "linux-6.1", &BTreeMap::new()).unwrap().algorithm;
        let (outstanding, lost, latest) = Default::default();
        Ok(Box::new(Told { law, outstanding, lost, next: 0, latest, counts: Arc::clone(&self.counts) }))
    }
    fn for_another_run(&self) -> Arc<dyn GuestProtocol> {
        Arc::new(self.clone())
    }
}

/// Every ACK of the scenario with this algorithm at all flows.
fn acks(spec: &Spec, (algorithm, variant): (&str, Option<&str>), guests: &Guests) -> AckHash {
    let mut spec = spec.clone();
    for flow in &mut spec.flows {
        flow.algorithm = algorithm.into();
        flow.variant = variant.map(str::to_owned);
        flow.parameters = BTreeMap::new();
        flow.slow_start = None;
    }
    let mut hash = AckHash::default();
    run_with(&spec, Beside { guests, ..Beside::default() }, &mut hash, || false).unwrap();
    hash
}

#[test]
fn to_be_told_of_packets_changes_nothing_and_what_is_told_adds_up() {
    let mut totals = Counts::default();
    for algorithm in ["reno", "cubic", "bbr"] {
        for index in 0..100 {
            let spec = common::scenario(index);
            let mut guests = Guests::default();
            let telling = Telling { algorithm, counts: Arc::default() };
            guests.insert("telling", Arc::new(telling.clone()));
            let ours = acks(&spec, (algorithm, Some("linux-6.1")), &cc::NO_GUESTS);
            assert_eq!(acks(&spec, ("telling", None), &guests), ours, "{algorithm} in scenario {index}");
            let counts = *telling.counts.lock().unwrap();
            assert!(counts.acked <= counts.sent && counts.lost <= counts.sent, "{counts:?}");
            totals.sent += counts.sent;
            totals.repeated += counts.repeated;
            totals.acked += counts.acked;
            totals.lost += counts.lost;
        }
    }
    // All of it happened.
    assert!(totals.sent > 100_000 && totals.repeated > 1000 && totals.lost > 1000 && totals.acked > totals.sent / 2, "{totals:?}");
}
