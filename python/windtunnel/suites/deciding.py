"""A paper's claims on a kernel in the cheapest form that decides them: few points and repeats first, more only while something is open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from windtunnel import experiment
from windtunnel.claims import Claim, Verdict
from windtunnel.claims.references import surely_lacks
from windtunnel.experiment import Experiment, Plan, Scale, Step
from windtunnel.report import registers_of, verdicts_of
from windtunnel.scenario import Scenario
from windtunnel.store import Results, RunStore
from windtunnel.suites.facts import store_facts
from windtunnel.suites.finding import Suite

FEW = 3
"""Repeats before the experiment's own number is run."""

_PACKET_S, _SECOND_S, _FLOW_S = 7e-6, 0.01, 0.003
"""CPU seconds of a guest: per packet that the bottleneck can carry, per virtual second, and per virtual second and flow."""


@dataclass(frozen=True)
class Form:
    """One way to run an experiment.

    Parameters
    ----------
    scale : Scale
        How much of it.
    plan : Plan
        Its runs.
    """

    scale: Scale
    plan: Plan

    @property
    def name(self) -> str:
        """What it is called: the scale, and the repeats where they are not the experiment's own."""
        return self.scale.name if self.scale.repeats is None else f"{self.scale.name}, {self.scale.repeats} repeats"

    def cost_s(self, stored: RunStore) -> float:
        """Return about how many CPU seconds the runs take that are not stored."""
        return together_s([self], stored)


@dataclass(frozen=True)
class Open:
    """An experiment whose claims may be judged, and its forms, the cheapest first."""

    suite: Suite
    experiment: Experiment
    forms: tuple[Form, ...]


@dataclass(frozen=True)
class Outcome:
    """What a form of an experiment came to.

    Parameters
    ----------
    id : str
        The experiment's.
    form : Form
        What was run.
    verdicts : tuple of Verdict
        Of all its claims.
    undecided : int
        Claims that a larger form may decide.
    """

    id: str
    form: Form
    verdicts: tuple[Verdict, ...]
    undecided: int


def run_cost_s(scenario: Scenario) -> float:
    """Return about how many CPU seconds a run takes in a guest (see `docs/guides/linux-backend.md`, Cost)."""
    packets = scenario.bottleneck.rate_bps * scenario.duration_s / 12_000
    flows = sum(flow.count for flow in scenario.flows)
    return _PACKET_S * packets + scenario.duration_s * (_SECOND_S + _FLOW_S * flows)


def together_s(forms: Sequence[Form], stored: RunStore) -> float:
    """Return about how many CPU seconds the runs of some forms take that are not stored; runs that several need count once."""
    missing = {key: job for form in forms for key, job in form.plan.jobs.items() if stored.find(key, job.kept) is None}
    return sum(run_cost_s(job.scenario) for job in missing.values())


def claimed(asked: Sequence[tuple[Suite, Sequence[Experiment]]]) -> list[tuple[Suite, Experiment]]:
    """Return the experiments that claims of their papers are about."""
    found = []
    for known, own in asked:
        register = known.register()
        if register is None:
            continue
        about = {claim.experiment for claim in register.claims}
        found += [(known, one) for one in own if one.id in about]
    return found


def opened(experiments: Sequence[tuple[Suite, Experiment]], backend: str) -> list[Open]:
    """Return the experiments of which the backend can run what a claim about them reads, each with its forms.

    Parameters
    ----------
    experiments : sequence of (Suite, Experiment)
        From `claimed`.
    backend : str
        As `windtunnel.backends.backend` takes it.
    """
    found = [Open(known, one, _forms(one, backend)) for known, one in experiments]
    return [one for one in found if one.forms and within_reach(one)]


def within_reach(one: Open) -> list[Claim]:
    """Return the claims about an experiment that runs of a backend may judge.

    Not those of a wide-area path or of hosts, nor those that read what the backend lacks.

    Parameters
    ----------
    one : Open
        The experiment, with one form at least.
    """
    register = one.suite.register()
    lacking = one.forms[-1].plan.left_out.get(one.experiment.id, ())
    absent: dict[str, set[str]] = {}
    for name, values in (item for left_out in lacking if len(left_out.at) == 1 for item in left_out.at.items()):
        absent.setdefault(name, set()).update(map(str, values))
    claims = register.claims if register is not None else ()
    own = [claim for claim in claims if claim.experiment == one.experiment.id and claim.judge == "sim"]
    return [claim for claim in own if not surely_lacks(claim.tree, absent)]


def _forms(one: Experiment, backend: str) -> tuple[Form, ...]:
    scales = [Scale()]
    if one.repeats > FEW:
        scales.insert(0, Scale(repeats=FEW))
    # A quick scale with scenarios of its own asks something else.
    if one.quick is not None and one.quick.scenario is None:
        scales.insert(0, Scale(quick=True, repeats=FEW if one.quick.repeats > FEW else None))
    forms: list[Form] = []
    for scale in scales:
        plan = experiment.plan([one], scale, backend=backend)
        if plan.jobs and (not forms or plan.jobs.keys() != forms[-1].plan.jobs.keys()):
            forms.append(Form(scale, plan))
    return tuple(forms)


def carry_out(
    results: Results, todo: Sequence[Open], *, most_s: float, jobs: int, command: str, on_step: Callable[[Step], None]
) -> Iterator[Outcome]:
    """Run the cheapest form that is open, again and again, until all is decided or the next one costs too much.

    Parameters
    ----------
    results : Results
        A folder opened for writing; what it holds is not run again.
    todo : sequence of Open
        From `opened`.
    most_s : float
        CPU seconds that all of it may take.
    jobs, on_step
        As for `windtunnel.experiment.execute`.
    command : str
        What asks for all of it.

    Yields
    ------
    Outcome
        After each form.
    """
    left = {one.experiment.id: one for one in todo}
    spent_s = 0.0
    while left:
        id, one = min(left.items(), key=lambda item: (item[1].forms[0].cost_s(results.runs), item[0]))
        form, *more = one.forms
        cost_s = form.cost_s(results.runs)
        if spent_s + cost_s > most_s:
            return
        escaped = command.replace("{", "{{").replace("}", "}}")
        experiment.execute(form.plan, results, jobs=jobs, command=escaped, on_step=on_step)
        store_facts(results, [(one.suite, (one.experiment,))], scale=form.scale, command=command, backend=form.plan.kind)
        spent_s += cost_s
        found = judged(results, form, id)
        yield found
        if more and found.undecided:
            left[id] = Open(one.suite, one.experiment, tuple(more))
        else:
            del left[id]


def judged(results: Results, form: Form, id: str) -> Outcome:
    """Return what became of an experiment's claims."""
    registers = registers_of(results)
    verdicts = tuple(one for register in registers for one in verdicts_of(results, register, form.plan.kind) if one.experiment == id)
    reasons = [one.reason for one in form.plan.left_out.get(id, ())]
    return Outcome(id, form, verdicts, sum(_is_open(one, reasons) for one in verdicts))


def _is_open(verdict: Verdict, left_out: Sequence[str]) -> bool:
    """Whether more points or repeats may decide a claim: not one that needs what the kernel lacks."""
    if verdict.verdict == "not_run":
        return verdict.judge == "sim" and not any(reason in verdict.reason for reason in left_out)
    return verdict.verdict == "inconclusive"
