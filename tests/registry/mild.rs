//! mild: a fixed number of segments more per round trip, and three quarters of the window after a loss.
//!
//! Source: none; an example of what a law of one file declares.
//! Units: segments.
//! Equations: w += a/w per segment acknowledged; a loss leaves 3 w/4, two segments at least.
//! State: a.
//! Departures: none.
//! Limits: an example, which no stack runs.
//! Checked: by hand, a round trip of growth and a loss.

use super::borrowed_by_all;
use crate::parameter::{Parameter, Protocol, Values, Variant};
use crate::{CongestionControl, Connection, Window};

const EXAMPLE: &str = "example";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "mild",
    aliases: &[],
    family: "loss-based",
    year: 2026,
    source: "an example",
    summary: "A fixed number of segments more per round trip, three quarters of the window after a loss.",
    signals: &["loss", "ecn"],
    variants: &[Variant { name: EXAMPLE, aliases: &[], summary: "A real-valued window.", exact_kernel: false }],
    parameters: &[Parameter {
        name: "more",
        unit: "packets",
        min: 0.1,
        max: 10.0,
        defaults: &[(EXAMPLE, 0.5)],
        doc: "What a round trip adds.",
    }],
    constants: &[],
    profiles: &borrowed_by_all(EXAMPLE),
};

/// The state of a new connection.
pub fn build(values: &Values) -> State {
    State { more: values.get("more") }
}

/// What a connection keeps.
#[derive(Clone, Copy, Debug)]
pub struct State {
    more: f64,
}

impl CongestionControl for State {
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if c.cwnd_limited {
            let rest = w.slow_start_real(acked);
            w.cwnd += self.more * rest / w.cwnd;
        }
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        (0.75 * w.cwnd).max(2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten segments: half a segment per ten acknowledged at once; three quarters of 10.5 after a loss.
    #[test]
    fn a_round_trip_adds_half_a_segment_and_a_loss_keeps_three_quarters() {
        let mut law = State { more: 0.5 };
        let mut w = Window { cwnd: 10.0, ssthresh: 2.0, cnt: 0 };
        let c = Connection { cwnd_limited: true, ..Connection::new(1448) };
        law.on_acked(&mut w, &c, 10);
        assert_eq!((w.cwnd, law.ssthresh(&mut w, &c)), (10.5, 7.875));
    }
}
