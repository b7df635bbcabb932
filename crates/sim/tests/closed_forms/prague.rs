//! Prague at a step of marks: a short queue, and equal shares below 25 ms.

use std::collections::BTreeMap;

use crate::*;

/// Prague flows of these base RTTs (milliseconds) share 100 Mbit/s; marks from 8 packets, 1 ms, on. Their throughputs in Mbit/s.
fn shares(rtts_ms: &[u64], rtt_target_s: f64) -> (Records, Vec<f64>) {
    let parameters = BTreeMap::from([("rtt_target".to_string(), rtt_target_s)]);
    let flows = rtts_ms.iter().map(|&rtt_ms| FlowSpec { parameters: parameters.clone(), ..flow("prague", rtt_ms) });
    let mut spec = spec(100, 2000, 60, flows.collect());
    spec.forward.mark = Some(QueueSpec { unit: QueueUnit::Packets, limit: 8 });
    let records = run(&spec);
    assert_no_timeouts(&records);
    let rates = records.flows.iter().map(|row| row.window_goodput_bytes() as f64 * 8e-6 / row.window_s).collect();
    (records, rates)
}

/// Additive increase and alpha are those of 25 ms for both: the same rate equation. One window of the shorter is 20 segments, whole ones
/// are acknowledged in pairs: a tenth. Without the rule the flow of 5 ms has the better of a quarter of the RTT at least once, in
/// the increase: DCTCP's rates go by 1/RTT under random marks, by more at a step (De Schepper et al.).
#[test]
fn round_trips_below_25_ms_share_equally() {
    let (_, rates) = shares(&[5, 20], 0.025);
    assert_near(rates[0], rates[1], 0.1, "5 ms and 20 ms");
    let (_, rates) = shares(&[5, 20], 0.0);
    assert!(rates[0] > 4.0 * rates[1], "without the rule: {rates:?}");
}

/// Above, rates go by 1/RTT: 25 ms and 50 ms share as 2 to 1, within what a window of 50 segments and a queue emptied at times leave.
#[test]
fn longer_round_trips_share_as_their_inverse() {
    let (_, rates) = shares(&[25, 50], 0.025);
    assert_near(rates[0], 2.0 * rates[1], 0.15, "25 ms and 50 ms");
}

/// One flow keeps 100 Mbit/s busy with 1 ms of queue: the step, and above it the two segments that a round trip's growth and an ACK of two
/// may add. The reduction is alpha/2 of 42 to 210 packets, some 3 % of them: less than the step at 5 ms, about as much at 25 ms.
#[test]
fn one_flow_fills_the_link_with_a_millisecond_of_queue() {
    for rtt_ms in [5, 25] {
        let (records, _) = shares(&[rtt_ms], 0.025);
        let (link, totals) = (records.links[0], records.links[0].totals);
        assert!(link.utilisation() > 0.98, "{rtt_ms} ms: {}", link.utilisation());
        assert!(totals.window_max_packets <= 11 && totals.dropped == 0, "{rtt_ms} ms: {totals:?}");
    }
}
