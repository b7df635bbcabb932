//! Leith/Shorten 2008, II.B: w + c (T - T_w)^3, with T_w = cbrt((1 - beta) w/c).

use crate::convex::after;
use crate::{near, Bench};

/// beta = 1/2, c = 1/2: T_w = (500/0.5)^(1/3) = 10; 1000 - 0.5 125; 1000; 1000 + 0.5 8.
#[test]
fn the_window_follows_the_function() {
    near(after("concave-convex", &[], 5_000), 937.5, 1e-6);
    near(after("concave-convex", &[], 10_000), 1000.0, 1e-6);
    near(after("concave-convex", &[], 12_000), 1004.0, 1e-6);
}

/// c = 1 - beta = 0.2, units of 0.1 s: T_w = 10 units; 1000 - 0.2 8 after 8.
#[test]
fn time_is_counted_in_units() {
    near(after("concave-convex", &[("beta", 0.8), ("c", 0.2), ("unit", 0.1)], 800), 998.4, 1e-6);
}

#[test]
fn a_loss_keeps_beta_and_remembers_the_window() {
    let mut bench = Bench::new("concave-convex:paper", &[("c", 1.0)], 1000.0);
    near(bench.lose(), 500.0, 0.0);
    near(bench.variable("origin_packets"), 1000.0, 0.0);
    near(bench.variable("t_0"), 7.937, 1e-3);
}
