//! The state of a guest: every hook crosses the border here, and what comes back is looked at.
#![allow(unsafe_code)]

use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use cc::{
    AckArrival, CaEvent, CaState, CongestionControl, Connection, GuestFault, GuestLaw, LostSegment, Needs, Packet, PlainAck, RateSample,
    RttSample, Window,
};
use units::{ByteRate, Duration, Stream, Time};

use crate::abi::{self, NONE};
use crate::connection::{plain_ack, shown as connection};
use crate::library::{owned, Copy, State};
use crate::page::{Hook, Page, Words};

/// What all states of a copy share.
pub(crate) struct Shared {
    pub(crate) copy: Copy,
    /// As the user calls it.
    pub(crate) file: String,
    pub(crate) variables: &'static [&'static str],
    /// Where they say what is called.
    pub(crate) page: Arc<Page>,
}

/// A state.
pub struct Law {
    shared: Arc<Shared>,
    needs: Needs,
    flow: usize,
    state: State,
    words: NonNull<Words>,
}

// SAFETY: the header demands that states may go from one thread to another between two hooks.
unsafe impl Send for Law {}

impl Drop for Law {
    fn drop(&mut self) {
        if let Some(destroy) = self.shared.copy.table.destroy {
            // SAFETY: the state is the library's own, and no other pointer to it exists.
            unsafe { destroy(self.state) }
        }
    }
}

impl fmt::Debug for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut values = vec![f64::NAN; self.shared.variables.len()];
        self.variables(&mut values);
        write!(f, "Law {{ file: {:?}, flow: {}, variables: {values:?} }}", self.shared.file, self.flow)
    }
}

/// A span that may not be known.
fn ns(span: Option<Duration>) -> u64 {
    span.map_or(NONE, |span| span.0)
}

impl Law {
    /// A state that the library has made.
    pub(crate) fn new(shared: Arc<Shared>, state: State, needs: Needs) -> Law {
        let words = shared.page.words();
        Law { shared, needs, flow: 0, state, words }
    }

    /// The state itself.
    #[inline]
    pub(crate) fn state(&self) -> State {
        self.state
    }

    /// The same with another state.
    pub(crate) fn with_state(&self, state: State) -> Law {
        Law { shared: Arc::clone(&self.shared), needs: self.needs, flow: self.flow, state, words: self.words }
    }

    /// Where a watching process reads what is called.
    #[inline]
    fn words(&self) -> &Words {
        // SAFETY: the page is there as long as what all states share is.
        unsafe { self.words.as_ref() }
    }

    #[inline]
    fn enter(&self, hook: Hook, now: Time) {
        self.words().enter(hook, self.flow, now.0);
    }

    #[cold]
    fn fault(&self, hook: Hook, c: &Connection, what: String) -> ! {
        GuestFault { file: self.shared.file.clone(), hook: hook.name(), flow: self.flow, now: c.now, what }.raise()
    }

    /// Calls a hook and looks at the window that it leaves.
    #[inline]
    fn call<A>(&self, hook: Hook, w: &mut Window, c: &Connection, call: impl FnOnce(State, &mut abi::Window, &abi::Connection) -> A) -> A {
        self.enter(hook, c.now);
        let mut shown = abi::Window { cwnd: w.cwnd, ssthresh: w.ssthresh, cnt: w.cnt, reserved: 0, fault: std::ptr::null() };
        let answer = call(self.state, &mut shown, connection(c));
        if !shown.fault.is_null() {
            self.complain(hook, c, &shown);
        }
        w.cnt = shown.cnt;
        // What has not changed was looked at before.
        if shown.cwnd.to_bits() != w.cwnd.to_bits() || shown.ssthresh.to_bits() != w.ssthresh.to_bits() {
            if !cc::is_sound_window(shown.cwnd, shown.ssthresh) {
                self.complain(hook, c, &shown);
            }
            w.cwnd = shown.cwnd;
            w.ssthresh = shown.ssthresh;
        }
        answer
    }

    #[cold]
    fn complain(&self, hook: Hook, c: &Connection, shown: &abi::Window) -> ! {
        // SAFETY: a text that a hook leaves is valid as long as its state.
        let what = unsafe { owned(shown.fault) }.unwrap_or_else(|| cc::wrong_window(shown.cwnd, shown.ssthresh));
        self.fault(hook, c, what)
    }

    /// A window that a hook answers with.
    fn judged(&self, hook: Hook, c: &Connection, answer: f64) -> f64 {
        if let Some(what) = cc::wrong_answer(answer) {
            self.fault(hook, c, what);
        }
        answer
    }
}

#[inline]
fn rtt_sample(s: &RttSample) -> abi::RttSample {
    abi::RttSample {
        rtt_ns: ns(s.rtt),
        forward_ns: ns(s.forward),
        sent_ns: if s.forward.is_some() { s.echoed.map_or(NONE, |echoed| echoed.0) } else { NONE },
        acked: s.acked,
        in_flight: s.in_flight,
    }
}

fn rate_sample(c: &Connection, s: &RateSample) -> abi::RateSample {
    abi::RateSample {
        interval_ns: ns(s.interval),
        rtt_ns: ns(s.rtt),
        sent_ns: s.rtt.map_or(NONE, |rtt| c.now.0.saturating_sub(rtt.0)),
        delivered_ns: s.delivered_at.0,
        prior_delivered_ns: s.prior_time.0,
        prior_delivered: s.prior_delivered,
        delivered: s.delivered.map_or(-1, i64::from),
        lost: s.lost,
        acked: s.acked,
        prior_in_flight: s.prior_in_flight,
        tx_in_flight: s.tx_in_flight,
        lost_since_sent: s.lost_since_sent,
        is_app_limited: s.app_limited.into(),
    }
}

#[inline]
fn packet(p: &Packet) -> abi::Packet {
    abi::Packet {
        number: p.number,
        seq: p.seq,
        sent_ns: p.sent.0,
        delivered: p.delivered,
        lost: p.lost,
        bytes: p.bytes,
        in_flight: p.in_flight,
        is_app_limited: p.app_limited.into(),
        is_repeated: p.repeated.into(),
    }
}

// SAFETY of every call below: the library's functions have the types of the header, the state is one that it made and has not
// destroyed, and what is pointed to outlives the call.
impl CongestionControl for Law {
    fn needs(&self) -> Needs {
        self.needs
    }

    fn slow_start(&self) -> Option<cc::slow_start::Kind> {
        None
    }

    fn on_seeded(&mut self, mut stream: Stream) {
        if let Some(hook) = self.shared.copy.table.on_seeded {
            self.enter(Hook::Seeded, Time(0));
            unsafe { hook(self.state, stream.up_to(u64::MAX)) }
        }
    }

    fn on_established(&mut self, w: &mut Window, c: &Connection) {
        if let Some(hook) = self.shared.copy.table.on_established {
            self.call(Hook::Established, w, c, |state, w, c| unsafe { hook(state, w, c) });
        }
    }

    fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
        if let Some(hook) = self.shared.copy.table.on_rtt_sampled {
            let sample = rtt_sample(s);
            self.call(Hook::RttSampled, w, c, |state, w, c| unsafe { hook(state, w, c, &sample) });
        }
    }

    fn on_ack_arrived(&mut self, w: &mut Window, c: &Connection, a: &AckArrival) {
        if let Some(hook) = self.shared.copy.table.on_ack_arrived {
            let ack = abi::Ack { is_slow_path: a.slow_path.into(), has_ece: a.ece.into() };
            self.call(Hook::AckArrived, w, c, |state, w, c| unsafe { hook(state, w, c, &ack) });
        }
    }

    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if let Some(hook) = self.shared.copy.table.on_acked {
            self.call(Hook::Acked, w, c, |state, w, c| unsafe { hook(state, w, c, acked) });
        }
    }

    fn on_plain_ack(&mut self, w: &mut Window, c: &Connection, a: &PlainAck, cwnd_limited: bool) -> bool {
        let Some(hook) = self.shared.copy.table.on_plain_ack else {
            self.on_rtt_sampled(w, c, &a.rtt_sample());
            return false;
        };
        self.call(Hook::PlainAck, w, c, |state, w, c| unsafe { hook(state, w, c, plain_ack(a), cwnd_limited.into()) }) != 0
    }

    fn on_rate_sampled(&mut self, w: &mut Window, c: &Connection, s: &RateSample) {
        if let Some(hook) = self.shared.copy.table.on_rate_sampled {
            let sample = rate_sample(c, s);
            self.call(Hook::RateSampled, w, c, |state, w, c| unsafe { hook(state, w, c, &sample) });
        }
    }

    fn holds_back(&self) -> bool {
        self.shared.copy.table.holds_back.is_some_and(|hook| {
            self.words().enter_untimed(Hook::HoldsBack, self.flow);
            unsafe { hook(self.state) != 0 }
        })
    }

    fn on_segment_lost(&mut self, w: &mut Window, c: &Connection, s: &LostSegment) {
        if let Some(hook) = self.shared.copy.table.on_segment_lost {
            let lost = abi::LostSegment {
                seq: s.seq,
                tx_in_flight: s.tx_in_flight,
                lost_since_sent: s.lost_since_sent,
                is_app_limited: s.app_limited.into(),
                reserved: 0,
            };
            self.call(Hook::SegmentLost, w, c, |state, w, c| unsafe { hook(state, w, c, &lost) });
        }
    }

    fn on_packet_sent(&mut self, w: &mut Window, c: &Connection, p: &Packet) {
        if let Some(hook) = self.shared.copy.table.on_packet_sent {
            self.call(Hook::PacketSent, w, c, |state, w, c| unsafe { hook(state, w, c, &packet(p)) });
        }
    }

    fn on_packet_acked(&mut self, w: &mut Window, c: &Connection, p: &Packet) {
        if let Some(hook) = self.shared.copy.table.on_packet_acked {
            self.call(Hook::PacketAcked, w, c, |state, w, c| unsafe { hook(state, w, c, &packet(p)) });
        }
    }

    fn on_packet_lost(&mut self, w: &mut Window, c: &Connection, p: &Packet) {
        if let Some(hook) = self.shared.copy.table.on_packet_lost {
            self.call(Hook::PacketLost, w, c, |state, w, c| unsafe { hook(state, w, c, &packet(p)) });
        }
    }

    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64 {
        let hook = self.shared.copy.table.ssthresh.expect("a table without ssthresh is refused");
        let answer = self.call(Hook::Ssthresh, w, c, |state, w, c| unsafe { hook(state, w, c) });
        self.judged(Hook::Ssthresh, c, answer)
    }

    fn on_state_changed(&mut self, w: &mut Window, c: &Connection, to: CaState) {
        if let Some(hook) = self.shared.copy.table.on_state_changed {
            self.call(Hook::StateChanged, w, c, |state, w, c| unsafe { hook(state, w, c, to as u32) });
        }
    }

    fn on_event(&mut self, w: &mut Window, c: &Connection, e: CaEvent) {
        if let Some(hook) = self.shared.copy.table.on_event {
            let event = match e {
                CaEvent::TxStarted => 0,
                CaEvent::WindowRestarted => 1,
                CaEvent::ReductionCompleted => 2,
                CaEvent::TimedOut => 3,
            };
            self.call(Hook::Event, w, c, |state, w, c| unsafe { hook(state, w, c, event) });
        }
    }

    fn undo(&mut self, w: &mut Window, c: &Connection) -> f64 {
        let Some(hook) = self.shared.copy.table.undo else { return w.cwnd.max(c.prior_cwnd) };
        let answer = self.call(Hook::Undo, w, c, |state, w, c| unsafe { hook(state, w, c) });
        self.judged(Hook::Undo, c, answer)
    }

    fn pacing_rate(&self, w: &Window, c: &Connection) -> Option<ByteRate> {
        let hook = self.shared.copy.table.pacing_rate?;
        let shown = abi::Window { cwnd: w.cwnd, ssthresh: w.ssthresh, cnt: w.cnt, reserved: 0, fault: std::ptr::null() };
        self.enter(Hook::PacingRate, c.now);
        let rate = unsafe { hook(self.state, &shown, connection(c)) };
        (rate > 0).then_some(ByteRate(rate))
    }

    fn variable_names(&self) -> &'static [&'static str] {
        self.shared.variables
    }

    fn variables(&self, out: &mut [f64]) {
        if let (Some(hook), false) = (self.shared.copy.table.variables_now, out.is_empty()) {
            self.words().enter_untimed(Hook::Variables, self.flow);
            unsafe { hook(self.state, out.as_mut_ptr()) }
        }
    }
}

impl GuestLaw for Law {
    fn boxed_clone(&self) -> Box<dyn GuestLaw> {
        let clone = self.shared.copy.table.clone.expect("a table without clone is refused");
        // SAFETY: as above.
        let state = unsafe { clone(self.state) };
        assert!(!state.is_null(), "{}: clone answers NULL: it has no memory", self.shared.file);
        Box::new(self.with_state(state))
    }

    fn on_seated(&mut self, flow: usize) {
        self.flow = flow;
    }
}
