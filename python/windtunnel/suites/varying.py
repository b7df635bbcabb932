"""Open choices: how a scenario is changed, and what a sensitivity run has to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from windtunnel.experiment import Choice, Experiment, Part, Point, Scale, plan, varied
from windtunnel.scenario import Flow, Scenario
from windtunnel.scenario.errors import unknown
from windtunnel.store import CHOSEN, Results
from windtunnel.suites.errors import SuiteError
from windtunnel.suites.finding import Suite

Change = Callable[[Scenario, Point], Scenario]


def parameters(algorithm: str, **given: float) -> Change:
    """Return a change of an algorithm's parameters in every flow of it; its variants have their own."""
    own = {name: float(value) for name, value in given.items()}

    def change(scenario: Scenario, _point: Point) -> Scenario:
        return _each_flow(scenario, algorithm, lambda flow: {"parameters": {**flow.parameters, **own}})

    return change


def transport(algorithm: str | None = None, **given: Any) -> Change:
    """Return a change of the stack's options in every flow, or in those of one algorithm."""

    def change(scenario: Scenario, _point: Point) -> Scenario:
        return _each_flow(scenario, algorithm, lambda flow: {"transport": {**flow.transport, **given}})

    return change


def queue(packets: Callable[[Scenario, Point], float]) -> Change:
    """Return a change of the queue, to so many packets, at least two; a reverse link that is declared keeps its own."""

    def change(scenario: Scenario, point: Point) -> Scenario:
        bottleneck = scenario.bottleneck.model_copy(update={"queue_packets": max(2, round(packets(scenario, point)))})
        return scenario.model_copy(update={"bottleneck": bottleneck})

    return change


def scaled_queue(factor: float) -> Change:
    """Return a change of the queue to a multiple of what it is."""
    return queue(lambda scenario, _point: (scenario.bottleneck.queue_packets or 0) * factor)


def loss(probability: float) -> Change:
    """Return a change of the probability that the path itself loses a packet."""

    def change(scenario: Scenario, _point: Point) -> Scenario:
        return scenario.model_copy(update={"bottleneck": scenario.bottleneck.model_copy(update={"loss_probability": probability})})

    return change


def ticks(seconds: float) -> Change:
    """Return a change of the ticks in which the scenario's host handles ACKs; 0 for at once."""

    def change(scenario: Scenario, _point: Point) -> Scenario:
        if scenario.host is None:
            return scenario
        return scenario.model_copy(update={"host": scenario.host.model_copy(update={"ack_tick_s": seconds})})

    return change


def _each_flow(scenario: Scenario, algorithm: str | None, update: Callable[[Flow], dict[str, Any]]) -> Scenario:
    flows = tuple(flow.model_copy(update=update(flow)) if algorithm in (None, flow.algorithm) else flow for flow in scenario.flows)
    return scenario.model_copy(update={"flows": flows})


def on_each(choices: Mapping[Choice, Sequence[str]]) -> dict[str, tuple[Choice, ...]]:
    """Turn experiments by choice into choices by experiment, as `CHOICES` has them.

    Parameters
    ----------
    choices : mapping of Choice to sequence of str
        To the ids of the experiments it is open for.
    """
    found: dict[str, tuple[Choice, ...]] = {}
    for one, ids in choices.items():
        for id in ids:
            found[id] = (*found.get(id, ()), one)
    return found


def open_choices(
    asked: Sequence[tuple[Suite, Sequence[Experiment]]], names: Sequence[str] | None
) -> dict[str, list[tuple[Choice, Experiment]]]:
    """Return what the papers of some experiments leave open.

    Parameters
    ----------
    asked : sequence of (Suite, sequence of Experiment)
        The experiments.
    names : sequence of str, optional
        Only these choices.

    Returns
    -------
    dict
        By suite and choice, as ``li07.fast-period``: the experiments it is open for.

    Raises
    ------
    SuiteError
        When there is no such choice, or none at all.
    """
    found: dict[str, list[tuple[Choice, Experiment]]] = {}
    for known, experiments in asked:
        for experiment in experiments:
            for choice in experiment.choices:
                found.setdefault(f"{known.name}.{choice.name}", []).append((choice, experiment))
    if not found:
        raise SuiteError(
            f"{', '.join(one.id for _, own in asked for one in own)[:200]}: no open choice is declared; see `windtunnel suite list`"
        )
    for name in names or ():
        if name not in {key for full in found for key in (full, full.partition(".")[2])}:
            raise SuiteError(unknown("choice", name, found))
    return {full: own for full, own in found.items() if names is None or {full, full.partition(".")[2]} & set(names)}


def sensitivity_parts(
    results: Results, choices: Mapping[str, Sequence[tuple[Choice, Experiment]]], scale: Scale, *, backend: str, command: str, again: str
) -> list[Part]:
    """Lay out a sensitivity run.

    Parameters
    ----------
    results : Results
        Where it is stored.
    choices : mapping
        From `open_choices`.
    scale : Scale
        How much of each experiment is run, for every value alike.
    backend : str
        What runs it.
    command, again : str
        What asks for an experiment itself and for its alternatives; ``{id}`` stands for the experiment.

    Returns
    -------
    list of Part
        First the experiments of which the folder holds nothing yet, as they are declared; then, for each choice, the chosen value and every
        alternative. What the folder holds at another scale stays.

    Raises
    ------
    ScenarioError
        When a scenario cannot be run.
    """
    parts = []
    everything = list({experiment.id: experiment for own in choices.values() for _, experiment in own}.values())
    kind = backend.partition(":")[0]
    fresh = [experiment for experiment in everything if experiment.id not in results.experiments(kind)]
    if fresh:
        parts.append(Part(plan(fresh, scale, backend=backend), results, command))
    for name, own in choices.items():
        first = own[0][0]
        parts.append(Part(plan([one for _, one in own], scale, backend=backend), results.under(name, CHOSEN), again))
        for number, alternative in enumerate(first.alternatives):
            changed = [varied(experiment, choice, choice.alternatives[number]) for choice, experiment in own]
            parts.append(Part(plan(changed, scale, backend=backend), results.under(name, alternative.value), again))
    return parts
