//! Replays recorded kernel vectors against our variants and compares the window after every row.
//!
//! A file holds one algorithm driven through one script: absolute times, acknowledged counts, RTTs and congestion events, with the
//! module's state after each. The transport here is the one of the recording: an always full window, and no rate reduction, so that
//! the window rests at ssthresh during recovery.

mod rated;
mod recorded;
mod report;

use std::collections::BTreeMap;

use serde_json::Value;
use units::{ByteRate, Duration, Time};

use self::recorded::root_name;
pub use self::recorded::{recorded, Recorded};
pub use self::report::{Mismatch, ReplayError, Report};
use crate::build::{build, protocol};
use crate::registry::Algorithm;
use crate::slow_start::Kind;
use crate::{AckArrival, CaEvent, CaState, CongestionControl, Connection, Controller, Guest, GuestLaw, RttSample, Window};

/// Replays the vector file whose content is `text`; `file` is only named in the answer.
pub fn replay(text: &str, file: &str) -> Result<Report, ReplayError> {
    let damaged = |what: String| ReplayError::Damaged { file: file.into(), what };
    let root: Value = serde_json::from_str(text).map_err(|e| damaged(format!("not JSON: {e}")))?;
    let kernel_name = root_name(&root).ok_or_else(|| damaged("algorithm: missing".into()))?;
    let (name, variant) = match kernel_name.strip_suffix("_nohystart") {
        Some(name) => (name, Some("nohystart")),
        None => (kernel_name, None),
    };
    // A protocol without a variant proven on these vectors has nothing to compare.
    let recorded = variant.unwrap_or("linux-6.1");
    let exact = protocol(name).and_then(|p| p.variant(recorded)).is_some_and(|v| v.exact_kernel);
    if !exact {
        return Err(ReplayError::NotImplemented { file: file.into(), algorithm: kernel_name.into() });
    }
    let mut parameters = BTreeMap::new();
    // Where the module draws at random, its draws are recorded.
    if let Some(draw) = root["init"]["phase_draw"].as_f64() {
        parameters.insert("phase_draw".to_owned(), draw);
    }
    let built = build(name, Some(recorded), "linux-6.1", &parameters).map_err(|e| damaged(e.to_string()))?;
    let algorithm = match variant {
        Some(variant) => format!("{}:{variant}", built.name),
        None => built.name.into(),
    };
    replay_law(built.algorithm, algorithm, &root, file)
}

/// Replays the vector file with this content against a guest's law, which must be what was recorded. Of a law that controls the window
/// by rate samples windows, threshold and pacing rate are compared.
///
/// # Errors
/// When the file is damaged.
pub fn replay_guest(law: Box<dyn GuestLaw>, text: &str, file: &str) -> Result<Report, ReplayError> {
    let root = serde_json::from_str(text).map_err(|e| ReplayError::Damaged { file: file.into(), what: format!("not JSON: {e}") })?;
    let algorithm = root_name(&root).unwrap_or_default().to_owned();
    replay_law(Controller::new(Algorithm::Guest(Guest(law)), Kind::Standard), algorithm, &root, file)
}

fn replay_law(law: Controller, algorithm: String, root: &Value, file: &str) -> Result<Report, ReplayError> {
    let damaged = |what: String| ReplayError::Damaged { file: file.into(), what };
    let report = Report { file: file.into(), algorithm, rows: 0, rows_matched: 0, rows_matched_with_cnt: 0, first_mismatch: None };
    if law.needs().control.is_by_rate() {
        return rated::replay(law, root, report).map_err(damaged);
    }
    let columns = Columns::read(root).map_err(damaged)?;
    let mut replay = Replay { flow: Flow::start(law, &root["init"]).map_err(damaged)?, columns, report, event: 0 };
    let events = root["events"].as_array().ok_or_else(|| damaged("events: missing".into()))?;
    for (number, event) in events.iter().enumerate() {
        replay.event = number as u32;
        replay.run(event).map_err(|what| damaged(format!("event {number}: {what}")))?;
    }
    if replay.report.rows == 0 {
        return Err(damaged("events: empty".into()));
    }
    Ok(replay.report)
}

struct Columns {
    cwnd: usize,
    cnt: Option<usize>,
    ssthresh: usize,
    count: usize,
}

impl Columns {
    fn read(root: &Value) -> Result<Columns, String> {
        let names = root["columns"].as_array().ok_or("columns: missing")?;
        let position = |name: &str| names.iter().position(|column| column == name);
        Ok(Columns {
            cwnd: position("cwnd").ok_or("columns: no cwnd")?,
            cnt: position("cnt"),
            ssthresh: position("ssthresh").ok_or("columns: no ssthresh")?,
            count: names.len(),
        })
    }
}

struct Replay {
    flow: Flow,
    columns: Columns,
    report: Report,
    event: u32,
}

impl Replay {
    fn run(&mut self, event: &Value) -> Result<(), String> {
        let recorded = event["e"].as_array().ok_or("e: missing")?;
        let kind = recorded.first().and_then(Value::as_str).ok_or("e: no kind")?;
        let args: Vec<i64> =
            recorded[1..].iter().map(|v| v.as_i64().ok_or("e: an argument is not an integer")).collect::<Result<_, _>>()?;
        let details = match &event["d"] {
            Value::Null => &[][..],
            Value::Array(rows) => rows,
            _ => return Err("d: not a list".into()),
        };
        if TRAINS.contains(&kind) {
            self.train(kind, &args, details)?;
        } else {
            self.flow.happen(kind, &args)?;
        }
        let row = event["r"].as_array().ok_or("r: missing")?;
        self.compare(row, None)
    }

    fn train(&mut self, kind: &str, args: &[i64], details: &[Value]) -> Result<(), String> {
        let &[t0, n, per, rtt, drtt, span] = args else { return Err(format!("{kind}: {} arguments for 6", args.len())) };
        if t0 < 0 || n < 1 || per < 1 || span < 0 {
            return Err(format!("{kind}: a time or count is negative or zero"));
        }
        let acks = (n + per - 1) / per;
        if details.len() as i64 > acks {
            return Err(format!("d: {} rows for {acks} ACKs", details.len()));
        }
        for i in 1..=acks {
            let segments = per.min(n - per * (i - 1)) as u32;
            let rtt_us = if rtt < 0 { rtt } else { rtt + drtt * i / acks };
            self.flow.train_ack(kind, (t0 + span * i / acks) as u64, segments, rtt_us);
            if let Some(detail) = details.get(i as usize - 1) {
                let row = detail.as_array().ok_or("d: a row is not a list")?;
                let t_us = row.first().and_then(Value::as_i64).ok_or("d: a row has no time")?;
                if t_us != t0 + span * i / acks {
                    return Err(format!("d: row {} is at {t_us} us, its ACK at {}", i - 1, t0 + span * i / acks));
                }
                self.compare(&row[1..], Some(i as u32 - 1))?;
            }
        }
        Ok(())
    }

    fn compare(&mut self, row: &[Value], detail: Option<u32>) -> Result<(), String> {
        if row.len() != self.columns.count {
            return Err(format!("a row has {} fields for {} columns", row.len(), self.columns.count));
        }
        let number = |at: usize| row[at].as_f64().ok_or("a row holds something that is not a number");
        let w = &self.flow.w;
        let fields = [("cwnd", number(self.columns.cwnd)?, w.cwnd), ("ssthresh", number(self.columns.ssthresh)?, w.ssthresh)];
        self.report.rows += 1;
        match fields.into_iter().find(|(_, expected, got)| expected != got) {
            None => {
                self.report.rows_matched += 1;
                let cnt_agrees = self.columns.cnt.map_or(Ok(true), |at| number(at).map(|cnt| cnt == f64::from(w.cnt)))?;
                self.report.rows_matched_with_cnt += u32::from(cnt_agrees);
            }
            Some((field, expected, got)) => {
                let t_us = self.flow.c.now.as_us();
                let here = Mismatch { row: self.event, detail, t_us, field, expected, got };
                self.report.first_mismatch.get_or_insert(here);
            }
        }
        Ok(())
    }
}

/// Events that are runs of ACKs.
const TRAINS: [&str; 4] = ["acks", "acks_ece", "sacks", "loss_acks"];

/// The recording's transport.
struct Flow {
    law: Controller,
    w: Window,
    c: Connection,
    out: u32,
    sacked: u32,
    lost: u32,
    retransmitted: u32,
    recovery_point: u64,
    prior_ssthresh: f64,
    /// The way back: what the forward delay leaves of the RTT.
    backward: Duration,
}

fn whole(value: f64) -> u64 {
    value as u64
}

impl Flow {
    fn start(law: Controller, init: &Value) -> Result<Flow, String> {
        let number = |name: &str| init[name].as_u64().ok_or(format!("init: {name} is missing or not a natural number"));
        let mut c = Connection::new(u32::try_from(number("mss")?).map_err(|_| "init: mss is too large")?);
        c.now = Time::from_us(number("t_us")?);
        c.srtt8_us = u32::try_from(number("srtt_us")? * 8).map_err(|_| "init: srtt_us is too large")?;
        let (cwnd, ssthresh) = (number("cwnd")?, number("ssthresh")?);
        if c.srtt8_us == 0 || cwnd == 0 || cwnd > u64::from(u32::MAX >> 1) || ssthresh > u64::from(u32::MAX >> 1) {
            return Err("init: srtt_us, cwnd or ssthresh is out of range".into());
        }
        let w = Window::new(cwnd as u32);
        let backward = Duration::from_us(number("base_rtt_us")? / 2);
        let mut flow = Flow { law, w, c, out: 0, sacked: 0, lost: 0, retransmitted: 0, recovery_point: 0, prior_ssthresh: 0.0, backward };
        flow.law.on_established(&mut flow.w, &flow.c);
        flow.w.cwnd = cwnd as f64;
        flow.w.ssthresh = ssthresh as f64;
        flow.refresh_pacing();
        flow.transmission_starts();
        Ok(flow)
    }

    fn transmission_starts(&mut self) {
        self.law.on_event(&mut self.w, &self.c, CaEvent::TxStarted);
        self.fill();
    }

    fn in_flight(&self) -> u32 {
        (self.out + self.retransmitted).saturating_sub(self.sacked + self.lost)
    }

    /// Retransmissions first, then new segments, until the window is full.
    fn fill(&mut self) {
        let room = self.w.segments().saturating_sub(self.in_flight());
        let again = room.min(if self.c.ca_state == CaState::Loss { self.lost.saturating_sub(self.retransmitted) } else { 0 });
        self.retransmitted += again;
        let new = room - again;
        self.out += new;
        self.c.nxt += u64::from(new);
        if room > 0 {
            self.c.last_sent = self.c.now;
        }
        self.c.in_flight = self.in_flight();
    }

    fn refresh_pacing(&mut self) {
        let percent = if whole(self.w.cwnd) < whole(self.w.ssthresh) >> 1 { 200 } else { 120 };
        let window = whole(self.w.cwnd).max(u64::from(self.out));
        self.c.pacing_rate = ByteRate(u64::from(self.c.mss) * 80_000 * percent * window / u64::from(self.c.srtt8_us));
    }

    fn notify(&mut self, to: CaState) {
        self.law.on_state_changed(&mut self.w, &self.c, to);
        self.c.ca_state = to;
    }

    fn complete_reduction(&mut self) {
        self.w.cwnd = self.w.ssthresh;
        self.law.on_event(&mut self.w, &self.c, CaEvent::ReductionCompleted);
    }

    fn grow(&mut self, delivered: u32) {
        if !matches!(self.c.ca_state, CaState::Cwr | CaState::Recovery) {
            self.law.on_acked(&mut self.w, &self.c, delivered);
        }
    }

    /// The part of an ACK before any change of state.
    fn ack_arrives(&mut self, ack: Ack) {
        let before = self.in_flight();
        let acked = ack.acked.min(self.out);
        self.c.una += u64::from(acked);
        self.out -= acked;
        self.c.delivered += u64::from(acked);
        self.c.delivered_ce += if ack.ece { u64::from(acked) } else { 0 };
        let rtt = u64::try_from(ack.rtt_us).ok().map(Duration::from_us);
        if let Some(rtt) = rtt {
            let error = rtt.as_us() as i64 - i64::from(self.c.srtt8_us >> 3);
            self.c.srtt8_us = (i64::from(self.c.srtt8_us) + error).max(1) as u32;
            self.c.rtt_min = self.c.rtt_min.min(rtt);
        }
        self.c.in_flight = self.in_flight();
        let forward = rtt.map(|rtt| rtt.saturating_sub(self.backward));
        let echoed = rtt.map(|rtt| self.c.now.saturating_sub(rtt));
        self.law.on_rtt_sampled(&mut self.w, &self.c, &RttSample { acked, rtt, forward, echoed, in_flight: before });
        self.law.on_ack_arrived(&mut self.w, &self.c, &AckArrival { slow_path: ack.slow_path, ece: ack.ece });
    }

    fn ack_ends(&mut self) {
        self.refresh_pacing();
        self.fill();
    }

    /// Recorded trains may overlap, so the clock may step back between two of them.
    fn train_ack(&mut self, kind: &str, t_us: u64, segments: u32, rtt_us: i64) {
        self.c.now = Time::from_us(t_us);
        match kind {
            "acks" => self.ack_arrives(Ack { acked: segments, rtt_us, slow_path: false, ece: false }),
            "acks_ece" => self.ack_arrives(Ack { acked: segments, rtt_us, slow_path: true, ece: true }),
            "sacks" => {
                self.sacked += segments;
                self.ack_arrives(Ack { acked: 0, rtt_us, slow_path: true, ece: false });
                self.ack_ends();
                return;
            }
            _ => {
                self.lost = self.lost.saturating_sub(segments);
                self.retransmitted = self.retransmitted.saturating_sub(segments);
                self.ack_arrives(Ack { acked: segments, rtt_us: -1, slow_path: true, ece: false });
                if self.c.una >= self.recovery_point && self.c.ca_state == CaState::Loss {
                    self.notify(CaState::Open);
                }
            }
        }
        self.grow(segments);
        self.ack_ends();
    }

    fn happen(&mut self, kind: &str, args: &[i64]) -> Result<(), String> {
        let arity = match kind {
            "loss_enter" | "cwr_enter" | "rto" | "idle_start" => 1,
            "idle_restart" => 2,
            "cwr_exit" | "frto_undo" => 3,
            "loss_exit" | "loss_exit_undo" => 4,
            _ => return Err(format!("e: {kind:?} is not a known event")),
        };
        if args.len() != arity || args[0] < 0 {
            return Err(format!("{kind}: {} arguments for {arity}, or a negative time", args.len()));
        }
        self.c.now = Time::from_us(args[0] as u64);
        let count = |at: usize| u32::try_from(args[at]).map_err(|_| format!("{kind}: argument {at} is not a count"));
        match kind {
            "loss_enter" => self.reduce(CaState::Recovery),
            "cwr_enter" => self.reduce(CaState::Cwr),
            "rto" => self.time_out(),
            "loss_exit" => self.leave_recovery(Exit { cumulative: count(1)?, delivered: count(2)?, rtt_us: args[3], undo: false }),
            "loss_exit_undo" => self.leave_recovery(Exit { cumulative: count(1)?, delivered: count(2)?, rtt_us: args[3], undo: true }),
            "cwr_exit" => self.leave_cwr(count(1)?, args[2]),
            "frto_undo" => self.undo_timeout(count(1)?, args[2]),
            "idle_start" => self.restart(None),
            _ => self.restart(Some(f64::from(count(1)?))),
        }
        Ok(())
    }

    fn note_prior(&mut self) {
        let cwnd = whole(self.w.cwnd);
        self.prior_ssthresh = match self.c.ca_state {
            CaState::Cwr | CaState::Recovery => self.w.ssthresh,
            _ => self.w.ssthresh.max(((cwnd >> 1) + (cwnd >> 2)) as f64),
        };
        self.c.prior_cwnd = self.w.cwnd;
    }

    fn reduce(&mut self, to: CaState) {
        self.note_prior();
        self.recovery_point = self.c.nxt;
        self.w.cnt = 0;
        self.w.ssthresh = self.law.ssthresh(&mut self.w, &self.c);
        self.notify(to);
        if to == CaState::Recovery {
            self.lost = 1;
            self.retransmitted = 1;
        }
        self.w.cwnd = self.w.ssthresh;
    }

    fn time_out(&mut self) {
        if matches!(self.c.ca_state, CaState::Open | CaState::Disorder) {
            self.note_prior();
            self.w.ssthresh = self.law.ssthresh(&mut self.w, &self.c);
            self.law.on_event(&mut self.w, &self.c, CaEvent::TimedOut);
        }
        self.sacked = 0;
        self.lost = self.out;
        self.retransmitted = 0;
        self.w.cwnd = f64::from(self.in_flight() + 1);
        self.w.cnt = 0;
        self.notify(CaState::Loss);
        self.recovery_point = self.c.nxt;
        self.retransmitted = 1;
        self.c.last_sent = self.c.now;
    }

    fn undo(&mut self) {
        self.w.cwnd = self.law.undo(&mut self.w, &self.c);
        self.w.ssthresh = self.w.ssthresh.max(self.prior_ssthresh);
    }

    fn leave_recovery(&mut self, exit: Exit) {
        self.sacked = 0;
        self.lost = 0;
        self.retransmitted = 0;
        self.ack_arrives(Ack { acked: exit.cumulative, rtt_us: exit.rtt_us, slow_path: true, ece: false });
        if exit.undo {
            self.undo();
            self.notify(CaState::Open);
            self.law.on_event(&mut self.w, &self.c, CaEvent::ReductionCompleted);
        } else {
            self.notify(CaState::Open);
            self.complete_reduction();
        }
        self.grow(exit.delivered);
        self.ack_ends();
    }

    fn leave_cwr(&mut self, acked: u32, rtt_us: i64) {
        self.ack_arrives(Ack { acked, rtt_us, slow_path: true, ece: false });
        self.complete_reduction();
        self.notify(CaState::Open);
        self.grow(acked);
        self.ack_ends();
    }

    fn undo_timeout(&mut self, acked: u32, rtt_us: i64) {
        self.lost = 0;
        self.retransmitted = 0;
        self.ack_arrives(Ack { acked, rtt_us, slow_path: true, ece: false });
        self.undo();
        self.notify(CaState::Open);
        self.grow(acked);
        self.ack_ends();
    }

    /// Sending starts again with nothing in flight; `window` is the restart window when the idle time was long enough for it.
    fn restart(&mut self, window: Option<f64>) {
        self.c.una = self.c.nxt;
        self.out = 0;
        self.sacked = 0;
        self.lost = 0;
        self.retransmitted = 0;
        if let Some(window) = window {
            self.law.on_event(&mut self.w, &self.c, CaEvent::WindowRestarted);
            let cwnd = whole(self.w.cwnd);
            self.w.ssthresh = self.w.ssthresh.max(((cwnd >> 1) + (cwnd >> 2)) as f64);
            self.w.cwnd = self.w.cwnd.min(window);
        }
        self.transmission_starts();
    }
}

/// One ACK.
struct Ack {
    acked: u32,
    /// -1 without a sample.
    rtt_us: i64,
    slow_path: bool,
    ece: bool,
}

/// The ACK that ends a recovery.
struct Exit {
    cumulative: u32,
    delivered: u32,
    rtt_us: i64,
    undo: bool,
}
