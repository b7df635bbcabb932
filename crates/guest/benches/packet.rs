//! Instructions per packet of a law from a file beside the built-in one: `packet ALGORITHM [FILE]` runs two flows and prints how many
//! packets were delivered (for callgrind). The scenario is `reno-2`'s of the simulator's bench.

use std::path::Path;
use std::sync::Arc;

use cc::Guests;
use guest::Workshop;
use sim::{run_with, Beside, Silent, Spec};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let Some(algorithm) = arguments.first() else { return };
    let mut guests = Guests::default();
    if let Some(file) = arguments.get(1) {
        let workshop = Workshop { cache: std::env::temp_dir().join("windtunnel-bench"), compiler: "cc".into() };
        guests.insert(algorithm, Arc::new(guest::open(Path::new(file), &workshop).unwrap_or_else(|error| panic!("{error}"))));
    }
    let flow = |start_ns: u64| serde_json::json!({"algorithm": algorithm, "rtt_ns": 42_000_000, "start_ns": start_ns, "jitter_ns": 48_000});
    let spec = serde_json::json!({
        "seed": 1, "duration_ns": 100_000_000_000_u64, "warmup_ns": 0, "sample_ns": 10_000_000,
        "forward": {"rate_bps": 250_000_000, "queue": {"unit": "packets", "limit": 875}}, "flows": [flow(0), flow(1_000_003)],
    });
    let spec = Spec::from_json(&spec.to_string()).expect("a scenario");
    let records = run_with(&spec, Beside { guests: &guests, ..Beside::default() }, &mut Silent, || false).expect("a run");
    println!("{}", records.flows.iter().map(|flow| flow.at_end.delivered).sum::<u64>());
}
