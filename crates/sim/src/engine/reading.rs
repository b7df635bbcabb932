//! What the controller of a flow from outside is shown of it after a step.
//!
//! Sources: latency ratio and gradient are Aurora's (Jay et al., ICML 2019, section 4.1), the rate against the largest so far is Orca's (Abbasloo
//! et al., SIGCOMM 2020, section 4), the window against what arrives in a smallest RTT is Vegas's comparison (Brakmo and Peterson 1995).

use cc::Controller;
use tcp::Sender;
use units::Time;

/// Names of what a reading has, in its order; units in the names, ratios without.
pub const COLUMNS: [&str; 17] = [
    "t_s",
    "step_s",
    "delivered_packets",
    "lost_packets",
    "marked_packets",
    "rate_bps",
    "rtt_s",
    "rtt_min_s",
    "cwnd_packets",
    "in_flight_packets",
    "latency_ratio",
    "latency_gradient",
    "loss",
    "marks",
    "rate_ratio",
    "window_ratio",
    "log_window",
];

/// No ratio is shown larger than that.
const RATIO_MAX: f64 = 10.0;

/// One row, in the order of [`COLUMNS`].
pub type Reading = [f64; COLUMNS.len()];

/// Counters of a flow at an instant.
#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    delivered: u64,
    marked: u64,
    lost: u64,
    rtt_sum_ns: u64,
    rtt_samples: u64,
}

impl Counters {
    fn of(sender: &Sender<Controller>) -> Counters {
        let (c, totals) = (sender.connection(), sender.totals(sender.connection().now));
        let (rtt_sum_ns, rtt_samples) = (totals.rtt_sum_ns, totals.rtt_samples);
        Counters { delivered: c.delivered, marked: c.delivered_ce, lost: sender.lost(), rtt_sum_ns, rtt_samples }
    }
}

/// What is remembered of a flow from one reading to the next.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    at: Time,
    before: Counters,
    rtt_s: f64,
    rate_max_bps: f64,
}

impl Watch {
    /// Of a flow that is counted from its beginning, and seen from `at` on.
    pub(super) fn since(at: Time) -> Watch {
        Watch { at, before: Counters::default(), rtt_s: f64::NAN, rate_max_bps: 0.0 }
    }

    /// The reading at `now`, of the time since the one before.
    pub(super) fn read(&mut self, now: Time, sender: &Sender<Controller>) -> Reading {
        let (c, counters, before) = (sender.connection(), Counters::of(sender), self.before);
        let step_s = now.since(self.at).as_secs_f64();
        let delivered = (counters.delivered - before.delivered) as f64;
        let lost = (counters.lost - before.lost) as f64;
        let marked = (counters.marked - before.marked) as f64;
        let rate_bps = if step_s > 0.0 { delivered * f64::from(c.mss) * 8.0 / step_s } else { 0.0 };
        let rtt_min_s = c.rtt_min.as_secs_f64();
        let samples = counters.rtt_samples - before.rtt_samples;
        // Without a sample in the step the last one stands.
        let mean_s = (counters.rtt_sum_ns - before.rtt_sum_ns) as f64 * 1e-9 / samples.max(1) as f64;
        let last_s = if self.rtt_s.is_nan() { rtt_min_s } else { self.rtt_s };
        let rtt_s = if samples > 0 { mean_s } else { last_s };
        self.rate_max_bps = self.rate_max_bps.max(rate_bps);
        let cwnd = sender.window().cwnd;
        let row = [
            now.as_secs_f64(),
            step_s,
            delivered,
            lost,
            marked,
            rate_bps,
            rtt_s,
            rtt_min_s,
            cwnd,
            f64::from(c.in_flight),
            ratio(rtt_s - rtt_min_s, rtt_min_s),
            if step_s > 0.0 { ((rtt_s - last_s) / step_s).clamp(-RATIO_MAX, RATIO_MAX) } else { 0.0 },
            ratio(lost, lost + delivered),
            ratio(marked, delivered),
            ratio(rate_bps, self.rate_max_bps),
            ratio(cwnd * step_s, delivered.max(1.0) * rtt_min_s),
            libm::log2(cwnd),
        ];
        *self = Watch { at: now, before: counters, rtt_s, rate_max_bps: self.rate_max_bps };
        row
    }
}

/// A share or a multiple, of nothing none, never more than ten.
fn ratio(of: f64, whole: f64) -> f64 {
    if whole > 0.0 {
        (of / whole).clamp(0.0, RATIO_MAX)
    } else {
        0.0
    }
}
