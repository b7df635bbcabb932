//! A controller of the caller's as a guest of the run: what its hooks leave is looked at.

use std::fmt::Debug;
use std::sync::Arc;

use cc::slow_start::Kind;
use cc::{
    AckArrival, CaEvent, CaState, CongestionControl, Connection, GuestFault, GuestLaw, GuestParameter, GuestProtocol, LostSegment, Needs,
    Packet, RateSample, RttSample, Window,
};
use units::{ByteRate, Duration, Stream};

/// What makes the controllers of a flow: one of which each connection gets a clone.
#[derive(Clone, Debug)]
pub(crate) struct Prototype<C> {
    name: &'static str,
    controller: C,
}

impl<C> Prototype<C> {
    pub(crate) fn new(name: &str, controller: C) -> Prototype<C> {
        // As long as the program: records refer to it, and a program has few.
        Prototype { name: Box::leak(name.into()), controller }
    }
}

impl<C: CongestionControl + Clone + Debug + Send + Sync + 'static> GuestProtocol for Prototype<C> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn parameters(&self) -> &[GuestParameter] {
        &[]
    }

    fn start(&self, _values: &[f64]) -> Result<Box<dyn GuestLaw>, String> {
        Ok(Box::new(Watched { name: self.name, flow: 0, law: self.controller.clone() }))
    }

    fn for_another_run(&self) -> Arc<dyn GuestProtocol> {
        Arc::new(self.clone())
    }
}

/// A connection's controller.
#[derive(Clone, Debug)]
struct Watched<C> {
    name: &'static str,
    flow: usize,
    law: C,
}

impl<C: CongestionControl> Watched<C> {
    /// Calls a hook and looks at the window that it leaves.
    #[inline]
    fn call<A>(&mut self, hook: &'static str, w: &mut Window, c: &Connection, call: impl FnOnce(&mut C, &mut Window) -> A) -> A {
        let answer = call(&mut self.law, w);
        if !cc::is_sound_window(w.cwnd, w.ssthresh) {
            self.complain(hook, w, c);
        }
        answer
    }

    #[cold]
    fn complain(&self, hook: &'static str, w: &Window, c: &Connection) -> ! {
        self.fault(hook, c, cc::wrong_window(w.cwnd, w.ssthresh))
    }

    fn fault(&self, hook: &'static str, c: &Connection, what: String) -> ! {
        GuestFault { file: self.name.into(), hook, flow: self.flow, now: c.now, what }.raise()
    }

    /// A window that a hook answers with.
    fn judged(&self, hook: &'static str, c: &Connection, answer: f64) -> f64 {
        if let Some(what) = cc::wrong_answer(answer) {
            self.fault(hook, c, what);
        }
        answer
    }
}

impl<C: CongestionControl> CongestionControl for Watched<C> {
    fn needs(&self) -> Needs {
        self.law.needs()
    }

    fn slow_start(&self) -> Option<Kind> {
        self.law.slow_start()
    }

    fn path_rtt(&self, c: &Connection) -> Option<Duration> {
        self.law.path_rtt(c)
    }

    fn on_seeded(&mut self, stream: Stream) {
        self.law.on_seeded(stream);
    }

    fn on_established(&mut self, w: &mut Window, c: &Connection) {
        self.call("on_established", w, c, |law, w| law.on_established(w, c));
    }

    fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
        self.call("on_rtt_sampled", w, c, |law, w| law.on_rtt_sampled(w, c, s));
    }

    fn on_ack_arrived(&mut self, w: &mut Window, c: &Connection, a: &AckArrival) {
        self.call("on_ack_arrived", w, c, |law, w| law.on_ack_arrived(w, c, a));
    }

    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        self.call("on_acked", w, c, |law, w| law.on_acked(w, c, acked));
    }

    fn on_rate_sampled(&mut self, w: &mut Window, c: &Connection, s: &RateSample) {
        self.call("on_rate_sampled", w, c, |law, w| law.on_rate_sampled(w, c, s));
    }

    fn holds_back(&self) -> bool {
        self.law.holds_back()
    }

    fn on_segment_lost(&mut self, w: &mut Window, c: &Connection, s: &LostSegment) {
        self.call("on_segment_lost", w, c, |law, w| law.on_segment_lost(w, c, s));
    }

    fn on_packet_sent(&mut self, w: &mut Window, c: &Connection, p: &Packet) {
        self.call("on_packet_sent", w, c, |law, w| law.on_packet_sent(w, c, p));
    }

    fn on_packet_acked(&mut self, w: &mut Window, c: &Connection, p: &Packet) {
        self.call("on_packet_acked", w, c, |law, w| law.on_packet_acked(w, c, p));
    }

    fn on_packet_lost(&mut self, w: &mut Window, c: &Connection, p: &Packet) {
        self.call("on_packet_lost", w, c, |law, w| law.on_packet_lost(w, c, p));
    }

    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64 {
        let answer = self.call("ssthresh", w, c, |law, w| law.ssthresh(w, c));
        self.judged("ssthresh", c, answer)
    }

    fn on_state_changed(&mut self, w: &mut Window, c: &Connection, to: CaState) {
        self.call("on_state_changed", w, c, |law, w| law.on_state_changed(w, c, to));
    }

    fn on_event(&mut self, w: &mut Window, c: &Connection, e: CaEvent) {
        self.call("on_event", w, c, |law, w| law.on_event(w, c, e));
    }

    fn undo(&mut self, w: &mut Window, c: &Connection) -> f64 {
        let answer = self.call("undo", w, c, |law, w| law.undo(w, c));
        self.judged("undo", c, answer)
    }

    fn pacing_rate(&self, w: &Window, c: &Connection) -> Option<ByteRate> {
        self.law.pacing_rate(w, c)
    }

    fn variable_names(&self) -> &'static [&'static str] {
        self.law.variable_names()
    }

    fn variables(&self, out: &mut [f64]) {
        self.law.variables(out);
    }
}

impl<C: CongestionControl + Clone + Debug + Send + 'static> GuestLaw for Watched<C> {
    fn boxed_clone(&self) -> Box<dyn GuestLaw> {
        Box::new(self.clone())
    }

    fn on_seated(&mut self, flow: usize) {
        self.flow = flow;
    }
}
