//! quinn in the simulator, where its library was built: `WINDTUNNEL_STACK` names it.

use std::sync::Arc;

use endpoint::Stacks;
use guest::StackLibrary;
use sim::{run_with, Beside, Silent, Spec};

fn spec(flows: serde_json::Value) -> Spec {
    Spec::from_json(
        &serde_json::json!({
            "seed": 1, "duration_ns": 20_000_000_000_u64, "warmup_ns": 5_000_000_000_u64, "sample_ns": 100_000_000,
            "forward": {"rate_bps": 100_000_000, "queue": {"unit": "packets", "limit": 333}},
            "flows": flows,
        })
        .to_string(),
    )
    .expect("a scenario")
}

#[test]
fn quinn_shares_a_link_with_simulated_tcp() {
    let Ok(library) = std::env::var("WINDTUNNEL_STACK") else { return eprintln!("WINDTUNNEL_STACK names no library: skipped") };
    let mut stacks = Stacks::default();
    stacks.insert(Box::new(StackLibrary::load(library.as_ref(), "quinn", Arc::default()).expect("a stack")));
    for flows in [
        serde_json::json!([{"algorithm": "cubic", "stack": "quinn", "rtt_ns": 40_000_000}]),
        serde_json::json!([{"algorithm": "bbr", "stack": "quinn", "rtt_ns": 40_000_000}]),
        serde_json::json!([{"algorithm": "reno", "stack": "quinn", "rtt_ns": 40_000_000}]),
        serde_json::json!([{"algorithm": "cubic", "stack": "quinn", "rtt_ns": 40_000_000}, {"algorithm": "cubic", "rtt_ns": 40_000_000}]),
        serde_json::json!([{"algorithm": "cubic", "stack": "quinn", "rtt_ns": 40_000_000, "bytes": 1_000_000}]),
    ] {
        let spec = spec(flows);
        let begun = std::time::Instant::now();
        let records = run_with(&spec, Beside { stacks: &stacks, ..Beside::default() }, &mut Silent, || false).expect("a run");
        let spent = begun.elapsed().as_secs_f64();
        let again = run_with(&spec, Beside { stacks: &stacks, ..Beside::default() }, &mut Silent, || false).expect("a run");
        assert_eq!(format!("{:?}", records.flows), format!("{:?}", again.flows));
        assert_eq!(format!("{:?}", records.link_samples), format!("{:?}", again.link_samples));
        for row in &records.flows {
            println!(
                "{} {} goodput {:.2} Mbit/s, mean cwnd {:.1}, lost {} declared {} sent {} completed {} us/packet {:.2}",
                row.algorithm,
                row.variant,
                row.window_goodput_bytes() as f64 * 8e-6 / row.window_s,
                row.mean_cwnd(),
                row.lost_packets,
                row.at_end.retransmitted,
                row.at_end.sent,
                row.completed_s,
                spent * 1e6 / records.data_packets as f64
            );
        }
    }
}
