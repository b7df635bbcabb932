//! From a scenario as written to one with every default filled in.

use sim::Direction;

use crate::applications;
use crate::hosts;
use crate::model::{Arrivals, Flow, Hop, LawKind, Link, Scenario, Sessions, Source, SHAPE};
use crate::names::{protocol_name, variant_note};
use crate::receivers;
use crate::requests;
use crate::sizes::{filled_link, Product};
use crate::ScenarioError;

/// The discipline that acts on ACKs alone.
const ACK_FILTER: &str = "ack-filter";

/// A scenario with defaults filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Filled {
    /// The scenario that names the run. Filling it in again changes nothing.
    pub scenario: Scenario,
    /// What had to be adjusted on the way, one line each.
    pub notes: Vec<String>,
}

/// Fills in every default: RTT, profile and host of each flow, `count` and `streams` expanded, sizes of queues, the reverse link.
///
/// # Errors
/// When a queue's computed size exceeds the largest there is, or a flow's host and the scenario's do not go together.
pub fn fill(scenario: &Scenario) -> Result<Filled, ScenarioError> {
    let mut notes = Vec::new();
    let flows = filled_flows(scenario, &mut notes)?;
    let arrivals = scenario.arrivals.iter().enumerate();
    let arrivals = arrivals.map(|(index, given)| filled_arrivals(given, scenario, index)).collect::<Result<Vec<_>, _>>()?;
    let sessions = scenario.sessions.iter().enumerate();
    let sessions = sessions.map(|(index, given)| filled_sessions(given, scenario, index)).collect::<Result<Vec<_>, _>>()?;
    let sources = || arrivals.iter().map(|one| &one.source).chain(sessions.iter().map(|one| &one.source));
    for source in sources() {
        notes.extend(variant_note(&source.algorithm, source.profile.as_deref()));
    }
    let directions = Directions::of(&flows, sources());
    let longest_s = longest_rtt_s(&flows, &sources().collect::<Vec<_>>());
    let product = Product { rate_bps: scenario.smallest_rate_bps(), rtt_s: longest_s };
    let bottleneck = filled_link(&scenario.bottleneck, product, "bottleneck", &mut notes)?;
    let mut hops = Vec::with_capacity(scenario.hops.len());
    for (index, Hop { link, delay_s }) in scenario.hops.iter().enumerate() {
        let link = filled_link(link, product, &format!("hops[{index}]"), &mut notes)?;
        hops.push(Hop { link, delay_s: *delay_s });
    }
    let sends_back = directions.reverse || scenario.traffic.iter().any(|one| one.direction == Direction::Reverse);
    let reverse = match &scenario.reverse {
        Some(link) => Some(filled_link(link, Product { rate_bps: link.rate_bps, ..product }, "reverse", &mut notes)?),
        None => sends_back.then(|| bottleneck.undisturbed()),
    };
    notes.extend(idle_filter("bottleneck", &bottleneck, "reverse", directions.reverse));
    notes.extend(reverse.as_ref().and_then(|link| idle_filter("reverse", link, "forward", directions.forward)));
    let mut unlike = Vec::with_capacity(notes.len());
    notes.into_iter().for_each(|note| {
        if !unlike.contains(&note) {
            unlike.push(note)
        }
    });
    let host = scenario.host.clone().filter(|host| host.is_shared());
    let (traffic, profile) = (scenario.traffic.clone(), scenario.profile.clone());
    let (rtt_s, handshake) = (None, None);
    let scenario = Scenario { bottleneck, hops, flows, reverse, rtt_s, handshake, host, arrivals, sessions, traffic, profile, ..*scenario };
    Ok(Filled { scenario, notes: unlike })
}

fn filled_flows(scenario: &Scenario, notes: &mut Vec<String>) -> Result<Vec<Flow>, ScenarioError> {
    let mut number = scenario.flows.iter().filter_map(|flow| flow.application).max().unwrap_or(0);
    let mut flows = Vec::with_capacity(scenario.flows.len());
    for (index, flow) in scenario.flows.iter().enumerate() {
        let one = Flow {
            // A stack's own name is not ours: `bbr1` is another controller than `bbr` there.
            algorithm: if flow.stack.is_some() { flow.algorithm.clone() } else { protocol_name(&flow.algorithm) },
            rtt_s: flow.rtt_s.or(scenario.rtt_s),
            profile: Some(flow.profile.as_ref().unwrap_or(&scenario.profile).clone()),
            count: 1,
            host: hosts::of_flow(flow.host.as_ref(), scenario, &format!("flows[{index}]"))?,
            // What flows did not always have is left out where it is not asked for.
            handshake: flow.handshake.or(scenario.handshake).filter(|&asked| asked),
            ..receivers::filled(&requests::filled(flow, index)?, index)?
        };
        notes.extend(variant_note(&one.algorithm, one.profile.as_deref()));
        if applications::is_whole(&one) {
            for _ in 0..flow.count {
                number += 1;
                flows.extend(applications::connections(&one, number, scenario.seed));
            }
        } else {
            flows.extend(std::iter::repeat_n(one, flow.count as usize));
        }
    }
    Ok(flows)
}

fn filled_source(source: &Source, scenario: &Scenario, path: &str) -> Result<Source, ScenarioError> {
    let own = || if source.rtts_s.is_empty() { scenario.rtt_s.into_iter().collect() } else { source.rtts_s.clone() };
    Ok(Source {
        algorithm: protocol_name(&source.algorithm),
        rtts_s: own(),
        profile: Some(source.profile.as_ref().unwrap_or(&scenario.profile).clone()),
        host: hosts::of_flow(source.host.as_ref(), scenario, path)?,
        handshake: Some(source.handshake.or(scenario.handshake).unwrap_or(true)),
        ..source.clone()
    })
}

fn filled_arrivals(given: &Arrivals, scenario: &Scenario, index: usize) -> Result<Arrivals, ScenarioError> {
    let mut own = given.own.clone();
    if own.sizes == LawKind::Pareto {
        own.shape = own.shape.or(Some(SHAPE));
    }
    Ok(Arrivals { source: filled_source(&given.source, scenario, &format!("arrivals[{index}]"))?, own })
}

fn filled_sessions(given: &Sessions, scenario: &Scenario, index: usize) -> Result<Sessions, ScenarioError> {
    Ok(Sessions { source: filled_source(&given.source, scenario, &format!("sessions[{index}]"))?, own: given.own.clone() })
}

/// Which ways data of flows and transfers goes.
struct Directions {
    forward: bool,
    reverse: bool,
}

impl Directions {
    fn of<'a>(flows: &[Flow], sources: impl Iterator<Item = &'a Source>) -> Directions {
        let of_sources = sources.filter(|source| !source.rtts_s.is_empty()).map(|source| source.direction);
        let all: Vec<Direction> = flows.iter().map(|flow| flow.direction).chain(of_sources).collect();
        Directions { forward: all.contains(&Direction::Forward), reverse: all.contains(&Direction::Reverse) }
    }
}

/// The largest base RTT of those that send forward, or of all if none does: flows, or transfers where there are no flows.
fn longest_rtt_s(flows: &[Flow], sources: &[&Source]) -> f64 {
    let of_flows = flows.iter().map(|flow| (flow.direction, flow.rtt_s.unwrap_or(0.0)));
    let of_sources = sources.iter().flat_map(|source| source.rtts_s.iter().map(|&rtt_s| (source.direction, rtt_s)));
    let everybody: Vec<(Direction, f64)> = if flows.is_empty() { of_sources.collect() } else { of_flows.collect() };
    let forward = everybody.iter().filter(|(direction, _)| *direction == Direction::Forward);
    let longest = |longest: f64, &(_, rtt_s): &(Direction, f64)| longest.max(rtt_s);
    if forward.clone().next().is_none() {
        return everybody.iter().fold(0.0, longest);
    }
    forward.fold(0.0, longest)
}

/// Says where a filter of ACKs sees none.
fn idle_filter(path: &str, link: &Link, direction: &str, goes: bool) -> Option<String> {
    let idle = link.discipline == ACK_FILTER && !goes;
    idle.then(|| format!("{path}.discipline: no flow's data goes {direction}, so that no ACK meets {ACK_FILTER} here; it is drop-tail"))
}
