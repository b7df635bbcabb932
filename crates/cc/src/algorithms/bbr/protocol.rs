//! BBR's description for the registry.

use units::Time;

use super::aggregation::Aggregation;
use super::mode::{Mode, CWND_GAIN, DRAIN_GAIN, HIGH_GAIN};
use super::output::Pacing;
use super::policer::Policer;
use super::probe_bw::Cycle;
use super::probe_rtt::{MinRtt, ProbeRtt};
use super::recovery::Recovery;
use super::startup::Pipe;
use super::target::Product;
use super::{Bbr, UNIT};
use crate::algorithms::of_linux61;
use crate::algorithms::rounds::Rounds;
use crate::algorithms::windowed_max::WindowedMax;
use crate::parameter::{Constant, Parameter, Protocol, Values, Variant};

const LINUX61: &str = "linux-6.1";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "bbr",
    aliases: &["bbr1"],
    family: "model-based",
    year: 2016,
    source: "Cardwell et al. 2016; Linux 6.1",
    summary: "Sends at the largest delivery rate of ten round trips, with twice the bandwidth-delay product in flight at most.",
    signals: &["rate", "rtt", "loss"],
    variants: &[Variant { name: LINUX61, aliases: &["linux"], summary: "Linux 6.1, integer arithmetic.", exact_kernel: true }],
    parameters: &[
        Parameter {
            name: "phase_draw",
            unit: "1",
            min: -1.0,
            max: 6.0,
            defaults: &[(LINUX61, -1.0)],
            doc: "Instead of a random draw from 0 to 6, whenever the gain cycle begins; -1 draws.",
        },
        Parameter {
            name: "probe_gain",
            unit: "1",
            min: 1.0,
            max: 2.0,
            defaults: &[(LINUX61, 1.25)],
            doc: "Pacing gain of the phase that probes for bandwidth, in steps of 1/256.",
        },
    ],
    constants: &[
        Constant { name: "high_gain", variant: LINUX61, value: HIGH_GAIN as f64 / UNIT as f64, unit: "1" },
        Constant { name: "drain_gain", variant: LINUX61, value: DRAIN_GAIN as f64 / UNIT as f64, unit: "1" },
        Constant { name: "cwnd_gain", variant: LINUX61, value: CWND_GAIN as f64 / UNIT as f64, unit: "1" },
        Constant { name: "min_rtt_window", variant: LINUX61, value: 10.0, unit: "s" },
    ],
    profiles: &of_linux61(LINUX61),
};

/// The state of a new connection.
pub fn build(values: &Values) -> Box<Bbr> {
    Box::new(Bbr::new(values))
}

impl Bbr {
    fn new(values: &Values) -> Bbr {
        let draw = values.get("phase_draw");
        Bbr {
            mode: Mode::Startup,
            pacing_gain: HIGH_GAIN,
            cwnd_gain: HIGH_GAIN,
            pacing: Pacing::default(),
            target: Product::default(),
            bw: WindowedMax::default(),
            rounds: Rounds::default(),
            min_rtt: MinRtt::default(),
            restarts: false,
            delivered_at: Time::ZERO,
            delivered_us: 0,
            pipe: Pipe::default(),
            cycle: Cycle::new((draw >= 0.0).then_some(draw as u64), (values.get("probe_gain") * UNIT as f64) as u64),
            probe_rtt: ProbeRtt::default(),
            policer: Policer::default(),
            aggregation: Aggregation::default(),
            recovery: Recovery::default(),
        }
    }
}
