//! What flows are together.

use super::sum::sum;
use super::{fraction, jain, ratio_min_max, Delivered};

/// Columns of flows, sources of datagrams not among them: a value per flow in each.
#[derive(Clone, Copy, Debug)]
pub struct Flows<'a> {
    /// What they delivered.
    pub delivered: Delivered<'a>,
    /// Whether their data goes forward.
    pub is_forward: &'a [bool],
    /// Packets sent in the measurement window.
    pub window_sent: &'a [f64],
    /// Retransmissions among them.
    pub window_retransmitted: &'a [f64],
    /// Packets sent in the whole run.
    pub sent: &'a [f64],
    /// Packets that links dropped or lost in the whole run.
    pub lost: &'a [f64],
}

/// Metrics of a run as a whole; none where something was not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Common {
    /// Jain's index of the throughputs in forward direction, or of all flows where there are none.
    pub jain: Option<f64>,
    /// The smallest of them over the largest.
    pub ratio_min_max: Option<f64>,
    /// Their sum over the whole measured time: flows that start late or stop early count for the part they had.
    pub throughput_bps: Option<f64>,
    /// The same of the goodputs.
    pub goodput_bps: Option<f64>,
    /// Retransmitted over sent packets of all flows in the measurement window; spurious retransmissions count.
    pub loss_overhead: Option<f64>,
    /// Packets that links dropped over packets sent, of all flows over the whole run.
    pub lost_fraction: Option<f64>,
}

/// The metrics of a run that was measured for so many seconds.
pub fn common(flows: &Flows, measured_s: f64) -> Common {
    let has_forward = flows.is_forward.contains(&true);
    let compared = |column: &[f64]| -> Vec<f64> {
        let chosen = column.iter().zip(flows.is_forward).filter(|(_, &is_forward)| is_forward || !has_forward);
        chosen.map(|(&value, _)| value).filter(|value| !value.is_nan()).collect()
    };
    let total = |rates: &[f64]| {
        let carried: Vec<f64> = rates.iter().zip(flows.delivered.window_s).map(|(rate, window_s)| rate * window_s).collect();
        let carried = compared(&carried);
        (!carried.is_empty()).then(|| sum(&carried) / measured_s)
    };
    let throughput = flows.delivered.throughput_bps();
    let shares = compared(&throughput);
    Common {
        jain: jain(&shares),
        ratio_min_max: ratio_min_max(&shares),
        throughput_bps: total(&throughput),
        goodput_bps: total(&flows.delivered.goodput_bps()),
        loss_overhead: fraction(flows.window_retransmitted, flows.window_sent),
        lost_fraction: fraction(flows.lost, flows.sent),
    }
}
