//! Two laws that are shown the same: the first moves the window, the second is compared with it after every hook.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use cc::{
    build, build_with, AckArrival, CaEvent, CaState, CongestionControl, Connection, Controller, GuestLaw, GuestParameter, GuestProtocol,
    Guests, LostSegment, Needs, RateSample, RttSample, Window,
};
use units::{ByteRate, Stream};

type Note = Arc<Mutex<Option<String>>>;

/// A law of the registry with the guest "twin" behind it.
#[derive(Debug)]
pub struct Shadow {
    law: &'static str,
    guests: Guests,
    draw: Option<f64>,
    note: Note,
}

impl Shadow {
    pub fn new(law: &'static str, guests: Guests, draw: Option<f64>) -> Shadow {
        Shadow { law, guests, draw, note: Note::default() }
    }

    /// What was noted first.
    pub fn first(&self) -> Option<String> {
        self.note.lock().unwrap().clone()
    }
}

impl GuestProtocol for Shadow {
    fn name(&self) -> &'static str {
        "shadow"
    }
    fn parameters(&self) -> &[GuestParameter] {
        &[]
    }
    fn start(&self, _values: &[f64]) -> Result<Box<dyn GuestLaw>, String> {
        let drawn: BTreeMap<String, f64> = self.draw.iter().map(|&draw| ("phase_draw".to_owned(), draw)).collect();
        let first = build(self.law, Some("linux-6.1"), "linux-6.1", &drawn).unwrap().algorithm;
        let second = build_with(&self.guests, "twin", None, "linux-6.1", &BTreeMap::new()).unwrap().algorithm;
        Ok(Box::new(Pair { first, second, seconds: Window::new(10), note: self.note.clone(), calls: Vec::new() }))
    }
    fn for_another_run(&self) -> Arc<dyn GuestProtocol> {
        let guests = self.guests.for_another_run();
        Arc::new(Shadow { law: self.law, guests, draw: self.draw, note: self.note.clone() })
    }
}

#[derive(Clone, Debug)]
struct Pair {
    first: Controller,
    second: Controller,
    seconds: Window,
    note: Note,
    calls: Vec<String>,
}

impl Pair {
    fn both<A: PartialEq + Debug>(
        &mut self,
        what: String,
        w: &mut Window,
        c: &Connection,
        call: impl Fn(&mut Controller, &mut Window) -> A,
    ) -> A {
        let before = w.clone();
        self.seconds = w.clone();
        let answer = call(&mut self.first, w);
        let seconds = call(&mut self.second, &mut self.seconds);
        let same = answer == seconds && w.cwnd == self.seconds.cwnd && w.ssthresh.max(2.0) == self.seconds.ssthresh.max(2.0);
        self.calls.push(format!("{:.6} {:?} {what} {before:?}", c.now.as_secs_f64(), c.ca_state));
        if !same && self.note.lock().unwrap().is_none() {
            let tail = self.calls[self.calls.len().saturating_sub(12)..].join("\n    ");
            let said = format!(
                "ours {answer:?} {w:?}, file's {seconds:?} {:?}\n    {c:?}\n    {tail}\n    {:?}\n    {:?}",
                self.seconds, self.first, self.second
            );
            self.note.lock().unwrap().get_or_insert(said);
        }
        answer
    }
}

impl CongestionControl for Pair {
    fn needs(&self) -> Needs {
        Needs { transport_rate: self.first.needs().transport_rate || self.second.needs().transport_rate, ..self.first.needs() }
    }
    fn slow_start(&self) -> Option<cc::slow_start::Kind> {
        None
    }
    fn on_seeded(&mut self, stream: Stream) {
        self.first.on_seeded(stream.clone());
        self.second.on_seeded(stream);
    }
    fn on_established(&mut self, w: &mut Window, c: &Connection) {
        self.both("on_established".into(), w, c, |law, w| law.on_established(w, c));
    }
    fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
        self.both(format!("{s:?}"), w, c, |law, w| law.on_rtt_sampled(w, c, s));
    }
    fn on_ack_arrived(&mut self, w: &mut Window, c: &Connection, a: &AckArrival) {
        self.both(format!("{a:?}"), w, c, |law, w| law.on_ack_arrived(w, c, a));
    }
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        self.both(format!("on_acked {acked} una {} nxt {} limited {}", c.una, c.nxt, c.cwnd_limited), w, c, |law, w| {
            law.on_acked(w, c, acked)
        });
    }
    fn on_rate_sampled(&mut self, w: &mut Window, c: &Connection, s: &RateSample) {
        self.both(format!("{s:?}"), w, c, |law, w| {
            law.on_rate_sampled(w, c, s);
            (law.pacing_rate(w, c), law.holds_back())
        });
    }
    fn holds_back(&self) -> bool {
        self.first.holds_back()
    }
    fn on_segment_lost(&mut self, w: &mut Window, c: &Connection, s: &LostSegment) {
        self.both(format!("{s:?}"), w, c, |law, w| law.on_segment_lost(w, c, s));
    }
    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64 {
        self.both("ssthresh".into(), w, c, |law, w| law.ssthresh(w, c))
    }
    fn on_state_changed(&mut self, w: &mut Window, c: &Connection, to: CaState) {
        self.both(format!("{to:?}"), w, c, |law, w| law.on_state_changed(w, c, to));
    }
    fn on_event(&mut self, w: &mut Window, c: &Connection, e: CaEvent) {
        self.both(format!("{e:?}"), w, c, |law, w| law.on_event(w, c, e));
    }
    fn undo(&mut self, w: &mut Window, c: &Connection) -> f64 {
        self.both("undo".into(), w, c, |law, w| law.undo(w, c))
    }
    fn pacing_rate(&self, w: &Window, c: &Connection) -> Option<ByteRate> {
        self.first.pacing_rate(w, c)
    }
}

impl GuestLaw for Pair {
    fn boxed_clone(&self) -> Box<dyn GuestLaw> {
        Box::new(self.clone())
    }
    fn on_seated(&mut self, _flow: usize) {}
}
