//! FAST and its forward-queue variant with Reno on the way back, at 20 Mbit/s and 60 ms.

use crate::*;

/// Packets per second that the forward flow delivers, alone or with a Reno flow that keeps the reverse queue of 200 filled.
fn rate(algorithm: &str, is_alone: bool) -> f64 {
    let forward = FlowSpec { variant: Some("fixed-alpha".into()), parameters: [("alpha".to_owned(), 30.0)].into(), ..flow(algorithm, 60) };
    let backward = FlowSpec { direction: Direction::Reverse, start_ns: 5 * SECOND, ..flow("reno", 60) };
    let flows = if is_alone { vec![forward] } else { vec![forward, backward] };
    let mut spec = spec(20, 200, 120, flows);
    spec.reverse = Some(spec.forward.clone());
    let records = run(&spec);
    (records.flows[0].at_end.delivered - records.flows[0].at_window.delivered) as f64 / 80.0
}

/// The acceptance of the specification: within a tenth of the rate without reverse data. FAST's own law gives it at most alpha/r, r the
/// reverse queue: Reno's window goes from 150 to 300 packets, so that 50 to 200 of 0.6 ms are queued; with the forward queue gone
/// x = 30/r, 1000 packets/s at the least queue and 400 on average, of 1667.
#[test]
fn a_queue_on_the_way_back_does_not_count() {
    let [fast, bqd] = ["fast", "fast-bqd"].map(|algorithm| rate(algorithm, false) / rate(algorithm, true));
    assert!(bqd > 0.9, "fast-bqd keeps {bqd}");
    assert!(fast < 0.6, "fast keeps {fast}");
}
