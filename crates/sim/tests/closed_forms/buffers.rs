//! Receivers whose buffer limits, by hand: half of the memory is window, in whole segments of 1448 bytes, less one that is kept free.

use sim::{ReadsSpec, ReceiveSpec};

use super::*;

const MSS: u64 = 1448;

fn receives(bytes: u64, most_bytes: Option<u64>, reads: Option<ReadsSpec>) -> FlowSpec {
    FlowSpec { receive: Some(Box::new(ReceiveSpec { bytes, most_bytes, reads })), ..flow("reno", 100) }
}

/// 100 Mbit/s, 100 ms, and a queue that nothing fills.
fn alone(flow: FlowSpec, seconds: u64) -> Spec {
    spec(100, 2000, seconds, vec![flow])
}

/// Payload bits per second behind the warm-up.
fn goodput(records: &Records) -> f64 {
    let row = &records.flows[0];
    (row.at_end.delivered - row.at_window.delivered) as f64 * MSS as f64 * 8.0 / row.window_s
}

/// Of 512 KiB 262,144 bytes are window, less a segment with room for timestamps (1460), a multiple of 8: 180 segments per round trip, which
/// is 100 ms and the 120 us of a segment on the link, or two where the first waits for its ACK. Tolerance: those, and a window at either end.
#[test]
fn a_window_per_round_trip_is_what_a_buffer_allows() {
    let records = run(&alone(receives(524_288, None, None), 30));
    assert_near(goodput(&records), 180.0 * 1448.0 * 8.0 / 0.1002, 0.01, "goodput");
    assert_eq!(records.flows[0].receive_window_bytes, Some(260_688));
    // The window of 10 grows to 180 in some five round trips; what leaves in pairs leaves the receiver's window open for moments.
    assert!(records.flows[0].receive_limited_s > 28.0, "{} s", records.flows[0].receive_limited_s);
    assert_no_timeouts(&records);
}

/// The path holds 833 packets: 1.2 MB, and a buffer that may grow to 6 MiB lets the flow fill it; one that may not stays at 44 segments of the
/// first 64 kB.
#[test]
fn a_buffer_that_may_grow_follows_the_path() {
    let grown = run(&alone(receives(131_072, Some(6_291_456), None), 30));
    assert!(goodput(&grown) > 0.95 * 1448.0 / 1500.0 * 100e6, "{}", goodput(&grown));
    let fixed = run(&alone(receives(131_072, None, None), 30));
    assert_near(goodput(&fixed), 44.0 * 1448.0 * 8.0 / 0.1002, 0.01, "goodput of a buffer of 128 KiB");
}

/// What is not read is not sent. Tolerance: what the buffer holds when the measurement begins and ends.
#[test]
fn a_slow_reader_is_all_that_limits() {
    let rate_bps = 5_000_000;
    let records = run(&alone(receives(524_288, None, Some(ReadsSpec::Rate { rate_bps, every_ns: 10 * MS })), 30));
    assert_near(goodput(&records), 5e6, 0.02, "goodput");
    assert_no_timeouts(&records);
}

/// Nobody reads: segments take 1448 bytes each and 768 for every 17 of them, until less than 8192 bytes of memory are free: at 83 segments; the edge
/// told at 82 lies two segments further. The kernel's receiver took 83. The sender then asks after 300 ms (RTT and 200 ms), 600, 1200 and so on.
#[test]
fn a_window_shuts_when_nobody_reads() {
    let off = ReadsSpec::OnOff { on_ns: MS, off_ns: 10_000 * MS };
    let records = run(&alone(receives(131_072, None, Some(off)), 9));
    assert!((82..=85).contains(&records.flows[0].at_end.delivered), "{} segments", records.flows[0].at_end.delivered);
    assert_no_timeouts(&records);
    assert!(records.flows[0].receive_limited_s > 8.0, "{} s", records.flows[0].receive_limited_s);
}

/// Three seconds of reading, two of pauses, at a window of 180 segments that a round trip fills, and without idle restarts: what is read at the end of a pause is told
/// at once, and no probe need be waited for. In 30 s six times three seconds of a window per round trip; less 590 segments of slow start (five round
/// trips of 180 for 10 + 20 + 40 + 80 + 160), and a round trip each time that the window opens; and what the buffer takes when nobody reads, 331
/// segments of 1448 bytes with 768 for every 17 of them, until a sixteenth of it is left. Tolerance: the delayed ACKs at which it shuts.
#[test]
fn a_read_that_opens_the_window_is_told_at_once() {
    let reads = ReadsSpec::OnOff { on_ns: 3000 * MS, off_ns: 2000 * MS };
    let mut paused = receives(524_288, None, Some(reads));
    paused.transport.insert("idle_restart".into(), "none".into());
    let records = run(&Spec { warmup_ns: 0, ..alone(paused, 30) });
    let segments = 180.0 / 0.1002 * 18.0 - 590.0 - 5.0 * 180.0 + 6.0 * 331.0;
    assert_near(records.flows[0].at_end.delivered as f64, segments, 0.01, "segments");
    assert_no_timeouts(&records);
}
