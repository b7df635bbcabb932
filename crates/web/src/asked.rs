//! What a page asks, answered as JSON.

use records::metrics::OfRun;
use records::{Cells, Frame};
use scenario::{Filled, Scenario};
use serde_json::{json, Value};
use sim::{AckTrace, Silent};

/// Numbers of one column, NaN where null.
pub(crate) type Column = Vec<f64>;

/// A field of the scenario, and what is wrong with it.
struct Refusal {
    field: String,
    problem: String,
}

fn answered(result: Result<Value, Refusal>) -> String {
    match result {
        Ok(value) => json!({ "ok": value }),
        Err(Refusal { field, problem }) => json!({ "error": { "field": field, "problem": problem } }),
    }
    .to_string()
}

/// What front ends know without a scenario.
pub(crate) fn catalogue() -> String {
    answered(Ok(json!({ "catalogue": sim::catalogue(), "limits": sim::limits::json() })))
}

fn filled(question: &[u8]) -> Result<Filled, Refusal> {
    let unread = |problem: String| Refusal { field: "scenario".into(), problem };
    let text = std::str::from_utf8(question).map_err(|error| unread(error.to_string()))?;
    let scenario = Scenario::from_json(text).map_err(|error| unread(error.to_string()))?;
    scenario::fill(&scenario).map_err(|error| Refusal { field: error.field, problem: error.problem })
}

fn named(filled: &Filled) -> Result<Value, Refusal> {
    let spec = filled.spec();
    let accepted = sim::accept(&spec).map_err(|error| Refusal { field: String::new(), problem: error.to_string() })?;
    let windows: Vec<u64> = accepted.flows.iter().map(|flow| flow.receives).collect();
    Ok(json!({ "scenario": filled.scenario, "notes": filled.notes, "digest": filled.digest(), "windows": windows }))
}

/// A scenario, filled in and accepted, and the windows of its receivers in segments.
pub(crate) fn fill(question: &[u8]) -> String {
    answered(filled(question).and_then(|filled| named(&filled)))
}

/// A scenario's run: its digests, counters and metrics, and of each frame its words and where its numbers lie.
pub(crate) fn run(question: &[u8]) -> (String, Vec<Column>) {
    let mut columns = Vec::new();
    let result = ran(question, &mut columns);
    (answered(result), columns)
}

fn ran(question: &[u8], columns: &mut Vec<Column>) -> Result<Value, Refusal> {
    let filled = filled(question)?;
    let (spec, digest) = (filled.spec(), filled.digest());
    let mut trace = spec.per_ack.then(AckTrace::default);
    let result = match &mut trace {
        Some(trace) => sim::run_named(&spec, Some(&digest), trace, || false),
        None => sim::run_named(&spec, Some(&digest), &mut Silent, || false),
    };
    let run = result.map_err(|error| Refusal { field: String::new(), problem: error.to_string() })?;
    let (data_packets, events) = (run.data_packets, run.core_events);
    let frames = records::frames(run, trace);
    let records_digest = records::digest(frames.iter().map(Frame::view));
    let packet_bits: Vec<f64> = filled.scenario.flows.iter().map(|flow| 8.0 * f64::from(flow.mtu_bytes)).collect();
    let metrics = records::metrics::of_run(&frames, &packet_bits, filled.scenario.duration_s - filled.scenario.warmup_s);
    let laid: Vec<Value> = frames.iter().map(|frame| laid_out(frame, columns)).collect();
    Ok(json!({
        "scenario": filled.scenario, "notes": filled.notes, "digest": digest, "records_digest": records_digest,
        "data_packets": data_packets, "events": events, "metrics": shown(&metrics), "frames": laid,
    }))
}

/// A frame's words, and the numbers of its other columns kept where the page finds them.
fn laid_out(frame: &Frame, columns: &mut Vec<Column>) -> Value {
    let mut described = serde_json::Map::new();
    for column in &frame.columns {
        let value = match &column.cells {
            Cells::String(words) => json!({ "words": words }),
            _ => {
                let numbers = frame.numbers(column.name);
                let at = numbers.as_ptr() as usize;
                columns.push(numbers);
                json!({ "at": at })
            }
        };
        described.insert(column.name.into(), value);
    }
    json!({ "name": frame.name, "height": frame.height, "columns": described })
}

fn shown(metrics: &OfRun) -> Value {
    json!({
        "throughput_bps": metrics.throughput_bps, "goodput_bps": metrics.goodput_bps, "jain": metrics.common.jain,
        "total_throughput_bps": metrics.common.throughput_bps, "loss_overhead": metrics.common.loss_overhead,
        "lost_fraction": metrics.common.lost_fraction,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &[u8] =
        br#"{"bottleneck": {"rate_bps": 10e6}, "flows": [{"algorithm": "reno"}, {"algorithm": "cubic"}], "rtt_s": 0.04, "duration_s": 5}"#;

    fn value(text: &str) -> Value {
        serde_json::from_str(text).expect("an answer is JSON")
    }

    #[test]
    fn columns_lie_where_the_answer_says() {
        let (text, columns) = run(TWO);
        let answer = value(&text);
        let frames = answer["ok"]["frames"].as_array().expect("frames");
        let samples = frames.iter().find(|frame| frame["name"] == "flow_samples").expect("flow_samples");
        let at = samples["columns"]["cwnd_packets"]["at"].as_u64().expect("an address") as usize;
        let found = columns.iter().find(|column| column.as_ptr() as usize == at).expect("a column at that address");
        assert_eq!(found.len() as u64, samples["height"].as_u64().expect("a height"));
        assert!(found.iter().all(|&cwnd| cwnd >= 1.0));
    }

    #[test]
    fn a_run_says_the_names_that_the_parts_say() {
        let (text, _) = run(TWO);
        let filled = filled(TWO).unwrap_or_else(|refusal| panic!("{}", refusal.problem));
        let run = sim::run(&filled.spec(), || false).expect("a run");
        let frames = records::frames(run, None);
        let answer = &value(&text)["ok"];
        assert_eq!(answer["digest"], filled.digest());
        assert_eq!(answer["records_digest"], records::digest(frames.iter().map(Frame::view)));
        // Both flows have the whole link: 10 Mbit/s less what the first round trips leave idle.
        let total = answer["metrics"]["total_throughput_bps"].as_f64().expect("a rate");
        assert!((9e6..=10e6).contains(&total), "{total}");
    }

    #[test]
    fn a_bad_scenario_is_answered_with_field_and_problem() {
        let refused = |question: &str| value(&fill(question.as_bytes()))["error"].clone();
        assert_eq!(refused("{")["field"], "scenario");
        let unknown = refused(r#"{"bottleneck": {"rate_bps": 10e6}, "flows": [{"algorithm": "rono"}], "rtt_s": 0.04}"#);
        assert!(unknown["problem"].as_str().expect("a line").contains("rono"), "{unknown}");
    }

    /// A link changed in flight: what was before is the same, sample by sample. A receiver's window is by default four times what the path ever
    /// holds: where a change makes that more, each flow gets the window that it had.
    #[test]
    fn a_step_of_the_link_changes_nothing_before_it() {
        let before = |question: &str| -> Vec<f64> {
            let filled = filled(question.as_bytes()).unwrap_or_else(|refusal| panic!("{}", refusal.problem));
            let frames = records::frames(sim::run(&filled.spec(), || false).expect("a run"), None);
            let samples = frames.iter().find(|frame| frame.name == "flow_samples").expect("flow_samples");
            let (t, cwnd) = (samples.numbers("t_s"), samples.numbers("cwnd_packets"));
            t.iter().zip(cwnd).filter(|(&t, _)| t < 3.0).map(|(_, cwnd)| cwnd).collect()
        };
        let plain = fill(TWO);
        let plain = &value(&plain)["ok"];
        // 33 packets of the queue, and as many on the way.
        assert_eq!(plain["windows"], json!([265, 265]));
        let mut scenario = plain["scenario"].clone();
        let whole = before(&scenario.to_string());
        assert!(!whole.is_empty());
        scenario["bottleneck"]["rate_steps"] = json!([{ "at_s": 3.0, "rate_bps": 2e6 }]);
        assert_eq!(before(&scenario.to_string()), whole);
        scenario["bottleneck"]["rate_steps"] = json!([{ "at_s": 3.0, "rate_bps": 90e6 }]);
        scenario["bottleneck"]["delay_steps"] = json!([{ "at_s": 3.0, "extra_s": 0.1 }]);
        assert_ne!(before(&scenario.to_string()), whole);
        for flow in scenario["flows"].as_array_mut().expect("flows") {
            flow["window_packets"] = 265.into();
        }
        assert_eq!(before(&scenario.to_string()), whole);
    }
}
