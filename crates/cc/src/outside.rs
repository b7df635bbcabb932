//! A law without a rule: what holds the run sets the window and the pacing rate between two of its steps, and the law keeps to that.
//!
//! Source: none; it is what a learned policy acts through. Units: segments, bytes per second. State kept: where the two numbers of its flow lie.
//! Before the first setting the initial window stays as it is. Losses change nothing: what sets the window is shown them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;

use units::{ByteRate, Time};

use crate::{
    CongestionControl, Connection, Control, GuestLaw, GuestParameter, GuestProtocol, Needs, PlainAck, RttSample, RttSamples, Window,
};

/// What is set from outside for one flow, and when its first ACK arrived. One thread at a time runs a flow and sets its window.
#[derive(Debug, Default)]
pub struct Setting {
    /// Segments, as bits of a double; 0 while nothing is set.
    cwnd: AtomicU64,
    /// Bytes per second; 0 for the transport's own rule.
    pacing_rate: AtomicU64,
    /// Nanoseconds in the flow's clock, plus one; 0 before.
    first_ack: AtomicU64,
}

impl Setting {
    /// From the next ACK on the window is `cwnd` segments, 1 at least, and segments leave at `pacing_rate` where they are paced; zero for the
    /// transport's own rule.
    pub fn set(&self, cwnd: f64, pacing_rate: ByteRate) {
        assert!(cwnd >= 1.0, "a window of {cwnd} segments");
        self.cwnd.store(cwnd.to_bits(), Relaxed);
        self.pacing_rate.store(pacing_rate.0, Relaxed);
    }

    /// When the flow's first ACK arrived, if one has.
    pub fn first_ack(&self) -> Option<Time> {
        self.first_ack.load(Relaxed).checked_sub(1).map(Time)
    }

    #[inline]
    fn keep(&self, w: &mut Window) {
        let cwnd = f64::from_bits(self.cwnd.load(Relaxed));
        if cwnd > 0.0 {
            (w.cwnd, w.ssthresh) = (cwnd, cwnd);
        }
    }
}

/// The protocol whose laws keep to settings, one per flow of a run.
#[derive(Clone, Debug)]
pub struct Outside {
    /// By number of the flow.
    pub settings: Arc<[Setting]>,
    /// Segments are paced.
    pub is_paced: bool,
}

impl Outside {
    /// Of a run with so many flows.
    pub fn new(flows: usize, is_paced: bool) -> Outside {
        Outside { settings: (0..flows).map(|_| Setting::default()).collect(), is_paced }
    }
}

impl GuestProtocol for Outside {
    fn name(&self) -> &'static str {
        "outside"
    }

    fn parameters(&self) -> &[GuestParameter] {
        &[]
    }

    fn start(&self, _values: &[f64]) -> Result<Box<dyn GuestLaw>, String> {
        Ok(Box::new(Law { of: self.clone(), flow: 0 }))
    }

    fn for_another_run(&self) -> Arc<dyn GuestProtocol> {
        Arc::new(Outside::new(self.settings.len(), self.is_paced))
    }
}

#[derive(Clone, Debug)]
struct Law {
    of: Outside,
    flow: usize,
}

impl Law {
    #[inline]
    fn setting(&self) -> &Setting {
        &self.of.settings[self.flow]
    }
}

impl GuestLaw for Law {
    fn boxed_clone(&self) -> Box<dyn GuestLaw> {
        Box::new(self.clone())
    }

    fn on_seated(&mut self, flow: usize) {
        self.flow = flow;
    }
}

impl CongestionControl for Law {
    fn needs(&self) -> Needs {
        let control = if self.of.is_paced { Control::Full } else { Control::FullUnpaced };
        Needs { control, rtt_samples: RttSamples::ByStack.with_acks(), ..Needs::default() }
    }

    fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, _s: &RttSample) {
        let setting = self.setting();
        if setting.first_ack.load(Relaxed) == 0 {
            setting.first_ack.store(c.now.0 + 1, Relaxed);
        }
        setting.keep(w);
    }

    fn on_plain_ack(&mut self, w: &mut Window, _c: &Connection, _a: &PlainAck, _cwnd_limited: bool) -> bool {
        self.setting().keep(w);
        true
    }

    fn on_acked(&mut self, _w: &mut Window, _c: &Connection, _acked: u32) {}

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        w.cwnd
    }

    fn undo(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        w.cwnd
    }

    fn pacing_rate(&self, _w: &Window, _c: &Connection) -> Option<ByteRate> {
        let rate = self.setting().pacing_rate.load(Relaxed);
        (rate > 0).then_some(ByteRate(rate))
    }
}
