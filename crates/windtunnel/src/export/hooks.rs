//! The hooks of the table: each calls that of the controller. A panic does not leave the library: it ends the run with its message.
#![allow(unsafe_code)]

use std::any::Any;
use std::ffi::{c_void, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};

use cc::{
    AckArrival, CaEvent, CaState, Connection, Control, EcnFeedback, LostSegment, Packet, PlainAck, RateSample, RttSample, RttSamples,
    Window,
};
use guest::abi::{self, NONE};
use units::{Duration, Stream, Time};

use super::Exported;

/// A connection's controller, and what it said when it panicked.
struct State<C> {
    law: C,
    fault: Option<CString>,
}

fn said(panic: &(dyn Any + Send)) -> CString {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    let line = format!("panics: {}", text.unwrap_or("without a message")).replace(['\0', '\n'], " ");
    CString::new(line).unwrap_or_default()
}

/// A hook that is shown the window.
///
/// # Safety
/// What the header says: the state is one of `create` with the same type, the others point to what they say.
unsafe fn told<C: Exported, A: Default>(
    state: *mut c_void,
    w: *mut abi::Window,
    c: *const abi::Connection,
    call: impl FnOnce(&mut C, &mut Window, &Connection) -> A,
) -> A {
    // SAFETY: as the caller promises.
    let (state, shown, c) = unsafe { (&mut *state.cast::<State<C>>(), &mut *w, guest::from_shown(c)) };
    let mut window = Window { cwnd: shown.cwnd, ssthresh: shown.ssthresh, cnt: shown.cnt };
    if state.fault.is_none() {
        if let Some(answer) = kept(state, |law| call(law, &mut window, c)) {
            (shown.cwnd, shown.ssthresh, shown.cnt) = (window.cwnd, window.ssthresh, window.cnt);
            return answer;
        }
    }
    shown.fault = state.fault.as_ref().map_or(std::ptr::null(), |text| text.as_ptr());
    A::default()
}

/// What the controller answers; nothing when it panics, which is told at the next hook that is shown the window.
fn kept<C, A>(state: &mut State<C>, call: impl FnOnce(&mut C) -> A) -> Option<A> {
    match catch_unwind(AssertUnwindSafe(|| call(&mut state.law))) {
        Ok(answer) => Some(answer),
        Err(panic) => {
            state.fault = Some(said(panic.as_ref()));
            None
        }
    }
}

/// A hook that is not shown the window.
///
/// # Safety
/// As [`told`].
unsafe fn asked<C: Exported, A>(state: *const c_void, call: impl FnOnce(&mut C) -> A) -> Option<A> {
    // SAFETY: as the caller promises; nothing else reads the state while a hook runs.
    kept(unsafe { &mut *state.cast::<State<C>>().cast_mut() }, call)
}

/// A span that may not be known.
fn span(ns: u64) -> Option<Duration> {
    (ns != NONE).then_some(Duration(ns))
}

// SAFETY of every function below: as `told` asks of its caller, who is the simulator.

pub(super) unsafe extern "C" fn create<C: Exported>(values: *const f64) -> *mut c_void {
    let values = match C::PARAMETERS.len() {
        0 => &[][..],
        // SAFETY: one value per parameter.
        count => unsafe { std::slice::from_raw_parts(values, count) },
    };
    match catch_unwind(|| C::start(values)) {
        Ok(law) => Box::into_raw(Box::new(State { law, fault: None })).cast(),
        Err(_) => std::ptr::null_mut(),
    }
}

pub(super) unsafe extern "C" fn destroy<C: Exported>(state: *mut c_void) {
    drop(unsafe { Box::from_raw(state.cast::<State<C>>()) });
}

pub(super) unsafe extern "C" fn clone<C: Exported>(state: *const c_void) -> *mut c_void {
    let law = unsafe { asked::<C, _>(state, |law| law.clone()) };
    law.map_or(std::ptr::null_mut(), |law| Box::into_raw(Box::new(State { law, fault: None })).cast())
}

pub(super) unsafe extern "C" fn needs<C: Exported>(state: *const c_void, needs: *mut abi::Needs) {
    let Some(asked) = (unsafe { asked::<C, _>(state, |law| law.needs()) }) else { return };
    let (control, ahead) = match asked.control {
        Control::Window => (0, 0),
        Control::PacedWindow { ahead } => (1, ahead),
        Control::Full => (2, 0),
        Control::FullByRate => (3, 0),
        Control::FullUnpaced => (4, 0),
    };
    let rtt_samples = match asked.rtt_samples {
        RttSamples::Unused => 0,
        RttSamples::ByStack | RttSamples::ByStackWithAcks => 1,
        RttSamples::Exact | RttSamples::ExactWithAcks => 2,
    };
    let ecn = match asked.ecn {
        None => 0,
        Some(EcnFeedback::Dctcp) => 1,
        Some(EcnFeedback::L4s) => 2,
    };
    let (ack_arrivals, transport_rate) = (asked.ack_arrivals.into(), asked.transport_rate.into());
    unsafe { *needs = abi::Needs { control, rtt_samples, ack_arrivals, transport_rate, ecn, ahead } }
}

pub(super) unsafe extern "C" fn on_seeded<C: Exported>(state: *mut c_void, seed: u64) {
    unsafe { asked::<C, _>(state, |law| law.on_seeded(Stream::named(seed, C::NAME))) };
}

pub(super) unsafe extern "C" fn on_established<C: Exported>(state: *mut c_void, w: *mut abi::Window, c: *const abi::Connection) {
    unsafe { told::<C, _>(state, w, c, |law, w, c| law.on_established(w, c)) }
}

pub(super) unsafe extern "C" fn on_rtt_sampled<C: Exported>(
    state: *mut c_void,
    w: *mut abi::Window,
    c: *const abi::Connection,
    s: *const abi::RttSample,
) {
    let s = unsafe { &*s };
    let (forward, echoed) = (span(s.forward_ns), (s.sent_ns != NONE).then_some(Time(s.sent_ns)));
    let sample = RttSample { acked: s.acked, rtt: span(s.rtt_ns), forward, echoed, in_flight: s.in_flight };
    unsafe { told::<C, _>(state, w, c, |law, w, c| law.on_rtt_sampled(w, c, &sample)) }
}

pub(super) unsafe extern "C" fn on_plain_ack<C: Exported>(
    state: *mut c_void,
    w: *mut abi::Window,
    c: *const abi::Connection,
    s: *const abi::RttSample,
    is_cwnd_limited: u32,
) -> u32 {
    let (s, cwnd_limited) = (unsafe { &*s }, is_cwnd_limited != 0);
    // Of such an ACK everything is known.
    let (forward, echoed) = (Duration(s.forward_ns), Time(s.sent_ns));
    let sample = PlainAck { rtt: Duration(s.rtt_ns), forward, echoed, acked: s.acked, in_flight: s.in_flight }.rtt_sample();
    let both = |law: &mut C, w: &mut Window, c: &Connection| {
        law.on_rtt_sampled(w, c, &sample);
        if w.in_slow_start() {
            return 0;
        }
        if c.cwnd_limited == cwnd_limited {
            law.on_acked(w, c, sample.acked);
        } else {
            law.on_acked(w, &Connection { cwnd_limited, ..c.clone() }, sample.acked);
        }
        1
    };
    unsafe { told::<C, _>(state, w, c, both) }
}

pub(super) unsafe extern "C" fn on_ack_arrived<C: Exported>(
    state: *mut c_void,
    w: *mut abi::Window,
    c: *const abi::Connection,
    a: *const abi::Ack,
) {
    let a = unsafe { &*a };
    let arrival = AckArrival { slow_path: a.is_slow_path != 0, ece: a.has_ece != 0 };
    unsafe { told::<C, _>(state, w, c, |law, w, c| law.on_ack_arrived(w, c, &arrival)) }
}

pub(super) unsafe extern "C" fn on_segment_lost<C: Exported>(
    state: *mut c_void,
    w: *mut abi::Window,
    c: *const abi::Connection,
    s: *const abi::LostSegment,
) {
    let s = unsafe { &*s };
    let (tx_in_flight, lost_since_sent) = (s.tx_in_flight, s.lost_since_sent);
    let lost = LostSegment { seq: s.seq, tx_in_flight, lost_since_sent, app_limited: s.is_app_limited != 0 };
    unsafe { told::<C, _>(state, w, c, |law, w, c| law.on_segment_lost(w, c, &lost)) }
}

fn packet(p: &abi::Packet) -> Packet {
    Packet {
        number: p.number,
        seq: p.seq,
        sent: Time(p.sent_ns),
        delivered: p.delivered,
        lost: p.lost,
        bytes: p.bytes,
        in_flight: p.in_flight,
        app_limited: p.is_app_limited != 0,
        repeated: p.is_repeated != 0,
    }
}

macro_rules! packet_hooks {
    ($($hook:ident),+) => {
        $(pub(super) unsafe extern "C" fn $hook<C: Exported>(
            state: *mut c_void,
            w: *mut abi::Window,
            c: *const abi::Connection,
            p: *const abi::Packet,
        ) {
            let p = packet(unsafe { &*p });
            unsafe { told::<C, _>(state, w, c, |law, w, c| law.$hook(w, c, &p)) }
        })+
    };
}

packet_hooks!(on_packet_sent, on_packet_acked, on_packet_lost);

pub(super) unsafe extern "C" fn wants_packets<C: Exported>(state: *const c_void) -> u32 {
    unsafe { asked::<C, _>(state, |law| law.needs().packets) }.unwrap_or_default().into()
}

pub(super) unsafe extern "C" fn on_state_changed<C: Exported>(state: *mut c_void, w: *mut abi::Window, c: *const abi::Connection, to: u32) {
    let to = match to {
        0 => CaState::Open,
        1 => CaState::Disorder,
        2 => CaState::Cwr,
        3 => CaState::Recovery,
        _ => CaState::Loss,
    };
    unsafe { told::<C, _>(state, w, c, |law, w, c| law.on_state_changed(w, c, to)) }
}

pub(super) unsafe extern "C" fn on_acked<C: Exported>(state: *mut c_void, w: *mut abi::Window, c: *const abi::Connection, acked: u32) {
    unsafe { told::<C, _>(state, w, c, |law, w, c| law.on_acked(w, c, acked)) }
}

pub(super) unsafe extern "C" fn on_rate_sampled<C: Exported>(
    state: *mut c_void,
    w: *mut abi::Window,
    c: *const abi::Connection,
    s: *const abi::RateSample,
) {
    let s = unsafe { &*s };
    let sample = RateSample {
        prior_time: Time(s.prior_delivered_ns),
        prior_delivered: s.prior_delivered,
        delivered: u32::try_from(s.delivered).ok(),
        interval: span(s.interval_ns),
        delivered_at: Time(s.delivered_ns),
        rtt: span(s.rtt_ns),
        lost: s.lost,
        acked: s.acked,
        prior_in_flight: s.prior_in_flight,
        tx_in_flight: s.tx_in_flight,
        lost_since_sent: s.lost_since_sent,
        app_limited: s.is_app_limited != 0,
    };
    unsafe { told::<C, _>(state, w, c, |law, w, c| law.on_rate_sampled(w, c, &sample)) }
}

pub(super) unsafe extern "C" fn holds_back<C: Exported>(state: *const c_void) -> u32 {
    unsafe { asked::<C, _>(state, |law| law.holds_back()) }.unwrap_or_default().into()
}

pub(super) unsafe extern "C" fn ssthresh<C: Exported>(state: *mut c_void, w: *mut abi::Window, c: *const abi::Connection) -> f64 {
    unsafe { told::<C, _>(state, w, c, |law, w, c| law.ssthresh(w, c)) }
}

pub(super) unsafe extern "C" fn undo<C: Exported>(state: *mut c_void, w: *mut abi::Window, c: *const abi::Connection) -> f64 {
    unsafe { told::<C, _>(state, w, c, |law, w, c| law.undo(w, c)) }
}

pub(super) unsafe extern "C" fn on_event<C: Exported>(state: *mut c_void, w: *mut abi::Window, c: *const abi::Connection, event: u32) {
    let event = match event {
        0 => CaEvent::TxStarted,
        1 => CaEvent::WindowRestarted,
        2 => CaEvent::ReductionCompleted,
        _ => CaEvent::TimedOut,
    };
    unsafe { told::<C, _>(state, w, c, |law, w, c| law.on_event(w, c, event)) }
}

pub(super) unsafe extern "C" fn pacing_rate<C: Exported>(state: *const c_void, w: *const abi::Window, c: *const abi::Connection) -> u64 {
    let (w, c) = unsafe { (&*w, guest::from_shown(c)) };
    let window = Window { cwnd: w.cwnd, ssthresh: w.ssthresh, cnt: w.cnt };
    unsafe { asked::<C, _>(state, |law| law.pacing_rate(&window, c)) }.flatten().map_or(0, |rate| rate.0)
}

pub(super) unsafe extern "C" fn variables_now<C: Exported>(state: *const c_void, values: *mut f64) {
    let show = |law: &mut C| {
        // SAFETY: one value per name.
        law.variables(unsafe { std::slice::from_raw_parts_mut(values, law.variable_names().len()) });
    };
    unsafe { asked::<C, _>(state, show) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CongestionControl;

    #[derive(Clone, Debug)]
    struct Panics;

    impl CongestionControl for Panics {
        fn on_acked(&mut self, w: &mut Window, _c: &Connection, _acked: u32) {
            w.cwnd = 99.0;
            panic!("no window\nfor this");
        }

        fn ssthresh(&mut self, _w: &mut Window, _c: &Connection) -> f64 {
            7.0
        }
    }

    impl Exported for Panics {
        const NAME: &'static str = "panics";

        fn start(_values: &[f64]) -> Panics {
            Panics
        }
    }

    #[test]
    fn a_panic_becomes_a_fault_that_stays_and_leaves_the_window() {
        let connection = Connection::new(1448);
        let c = std::ptr::from_ref(&connection).cast::<abi::Connection>();
        let mut w = abi::Window { cwnd: 10.0, ssthresh: 5.0, cnt: 0, reserved: 0, fault: std::ptr::null() };
        // SAFETY: the state is of the type, and the places of the two connections are the same.
        unsafe {
            let state = create::<Panics>(std::ptr::null());
            assert_eq!((ssthresh::<Panics>(state, &mut w, c), w.fault.is_null()), (7.0, true));
            on_acked::<Panics>(state, &mut w, c, 1);
            assert_eq!(std::ffi::CStr::from_ptr(w.fault).to_str(), Ok("panics: no window for this"));
            assert_eq!(w.cwnd, 10.0);
            w.fault = std::ptr::null();
            on_established::<Panics>(state, &mut w, c);
            assert!(!w.fault.is_null());
            destroy::<Panics>(state);
        }
    }

    #[derive(Clone, Debug, Default)]
    struct Hears(Vec<(&'static str, bool, u32)>);

    impl CongestionControl for Hears {
        fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
            self.0.push(("rtt", c.cwnd_limited, s.acked));
            w.ssthresh = if s.rtt == Some(Duration(7)) { 20.0 } else { w.ssthresh };
        }

        fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
            self.0.push(("acked", c.cwnd_limited, acked));
            w.cwnd += f64::from(acked);
        }

        fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
            w.cwnd
        }
    }

    impl Exported for Hears {
        const NAME: &'static str = "hears";

        fn start(_values: &[f64]) -> Hears {
            Hears::default()
        }
    }

    /// What the header says of it: the one hook, then the other with the limit that will hold, unless slow start began between.
    #[test]
    fn a_plain_ack_is_a_sample_and_then_growth() {
        let connection = Connection::new(1448);
        let c = std::ptr::from_ref(&connection).cast::<abi::Connection>();
        let mut w = abi::Window { cwnd: 10.0, ssthresh: 5.0, cnt: 0, reserved: 0, fault: std::ptr::null() };
        let plain = |rtt_ns| abi::RttSample { rtt_ns, forward_ns: 3, sent_ns: 1, acked: 2, in_flight: 9 };
        // SAFETY: as above.
        unsafe {
            let state = create::<Hears>(std::ptr::null());
            let before = connection.cwnd_limited;
            assert_eq!(on_plain_ack::<Hears>(state, &mut w, c, &plain(5), (!before).into()), 1);
            assert_eq!(on_plain_ack::<Hears>(state, &mut w, c, &plain(7), before.into()), 0);
            assert_eq!((w.cwnd, w.ssthresh, connection.cwnd_limited), (12.0, 20.0, before));
            let heard = &(*state.cast::<State<Hears>>()).law.0;
            assert_eq!(heard[..], [("rtt", before, 2), ("acked", !before, 2), ("rtt", before, 2)]);
            destroy::<Hears>(state);
        }
    }

    #[derive(Clone, Debug, Default)]
    struct Listens(Vec<Packet>);

    impl CongestionControl for Listens {
        fn needs(&self) -> crate::Needs {
            crate::Needs { packets: true, ..crate::Needs::default() }
        }

        fn on_packet_lost(&mut self, _w: &mut Window, _c: &Connection, p: &Packet) {
            self.0.push(*p);
            assert!(p.repeated, "number {} of {}", p.number, p.seq);
        }

        fn on_acked(&mut self, _w: &mut Window, _c: &Connection, _acked: u32) {}

        fn ssthresh(&mut self, _w: &mut Window, _c: &Connection) -> f64 {
            self.0.iter().map(|p| p.lost as f64 + f64::from(p.bytes)).sum()
        }
    }

    impl Exported for Listens {
        const NAME: &'static str = "listens";

        fn start(_values: &[f64]) -> Listens {
            Listens::default()
        }
    }

    #[test]
    fn packets_reach_a_controller_that_asks_for_them_as_they_were() {
        let connection = Connection::new(1448);
        let c = std::ptr::from_ref(&connection).cast::<abi::Connection>();
        let mut w = abi::Window { cwnd: 10.0, ssthresh: 5.0, cnt: 0, reserved: 0, fault: std::ptr::null() };
        let (number, seq, sent_ns, delivered, lost) = (7, 3, 5, 4, 2);
        let shown = abi::Packet { number, seq, sent_ns, delivered, lost, bytes: 1448, in_flight: 9, is_app_limited: 1, is_repeated: 1 };
        // SAFETY: as above.
        unsafe {
            let (state, deaf) = (create::<Listens>(std::ptr::null()), create::<Panics>(std::ptr::null()));
            assert_eq!((wants_packets::<Listens>(state), wants_packets::<Panics>(deaf)), (1, 0));
            on_packet_lost::<Listens>(state, &mut w, c, &shown);
            assert_eq!((ssthresh::<Listens>(state, &mut w, c), w.fault.is_null()), (1450.0, true));
            on_packet_lost::<Listens>(state, &mut w, c, &abi::Packet { is_repeated: 0, ..shown });
            assert_eq!(std::ffi::CStr::from_ptr(w.fault).to_str(), Ok("panics: number 7 of 3"));
            destroy::<Listens>(state);
            destroy::<Panics>(deaf);
        }
    }
}
