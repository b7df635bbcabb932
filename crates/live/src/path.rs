//! The ways of flows: waits and links, as the simulator has them.

use sim::{Direction, FlowSpec, Spec, StretchSpec, UdpSpec};
use units::Duration;

/// A part of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Propagation.
    Wait(Duration),
    /// The link of this number.
    Cross(usize),
}

/// A flow's two ways: to its receiver, and back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ways(pub [Vec<Stage>; 2]);

impl Ways {
    /// Those of a flow. A quarter of the base RTT lies before the first link and a quarter behind the last, from which the propagation between hops is
    /// taken; the rest is the way back.
    pub fn of(flow: &FlowSpec, spec: &Spec) -> Ways {
        let quarter = flow.rtt_ns / 4;
        let mut forward = vec![Stage::Wait(Duration(quarter))];
        forward.extend(stretch(flow.hops, spec));
        let behind = |part: u64| Stage::Wait(Duration(part.saturating_sub(flow.hops.between_ns(spec))));
        let reverse = spec.reverse_link();
        match (flow.direction, reverse) {
            (Direction::Forward, None) => {
                forward.push(behind(quarter));
                Ways([forward, vec![Stage::Wait(Duration(flow.rtt_ns - 2 * quarter))]])
            }
            (Direction::Forward, Some(link)) => {
                forward.push(behind(quarter));
                let rest = Stage::Wait(Duration(flow.rtt_ns - 3 * quarter));
                Ways([forward, vec![Stage::Wait(Duration(quarter)), Stage::Cross(link), rest]])
            }
            (Direction::Reverse, link) => {
                forward.push(behind(flow.rtt_ns - 3 * quarter));
                let mut data = vec![Stage::Wait(Duration(quarter))];
                data.extend(link.map(Stage::Cross));
                data.push(Stage::Wait(Duration(quarter)));
                Ways([data, forward])
            }
        }
    }

    /// That of a source of datagrams, which stands at its first link; nothing comes back.
    pub fn of_source(source: &UdpSpec, spec: &Spec) -> Ways {
        let data = match source.direction {
            Direction::Forward => stretch(source.hops, spec),
            Direction::Reverse => spec.reverse_link().map(Stage::Cross).into_iter().collect(),
        };
        Ways([data, Vec::new()])
    }

    /// The same propagation without any link.
    pub fn plain(self) -> Ways {
        Ways(self.0.map(|way| way.into_iter().filter(|stage| matches!(stage, Stage::Wait(_))).collect()))
    }

    /// The propagation before the first link of either way, the shorter one; none without links.
    pub fn access(&self) -> Option<Duration> {
        let before = |way: &Vec<Stage>| match way[..] {
            [Stage::Wait(wait), Stage::Cross(_), ..] => Some(wait),
            _ => None,
        };
        self.0.iter().filter_map(before).min()
    }
}

/// The links of a stretch of the forward ones, and the propagation between them.
fn stretch(hops: StretchSpec, spec: &Spec) -> Vec<Stage> {
    let (first, last) = hops.links(spec);
    let mut stages = vec![Stage::Cross(first)];
    for link in first + 1..=last {
        stages.extend([Stage::Wait(Duration(spec.hops[link - 1].delay_ns)), Stage::Cross(link)]);
    }
    stages
}
