//! A scenario is checked, run and handed back; a broken invariant names it.

use std::any::Any;
use std::panic::{catch_unwind, AssertUnwindSafe};

use cc::{GuestFault, Guests, NO_GUESTS};
use endpoint::{Opens, Stacks, NO_STACKS};
use net::{AnyLink, Fifo};
use units::Time;

use super::observer::{Audience, Observer, Present, Silent};
use super::run::{Engine, EVENTS_PER_LOOK};
use crate::accept::{accept_beside, Accepted, AcceptedFlow};
use crate::error::{RunError, StackFault};
use crate::parts::flow::disorder;
use crate::parts::load::Load;
use crate::parts::stack::StackFlow;
use crate::records::Records;
use crate::spec::Spec;

/// Runs a scenario. `interrupted` is asked every few milliseconds of computing; true ends the run.
///
/// # Errors
/// A scenario that is refused, or an interruption.
pub fn run(spec: &Spec, mut interrupted: impl FnMut() -> bool) -> Result<Records, RunError> {
    run_silently(spec, Beside::default(), &mut |_| again_unless(interrupted()))
}

/// As [`run`], with an observer of every ACK.
///
/// # Errors
/// As [`run`].
pub fn run_observed(spec: &Spec, observer: &mut dyn Observer, interrupted: impl FnMut() -> bool) -> Result<Records, RunError> {
    run_named(spec, None, observer, interrupted)
}

/// As [`run_observed`], for a scenario that has a name: its digest.
///
/// # Errors
/// As [`run`].
///
/// # Panics
/// When an invariant is broken: a bug. The message then ends with the seed and the scenario's name, or the scenario itself.
pub fn run_named(
    spec: &Spec,
    digest: Option<&str>,
    observer: &mut dyn Observer,
    interrupted: impl FnMut() -> bool,
) -> Result<Records, RunError> {
    run_with(spec, Beside { digest, ..Beside::default() }, observer, interrupted)
}

impl Default for Beside<'_> {
    fn default() -> Self {
        Beside { digest: None, guests: &NO_GUESTS, stacks: &NO_STACKS }
    }
}

/// What a run takes beside its scenario.
#[derive(Clone, Copy, Debug)]
pub struct Beside<'a> {
    /// The scenario's name, if it has one.
    pub digest: Option<&'a str>,
    /// The laws from outside, by the names under which the scenario knows them. The run makes states of its own of them.
    pub guests: &'a Guests,
    /// Whole stacks, by theirs.
    pub stacks: &'a Stacks,
}

/// As [`run_named`], with laws from outside.
///
/// # Errors
/// As [`run`], and what a guest did wrong.
///
/// # Panics
/// As [`run_named`].
pub fn run_with(
    spec: &Spec,
    beside: Beside<'_>,
    observer: &mut dyn Observer,
    mut interrupted: impl FnMut() -> bool,
) -> Result<Records, RunError> {
    run_watched(spec, beside, observer, &mut |_| again_unless(interrupted()))
}

/// Asked before the first event and then every few milliseconds of computing, and given what was measured so far, of which samples may be taken:
/// after how many events to ask again. None ends the run.
pub type Look<'l> = dyn FnMut(&mut Records) -> Option<u64> + 'l;

fn again_unless(is_interrupted: bool) -> Option<u64> {
    (!is_interrupted).then_some(EVENTS_PER_LOOK)
}

fn run_looked<O: Audience>(
    spec: &Spec,
    beside: Beside<'_>,
    observer: &mut O,
    look: impl FnMut(&mut Records) -> Option<u64>,
) -> Result<Records, RunError> {
    let Beside { digest, guests, stacks } = beside;
    let guests = guests.for_another_run();
    let mut accepted = accept_beside(spec, &guests, stacks)?;
    let stacks = opened(&accepted)?;
    let window = Time(spec.warmup_ns)..Time(spec.duration_ns);
    let links: Vec<AnyLink<Load>> = accepted.links.drain(..).map(|link| AnyLink::new(link.parts(window.clone(), spec.seed))).collect();
    // Nothing of a run that panicked is looked at again.
    let run = AssertUnwindSafe(|| {
        if links.iter().all(AnyLink::is_fifo) {
            let links: Vec<Fifo> = links.into_iter().filter_map(AnyLink::into_fifo).collect();
            Engine::new(accepted, stacks, links, observer).run(look)
        } else {
            Engine::new(accepted, stacks, links, observer).run(look)
        }
    });
    match catch_unwind(run).map_err(|panic| panic.downcast::<GuestFault>()) {
        Ok(records) => records,
        Err(Ok(fault)) => Err(RunError::Guest(*fault)),
        Err(Err(panic)) => {
            let scenario = digest.map_or_else(|| serde_json::to_string(spec).unwrap_or_default(), str::to_owned);
            panic!("{}; seed {}, scenario {scenario}", said(panic.as_ref()), spec.seed)
        }
    }
}

/// As [`run_with`], without an observer. The engine is compiled here, for this function and for [`run_watched`], and not where it is called:
/// all programs have it under one name, a profile of it made with one of them serves the others, and each of them compiles in seconds.
///
/// # Errors
/// As [`run_with`].
///
/// # Panics
/// As [`run_named`].
pub fn run_silently(spec: &Spec, beside: Beside<'_>, look: &mut Look<'_>) -> Result<Records, RunError> {
    run_looked(spec, beside, &mut Silent, look)
}

/// As [`run_silently`], with an observer.
///
/// # Errors
/// As [`run_with`].
///
/// # Panics
/// As [`run_named`].
pub fn run_watched(spec: &Spec, beside: Beside<'_>, observer: &mut dyn Observer, look: &mut Look<'_>) -> Result<Records, RunError> {
    if observer.looks() {
        run_looked(spec, beside, &mut Present(observer), look)
    } else {
        run_silently(spec, beside, look)
    }
}

/// The flows that are whole stacks', with both their ends.
pub(super) fn opened(accepted: &Accepted<'_>) -> Result<Vec<StackFlow>, RunError> {
    let of_stacks = accepted.flows.iter().enumerate().filter_map(|(index, flow)| Some((index, flow, flow.stack?)));
    let open = |(index, flow, stack): (usize, &AcceptedFlow, &dyn Opens)| {
        let disorder = disorder(accepted.spec, index, flow.spec);
        let fault = |what| StackFault { stack: stack.known_as(), flow: index, t_ns: 0, what };
        StackFlow::new(index, flow, stack, disorder, accepted.spec).map_err(|what| fault(what).into())
    };
    of_stacks.map(open).collect()
}

/// The message of a panic.
fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a broken invariant")
}
