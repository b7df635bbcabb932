//! Books that must balance: packets, and Little's law.

use crate::*;

fn crowd() -> Spec {
    let names = ["reno", "cubic", "scalable", "hstcp", "bic", "htcp", "fast"];
    let flows = names.iter().enumerate().map(|(i, name)| FlowSpec { jitter_ns: MS / 2, ..flow(name, 20 + 15 * i as u64) });
    let mut spec = spec(50, 120, 60, flows.collect());
    spec.sample_ns = MS;
    spec.forward.loss_probability = 1e-4;
    spec
}

/// Exact: what was sent was accepted, dropped or lost; what was accepted left or is still there. The flows stop 10 s before
/// the end, so that nothing is still on its way from a sender to the link.
#[test]
fn no_packet_appears_or_vanishes() {
    balance(crowd());
}

fn balance(mut spec: Spec) {
    for flow in &mut spec.flows {
        flow.stop_ns = Some(spec.duration_ns - 10_000 * MS);
    }
    let records = run(&spec);
    let totals = records.links[0].totals;
    assert_eq!(records.data_packets, totals.accepted + totals.dropped + totals.lost);
    let samples = &records.link_samples;
    assert_eq!(samples.t_ns.last(), Some(&spec.duration_ns));
    let inside = u64::from(*samples.queue_packets.last().expect("a sample"));
    assert_eq!(totals.accepted, totals.delivered_bytes / 1500 + inside);
    assert_eq!(records.flows.iter().map(|row| row.lost_packets).sum::<u64>(), totals.dropped + totals.lost);
    assert!(totals.dropped > 100 && totals.lost > 10, "{totals:?}");
}

/// The same with every model of loss at work.
#[test]
fn no_packet_vanishes_among_models_of_loss() {
    let model = |model| LossSpec { among: AmongSpec::All, model };
    let mut spec = crowd();
    spec.forward.losses = vec![
        model(LossModelSpec::GilbertElliott { to_bad: 1e-4, to_good: 0.3, loss_bad: 1.0, loss_good: 0.0 }),
        model(LossModelSpec::Periodic { every: 5000, first: 1 }),
        model(LossModelSpec::Scripted { flow: Some(3), packets: vec![1, 2, 500] }),
        model(LossModelSpec::Timed { interval_ns: 100 * MS, probability: 0.5 }),
    ];
    balance(spec);
}

/// The same on a link that steps, pauses and moves.
#[test]
fn no_packet_vanishes_on_a_changing_link() {
    let mut spec = crowd();
    spec.forward.changes.rate_steps = vec![RateStep { at_ns: 20 * SECOND, rate_bps: 20_000_000 }];
    spec.forward.changes.outages = vec![Outage { at_ns: 30 * SECOND, length_ns: SECOND }];
    spec.forward.changes.delay_steps = vec![DelayStep { at_ns: 10 * SECOND, extra_ns: 50 * MS }];
    balance(spec);
}

/// With a real reverse link and data both ways, ACKs share the links: packets of 52 bytes are in the books too.
#[test]
fn no_packet_vanishes_when_acks_share_the_links() {
    let mut spec = crowd();
    spec.reverse = Some(spec.forward.clone());
    for flow in &mut spec.flows[4..] {
        flow.direction = Direction::Reverse;
    }
    let records = run(&spec);
    let offered: u64 = records.links.iter().map(|link| link.totals.accepted + link.totals.dropped + link.totals.lost).sum();
    assert!(offered > records.data_packets, "{offered} data and ACKs, {} data", records.data_packets);
    for (index, link) in records.links.iter().enumerate() {
        let samples = &records.link_samples;
        let last = samples.link.iter().rposition(|&l| l as usize == index).expect("a sample");
        let inside = u64::from(samples.queue_packets[last]);
        let left = link.totals.accepted - inside;
        assert!(link.totals.delivered_bytes >= left * 52 && link.totals.delivered_bytes <= left * 1500);
    }
}

/// Mean queue = rate of acceptance x mean stay. The link's own integral is exact, so that samples every millisecond, 40 000 of
/// a sawtooth that lasts seconds, agree within 1 %. For one flow the stay is its mean RTT less the base RTT: RTTs are
/// sampled once per ACK, of its latest segment, and not for retransmissions, which weighs rounds slightly differently: 2 %
/// of the stay.
#[test]
fn littles_law_holds() {
    let mut spec = spec(20, 100, 60, vec![flow("reno", 60)]);
    spec.sample_ns = MS;
    let records = run(&spec);
    let link = records.links[0];
    let mean = link.mean_queue_packets();
    let samples = &records.link_samples;
    let window: Vec<f64> =
        samples.t_ns.iter().zip(&samples.queue_packets).filter(|(&t, _)| t >= spec.warmup_ns).map(|(_, &q)| f64::from(q)).collect();
    assert_near(window.iter().sum::<f64>() / window.len() as f64, mean, 0.01, "sampled queue");
    let rate = link.totals.window_delivered_bytes as f64 / 1500.0 / (link.window_ns as f64 * 1e-9);
    assert_near(rate * (records.flows[0].mean_rtt_s() - 0.06), mean, 0.02, "rate times stay");
}

/// Flows go on for a quarter of their base RTT after the links' last moment, 25 ms here; a link is not looked at again.
#[test]
fn links_are_sampled_to_the_end_and_no_further() {
    let mut spec = spec(20, 100, 2, vec![flow("reno", 100)]);
    spec.sample_ns = 3 * MS;
    let samples = run(&spec).link_samples;
    assert_eq!((samples.t_ns.len(), samples.t_ns.last()), (667, Some(&(1998 * MS))));
}

/// A flow that has stopped, or has all its bytes across, has no window: its mean is that of the same flow in a run that ends there.
#[test]
fn the_mean_window_ends_with_the_flow() {
    let mean = |seconds: u64, flow: FlowSpec| run(&Spec { warmup_ns: 0, ..spec(50, 120, seconds, vec![flow]) }).flows[0].mean_cwnd();
    let stopped = || FlowSpec { stop_ns: Some(10 * SECOND), ..flow("reno", 40) };
    assert_near(mean(40, stopped()), mean(10, flow("reno", 40)), 1e-9, "mean window of a flow that stops");
    let short = || FlowSpec { bytes: Some(30_000_000), ..flow("reno", 40) };
    assert_near(mean(60, short()), mean(20, short()), 1e-9, "mean window of a flow with a size");
}
