//! What of a link changes in time, checked and built.

use net::{Changes, DelaySteps, LimitSteps, RateSteps, Service, Trace};
use units::{Duration, Rate, Time};

use super::refusal::{refuse, seconds};
use super::sizes::accept_size;
use crate::error::SpecError;
use crate::limits::{EXTRA_S, MOST_OPPORTUNITIES, RATE_BPS};
use crate::spec::{LinkSpec, Outage, QueueStep};

/// The most that a link ever holds, whatever changes.
pub(crate) struct Most {
    /// Its greatest rate; of a trace, that of its busiest tenth of a second.
    pub(crate) rate_bps: f64,
    /// What its packets travel longer at most than their flow's base RTT says.
    pub(crate) extra_ns: u64,
}

impl Most {
    pub(crate) fn of(rate: Rate, link: &LinkSpec) -> Most {
        let given = &link.changes;
        let steps = given.rate_steps.iter().map(|step| step.rate_bps).max().unwrap_or(0);
        let busiest = given.trace_ms.iter().enumerate().map(|(first, &ms)| {
            let soon = given.trace_ms[first..].partition_point(|&later| later < ms + 100);
            soon as u64 * 10 * 12_000
        });
        let longest = given.delay_steps.iter().map(|step| step.extra_ns).max().unwrap_or(0);
        Most { rate_bps: rate.0.max(steps).max(busiest.max().unwrap_or(0)) as f64, extra_ns: longest + link.disorder.late_ns }
    }
}

/// The changes of the link with this name in a run of this length.
pub(crate) fn accept_changes(name: &str, link: &LinkSpec, duration_ns: u64) -> Result<Changes, SpecError> {
    let given = &link.changes;
    let field = |what: &str| format!("{name}.{what}");
    check_times(&field("rate_steps"), given.rate_steps.iter().map(|step| step.at_ns))?;
    check_times(&field("delay_steps"), given.delay_steps.iter().map(|step| step.at_ns))?;
    check_outages(&field("outages"), &given.outages, duration_ns)?;
    for (index, step) in given.rate_steps.iter().enumerate() {
        if !RATE_BPS.holds(step.rate_bps as f64) {
            return refuse(format!("{}[{index}].rate", field("rate_steps")), step.rate_bps, format!("give {RATE_BPS}, or an outage"));
        }
    }
    for (index, step) in given.delay_steps.iter().enumerate() {
        if !EXTRA_S.holds_ns(step.extra_ns) {
            return refuse(format!("{}[{index}].extra", field("delay_steps")), seconds(step.extra_ns), format!("give {EXTRA_S}"));
        }
    }
    let is_stepped = !given.rate_steps.is_empty() || !given.outages.is_empty();
    let service = if !given.trace_ms.is_empty() {
        if is_stepped {
            return refuse(field("trace"), "a trace with steps or outages", "give one of them: a trace is the whole service");
        }
        if given.trace_ms.len() as u64 > MOST_OPPORTUNITIES || !given.trace_ms.is_sorted() || given.trace_ms.last() == Some(&0) {
            return refuse(field("trace"), format!("{} entries", given.trace_ms.len()), "give ascending milliseconds, the last above 0");
        }
        Some(Service::Trace(Trace::new(given.trace_ms.clone())))
    } else if is_stepped {
        Some(Service::Steps(RateSteps::new(rates(link))))
    } else {
        None
    };
    let delays: Vec<(Time, Duration)> = given.delay_steps.iter().map(|step| (Time(step.at_ns), Duration(step.extra_ns))).collect();
    let limit = accept_queue_steps(&field("queue_steps"), link)?;
    Ok(Changes { service, delay: (!delays.is_empty()).then(|| DelaySteps::new(delays)), limit })
}

fn accept_queue_steps(field: &str, link: &LinkSpec) -> Result<Option<LimitSteps>, SpecError> {
    let given = &link.changes.queue_steps;
    check_times(field, given.iter().map(|step| step.at_ns))?;
    let size = |(index, step): (usize, &QueueStep)| Ok((Time(step.at_ns), accept_size(&format!("{field}[{index}].queue"), step.queue)?));
    let sizes = given.iter().enumerate().map(size).collect::<Result<Vec<_>, _>>()?;
    Ok((!sizes.is_empty()).then(|| LimitSteps::new(sizes)))
}

fn check_times(field: &str, times: impl Iterator<Item = u64>) -> Result<(), SpecError> {
    let mut before = None;
    for (index, at) in times.enumerate() {
        if before.is_some_and(|before| at <= before) {
            return refuse(format!("{field}[{index}].at"), seconds(at), "give ascending times");
        }
        before = Some(at);
    }
    Ok(())
}

pub(crate) fn check_outages(field: &str, outages: &[Outage], duration_ns: u64) -> Result<(), SpecError> {
    let mut over = 0;
    for (index, outage) in outages.iter().enumerate() {
        if outage.at_ns < over {
            return refuse(format!("{field}[{index}].at"), seconds(outage.at_ns), "give ascending times after the outage before");
        }
        if outage.length_ns == 0 || outage.length_ns > duration_ns {
            return refuse(format!("{field}[{index}].length"), seconds(outage.length_ns), "give more than 0 s, at most the run");
        }
        // Of two outages without a time between them the second must say so.
        over = outage.at_ns + outage.length_ns + 1;
    }
    Ok(())
}

/// All rates of the link, zero during outages.
fn rates(link: &LinkSpec) -> Vec<(Time, u64)> {
    let given = &link.changes;
    let planned = std::iter::once((0, link.rate_bps)).chain(given.rate_steps.iter().map(|step| (step.at_ns, step.rate_bps)));
    let planned: Vec<(u64, u64)> = planned.collect();
    let edges = given.outages.iter().flat_map(|outage| [outage.at_ns, outage.at_ns + outage.length_ns]);
    let mut times: Vec<u64> = planned.iter().map(|&(at, _)| at).chain(edges).collect();
    times.sort_unstable();
    times.dedup();
    let rate_at = |now: u64| {
        let is_out = given.outages.iter().any(|outage| (outage.at_ns..outage.at_ns + outage.length_ns).contains(&now));
        let step = planned.iter().rfind(|&&(at, _)| at <= now).map_or(link.rate_bps, |&(_, rate)| rate);
        if is_out {
            0
        } else {
            step
        }
    };
    times.into_iter().map(|at| (Time(at), rate_at(at))).collect()
}
