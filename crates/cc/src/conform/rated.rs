//! Replays recordings of modules that control the window by rate samples. Every recorded ACK is a complete sample, and after every event
//! the whole recorded state is compared.

use serde_json::Value;
use units::{Duration, Time};

use super::report::{Mismatch, Report};
use crate::registry::Algorithm;
use crate::{CaEvent, CaState, CongestionControl, Connection, Controller, RateSample, Window};

/// Replays `root` against `law`; fills and returns `report`.
pub(crate) fn replay(law: Controller, root: &Value, report: Report) -> Result<Report, String> {
    let columns = root["columns"].as_array().ok_or("columns: missing")?;
    let columns: Vec<&'static str> = columns.iter().map(known).collect::<Result<_, _>>()?;
    if !columns.contains(&"cwnd") {
        return Err("columns: no cwnd".into());
    }
    let mut replay = Replay { flow: Flow::start(law, &root["init"])?, columns, report };
    let events = root["events"].as_array().ok_or("events: missing")?;
    for (number, event) in events.iter().enumerate() {
        let place = |what| format!("event {number}: {what}");
        replay.flow.happen(&event["e"]).map_err(place)?;
        replay.compare(number as u32, &event["r"]).map_err(place)?;
    }
    if replay.report.rows == 0 {
        return Err("events: empty".into());
    }
    Ok(replay.report)
}

/// Every column that a recording may have.
const COLUMNS: [&str; 18] = [
    "cwnd",
    "ssthresh",
    "ca_state",
    "mode",
    "pacing_gain_256",
    "cwnd_gain_256",
    "bw_2p24_pkt_us",
    "min_rtt_us",
    "rtt_cnt",
    "round_start",
    "full_bw",
    "full_bw_cnt",
    "full_bw_reached",
    "cycle_idx",
    "extra_acked_max",
    "prior_cwnd",
    "lt_use_bw",
    "pacing_rate_Bps",
];

fn known(column: &Value) -> Result<&'static str, String> {
    COLUMNS.into_iter().find(|name| column == name).ok_or(format!("columns: {column} is not known"))
}

struct Replay {
    flow: Flow,
    columns: Vec<&'static str>,
    report: Report,
}

impl Replay {
    fn compare(&mut self, event: u32, row: &Value) -> Result<(), String> {
        let row = row.as_array().ok_or("r: missing")?;
        if row.len() != self.columns.len() {
            return Err(format!("a row has {} fields for {} columns", row.len(), self.columns.len()));
        }
        let mut wrong = None;
        for (&field, expected) in self.columns.iter().zip(row) {
            // A law from outside keeps its own state to itself.
            let Some(got) = self.flow.value(field) else { continue };
            let expected = expected.as_f64().ok_or("a row holds something that is not a number")?;
            if got != expected {
                wrong.get_or_insert(Mismatch { row: event, detail: None, t_us: self.flow.c.now.as_us(), field, expected, got });
            }
        }
        self.report.rows += 1;
        self.report.rows_matched += u32::from(wrong.is_none());
        self.report.rows_matched_with_cnt += u32::from(wrong.is_none());
        self.report.first_mismatch = self.report.first_mismatch.take().or(wrong);
        Ok(())
    }
}

/// What the recording tells of the connection.
struct Flow {
    law: Controller,
    w: Window,
    c: Connection,
    delivered_at: Time,
}

impl Flow {
    fn start(law: Controller, init: &Value) -> Result<Flow, String> {
        let number = |name: &str| init[name].as_u64().ok_or(format!("init: {name} is missing or not a natural number"));
        let small = |name: &str| number(name).and_then(|value| u32::try_from(value).map_err(|_| format!("init: {name} is too large")));
        let mut c = Connection::new(small("mss")?.max(1));
        c.now = Time::from_us(number("t_us")?);
        c.srtt8_us = small("srtt_us")?.saturating_mul(8);
        c.rtt_min = Duration::from_us(number("min_rtt_us")?);
        let mut flow = Flow { law, w: Window::new(small("cwnd")?), delivered_at: c.now, c };
        flow.law.on_established(&mut flow.w, &flow.c);
        Ok(flow)
    }

    fn value(&self, field: &str) -> Option<f64> {
        match field {
            "cwnd" => Some(self.w.cwnd),
            "ssthresh" => Some(self.w.ssthresh),
            "ca_state" => Some(f64::from(self.c.ca_state as u8)),
            _ => match &self.law.law {
                Algorithm::Bbr(bbr) => Some(bbr.recorded(field).unwrap_or(f64::NAN)),
                Algorithm::Guest(_) => self.value_of_guest(field),
                _ => Some(f64::NAN),
            },
        }
    }

    /// What a guest shows: its pacing rate, and its variables of the recording's names.
    fn value_of_guest(&self, field: &str) -> Option<f64> {
        if field == "pacing_rate_Bps" {
            return self.law.pacing_rate(&self.w, &self.c).map(|rate| rate.0 as f64);
        }
        let names = self.law.variable_names();
        let mut values = vec![f64::NAN; names.len()];
        self.law.variables(&mut values);
        names.iter().position(|&name| name == field).map(|at| values[at])
    }

    fn happen(&mut self, event: &Value) -> Result<(), String> {
        let event = event.as_array().ok_or("e: missing")?;
        let kind = event.first().and_then(Value::as_str).ok_or("e: no kind")?;
        let args: Vec<i64> = event[1..].iter().map(|v| v.as_i64().ok_or("e: an argument is not an integer")).collect::<Result<_, _>>()?;
        let arity = if kind == "ack" { 10..=11 } else { 1..=1 };
        if !arity.contains(&args.len()) || args[0] < 0 {
            return Err(format!("{kind}: {} arguments for {}, or a negative time", args.len(), arity.end()));
        }
        self.c.now = Time::from_us(args[0] as u64);
        match kind {
            "ack" => self.ack(&args)?,
            "tx_start" => self.law.on_event(&mut self.w, &self.c, CaEvent::TxStarted),
            "recovery_enter" => {
                self.c.prior_cwnd = self.w.cwnd;
                self.w.ssthresh = self.law.ssthresh(&mut self.w, &self.c);
                self.enter(CaState::Recovery);
            }
            "recovery_exit" => self.enter(CaState::Open),
            _ => return Err(format!("e: {kind:?} is not a known event")),
        }
        Ok(())
    }

    fn enter(&mut self, to: CaState) {
        self.law.on_state_changed(&mut self.w, &self.c, to);
        self.c.ca_state = to;
    }

    /// Linux counts the handshake as one delivery.
    fn ack(&mut self, args: &[i64]) -> Result<(), String> {
        let count = |at: usize| u32::try_from(args[at]).map_err(|_| format!("ack: argument {at} is not a count"));
        let (prior_delivered, delivered, lost) = (count(4)?, count(5)?, if args.len() > 10 { count(10)? } else { 0 });
        let us = |at: usize| u64::try_from(args[at]).ok();
        let acked = count(1)?;
        if acked > 0 {
            self.delivered_at = self.c.now;
        }
        self.c.delivered = u64::from(prior_delivered.saturating_sub(1)) + u64::from(delivered);
        self.c.lost += u64::from(lost);
        self.c.in_flight = count(8)?;
        if self.c.delivered > self.c.app_limited_until {
            self.c.app_limited_until = 0;
        }
        let sample = RateSample {
            prior_time: us(3).map_or(Time::ZERO, Time::from_us),
            prior_delivered: u64::from(prior_delivered.saturating_sub(1)),
            delivered: Some(delivered),
            interval: us(6).map(Duration::from_us).filter(|&interval| interval > Duration::ZERO),
            delivered_at: self.delivered_at,
            rtt: us(2).map(Duration::from_us),
            lost,
            acked,
            prior_in_flight: count(7)?,
            tx_in_flight: 0,
            lost_since_sent: 0,
            app_limited: args[9] != 0,
        };
        self.law.on_rate_sampled(&mut self.w, &self.c, &sample);
        if self.law.holds_back() {
            self.c.app_limited_until = (self.c.delivered + u64::from(self.c.in_flight)).max(1);
        }
        Ok(())
    }
}
