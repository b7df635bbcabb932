//! FAST's equilibrium: alpha segments of each flow's own in the queue, whatever the flows did before.

use crate::*;

/// 100 Mbit/s and 50 ms; a packet takes 0.12 ms.
const PACKET_NS: f64 = 120_000.0;

/// Flows of equal alpha, 100 in all, with these starts.
fn settled(starts_ms: &[u64]) -> Records {
    let alpha = 100.0 / starts_ms.len() as f64;
    let flows = starts_ms.iter().map(|&start| FlowSpec {
        variant: Some("fixed-alpha".into()),
        parameters: [("alpha".to_owned(), alpha)].into(),
        start_ns: start * MS,
        ..flow("fast", 50)
    });
    let mut spec = spec(100, 2000, 60, flows.collect());
    spec.sample_ns = 50 * MS;
    let records = run(&spec);
    assert_eq!(records.links[0].totals.dropped, 0);
    records
}

/// x (avgRTT - baseRTT) = alpha, and baseRTT includes one packet's transmission: so the mean queue, the packet in service
/// included, is sum alpha + 1, less two small terms. x in the law is cwnd/avgRTT, and cwnd exceeds x avgRTT by what is not
/// under way: the fraction of a segment (< 1), segments that wait for their delayed ACK (1/2 on average) or for the pacer
/// (< 1). Up to 2.5 in w = alpha + 417/n lower each flow's part by 2.5 alpha/w = 0.5 packets. RTTs are sampled on the second
/// segment of each pair, which may find up to 1 packet more than the first: 1/2. Both lower the queue, nothing raises it.
fn assert_queues_alpha(records: &Records, flows: f64) {
    let queue = records.links[0].mean_queue_packets();
    assert!((101.0 - 0.5 * flows - 0.5..=101.0).contains(&queue), "a mean queue of {queue} packets");
}

#[test]
fn one_flow_queues_alpha() {
    assert_queues_alpha(&settled(&[0]), 1.0);
}

/// Both see an empty link, since one starts while the other's first window is under way: equal shares, to the 0.4 % by which
/// the excess of 1.5 of 260 segments may differ between them.
#[test]
fn two_flows_queue_alpha_each_and_share_equally() {
    for start_ms in [0, 1, 20, 50, 100] {
        let records = settled(&[0, start_ms]);
        assert_queues_alpha(&records, 2.0);
        let [one, two] = [0, 1].map(|flow| records.flows[flow].mean_cwnd());
        assert_near(one, two, 0.004, "cwnd");
    }
}

/// A late-comer takes the queue it meets for propagation (Low/Wang/Paganini/Doyle's persistent congestion; B5 of our notes):
/// with `seen` the packets of the excess in its baseRTT, alpha/q + alpha/(q - seen) = 1 in packets, of which the larger root holds.
/// Tolerance and the packet in service as above; `seen` is read off baseRTT, and must be what the first flow alone had queued: 50,
/// one in service, less what lowers it above, and up to one packet of its own more.
#[test]
fn a_late_comer_takes_the_queue_it_meets_for_distance() {
    let records = settled(&[0, 5000]);
    let samples = records.flow_samples.columns();
    let base_s = |flow: u32| {
        let (_, cells) = samples.variables.iter().find(|(name, _)| *name == "base_rtt_s").expect("a variable");
        cells[samples.flow.iter().rposition(|&f| f == flow).expect("a sample")]
    };
    let seen = (base_s(1) - base_s(0)) * 1e9 / PACKET_NS;
    assert!((49.0..=52.0).contains(&seen), "{seen} packets in the late-comer's baseRTT");
    let queued = (100.0 + seen + (10_000.0 + seen * seen).sqrt()) / 2.0;
    let queue = records.links[0].mean_queue_packets();
    assert!((queued - 0.5..=queued + 1.0).contains(&queue), "a mean queue of {queue} packets instead of {queued}");
    let [early, late] = [0, 1].map(|flow| (records.flows[flow].at_end.delivered - records.flows[flow].at_window.delivered) as f64);
    // alpha/(q - seen) over alpha/q; 2.5 segments of windows of 210 and 340 are 1.2 % and 0.7 %.
    assert_near(late / early, queued / (queued - seen), 0.02, "rates");
}
