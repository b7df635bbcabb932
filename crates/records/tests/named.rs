//! Names of golden and other scenarios, and of their records: recorded in `tests/names`, which the Python tests read too.
//!
//! `GOLDEN=redraw cargo test -p windtunnel-records --test named` records them anew.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use scenario::Scenario;
use serde_json::{json, Value};
use sim::{AckTrace, Silent};

/// The scenario of the golden traces: one flow, or one application's, 100 Mbit/s, 60 ms, a queue of one bandwidth-delay product, 60 s, no jitter.
fn golden(algorithm: &str, profile: &str) -> Value {
    json!({
        "bottleneck": {"rate_bps": 100e6}, "flows": [{"algorithm": algorithm}], "rtt_s": 0.06, "duration_s": 60.0, "sample_s": 0.06,
        "jitter_s": 0.0, "profile": profile,
    })
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/names")
}

/// Name and document of each: the golden ones of every protocol and profile, and those of the file.
fn scenarios() -> Vec<(String, Value)> {
    let of_protocol = |protocol: &'static str| {
        let of_profile = move |profile: &&str| (format!("golden/{protocol}/{profile}"), golden(protocol, profile));
        cc::PROFILES.iter().map(of_profile).collect::<Vec<_>>()
    };
    let golden = cc::PROTOCOLS.iter().flat_map(|protocol| of_protocol(protocol.name));
    let file = std::fs::read_to_string(folder().join("scenarios.json")).expect("tests/names/scenarios.json");
    let others: serde_json::Map<String, Value> = serde_json::from_str(&file).expect("scenarios by name");
    golden.chain(others).collect()
}

/// The digests of a scenario and of its records.
fn digests(name: &str, document: Value) -> (String, String) {
    let scenario = Scenario::from_json(&document.to_string()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let filled = scenario::fill(&scenario).unwrap_or_else(|error| panic!("{name}: {error}"));
    let again = scenario::fill(&filled.scenario).expect("a filled scenario");
    assert_eq!(again.scenario, filled.scenario, "{name}: filling in again changes it");
    let spec = filled.spec();
    let mut trace = AckTrace::default();
    let (run, trace) = if spec.per_ack {
        (sim::run_named(&spec, None, &mut trace, || false), Some(trace))
    } else {
        (sim::run_named(&spec, None, &mut Silent, || false), None)
    };
    let frames = records::frames(run.unwrap_or_else(|error| panic!("{name}: {error}")), trace);
    (filled.digest(), records::digest(frames.iter().map(records::Frame::view)))
}

#[test]
fn scenarios_and_their_records_keep_their_names() {
    let mut now = String::from("# scenario, its digest, the digest of its records\n");
    for (name, document) in scenarios() {
        let (scenario, records) = digests(&name, document);
        let _ = writeln!(now, "{name} {scenario} {records}");
    }
    let path = folder().join("digests.txt");
    if std::env::var("GOLDEN").is_ok_and(|value| value == "redraw") {
        std::fs::write(&path, now).expect("a file that can be written");
        return;
    }
    let recorded = std::fs::read_to_string(&path).expect("tests/names/digests.txt");
    let moved: Vec<_> = recorded.lines().zip(now.lines()).filter(|(old, new)| old != new).collect();
    assert!(moved.is_empty() && recorded.lines().count() == now.lines().count(), "recorded and now: {moved:#?}");
}
