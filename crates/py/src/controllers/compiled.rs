//! An instance whose hooks Numba has compiled. Where one fails, the class itself is called from the same state, and says why.

use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::Arc;

use cc::slow_start::Kind;
use cc::{AckArrival, CaEvent, CaState, CongestionControl, Connection, GuestLaw, LostSegment, Needs, RateSample, RttSample, Window};
use guest::{CompiledLaw, Hook};
use pyo3::prelude::*;
use units::{ByteRate, Stream, Time};

use super::law::{Law, Shape};

/// Where a variable stands in the words of a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) word: usize,
    pub(super) is_float: bool,
    /// The next word says whether it is known.
    pub(super) is_optional: bool,
}

/// What the compiled instances of a class share.
#[derive(Debug)]
pub(super) struct Native {
    pub(super) hooks: guest::Compiled,
    /// Makes an instance of words.
    pub(super) restored: PyObject,
    /// The words of an instance.
    pub(super) packed: PyObject,
    pub(super) variables: Vec<Place>,
    /// What keeps the code in memory.
    pub(super) _kept: PyObject,
}

/// An instance.
#[derive(Debug)]
pub(super) struct CompiledInstance {
    shape: Arc<Shape>,
    native: Arc<Native>,
    law: CompiledLaw,
    flow: usize,
    /// Time of the latest rate sample, for the hook that is not told.
    now: Time,
}

impl CompiledInstance {
    pub(super) fn of(shape: &Arc<Shape>, native: &Arc<Native>, instance: &Bound<'_, PyAny>) -> PyResult<CompiledInstance> {
        let words: Vec<u64> = native.packed.bind(instance.py()).call1((instance,))?.extract()?;
        let law = native.hooks.state(&words, shape.needs);
        Ok(CompiledInstance { shape: Arc::clone(shape), native: Arc::clone(native), law, flow: 0, now: Time(0) })
    }

    /// Calls a hook; where it fails, the class's own from the same state, with the same window.
    #[inline]
    fn call<A>(
        &mut self,
        (hook, c): (Hook, &Connection),
        w: &mut Window,
        native: impl FnOnce(&mut guest::Law, &mut Window) -> A,
        own: impl FnOnce(&mut Law, &mut Window) -> A,
    ) -> A {
        let before = w.clone();
        let answer = catch_unwind(AssertUnwindSafe(|| native(self.law.hooks(), w)));
        match answer {
            Ok(answer) if !self.law.has_failed() => answer,
            failed => self.explain((hook, c), failed.err(), |law| {
                own(law, &mut before.clone());
            }),
        }
    }

    /// Ends the run with what the class itself raises; a hook that is interrupted for standing still may be so before it is called again.
    #[cold]
    fn explain(&self, (hook, c): (Hook, &Connection), fault: Option<Box<dyn std::any::Any + Send>>, own: impl FnOnce(&mut Law)) -> ! {
        let restored = Python::with_gil(|py| {
            let instance = self.native.restored.bind(py).call1((self.law.words_before().to_vec(),))?;
            Law::of(&self.shape, instance)
        });
        let error = match restored {
            Ok(mut law) => {
                law.on_seated(self.flow);
                law.show(c);
                own(&mut law);
                None
            }
            Err(error) => Some(error),
        };
        if let Some(fault) = fault {
            resume_unwind(fault);
        }
        if let Some(error) = error {
            Python::with_gil(|py| self.shape.end(py, (hook, self.flow), c, error));
        }
        let what = "fails as it is compiled, and does not in Python: its numbers leave what 64 bits hold".into();
        self.shape.fault((hook, self.flow), c, what)
    }
}

impl CongestionControl for CompiledInstance {
    fn needs(&self) -> Needs {
        self.shape.needs
    }

    fn slow_start(&self) -> Option<Kind> {
        None
    }

    fn on_seeded(&mut self, stream: Stream) {
        let again = stream.clone();
        let seated = (Hook::Seeded, &Connection::new(0));
        self.call(seated, &mut Window::new(1), |law, _| law.on_seeded(stream), |law, _| law.on_seeded(again));
    }

    fn on_established(&mut self, w: &mut Window, c: &Connection) {
        self.call((Hook::Established, c), w, |law, w| law.on_established(w, c), |law, w| law.on_established(w, c));
    }

    fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
        self.call((Hook::RttSampled, c), w, |law, w| law.on_rtt_sampled(w, c, s), |law, w| law.on_rtt_sampled(w, c, s));
    }

    fn on_ack_arrived(&mut self, w: &mut Window, c: &Connection, a: &AckArrival) {
        self.call((Hook::AckArrived, c), w, |law, w| law.on_ack_arrived(w, c, a), |law, w| law.on_ack_arrived(w, c, a));
    }

    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        self.call((Hook::Acked, c), w, |law, w| law.on_acked(w, c, acked), |law, w| law.on_acked(w, c, acked));
    }

    fn on_rate_sampled(&mut self, w: &mut Window, c: &Connection, s: &RateSample) {
        self.now = c.now;
        self.call((Hook::RateSampled, c), w, |law, w| law.on_rate_sampled(w, c, s), |law, w| law.on_rate_sampled(w, c, s));
    }

    fn on_segment_lost(&mut self, w: &mut Window, c: &Connection, s: &LostSegment) {
        self.call((Hook::SegmentLost, c), w, |law, w| law.on_segment_lost(w, c, s), |law, w| law.on_segment_lost(w, c, s));
    }

    fn on_state_changed(&mut self, w: &mut Window, c: &Connection, to: CaState) {
        self.call((Hook::StateChanged, c), w, |law, w| law.on_state_changed(w, c, to), |law, w| law.on_state_changed(w, c, to));
    }

    fn on_event(&mut self, w: &mut Window, c: &Connection, e: CaEvent) {
        self.call((Hook::Event, c), w, |law, w| law.on_event(w, c, e), |law, w| law.on_event(w, c, e));
    }

    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64 {
        self.call((Hook::Ssthresh, c), w, |law, w| law.ssthresh(w, c), |law, w| law.ssthresh(w, c))
    }

    fn undo(&mut self, w: &mut Window, c: &Connection) -> f64 {
        self.call((Hook::Undo, c), w, |law, w| law.undo(w, c), |law, w| law.undo(w, c))
    }

    fn holds_back(&self) -> bool {
        let answer = self.law.hooks_ref().holds_back();
        if self.law.has_failed() {
            let c = Connection { now: self.now, ..Connection::new(0) };
            self.explain((Hook::HoldsBack, &c), None, |law| {
                law.holds_back();
            });
        }
        answer
    }

    fn pacing_rate(&self, w: &Window, c: &Connection) -> Option<ByteRate> {
        let answer = self.law.hooks_ref().pacing_rate(w, c);
        if self.law.has_failed() {
            self.explain((Hook::PacingRate, c), None, |law| {
                law.pacing_rate(w, c);
            });
        }
        answer
    }

    fn variable_names(&self) -> &'static [&'static str] {
        self.shape.variables
    }

    fn variables(&self, out: &mut [f64]) {
        let words = self.law.words();
        for (place, value) in self.native.variables.iter().zip(out) {
            let word = words[place.word];
            *value = match place {
                Place { is_optional: true, word, .. } if words[word + 1] == 0 => f64::NAN,
                Place { is_float: true, .. } => f64::from_bits(word),
                Place { is_float: false, .. } => word as i64 as f64,
            };
        }
    }
}

impl GuestLaw for CompiledInstance {
    fn boxed_clone(&self) -> Box<dyn GuestLaw> {
        let (shape, native) = (Arc::clone(&self.shape), Arc::clone(&self.native));
        Box::new(CompiledInstance { shape, native, law: self.law.copied(), flow: self.flow, now: self.now })
    }

    fn on_seated(&mut self, flow: usize) {
        self.flow = flow;
        self.law.hooks().on_seated(flow);
    }
}
