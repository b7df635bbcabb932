//! Samples of the flows: stored in runs while the simulation goes on, made into columns when somebody asks.
//!
//! Between its own events a flow does not change, and with many flows most sampling times fall between events. So one run
//! stands for all the rows that are alike but for their time.

use std::iter::repeat_n;

use cc::{CaState, CongestionControl, SSTHRESH_INFINITE};
use units::Time;

use crate::flow::Flow;

/// Most variables an algorithm may show.
const VARIABLES_MAX: usize = 16;

/// A flow's state at one or more sampling times in a row.
#[derive(Clone, Copy, Debug)]
struct Run {
    first_ns: u64,
    rows: u32,
    flow: u32,
    cwnd: f64,
    ssthresh: f64,
    rtt_min: Time,
    delivered_bytes: u64,
    retransmitted: u64,
    pacing_rate: u64,
    srtt8_us: u32,
    in_flight: u32,
    state: CaState,
}

/// Samples of all flows.
#[derive(Clone, Debug, Default)]
pub struct FlowSamples {
    interval_ns: u64,
    runs: Vec<Run>,
    /// Values of the algorithms' variables, run after run.
    values: Vec<f64>,
    names: Vec<&'static str>,
    /// For each flow, which of `names` its variables are.
    variables: Vec<Vec<usize>>,
}

/// Samples of all flows, as columns; each flow's rows are in time order.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// Sampling time, nanoseconds.
    pub t_ns: Vec<u64>,
    /// Flow index.
    pub flow: Vec<u32>,
    /// Congestion window, segments.
    pub cwnd: Vec<f64>,
    /// Slow-start threshold, segments; NaN while infinite.
    pub ssthresh: Vec<f64>,
    /// Smoothed RTT, seconds.
    pub srtt_s: Vec<f64>,
    /// Minimum RTT, seconds.
    pub rtt_min_s: Vec<f64>,
    /// Pipe, segments.
    pub in_flight: Vec<u32>,
    /// Payload bytes delivered so far.
    pub delivered_bytes: Vec<u64>,
    /// Retransmissions so far.
    pub retransmitted: Vec<u64>,
    /// Pacing rate, bits per second; NaN when unknown.
    pub pacing_rate_bps: Vec<f64>,
    /// Congestion state, 0 to 4.
    pub state: Vec<u8>,
    /// The algorithms' own variables, by name; NaN in rows of flows that lack one.
    pub variables: Vec<(&'static str, Vec<f64>)>,
}

impl FlowSamples {
    /// No samples yet, of flows whose algorithms show `variables`.
    pub(crate) fn new(interval_ns: u64, variables: impl Iterator<Item = &'static [&'static str]>) -> FlowSamples {
        let mut names = Vec::new();
        let mut column = |name| {
            names.iter().position(|&known| known == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            })
        };
        let variables = variables.map(|own| own.iter().map(|&name| column(name)).collect()).collect();
        FlowSamples { interval_ns, runs: Vec::new(), values: Vec::new(), names, variables }
    }

    /// `flow`, number `index`, stands as it does at `rows` sampling times from `first_ns` on.
    pub(crate) fn push(&mut self, index: usize, flow: &Flow, first_ns: u64, rows: u64) {
        let (window, connection) = (flow.sender.window(), flow.sender.connection());
        let run = Run {
            first_ns,
            rows: 0,
            flow: index as u32,
            cwnd: window.cwnd,
            ssthresh: window.ssthresh,
            rtt_min: flow.sender.rtt().min(),
            delivered_bytes: flow.sender.delivered() * u64::from(connection.mss),
            retransmitted: flow.sender.retransmitted(),
            pacing_rate: flow.sender.pacing_rate(),
            srtt8_us: connection.srtt8_us,
            in_flight: connection.in_flight,
            state: connection.ca_state,
        };
        let own = self.variables[index].len();
        let (mut first_ns, mut left) = (first_ns, rows);
        while left > 0 {
            let rows = u32::try_from(left).unwrap_or(u32::MAX);
            self.runs.push(Run { first_ns, rows, ..run });
            if own > 0 {
                let mut values = [f64::NAN; VARIABLES_MAX];
                flow.sender.algorithm().variables(&mut values[..own]);
                self.values.extend_from_slice(&values[..own]);
            }
            first_ns += u64::from(rows) * self.interval_ns;
            left -= u64::from(rows);
        }
    }

    /// The samples as columns.
    pub fn columns(&self) -> Columns {
        let runs = &self.runs[..];
        Columns {
            t_ns: runs.iter().flat_map(|run| (0..u64::from(run.rows)).map(|row| run.first_ns + row * self.interval_ns)).collect(),
            flow: column(runs, |run| run.flow),
            cwnd: column(runs, |run| run.cwnd),
            ssthresh: column(runs, |run| if run.ssthresh < SSTHRESH_INFINITE { run.ssthresh } else { f64::NAN }),
            srtt_s: column(runs, |run| f64::from(run.srtt8_us) / 8e6),
            rtt_min_s: column(runs, |run| run.rtt_min.as_secs_f64()),
            in_flight: column(runs, |run| run.in_flight),
            delivered_bytes: column(runs, |run| run.delivered_bytes),
            retransmitted: column(runs, |run| run.retransmitted),
            pacing_rate_bps: column(runs, |run| if run.pacing_rate > 0 { run.pacing_rate as f64 * 8.0 } else { f64::NAN }),
            state: column(runs, |run| run.state as u8),
            variables: self.names.iter().enumerate().map(|(index, &name)| (name, self.variable(index))).collect(),
        }
    }

    /// The column of variable number `wanted`.
    fn variable(&self, wanted: usize) -> Vec<f64> {
        let mut values = &self.values[..];
        let mut cells = Vec::with_capacity(rows_in(&self.runs));
        for run in &self.runs {
            let names = &self.variables[run.flow as usize];
            let (own, rest) = values.split_at(names.len());
            let value = names.iter().position(|&name| name == wanted).map_or(f64::NAN, |place| own[place]);
            cells.extend(repeat_n(value, run.rows as usize));
            values = rest;
        }
        cells
    }
}

fn rows_in(runs: &[Run]) -> usize {
    runs.iter().map(|run| run.rows as usize).sum()
}

fn column<T: Clone>(runs: &[Run], cell: impl Fn(&Run) -> T) -> Vec<T> {
    let mut cells = Vec::with_capacity(rows_in(runs));
    for run in runs {
        cells.extend(repeat_n(cell(run), run.rows as usize));
    }
    cells
}
