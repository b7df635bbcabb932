//! Random legal scenarios: what must hold in all of them. The stack's own assertions (no negative pipe, no window below one
//! segment) run inside.

use proptest::prelude::*;
use sim::{Observer, Spec};
use units::Time;

/// Looks at the window after every ACK.
#[derive(Default)]
struct Watch {
    bad: Option<String>,
}

impl Observer for Watch {
    fn on_acked(&mut self, now: Time, flow: usize, sender: &tcp::Sender<cc::Controller>) {
        let window = sender.window();
        let legal = window.cwnd.is_finite() && window.cwnd >= 1.0 && !window.ssthresh.is_nan() && window.ssthresh >= 1.0;
        if !legal && self.bad.is_none() {
            self.bad = Some(format!("flow {flow} at {now:?}: cwnd {}, ssthresh {}", window.cwnd, window.ssthresh));
        }
    }
}

#[derive(Clone, Debug)]
struct Draw {
    protocol: usize,
    profile: usize,
    rtt_us: u64,
    jitter: u64,
    segments: u64,
    start_ms: u64,
    sack: bool,
    undo: bool,
    reverse: bool,
}

fn draw() -> impl Strategy<Value = Draw> {
    let who = (0..cc::PROTOCOLS.len(), 0..tcp::Options::PROFILES.len(), 1_000_u64..200_000, 0_u64..20, 1_u64..1500);
    (who, (0_u64..2000, prop::bool::weighted(0.8), any::<bool>(), any::<bool>())).prop_map(
        |((protocol, profile, rtt_us, jitter, segments), (start_ms, sack, undo, reverse))| Draw {
            protocol,
            profile,
            rtt_us,
            jitter,
            segments,
            start_ms,
            sack,
            undo,
            reverse,
        },
    )
}

fn scenario(flows: &[Draw], mbit_s: u64, queue: u64, loss: f64, two_way: bool) -> Spec {
    let flows: Vec<_> = flows
        .iter()
        .map(|d| {
            serde_json::json!({
                "algorithm": cc::PROTOCOLS[d.protocol].name, "profile": tcp::Options::PROFILES[d.profile],
                "rtt_ns": d.rtt_us * 1000, "jitter_ns": d.rtt_us * 10 * d.jitter, "bytes": d.segments * 1448,
                "start_ns": d.start_ms * 1_000_000, "transport": {"sack": d.sack, "undo": d.undo},
                "direction": if d.reverse && two_way { "reverse" } else { "forward" },
            })
        })
        .collect();
    let link = serde_json::json!({
        "rate_bps": mbit_s * 1_000_000, "queue": {"unit": "packets", "limit": queue}, "loss_probability": loss,
    });
    let reverse = if two_way { link.clone() } else { serde_json::Value::Null };
    let scenario =
        serde_json::json!({"seed": 7, "duration_ns": 3_600_000_000_000_u64, "forward": link, "reverse": reverse, "flows": flows});
    Spec::from_json(&scenario.to_string()).expect("a scenario")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// With less than 5 % of random loss every transfer ends, and the books of each agree: every segment delivered once;
    /// what was sent was delivered, lost, or arrived twice, and only a retransmission can arrive twice.
    #[test]
    fn every_transfer_ends_with_balanced_books(
        flows in prop::collection::vec(draw(), 1..4), mbit_s in 1_u64..100, queue in 2_u64..200, loss in 0.0..0.05_f64, two_way in any::<bool>(),
    ) {
        let spec = scenario(&flows, mbit_s, queue, loss, two_way);
        let mut watch = Watch::default();
        // A run that handles this many events is one that never ends.
        let mut looks = 0;
        let records = sim::run_observed(&spec, &mut watch, || { looks += 1; looks > 400 });
        prop_assert!(records.is_ok(), "more than 50 million events");
        let records = records.expect("a run");
        prop_assert_eq!(watch.bad, None);
        for (row, drawn) in records.flows.iter().zip(&flows) {
            prop_assert!(!row.completed_s.is_nan(), "{} never ended: {:?}", row.algorithm, row);
            let end = row.at_end;
            prop_assert_eq!(end.delivered, drawn.segments, "{:?}", row);
            let arrived = end.sent - row.lost_packets;
            prop_assert!(arrived >= end.delivered, "{:?}", row);
            prop_assert!(arrived - end.delivered <= end.retransmitted, "{:?}", row);
            prop_assert_eq!(end.sent - end.retransmitted, drawn.segments, "{:?}", row);
        }
    }
}
