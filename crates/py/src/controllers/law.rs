//! An instance of a class as a flow's controller.

use std::fmt;
use std::sync::Arc;

use cc::slow_start::Kind;
use cc::{
    AckArrival, CaEvent, CaState, CongestionControl, Connection, GuestFault, GuestLaw, LostSegment, Needs, RateSample, RttSample, Window,
};
use guest::Hook;
use pyo3::prelude::*;
use units::{ByteRate, Stream};

use super::shown::{name_of_state, PyAckArrival, PyConnection, PyLostSegment, PyRateSample, PyRttSample, PyWindow};
use super::watched::Watched;

/// Declares the hooks that a class may have, as bound methods.
macro_rules! hooks {
    ($($hook:ident),+) => {
        /// The hooks of an instance, those that its class has.
        #[derive(Default)]
        struct Hooks { $($hook: Option<PyObject>,)+ }

        impl Hooks {
            fn of(shape: &Shape, instance: &Bound<'_, PyAny>) -> PyResult<Hooks> {
                let mut hooks = Hooks::default();
                for name in &shape.hooks {
                    match name.as_str() {
                        $(stringify!($hook) => hooks.$hook = Some(instance.getattr(stringify!($hook))?.unbind()),)+
                        _ => {}
                    }
                }
                Ok(hooks)
            }
        }
    };
}

hooks!(
    on_seeded,
    on_established,
    on_rtt_sampled,
    on_ack_arrived,
    on_segment_lost,
    on_state_changed,
    on_acked,
    on_rate_sampled,
    holds_back,
    ssthresh,
    undo,
    on_event,
    pacing_rate
);

/// What all instances of a class share.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) name: &'static str,
    pub(super) variant: &'static str,
    pub(super) needs: Needs,
    pub(super) variables: &'static [&'static str],
    /// Names of the hooks that the class has.
    pub(super) hooks: Vec<String>,
    pub(super) watched: Watched,
}

impl Shape {
    #[cold]
    pub(super) fn fault(&self, (hook, flow): (Hook, usize), c: &Connection, what: String) -> ! {
        GuestFault { file: self.name.into(), hook: hook.name(), flow, now: c.now, what }.raise()
    }

    /// Ends the run with what a hook raised.
    #[cold]
    pub(super) fn end(&self, py: Python<'_>, called: (Hook, usize), c: &Connection, error: PyErr) -> ! {
        let what = match error.get_type(py).name() {
            Ok(kind) => format!("{kind}: {}", error.value(py)),
            Err(_) => "raises".into(),
        };
        self.watched.keep(error);
        self.fault(called, c, what)
    }
}

/// An instance, and the objects through which its hooks see the flow.
pub(super) struct Law {
    shape: Arc<Shape>,
    instance: PyObject,
    hooks: Hooks,
    window: Py<PyWindow>,
    connection: Py<PyConnection>,
    flow: usize,
}

impl fmt::Debug for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Law {{ class: {}, flow: {} }}", self.shape.name, self.flow)
    }
}

impl Law {
    pub(super) fn of(shape: &Arc<Shape>, instance: Bound<'_, PyAny>) -> PyResult<Law> {
        let py = instance.py();
        Ok(Law {
            shape: Arc::clone(shape),
            hooks: Hooks::of(shape, &instance)?,
            instance: instance.unbind(),
            window: Py::new(py, PyWindow::default())?,
            connection: Py::new(py, PyConnection(Connection::new(0)))?,
            flow: 0,
        })
    }

    /// Shows a connection before any hook is called.
    pub(super) fn show(&self, c: &Connection) {
        Python::with_gil(|py| self.connection.borrow_mut(py).0.clone_from(c));
    }

    #[cold]
    fn fault(&self, hook: Hook, c: &Connection, what: String) -> ! {
        self.shape.fault((hook, self.flow), c, what)
    }

    /// Ends the run with what a hook raised.
    #[cold]
    fn end(&self, py: Python<'_>, hook: Hook, c: &Connection, error: PyErr) -> ! {
        self.shape.end(py, (hook, self.flow), c, error)
    }

    /// Shows the flow, calls a hook with `(w, c)` and what `more` adds, takes the window back, and reads the answer.
    #[inline]
    fn call<A>(
        &self,
        hook: (Hook, &PyObject),
        w: &mut Window,
        c: &Connection,
        more: impl FnOnce(Python<'_>) -> PyResult<Option<PyObject>>,
        read: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<A>,
    ) -> A {
        let (name, method) = hook;
        Python::with_gil(|py| {
            {
                let mut shown = self.window.borrow_mut(py);
                (shown.cwnd, shown.ssthresh, shown.cnt) = (w.cwnd, w.ssthresh, w.cnt);
                self.connection.borrow_mut(py).0.clone_from(c);
            }
            let (window, connection) = (self.window.bind(py), self.connection.bind(py));
            let method = method.bind(py);
            self.shape.watched.page.call(name, self.flow, c.now.0);
            let answer = more(py).and_then(|more| match more {
                Some(more) => method.call1((window, connection, more)),
                None => method.call1((window, connection)),
            });
            self.shape.watched.page.call(name, self.flow, c.now.0);
            let answer = answer.and_then(|answer| read(&answer)).unwrap_or_else(|error| self.end(py, name, c, error));
            let left = self.window.borrow(py);
            if !cc::is_sound_window(left.cwnd, left.ssthresh) {
                self.complain(name, c, &left);
            }
            (w.cwnd, w.ssthresh, w.cnt) = (left.cwnd, left.ssthresh, left.cnt);
            answer
        })
    }

    #[cold]
    fn complain(&self, hook: Hook, c: &Connection, left: &PyWindow) -> ! {
        self.fault(hook, c, cc::wrong_window(left.cwnd, left.ssthresh))
    }

    /// A hook without an answer, if the class has it.
    #[inline]
    fn tell(
        &self,
        name: Hook,
        method: Option<&PyObject>,
        w: &mut Window,
        c: &Connection,
        more: impl FnOnce(Python<'_>) -> PyResult<Option<PyObject>>,
    ) {
        if let Some(method) = method {
            self.call((name, method), w, c, more, |_| Ok(()));
        }
    }

    /// A hook that answers with a window.
    fn ask(&self, name: Hook, method: &PyObject, w: &mut Window, c: &Connection) -> f64 {
        let answer = self.call((name, method), w, c, |_| Ok(None), |answer| answer.extract::<f64>());
        if let Some(what) = cc::wrong_answer(answer) {
            self.fault(name, c, what);
        }
        answer
    }
}

/// Something that a hook is shown besides window and connection.
fn shown<T: pyo3::PyClass + Into<PyClassInitializer<T>>>(py: Python<'_>, value: T) -> PyResult<Option<PyObject>> {
    Ok(Some(Py::new(py, value)?.into_any()))
}

fn word(py: Python<'_>, word: &'static str) -> PyResult<Option<PyObject>> {
    Ok(Some(word.into_pyobject(py)?.into_any().unbind()))
}

impl CongestionControl for Law {
    fn needs(&self) -> Needs {
        self.shape.needs
    }

    fn slow_start(&self) -> Option<Kind> {
        None
    }

    fn on_seeded(&mut self, mut stream: Stream) {
        let Some(method) = &self.hooks.on_seeded else { return };
        let told = Python::with_gil(|py| method.call1(py, (stream.up_to(u64::MAX) >> 1,)).map_err(|error| (error.to_string(), error)));
        if let Err((what, error)) = told {
            self.shape.watched.keep(error);
            self.fault(Hook::Seeded, &Connection::new(0), what);
        }
    }

    fn on_established(&mut self, w: &mut Window, c: &Connection) {
        self.tell(Hook::Established, self.hooks.on_established.as_ref(), w, c, |_| Ok(None));
    }

    fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
        self.tell(Hook::RttSampled, self.hooks.on_rtt_sampled.as_ref(), w, c, |py| shown(py, PyRttSample::from(s)));
    }

    fn on_ack_arrived(&mut self, w: &mut Window, c: &Connection, a: &AckArrival) {
        self.tell(Hook::AckArrived, self.hooks.on_ack_arrived.as_ref(), w, c, |py| shown(py, PyAckArrival::from(a)));
    }

    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        let more = |py: Python<'_>| Ok(Some(acked.into_pyobject(py)?.into_any().unbind()));
        self.tell(Hook::Acked, self.hooks.on_acked.as_ref(), w, c, more);
    }

    fn on_rate_sampled(&mut self, w: &mut Window, c: &Connection, s: &RateSample) {
        self.tell(Hook::RateSampled, self.hooks.on_rate_sampled.as_ref(), w, c, |py| shown(py, PyRateSample::from(s)));
    }

    fn on_segment_lost(&mut self, w: &mut Window, c: &Connection, s: &LostSegment) {
        self.tell(Hook::SegmentLost, self.hooks.on_segment_lost.as_ref(), w, c, |py| shown(py, PyLostSegment::from(s)));
    }

    fn on_state_changed(&mut self, w: &mut Window, c: &Connection, to: CaState) {
        self.tell(Hook::StateChanged, self.hooks.on_state_changed.as_ref(), w, c, |py| word(py, name_of_state(to)));
    }

    fn on_event(&mut self, w: &mut Window, c: &Connection, e: CaEvent) {
        let event = match e {
            CaEvent::TxStarted => "tx_started",
            CaEvent::WindowRestarted => "window_restarted",
            CaEvent::ReductionCompleted => "reduction_completed",
            CaEvent::TimedOut => "timed_out",
        };
        self.tell(Hook::Event, self.hooks.on_event.as_ref(), w, c, |py| word(py, event));
    }

    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64 {
        let method = self.hooks.ssthresh.as_ref().expect("a class without ssthresh is refused");
        self.ask(Hook::Ssthresh, method, w, c)
    }

    fn undo(&mut self, w: &mut Window, c: &Connection) -> f64 {
        match &self.hooks.undo {
            Some(method) => self.ask(Hook::Undo, method, w, c),
            None => w.cwnd.max(c.prior_cwnd),
        }
    }

    fn holds_back(&self) -> bool {
        let Some(method) = &self.hooks.holds_back else { return false };
        Python::with_gil(|py| {
            self.shape.watched.page.call(Hook::HoldsBack, self.flow, self.connection.borrow(py).0.now.0);
            let answer = method.call0(py).and_then(|answer| answer.is_truthy(py));
            answer.unwrap_or_else(|error| self.end(py, Hook::HoldsBack, &self.connection.borrow(py).0, error))
        })
    }

    /// The rate in bytes per second that the class answers with; None for the transport's own rule.
    fn pacing_rate(&self, w: &Window, c: &Connection) -> Option<ByteRate> {
        let method = self.hooks.pacing_rate.as_ref()?;
        let answer = self.call((Hook::PacingRate, method), &mut w.clone(), c, |_| Ok(None), |answer| answer.extract::<Option<f64>>())?;
        if !(1.0..1e15).contains(&answer) {
            self.fault(Hook::PacingRate, c, format!("it answers {answer}; allowed: 1 up to 1e15 bytes per second, or None"));
        }
        Some(ByteRate(answer as u64))
    }

    fn variable_names(&self) -> &'static [&'static str] {
        self.shape.variables
    }

    fn variables(&self, out: &mut [f64]) {
        Python::with_gil(|py| {
            for (name, value) in self.shape.variables.iter().zip(out) {
                let found = self.instance.bind(py).getattr(*name).and_then(|found| found.extract::<f64>());
                *value = found.unwrap_or(f64::NAN);
            }
        });
    }
}

impl GuestLaw for Law {
    fn boxed_clone(&self) -> Box<dyn GuestLaw> {
        let copied = Python::with_gil(|py| -> PyResult<Law> {
            let instance = py.import("copy")?.call_method1("deepcopy", (self.instance.bind(py),))?;
            Law::of(&self.shape, instance)
        });
        match copied {
            Ok(law) => Box::new(Law { flow: self.flow, ..law }),
            Err(error) => self.fault(Hook::Create, &Connection::new(0), error.to_string()),
        }
    }

    fn on_seated(&mut self, flow: usize) {
        self.flow = flow;
    }
}
