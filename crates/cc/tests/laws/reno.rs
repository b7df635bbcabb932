//! RFC 5681: w += 1/w per segment; half the window on loss, at least 2.

use crate::{near, Bench};

#[test]
fn ten_acks_from_ten_in_real_numbers() {
    let mut bench = Bench::new("reno:rfc", &[], 10.0);
    bench.ack(1);
    near(bench.w.cwnd, 10.1, 1e-12);
    for _ in 0..9 {
        bench.ack(1);
    }
    near(bench.w.cwnd, 10.95865, 5e-6);
}

#[test]
fn ten_acks_from_ten_in_integers_are_one_segment() {
    let mut bench = Bench::new("reno:linux-6.1", &[], 10.0);
    for _ in 0..10 {
        assert_eq!(bench.w.cwnd, 10.0);
        bench.ack(1);
    }
    assert_eq!((bench.w.cwnd, bench.w.cnt), (11.0, 0));
}

#[test]
fn loss_halves_down_to_two() {
    for (variant, cwnd, kept) in
        [("linux-6.1", 100.0, 50.0), ("linux-6.1", 7.0, 3.0), ("linux-6.1", 3.0, 2.0), ("rfc", 7.0, 3.5), ("rfc", 3.0, 2.0)]
    {
        assert_eq!(Bench::new(&format!("reno:{variant}"), &[], cwnd).lose(), kept, "{variant} {cwnd}");
    }
}

#[test]
fn a_window_that_does_not_limit_does_not_grow() {
    let mut bench = Bench::new("reno:linux-6.1", &[], 10.0);
    bench.c.cwnd_limited = false;
    bench.ack(100);
    assert_eq!((bench.w.cwnd, bench.w.cnt), (10.0, 0));
}
