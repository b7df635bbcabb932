//! Instructions per packet of a Rust controller beside the built-in one: `packet own` runs two flows of a Reno of our own, `packet reno` the
//! built-in one; it prints how many packets were delivered (for callgrind). The scenario is `reno-2`'s of the simulator's bench.

use windtunnel::{Cells, CongestionControl, Connection, Credit, Dumbbell, Flow, Window};

#[derive(Clone, Debug)]
struct Own;

impl CongestionControl for Own {
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if !c.cwnd_limited {
            return;
        }
        let rest = if w.in_slow_start() { w.slow_start(acked) } else { acked };
        if rest > 0 {
            w.add_credit(Credit { acked: rest, per_segment: w.segments() });
        }
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        f64::from((w.segments() / 2).max(2))
    }
}

fn main() {
    let Some(which) = std::env::args().skip(1).find(|argument| argument != "--bench") else { return };
    let flow = || if which == "own" { Flow::of(Own) } else { Flow::from(which.as_str()) };
    let dumbbell = Dumbbell::new(250e6, 0.042).queue_packets(875).duration_s(100.0);
    let run = dumbbell.flow(flow()).flow(flow().start_s(0.001)).run().unwrap_or_else(|error| panic!("{error}"));
    let Some(Cells::UInt64(delivered)) = run.column("flows", "delivered_packets").map(|column| &column.cells) else { return };
    println!("{}", delivered.iter().sum::<u64>());
}
