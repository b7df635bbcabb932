//! What queue disciplines promise, on whole runs.

use sim::{DisciplineChoice, FlowSpec, LinkSpec, RateStep, Records, Spec};

use crate::build::{dumbbell, flow, MS};

/// `flows` over `mbit_s` under a discipline with its defaults, behind `queue` packets of room; the first half of a minute is left out.
fn run(name: &str, mbit_s: u64, queue: u64, flows: Vec<FlowSpec>) -> Records {
    let spec = dumbbell(mbit_s, queue, 60, flows);
    let discipline = Some(DisciplineChoice { name: name.into(), parameters: Default::default() });
    let spec = Spec { warmup_ns: 30_000 * MS, forward: LinkSpec { discipline, ..spec.forward }, ..spec };
    sim::run(&spec, || false).expect("a legal scenario")
}

fn renos(count: usize, rtt_ms: u64) -> Vec<FlowSpec> {
    (0..count as u64).map(|i| FlowSpec { start_ns: i * 37 * MS, jitter_ns: MS / 10, ..flow("reno", rtt_ms) }).collect()
}

/// Mean time in line, ms: Little's law, less one transmission.
fn waiting_ms(records: &Records, mbit_s: u64) -> f64 {
    let totals = records.links[0].totals;
    let packets = totals.window_delivered_bytes as f64 / 1500.0;
    totals.window_sojourn_ns as f64 / packets / 1e6 - 0.012 / mbit_s as f64 * 1000.0
}

fn utilisation(records: &Records) -> f64 {
    records.links[0].totals.window_busy_ns as f64 / 30e9
}

/// RFC 8289: the standing queue is kept at the target of 5 ms, where drop-tail's would be the buffer's 240 ms. Flows below
/// the reach of the control law keep the mean below the target; many small windows, of which each drop slows down little, hold it near.
#[test]
fn codel_holds_its_target_without_starving_the_link() {
    for (count, low, high) in [(1, 0.5, 5.0), (4, 2.0, 8.0)] {
        let records = run("codel", 50, 1000, renos(count, 50));
        let (wait, use_) = (waiting_ms(&records, 50), utilisation(&records));
        assert!((low..high).contains(&wait) && use_ > 0.80, "{count} flows: {wait:.2} ms, {use_:.3}");
    }
}

/// RFC 8033: the controller's only rest is at the target of 15 ms.
#[test]
fn pie_holds_its_target() {
    for count in [4, 20] {
        let records = run("pie", 50, 1000, renos(count, 50));
        let (wait, use_) = (waiting_ms(&records, 50), utilisation(&records));
        assert!((13.0..17.0).contains(&wait) && use_ > 0.95, "{count} flows: {wait:.2} ms, {use_:.3}");
    }
}

/// The target is a time: a fifth of the rate, and packets wait as long as before, where bytes over the first rate would hold them 75 ms.
#[test]
fn pie_holds_its_target_when_the_rate_has_fallen() {
    let spec = dumbbell(50, 1000, 60, renos(4, 50));
    let discipline = Some(DisciplineChoice { name: "pie".into(), parameters: Default::default() });
    let mut forward = LinkSpec { discipline, ..spec.forward };
    forward.changes.rate_steps = vec![RateStep { at_ns: 10_000 * MS, rate_bps: 10_000_000 }];
    let spec = Spec { warmup_ns: 30_000 * MS, forward, ..spec };
    let records = sim::run(&spec, || false).expect("a legal scenario");
    let wait = waiting_ms(&records, 10);
    assert!((12.0..18.0).contains(&wait), "{wait:.2} ms");
}

/// Mean RTT of a flow, ms, over the whole run.
fn rtt_ms(records: &Records, index: usize) -> f64 {
    let totals = records.flows[index].at_end;
    totals.rtt_sum_ns as f64 / totals.rtt_samples as f64 / 1e6
}

/// The same controller in every queue: packets wait for the target, though three flows share the link.
#[test]
fn fq_pie_holds_every_queue_at_its_target() {
    let records = run("fq-pie", 50, 1000, renos(3, 20));
    let (wait, use_) = (waiting_ms(&records, 50), utilisation(&records));
    assert!((13.0..17.0).contains(&wait) && use_ > 0.95, "{wait:.2} ms, {use_:.3}");
}

/// What holds for CoDel holds for COBALT while senders answer.
#[test]
fn cobalt_holds_its_target_without_starving_the_link() {
    let records = run("cobalt", 50, 1000, renos(4, 50));
    let (wait, use_) = (waiting_ms(&records, 50), utilisation(&records));
    assert!((2.0..8.0).contains(&wait) && use_ > 0.80, "{wait:.2} ms, {use_:.3}");
}

/// RFC 9332: the scalable flows wait no longer than the ramp and a packet or two, the classic ones for the target of 15 ms. Equations 5 to 7
/// of its appendix C: rates are as 1.64/k times the inverse of RTTs, k being 2; both laws hold within a tenth or two each.
#[test]
fn dualpi2_gives_scalable_flows_low_delay_and_others_their_share() {
    let prague = (0..8).map(|i| FlowSpec { start_ns: i * 41 * MS, jitter_ns: MS / 10, ..flow("prague", 40) });
    let records = run("dualpi2", 100, 1000, prague.chain(renos(8, 40)).collect());
    let (scalable, classic) = (rtt_ms(&records, 0), rtt_ms(&records, 8));
    assert!(scalable < 41.5 && (52.0..58.0).contains(&classic), "{scalable:.2} and {classic:.2} ms");
    let delivered = |rows: &[sim::FlowRow]| rows.iter().map(|row| (row.at_end.delivered - row.at_window.delivered) as f64).sum::<f64>();
    let ratio = delivered(&records.flows[..8]) / delivered(&records.flows[8..]);
    let expected = 1.64 / 2.0 * classic / scalable;
    assert!((0.75..1.35).contains(&(ratio / expected)) && utilisation(&records) > 0.98, "{ratio:.2}, {expected:.2} expected");
}

/// Floyd, Gummadi and Shenker 2001: max_p is moved until the average stays in the middle fifth of its range, here of 5 to 15
/// packets; the mean of the true queue is that of its average.
#[test]
fn adaptive_red_keeps_the_average_in_its_range() {
    let records = run("ared", 20, 1000, renos(10, 50));
    let packets = waiting_ms(&records, 20) / 0.6;
    assert!((8.0..12.0).contains(&packets), "{packets:.2} packets");
}

/// RFC 8290: flows that keep a queue share the link equally, whatever their RTTs and laws. The windows are small enough for each
/// to keep one: 3.3 Mbit/s over 40 ms are 11 packets, CoDel lets 5 ms more stand and FQ 100 packets.
#[test]
fn flows_in_turn_share_equally_whatever_the_rtts() {
    for name in ["fq", "fq-codel"] {
        let records = run(name, 10, 1000, vec![flow("cubic", 10), flow("reno", 20), flow("cubic", 40)]);
        let delivered: Vec<f64> = records.flows.iter().map(|row| (row.at_end.delivered - row.at_window.delivered) as f64).collect();
        let mean = delivered.iter().sum::<f64>() / 3.0;
        assert!(delivered.iter().all(|&packets| (packets / mean - 1.0).abs() < 0.1), "{name}: {delivered:?}");
    }
}

/// A token bucket lets no more through than rate x time + burst, whenever one looks; a shaper with a queue no less than its rate.
#[test]
fn a_token_bucket_keeps_to_its_rate_and_burst() {
    for name in ["policer", "shaper"] {
        let parameters = [("rate_bps".to_owned(), 8e6), ("burst_bytes".to_owned(), 30_000.0)].into();
        let spec = dumbbell(100, 100, 30, renos(3, 20));
        let discipline = Some(DisciplineChoice { name: name.into(), parameters });
        let spec = Spec { sample_ns: 7 * MS, forward: LinkSpec { discipline, ..spec.forward }, ..spec };
        let samples = sim::run(&spec, || false).expect("a legal scenario").link_samples;
        let delivered: Vec<(u64, u64)> = samples.t_ns.iter().copied().zip(samples.delivered_bytes.iter().copied()).collect();
        for (i, from) in delivered.iter().enumerate().step_by(50) {
            // A packet that had its tokens before may be delivered after the first sample.
            let most = |t_ns: u64| t_ns / 1000 + 30_000 + 1500;
            assert!(delivered[i..].iter().all(|to| to.1 - from.1 <= most(to.0 - from.0)), "{name} after {} ns", from.0);
        }
        let (last, middle) = (delivered[delivered.len() - 1], delivered[delivered.len() / 2]);
        let share = (last.1 - middle.1) as f64 * 8e9 / (last.0 - middle.0) as f64 / 8e6;
        assert!(share > if name == "shaper" { 0.999 } else { 0.6 }, "{name}: {share}");
    }
}

/// Whatever a discipline drops, every packet sent was accepted, dropped or lost, and every packet accepted left or is still there.
#[test]
fn packets_are_conserved_at_every_discipline() {
    for row in net::queue::DISCIPLINES {
        let mut flows = renos(5, 20);
        flows[1].transport.insert("ecn".into(), "classic".into());
        let records = run(row.name, 10, 30, flows);
        let totals = records.links[0].totals;
        let sent: u64 = records.flows.iter().map(|row| row.at_end.sent).sum();
        let arrived = totals.accepted + totals.dropped + totals.lost;
        // A quarter of the RTT lies between sender and link, and holds no more than the windows.
        assert!(sent >= arrived && sent - arrived < 200, "{}: {sent} sent, {arrived} arrived", row.name);
        let inside = totals.accepted - totals.delivered_bytes / 1500;
        assert!(inside <= 30, "{}: {inside} left inside", row.name);
        let lost: u64 = records.flows.iter().map(|row| row.lost_packets).sum();
        assert!(lost >= totals.dropped && lost - totals.dropped < 40, "{}: {lost} {}", row.name, totals.dropped);
    }
}
