//! What a run measured.

use records::metrics::Common;
use records::{Cells, Column, Frame};
use scenario::Filled;

/// What one flow did in the measurement window, which begins after the warm-up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowResult {
    /// Delivered IP bits per second.
    pub throughput_bps: f64,
    /// Delivered payload bits per second, each byte once.
    pub goodput_bps: f64,
    /// Mean of the congestion window, segments.
    pub mean_cwnd: f64,
    /// Mean of the round-trip time, seconds.
    pub mean_rtt_s: f64,
    /// When everything that it had to transfer was acknowledged, seconds.
    pub completed_s: Option<f64>,
    /// Reductions of the window in the whole run.
    pub loss_episodes: u64,
    /// Expiries of the retransmission timer in the whole run.
    pub timeouts: u64,
    /// Packets sent again in the whole run.
    pub retransmitted: u64,
}

/// What a run measured: the records that every front end of Windtunnel has, and the metrics made of them.
#[derive(Clone, Debug)]
pub struct Run {
    filled: Filled,
    frames: Vec<Frame>,
    metrics: records::metrics::OfRun,
}

impl Run {
    pub(crate) fn new(filled: Filled, frames: Vec<Frame>) -> Run {
        let metrics = records::metrics::of_run(&frames, &packet_bits(&filled), filled.scenario.duration_s - filled.scenario.warmup_s);
        Run { filled, frames, metrics }
    }

    /// The flows, in the order in which they were given.
    pub fn flows(&self) -> Vec<FlowResult> {
        let double = |name| self.doubles("flows", name).unwrap_or_default();
        let count = |name| match self.column("flows", name).map(|column| &column.cells) {
            Some(Cells::UInt64(cells)) => cells.as_slice(),
            _ => &[],
        };
        let (cwnd, rtt_s, completed_s) = (double("mean_cwnd_packets"), double("mean_rtt_s"), double("completed_s"));
        let (episodes, timeouts, again) = (count("loss_episodes"), count("timeouts"), count("retransmitted_packets"));
        let result = |flow: usize| FlowResult {
            throughput_bps: self.metrics.throughput_bps[flow],
            goodput_bps: self.metrics.goodput_bps[flow],
            mean_cwnd: cwnd[flow],
            mean_rtt_s: rtt_s[flow],
            completed_s: Some(completed_s[flow]).filter(|at_s| !at_s.is_nan()),
            loss_episodes: episodes[flow],
            timeouts: timeouts[flow],
            retransmitted: again[flow],
        };
        (0..self.filled.scenario.flows.len()).map(result).collect()
    }

    /// The share of the bottleneck's time in the measurement window in which it transmitted, in [0, 1].
    pub fn utilisation(&self) -> f64 {
        self.doubles("links", "utilisation").and_then(|links| links.first().copied()).unwrap_or(f64::NAN)
    }

    /// What the flows are together: Jain's index, total throughput, overhead of retransmissions.
    pub fn common(&self) -> Common {
        self.metrics.common
    }

    /// The records: `flows`, `flow_samples`, `link_samples`, `links`, `events`, and what the scenario asked for besides.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// A column of a frame.
    pub fn column(&self, frame: &str, column: &str) -> Option<&Column> {
        self.frames.iter().find(|found| found.name == frame)?.columns.iter().find(|found| found.name == column)
    }

    /// A column of doubles; NaN where nothing was measured.
    pub fn doubles(&self, frame: &str, column: &str) -> Option<&[f64]> {
        match &self.column(frame, column)?.cells {
            Cells::Float64(cells) => Some(cells),
            _ => None,
        }
    }

    /// The name of the scenario, with which it is stored and found again. It covers the names of controllers of one's own, not their code.
    pub fn digest(&self) -> String {
        self.filled.digest()
    }

    /// The name of what was measured: equal records have equal digests.
    pub fn records_digest(&self) -> String {
        records::digest(self.frames.iter().map(Frame::view))
    }

    /// What had to be adjusted in the scenario, one line each.
    pub fn notes(&self) -> &[String] {
        &self.filled.notes
    }
}

/// IP bits of a full packet of each flow.
fn packet_bits(filled: &Filled) -> Vec<f64> {
    filled.scenario.flows.iter().map(|flow| 8.0 * f64::from(flow.mtu_bytes)).collect()
}
