//! RFC 8257 3.3: alpha follows the share of marked segments, and half of it is given up.

use cc::{AckArrival, CaEvent, CongestionControl};

use crate::{near, Bench};

/// A window of data of 100 segments, of which `marked` were marked.
fn window_of_100(bench: &mut Bench, marked: u64) {
    bench.c.nxt += 100;
    bench.c.una = bench.c.nxt;
    bench.c.delivered += 100;
    bench.c.delivered_ce += marked;
    bench.law.on_ack_arrived(&mut bench.w, &bench.c, &AckArrival { slow_path: marked > 0, ece: marked > 0 });
}

/// In 1024ths from 1024: 1024 - 64; 960 - 60; 900 - 56 + 32; 876 - 54 + 64. Of 100 segments, 100 alpha/2 rounded down is given up.
#[test]
fn alpha_and_the_reduction_in_integers() {
    let mut bench = Bench::new("dctcp:linux-6.1", &[], 100.0);
    for (marked, alpha, kept) in [(0, 960.0, 54.0), (0, 900.0, 57.0), (50, 876.0, 58.0), (100, 886.0, 57.0)] {
        window_of_100(&mut bench, marked);
        assert_eq!(bench.variable("alpha") * 1024.0, alpha);
        assert_eq!(bench.law.ssthresh(&mut bench.w, &bench.c), kept);
    }
}

/// The same by hand: 15/16, 225/256, 0.87890625 15/16 + 1/32, 0.855224609375 15/16 + 1/16.
#[test]
fn alpha_and_the_reduction_in_real_numbers() {
    let mut bench = Bench::new("dctcp:rfc8257", &[], 100.0);
    for (marked, alpha) in [(0, 0.9375), (0, 0.878_906_25), (50, 0.855_224_609_375), (100, 0.864_273_071_289)] {
        window_of_100(&mut bench, marked);
        near(bench.variable("alpha"), alpha, 1e-9);
        near(bench.law.ssthresh(&mut bench.w, &bench.c), 100.0 - 50.0 * alpha, 1e-7);
    }
}

/// The kernel's alpha cannot shrink by a 16th below 16/1024: it vanishes instead.
#[test]
fn a_small_integer_alpha_vanishes() {
    let mut bench = Bench::new("dctcp:linux-6.1", &[("alpha_init", 0.016)], 100.0);
    window_of_100(&mut bench, 0);
    near(bench.variable("alpha") * 1024.0, 15.0, 0.0);
    window_of_100(&mut bench, 0);
    assert_eq!(bench.variable("alpha"), 0.0);
}

/// RFC 8257 3.5: a loss halves the window whatever alpha is.
#[test]
fn a_loss_halves() {
    for variant in ["dctcp:linux-6.1", "dctcp:rfc8257"] {
        let mut bench = Bench::new(variant, &[("alpha_init", 0.25)], 100.0);
        assert_eq!(bench.law.ssthresh(&mut bench.w, &bench.c).round(), 88.0, "{variant}");
        assert_eq!(bench.lose(), 50.0, "{variant}");
        bench.w.cwnd = 60.0;
        bench.law.on_event(&mut bench.w, &bench.c, CaEvent::TimedOut);
        assert_eq!(bench.w.ssthresh, 30.0, "{variant}");
    }
}
