"""An experiment with another value of what its paper leaves open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from windtunnel.experiment.choices import Alternative, Choice, Point
from windtunnel.experiment.model import Draws, Experiment
from windtunnel.scenario import Scenario

Layout: TypeAlias = Callable[[Point, Draws], Scenario]


def varied(experiment: Experiment, choice: Choice, alternative: Alternative) -> Experiment:
    """Return an experiment with another value of an open choice, at every scale.

    Parameters
    ----------
    experiment : Experiment
        As it is declared.
    choice : Choice
        What is open.
    alternative : Alternative
        The value.
    """
    quick = experiment.quick
    if quick is not None and quick.scenario is not None:
        quick = replace(quick, scenario=_changed(quick.scenario, alternative))
    parameters = (*experiment.parameters, (f"changed: {choice.question}", alternative.value))
    return replace(experiment, scenario=_changed(experiment.scenario, alternative), quick=quick, parameters=parameters)


def _changed(layout: Layout, alternative: Alternative) -> Layout:
    def laid_out(point: Point, draws: Draws) -> Scenario:
        scenario = alternative.change(layout(point, draws), point)
        # Copies are not checked: what a change made of a scenario is.
        return Scenario.model_validate(scenario.model_dump())

    return laid_out
