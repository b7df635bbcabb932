//! DCTCP's sawtooth at a step of marks (Alizadeh et al., SIGCOMM 2010, section 3.3).

use std::collections::BTreeMap;

use serde_json::json;

use crate::*;

const RTT_NS: u64 = 1_200_000;

/// The paper's setting: N flows of 1.2 ms at 1 Gbit/s, C RTT = 100 packets; marks from `k` packets on. The window comes down at once
/// and every segment is acknowledged, as the paper's fluid takes for granted.
fn at_a_step(variant: &str, flows: usize, k: u64) -> Spec {
    let transport = BTreeMap::from([("recovery".to_string(), json!("at-once")), ("ack_every".to_string(), json!(1))]);
    let one = FlowSpec { rtt_ns: RTT_NS, variant: Some(variant.into()), transport, ..flow("dctcp", 1) };
    let mut spec = spec(1000, 2000, 2, vec![one; flows]);
    spec.forward.mark = Some(QueueSpec { unit: QueueUnit::Packets, limit: k });
    spec.sample_ns = 12_000;
    spec
}

/// After the warm-up.
fn settled(spec: &Spec, t_ns: &[u64], values: impl Iterator<Item = f64>) -> Vec<f64> {
    t_ns.iter().zip(values).filter(|&(&t, _)| t >= spec.warmup_ns).map(|(_, value)| value).collect()
}

/// With W* = (C RTT + K)/N: alpha = sqrt(2/W*), the queue peaks at K + N, swings by A = sqrt(2 N (C RTT + K))/2, in periods of
/// sqrt(2 (C RTT + K)/N)/2 round trips. All of it holds for g < 1.386/sqrt(2 (C RTT + K)) (the paper's equation 15), 0.089 and 0.083 here.
/// Windows, and a period's round trips, are whole: half a segment of each flow, and the packet in service, for the swing; half a round
/// trip for the period; of the reduction W* alpha/2, 7.7 to 2.6 segments, half a segment is 6 to 19 %, and alpha, its root, is given 8 %.
#[test]
fn alpha_queue_and_period_are_those_of_the_papers_fluid() {
    for (flows, k) in [(1, 20), (2, 20), (4, 20), (10, 40)] {
        let spec = at_a_step("linux-6.1", flows, k);
        let records = run(&spec);
        let (n, totals) = (flows as f64, records.links[0].totals);
        let full = 100.0 + k as f64;
        let columns = records.flow_samples.columns();
        let alpha = settled(&spec, &columns.t_ns, columns.variables[0].1.iter().copied());
        let alpha = alpha.iter().sum::<f64>() / alpha.len() as f64;
        assert_near(alpha, (2.0 * n / full).sqrt(), 0.08, &format!("alpha of {flows}"));
        assert_eq!(u64::from(totals.window_max_packets), k + flows as u64, "largest queue of {flows}");
        let samples = &records.link_samples;
        let queue = settled(&spec, &samples.t_ns, samples.queue_packets.iter().map(|&packets| f64::from(packets)));
        let swing = (k as f64 + n) - queue.iter().copied().fold(f64::INFINITY, f64::min);
        assert!((swing - 0.5 * (2.0 * n * full).sqrt()).abs() <= 0.5 * n + 1.0, "{flows} flows: the queue swings by {swing}");
        let back_offs = back_offs(&spec, &records, 0);
        let span_s = back_offs[back_offs.len() - 1].at_s - back_offs[0].at_s;
        let period = span_s / (back_offs.len() - 1) as f64 / (full * 12e-6);
        assert!((period - 0.5 * (2.0 * full / n).sqrt()).abs() <= 0.5, "{flows} flows: a period of {period} round trips");
        assert_eq!((totals.dropped, records.links[0].utilisation() > 0.999), (0, true));
    }
}

/// Counts what the senders were told of marks.
#[derive(Default)]
struct Told(BTreeMap<usize, u64>);

impl sim::Observer for Told {
    fn on_acked(&mut self, _now: units::Time, flow: usize, sender: &tcp::Sender<cc::Controller>) {
        self.0.insert(flow, sender.connection().delivered_ce);
    }
}

/// Exact: both kinds of feedback tell every mark once, with delayed ACKs, however marks and flows alternate; the links' books agree.
#[test]
fn every_mark_is_told_once() {
    let kinds = [("dctcp", 700, 1), ("prague", 1200, 2), ("dctcp", 1900, 3), ("prague", 5000, 8), ("cubic", 2500, 2)];
    let flows = kinds.map(|(name, rtt_us, every)| FlowSpec {
        rtt_ns: rtt_us * 1000,
        transport: BTreeMap::from([("ack_every".to_string(), json!(every))]),
        stop_ns: Some(1800 * MS),
        // Or CUBIC, which nobody marks, would keep the queue above the step.
        window_packets: (name == "cubic").then_some(5),
        ..flow(name, 1)
    });
    let mut spec = spec(100, 2000, 2, flows.to_vec());
    spec.forward.mark = Some(QueueSpec { unit: QueueUnit::Packets, limit: 10 });
    let mut told = Told::default();
    let records = sim::run_observed(&spec, &mut told, || false).expect("a legal scenario");
    let totals = records.links[0].totals;
    assert_eq!((totals.dropped, totals.marked), (0, records.flows.iter().map(|row| row.marked_packets).sum()));
    for (index, row) in records.flows.iter().enumerate() {
        assert_eq!(told.0[&index], row.marked_packets, "{} {index}", row.algorithm);
        assert_eq!(row.marked_packets > 50, row.algorithm != "cubic", "{} {index}: {}", row.algorithm, row.marked_packets);
    }
}

/// Reno with classic ECN at a step of K packets backs off where a queue of K would have dropped, and loses nothing: C RTT + K = 125
/// packets fill pipe and queue; slow start's echo apart, the window has then grown by no more than the round trip the mark took.
#[test]
fn classic_reno_halves_at_the_step_without_loss() {
    let one = FlowSpec { transport: BTreeMap::from([("ecn".to_string(), json!("classic"))]), ..flow("reno", 24) };
    let mut spec = spec(50, 2000, 60, vec![one]);
    spec.forward.mark = Some(QueueSpec { unit: QueueUnit::Packets, limit: 25 });
    let records = run(&spec);
    assert_eq!((records.links[0].totals.dropped, records.flows[0].at_end.retransmitted), (0, 0));
    let back_offs = back_offs(&spec, &records, 0);
    assert!(back_offs.len() > 10);
    for back_off in back_offs {
        assert!((125.0..=128.0).contains(&back_off.cwnd), "{back_off:?}");
        assert_eq!(back_off.ssthresh, (back_off.cwnd / 2.0).floor());
    }
}
