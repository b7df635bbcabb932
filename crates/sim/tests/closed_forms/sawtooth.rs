//! One Reno flow's sawtooth at a drop-tail buffer.

use crate::*;

const BUFFERS: [u64; 6] = [10, 20, 35, 50, 80, 100];
/// 20 Mbit/s and 60 ms: a bandwidth-delay product of 100 packets of 1500 bytes.
const PIPE: f64 = 100.0;

fn sawtooth(buffer: u64) -> (Spec, Records) {
    let spec = spec(20, buffer, 240, vec![flow("reno", 60)]);
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
