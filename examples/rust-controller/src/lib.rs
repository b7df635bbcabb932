//! Additive increase and multiplicative decrease with both numbers free (Chiu and Jain 1989).
//!
//! `cargo test` checks the law by hand and beside Reno; `cargo build --release` makes `target/release/librust_controller.so`, and
//! `windtunnel run --rate 50Mbit --rtt 40ms --flow ./target/release/librust_controller.so,increase=2 --flow reno` runs it.

use windtunnel::{export, CongestionControl, Connection, Exported, Parameter, Window};

/// The law.
#[derive(Clone, Debug)]
pub struct Aimd {
    /// Segments more per round trip.
    pub increase: f64,
    /// What a loss leaves of the window.
    pub kept: f64,
}

impl CongestionControl for Aimd {
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if c.cwnd_limited {
            let left = w.slow_start_real(acked);
            w.cwnd += self.increase * left / w.cwnd;
        }
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        (w.cwnd * self.kept).max(2.0)
    }
}

impl Exported for Aimd {
    const NAME: &'static str = "aimd";
    const SUMMARY: &'static str = "Additive increase, multiplicative decrease.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::new("increase", 1.0, 0.01, 100.0).unit("packets").doc("Segments more per round trip."),
        Parameter::new("kept", 0.5, 0.1, 0.95).doc("What a loss leaves of the window."),
    ];

    fn start(values: &[f64]) -> Aimd {
        Aimd { increase: values[0], kept: values[1] }
    }
}

export!(Aimd);

#[cfg(test)]
mod tests {
    use super::*;
    use windtunnel::{Dumbbell, Flow};

    /// Ten segments acknowledged at a window of 10 add `increase`, less what the window's own growth takes: 2 * 10 / 10.
    #[test]
    fn the_window_grows_by_the_increase() {
        let mut window = Window { cwnd: 10.0, ssthresh: 5.0, cnt: 0 };
        let mut law = Aimd { increase: 2.0, kept: 0.5 };
        law.on_acked(&mut window, &Connection::new(1448), 10);
        assert_eq!(window.cwnd, 12.0);
        assert_eq!(law.ssthresh(&mut window, &Connection::new(1448)), 6.0);
    }

    /// Equal increase, equal decrease, synchronised losses: equal shares (Chiu and Jain). The queue is a whole product, so the link is full.
    #[test]
    fn it_shares_with_reno_and_fills_the_link() {
        let own = || Flow::of(Aimd { increase: 1.0, kept: 0.5 });
        let run = Dumbbell::new(20e6, 0.03).flow(own()).flow("reno").duration_s(120.0).warmup_s(20.0).run().unwrap();
        assert!(run.utilisation() > 0.98, "{}", run.utilisation());
        assert!(run.common().jain.unwrap() > 0.9, "{:?}", run.common());
    }
}
