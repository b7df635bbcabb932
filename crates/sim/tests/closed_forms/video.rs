//! Video whose rate follows its connection: frames' delays on an idle path, the encoder's growth, and what it does where the path is narrow.

use sim::FrameRow;

use crate::*;

const FRAME: u64 = 40 * MS;
const FULL_BPS: u64 = 1_500_000;
const LEAST_BPS: u64 = 150_000;

fn video(algorithm: &str, rtt_ms: u64) -> FlowSpec {
    FlowSpec { writes: Some(WritesSpec::Video { least_bps: LEAST_BPS, most_bps: FULL_BPS, every_ns: FRAME }), ..flow(algorithm, rtt_ms) }
}

fn frames(spec: &Spec) -> Vec<FrameRow> {
    run(spec).frames.expect("video")
}

/// On an idle path a frame of n segments is there after half a base RTT and n services: 20 ms and n times 1.2 ms on 10 Mbit/s. The window, ten
/// segments at least, holds every frame: 1.5 Mbit/s make 5 or 6 segments of 40 ms.
#[test]
fn a_frame_on_an_idle_path_takes_half_a_round_trip_and_its_services() {
    let rows = frames(&Spec { warmup_ns: 0, ..spec(10, 100, 20, vec![video("reno", 40)]) });
    assert!(rows.len() > 400, "{}", rows.len());
    for row in &rows[..rows.len() - 2] {
        assert_eq!(row.completion_ns, 20 * MS + row.bytes / 1448 * 1_200_000, "{row:?}");
    }
}

/// The encoder grows by 200 kbit/s each second from 150 kbit/s and reaches 1.5 Mbit/s after 6.75 s, plus an interval of 200 ms at most and the 100 ms of
/// its reaction; a target of 40 kbit/s more is taken every 200 ms. Before that each rate is below the line, by less than two intervals' growth.
#[test]
fn an_encoder_grows_by_200_kbit_each_second_to_its_largest_rate() {
    let rows = frames(&Spec { warmup_ns: 0, ..spec(10, 100, 20, vec![video("reno", 40)]) });
    for row in &rows {
        let t_s = row.start_ns as f64 * 1e-9;
        let line = (150e3 + 200e3 * t_s).min(1.5e6);
        assert!(row.rate_bps <= line + 1.0 && row.rate_bps > line - 81e3, "{t_s} s: {} on {line}", row.rate_bps);
    }
    // At the largest rate: the payload of a second, within 5 % (each frame's variation) and a segment.
    let second = |row: &&FrameRow| (10 * SECOND..15 * SECOND).contains(&row.start_ns);
    let bits: u64 = rows.iter().filter(second).map(|row| row.bytes * 8).sum();
    assert!((bits as f64 / 5.0 - 1.5e6).abs() < 0.05 * 1.5e6, "{bits}");
}

/// Of 1 Mbit/s a connection can carry 965 kbit/s of payload: the encoder asks for about that, and not for what the queue of 2 s would hide.
#[test]
fn an_encoder_follows_a_link_that_is_narrower_than_its_largest_rate() {
    let rows = frames(&Spec { warmup_ns: 0, ..spec(1, 25, 60, vec![video("vegas", 40)]) });
    let late: Vec<f64> = rows.iter().filter(|row| row.start_ns > 20 * SECOND).map(|row| row.rate_bps).collect();
    let mean = late.iter().sum::<f64>() / late.len() as f64;
    assert!((0.8 * 965e3..1.02 * 965e3).contains(&mean), "{mean}");
}

/// Nothing passes for two seconds: after a window's worth of frames too much waits, and no frame is encoded until something passes again. Each frame that
/// was encoded arrives, for the connection repeats what is lost.
#[test]
fn frames_are_skipped_while_nothing_passes() {
    let mut spec = Spec { warmup_ns: 0, ..spec(10, 100, 20, vec![video("reno", 40)]) };
    spec.forward.changes.outages = vec![Outage { at_ns: 10 * SECOND, length_ns: 2 * SECOND }];
    let rows = frames(&spec);
    let skipped: Vec<u64> = rows.iter().filter(|row| row.bytes == 0).map(|row| row.start_ns).collect();
    assert!(skipped.len() >= 25 && skipped.len() <= 50, "{}", skipped.len());
    assert!(skipped.iter().all(|at| (10 * SECOND..13 * SECOND).contains(at)), "{skipped:?}");
    let early = rows.iter().filter(|row| row.bytes > 0 && row.start_ns < 19 * SECOND);
    assert!(early.clone().all(|row| row.completion_ns < 3 * SECOND), "{:?}", early.max_by_key(|row| row.completion_ns));
}
