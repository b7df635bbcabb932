//! What the limits allow the engine takes: nobody writes a scenario by them and is refused later.

use scenario::Scenario;
use serde_json::{json, Value};
use sim::limits::{COUNTS, LONGEST_S, MOST_FLOWS, MOST_HOPS, MOST_PACKETS};

fn refusal(document: &Value) -> Option<String> {
    let scenario = Scenario::from_json(&document.to_string()).expect("a scenario");
    let filled = match scenario::fill(&scenario) {
        Ok(filled) => filled,
        Err(error) => return Some(error.to_string()),
    };
    sim::accept(&filled.spec()).err().map(|error| error.to_string())
}

/// A small scenario with one place of it replaced.
fn with(place: &str, value: Value) -> Value {
    let mut document = json!({
        "bottleneck": {"rate_bps": 20e6, "queue_packets": 100}, "flows": [{"algorithm": "reno"}], "rtt_s": 0.02, "duration_s": 10.0,
        "hops": [], "arrivals": [], "sessions": [], "traffic": [],
    });
    let (parent, key) = place.rsplit_once('/').expect("a place");
    document.pointer_mut(parent).expect("a part of a scenario")[key] = value;
    document
}

fn most(name: &str) -> usize {
    COUNTS.iter().find(|row| row.0 == name).expect("a count").1 as usize
}

#[test]
fn the_engine_takes_what_the_limits_allow() {
    let arrivals = json!({"algorithm": "reno", "load": 10.0, "mean_bytes": 1e6, "shape": 100.0});
    let kinds = json!({"algorithm": "reno", "per_second": 1e7, "sizes": "fixed", "mean_bytes": 1.0, "rtts_s": vec![0.02; most("kinds_of_transfers")]});
    let sessions = json!({"algorithm": "reno", "count": 100_000, "connections": 1000, "think_s": {"law": "fixed", "mean": 1e5}});
    let udp = json!({"rate_bps": 1e3, "packet_bytes": 65_535, "amplitude_bps": 0.0, "period_s": 3600.0});
    let steps: Vec<Value> = (0..most("steps")).map(|step| json!({"at_s": step as f64 * 1e-3, "rate_bps": 1e3})).collect();
    let places = [
        ("/duration_s", json!(LONGEST_S)),
        ("/seed", json!(u64::MAX)),
        ("/rtt_s", json!(10.0)),
        ("/rtt_s", json!(1e-6)),
        ("/bottleneck/rate_bps", json!(1e12)),
        ("/bottleneck/rate_bps", json!(1e3)),
        ("/bottleneck/queue_packets", json!(MOST_PACKETS)),
        ("/bottleneck", json!({"rate_bps": 20e6, "queue_bytes": MOST_PACKETS * 1500})),
        ("/bottleneck", json!({"rate_bps": 20e6, "queue_s": 60.0})),
        ("/bottleneck/rate_steps", json!(steps)),
        ("/flows", json!([{"algorithm": "reno", "count": MOST_FLOWS}])),
        ("/flows/0/bytes", json!(1_000_000_000_000_000_u64)),
        ("/flows/0/window_packets", json!(MOST_PACKETS)),
        ("/flows/0/mtu_bytes", json!(9000)),
        ("/flows/0/mtu_bytes", json!(576)),
        ("/flows/0/host", json!({"cpu_packet_s": 1.0, "cpu_ack_s": 1.0, "cpu_sack_s": 1.0, "ack_tick_s": 1.0})),
        ("/flows/0/host", json!({"nic_bps": 1e12, "txqueuelen": MOST_PACKETS})),
        ("/hops", json!(vec![json!({"rate_bps": 20e6, "queue_packets": 100}); MOST_HOPS as usize])),
        ("/arrivals", json!(vec![arrivals; most("sources_of_transfers")])),
        ("/arrivals", json!([kinds])),
        ("/arrivals", json!([{"algorithm": "reno", "per_second": 1.0, "sizes": "fixed", "mean_bytes": 1e15}])),
        ("/sessions", json!([sessions])),
        ("/traffic", json!(vec![udp; most("sources_of_datagrams")])),
    ];
    let refused: Vec<String> = places.into_iter().filter_map(|(place, value)| refusal(&with(place, value))).collect();
    assert_eq!(refused, Vec::<String>::new());
}

#[test]
fn a_computed_queue_beyond_the_largest_is_refused_with_field_and_limit() {
    let said = refusal(&with("/bottleneck", json!({"rate_bps": 1e12, "queue_bdp": 1000.0})));
    let expected = "bottleneck.queue_bdp: 1000 is a queue of 1.67e+09 packets; allowed: at most 10000000 packets";
    assert_eq!(said.as_deref(), Some(expected));
}
