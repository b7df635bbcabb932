//! One Reno flow's sawtooth at a drop-tail buffer.

use crate::*;

const BUFFERS: [u64; 6] = [10, 20, 35, 50, 80, 100];
/// 20 Mbit/s and 60 ms: a bandwidth-delay product of 100 packets of 1500 bytes.
const PIPE: f64 = 100.0;

/// A packet takes 0.6 ms on the link.
const PACKET_S: f64 = 0.6e-3;

fn sawtooth(buffer: u64) -> (Spec, Records) {
    let mut spec = spec(20, buffer, 240, vec![flow("reno", 60)]);
    spec.record_drops = true;
    let records = run(&spec);
    assert_no_timeouts(&records);
    (spec, records)
}

/// Pipe and buffer hold 100 + B packets. The packet that overflows them is the first of a window of 100 + B + 1 or, since an
/// ACK of two releases two or three at once and so fills the buffer early by up to two, up to two less; the sender hears of
/// the loss a round trip later, grown by one more. Hence the peak is 100 + B, -2 .. +3; the trough is its half, rounded down
/// (Linux's `cwnd >> 1`).
#[test]
fn peak_and_trough_follow_the_buffer() {
    for buffer in BUFFERS {
        let (spec, records) = sawtooth(buffer);
        let episodes = back_offs(&spec, &records, 0);
        assert!(episodes.len() > 10, "{} episodes with {buffer}", episodes.len());
        for episode in &episodes {
            let excess = episode.cwnd - (PIPE + buffer as f64);
            assert!((-2.0..=3.0).contains(&excess), "peak {} with {buffer}", episode.cwnd);
            assert_eq!(episode.ssthresh, (episode.cwnd / 2.0).floor());
        }
    }
}

/// Utilisation is (1 - b^2)(1 + q)^2 / ((1 + q)^2 + 1 - 2 b (1 + q)), b = 1/2, q the buffer in pipes: linear growth, fluid.
/// The sawtooth of whole packets differs by at most a packet or two in 100 of window (2 %), and bursts of two cost no more.
#[test]
fn utilisation_follows_the_buffer() {
    for buffer in BUFFERS {
        let (_, records) = sawtooth(buffer);
        let full = 1.0 + buffer as f64 / PIPE;
        let expected = if buffer < 100 { 0.75 * full * full / (full * full + 1.0 - full) } else { 1.0 };
        let utilisation = records.links[0].utilisation();
        assert!((utilisation - expected).abs() <= 0.02, "{utilisation} instead of {expected} with {buffer}");
    }
}

/// Between two losses Reno delivers 3 W^2 / 8 packets (W large): one drop at each peak, so that the loss rate is its inverse.
/// Whole packets and the recovery's round trip (W/2 .. W packets more) shift it by 4/W + 2/W, 6 % at W = 110; a burst of
/// three at the peak may lose two packets.
#[test]
fn the_loss_rate_is_that_of_the_sawtooth() {
    for buffer in BUFFERS {
        let (spec, records) = sawtooth(buffer);
        let episodes = back_offs(&spec, &records, 0).len() as f64;
        let window = PIPE + buffer as f64 + 1.0;
        let packets = records.flows[0].at_end.delivered - records.flows[0].at_window.delivered;
        // One epoch at either end of the measurement is incomplete.
        let tolerance = 0.08 + 1.0 / episodes;
        assert_near(packets as f64 / episodes, 0.375 * window * window, tolerance, &format!("packets per epoch with {buffer}"));
        let dropped = records.links[0].totals.window_dropped as f64;
        assert!((1.0..=2.0).contains(&(dropped / episodes)), "{} drops per episode with {buffer}", dropped / episodes);
    }
}

/// When the packets that an episode at `at_s` tells of left the sender: a quarter of the RTT before the link dropped them, and
/// not later than the episode, not earlier than a full pipe and queue before it.
fn dropped(records: &Records, at_s: f64, buffer: u64) -> Vec<f64> {
    let drops = records.events.iter().filter(|event| event.kind == EventKind::Drop);
    let sent = drops.map(|event| event.t_ns as f64 * 1e-9 - 0.06 / 4.0);
    sent.filter(|&sent| sent <= at_s && sent > at_s - (PIPE + buffer as f64 + 10.0) * PACKET_S).collect()
}

/// From one back-off to the next pass, with s a packet's transmission:
/// - the repair of the first drop, (P + B) s, since the retransmission waits behind a full queue; nothing grows meanwhile;
/// - if the window grew once more before the drop was heard of, that growth was dropped a round trip after the first. Its repair
///   is heard of when the first is, goes through an empty queue and takes 60 ms + s more; nothing grows yet;
/// - rounds of growth from the trough up to the overflow: while the queue runs empty, the pair that an ACK releases and the
///   one segment of growth leave together, and the next growth comes with the ACK of that third one: 60 ms + 3 s; when it
///   no longer does, w acknowledgements take w s;
/// - the news of the drop: (P + B) s, and the three SACKs that prove it.
///
/// Each of the four ends on an ACK, of one segment or two, and a burst fills the queue up to two early: 6 packets, 6 % of a round
/// trip, of 60 to 156 round trips.
#[test]
fn an_epoch_is_the_sum_of_its_rounds() {
    for buffer in BUFFERS {
        let (spec, records) = sawtooth(buffer);
        let full = PIPE + buffer as f64;
        let mut repairs = [0; 2];
        for pair in back_offs(&spec, &records, 0).windows(2) {
            let (begin, end) = (pair[0], pair[1]);
            let drops = dropped(&records, begin.at_s, buffer);
            let (first, last) = (drops[0], drops[drops.len() - 1]);
            let is_twice = last - first > 0.03;
            repairs[usize::from(is_twice)] += 1;
            let repair = full * PACKET_S + if is_twice { 0.06 + PACKET_S } else { 0.0 };
            let windows = begin.ssthresh as u64..=PIPE as u64 + buffer;
            let growth: f64 = windows.map(|w| (0.06 + 3.0 * PACKET_S).max(w as f64 * PACKET_S)).sum();
            let expected = repair + growth + (full + 3.0) * PACKET_S;
            let error = (end.at_s - begin.at_s - expected) / PACKET_S;
            assert!(error.abs() <= 6.0, "{error} packets more than {expected} s, with {buffer}: {begin:?} to {end:?}");
        }
        assert!(repairs[0] + repairs[1] > 10, "{repairs:?} epochs with {buffer}");
    }
}
