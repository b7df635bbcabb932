"""A paper's claims on a kernel in the cheapest form that decides them: of the points those that claims read, and few repeats first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from windtunnel import experiment
from windtunnel.claims import Claim, Register, Verdict
from windtunnel.claims.places import Places, experiments_asked, places_read
from windtunnel.experiment import Experiment, Plan, Point, Scale, Step
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
    """An experiment whose runs may judge claims.

    Parameters
    ----------
    suite : Suite
        Its suite.
    experiment : Experiment
        The experiment.
    claims : mapping of str to frozenset of str
        The claims that read it and may be judged, by id: all experiments that each of them reads.
    forms : tuple of Form
        The cheapest first.
    """

    suite: Suite
    experiment: Experiment
    claims: Mapping[str, frozenset[str]]
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
        Of the claims that read it; not of those that read an experiment too that was not run yet.
    """

    id: str
    form: Form
    verdicts: tuple[Verdict, ...]

    @property
    def undecided(self) -> tuple[str, ...]:
        """The claims that a larger form may decide, by id."""
        return tuple(one.id for one in self.verdicts if one.verdict in ("not_run", "inconclusive"))


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
    """Return the experiments that claims of their papers read."""
    found = []
    for known, own in asked:
        register = known.register()
        if register is None:
            continue
        about = frozenset[str]().union(*(experiments_asked(claim, register.experiments) for claim in register.claims))
        found += [(known, one) for one in own if one.id in about]
    return found


def opened(experiments: Sequence[tuple[Suite, Experiment]], backend: str) -> list[Open]:
    """Return the experiments of which the backend can run what a claim reads, each with those claims and its forms.

    Not the claims of a wide-area path or of hosts, nor those that read what the backend lacks.

    Parameters
    ----------
    experiments : sequence of (Suite, Experiment)
        From `claimed`.
    backend : str
        As `windtunnel.backends.backend` takes it.
    """
    found = []
    for known, own in _by_suite(experiments):
        register = known.register()
        if register is None:
            continue
        reached = within_reach(known, register, backend)
        for one in own:
            claims = {claim: asked for claim, asked in reached.items() if one.id in asked}
            forms = _forms(one, places_read(claims, one.id, register.experiments), backend) if claims else ()
            if forms:
                found.append(Open(known, one, {claim.id: asked for claim, asked in claims.items()}, forms))
    return found


def _by_suite(experiments: Sequence[tuple[Suite, Experiment]]) -> list[tuple[Suite, list[Experiment]]]:
    suites = {known.name: known for known, _ in experiments}
    return [(known, [one for other, one in experiments if other.name == name]) for name, known in suites.items()]


def within_reach(known: Suite, register: Register, backend: str) -> dict[Claim, frozenset[str]]:
    """Return the claims of a suite that runs of a backend may judge, each with the experiments that it reads.

    The backend has all points that such a claim may read.

    Parameters
    ----------
    known : Suite
        The suite.
    register : Register
        Its own.
    backend : str
        As `windtunnel.backends.backend` takes it.
    """
    own = {one.id: one for one in known.experiments}
    lacking: dict[str, list[Point]] = {}
    found = {}
    for claim in register.claims:
        asked = experiments_asked(claim, register.experiments) if claim.judge == "sim" else frozenset[str]()
        for id in asked - lacking.keys():
            lacking[id] = _lacking(own[id], backend)
        places = {id: places_read([claim], id, register.experiments) for id in asked}
        if asked and not any(places[id](point) for id in asked for point in lacking[id]):
            found[claim] = asked
    return found


def _lacking(one: Experiment, backend: str) -> list[Point]:
    """Return the points of an experiment that a backend cannot run."""
    there = [cell.point for cell in experiment.plan([one], Scale(repeats=1), backend=backend).cells.get(one.id, ())]
    return [point for point, _ in Scale(repeats=1).grid(one) if point not in there]


def _forms(one: Experiment, where: Places, backend: str) -> tuple[Form, ...]:
    scales = [Scale(where=where)]
    if one.repeats > FEW:
        scales.insert(0, Scale(where=where, repeats=FEW))
    # A quick scale with scenarios of its own asks something else.
    if one.quick is not None and one.quick.scenario is None:
        scales.insert(0, Scale(where=where, quick=True, repeats=FEW if one.quick.repeats > FEW else None))
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
    known = {one.experiment.id: one for one in todo}
    left = {id: list(one.forms) for id, one in known.items()}
    due = set(known)
    spent_s = 0.0
    while due:
        id = min(due, key=lambda id: (left[id][0].cost_s(results.runs), id))
        one, form = known[id], left[id].pop(0)
        cost_s = form.cost_s(results.runs)
        if spent_s + cost_s > most_s:
            return
        escaped = command.replace("{", "{{").replace("}", "}}")
        experiment.execute(form.plan, results, jobs=jobs, command=escaped, on_step=on_step)
        store_facts(results, [(one.suite, (one.experiment,))], scale=form.scale, command=command, backend=form.plan.kind)
        spent_s += cost_s
        found = judged(results, one, form)
        yield found
        # What a claim reads grows together: points with unequal repeats are not resampled together.
        again = frozenset[str]().union(*(one.claims[claim] for claim in found.undecided))
        due = (due - {id}) | {other for other in again & left.keys() if left[other]}


def judged(results: Results, one: Open, form: Form) -> Outcome:
    """Return what became of the claims that read an experiment."""
    ran = set(results.experiments(form.plan.kind))
    told = {claim for claim, asked in one.claims.items() if asked <= ran}
    verdicts = (verdict for own in registers_of(results) for verdict in verdicts_of(results, own, form.plan.kind))
    return Outcome(one.experiment.id, form, tuple(verdict for verdict in verdicts if verdict.id in told))
