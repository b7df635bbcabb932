//! Slow start of a Reno flow into a drop-tail queue of one bandwidth-delay product: 100 Mbit/s, 60 ms, 500 packets.

use crate::*;

/// Packets dropped in the first 20 s, and the window when the first loss was found.
fn overshoot(slow_start: &str) -> (f64, f64) {
    let flow = FlowSpec { slow_start: Some(slow_start.into()), ..flow("reno", 60) };
    let records = run(&Spec { warmup_ns: SECOND, ..dumbbell(100, 500, 20, vec![flow]) });
    let first = records.events.iter().find(|event| event.kind == EventKind::LossEpisode);
    (records.links[0].totals.dropped as f64, first.map_or(f64::NAN, |event| event.value))
}

/// Path and queue hold 1000 packets. The loss is found a full round trip after the queue overflowed, and by then the window has doubled: as
/// many packets are lost as the path holds. Within 1 %: a packet at the link, a stretch ACK.
#[test]
fn standard_loses_a_path_full() {
    let (dropped, window) = overshoot("standard");
    assert_near(dropped, 1000.0, 0.01, "packets dropped");
    assert_near(window, 2000.0, 0.01, "window");
}

/// RFC 3742's aim: 50 segments in that round trip.
#[test]
fn limited_loses_fifty() {
    let (dropped, window) = overshoot("limited");
    assert_near(dropped, 50.0, 0.05, "packets dropped");
    assert_near(window, 1050.0, 0.01, "window");
}

/// The RTT has risen by an eighth with 62 packets queued, long before 500; Reno then takes 400 round trips to fill the queue.
#[test]
fn hystart_loses_nothing() {
    assert_eq!(overshoot("hystart").0, 0.0);
}

/// Windows double from 10 to 640; the first eight ACKs of the round in which 640 are under way saw an empty queue, as the path holds 500 of them
/// and the rest waits behind them. So the rise shows in the round after, at 1280; that window grows by at most a quarter in the round trip
/// that finds the loss: 280 to 600 packets too many, against 1000.
#[test]
fn hystart_plus_plus_halves_the_loss() {
    let (dropped, window) = overshoot("hystart++");
    assert!((1280.0..=1600.0).contains(&window), "window {window}");
    assert!((280.0..=600.0).contains(&dropped), "{dropped} dropped");
}

/// One segment more per round trip: 20 s of them do not fill the path.
#[test]
fn without_slow_start_nothing_is_lost_and_the_path_not_filled() {
    let flow = FlowSpec { slow_start: Some("none".into()), ..flow("reno", 60) };
    let records = run(&dumbbell(100, 500, 20, vec![flow]));
    assert_eq!(records.links[0].totals.dropped, 0);
    // From 10 on 333 round trips: 176 segments per 60 ms on average, of 500. Within 5 %: the ACK of an odd window's last segment is delayed by
    // up to 40 ms, and with it the increase that it completes.
    assert_near(records.links[0].utilisation(), 176.0 / 500.0, 0.05, "utilisation");
}
