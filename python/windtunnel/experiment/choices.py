"""What a paper leaves open: the value that was chosen, why, and the values it might as well have had."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from windtunnel.scenario import Scenario

if TYPE_CHECKING:
    from windtunnel.experiment.model import Draws, Experiment, Point

    Layout = Callable[[Point, Draws], Scenario]


@dataclass(frozen=True)
class Alternative:
    """Another value that an open choice might have.

    Parameters
    ----------
    value : str
        In words, with its unit.
    change : callable
        From a scenario laid out with the chosen value, and its point, to the one with this value. A scenario that it returns as it is needs
        no run of its own.
    """

    value: str
    change: Callable[[Scenario, Point], Scenario]


@dataclass(frozen=True)
class Choice:
    """Something a paper does not say, and an experiment had to choose.

    Parameters
    ----------
    name : str
        Unique within its suite; letters, digits and dashes.
    question : str
        What is open.
    value : str
        What was chosen, in words, with its unit.
    reason : str
        Why; a whole sentence.
    alternatives : sequence of Alternative
        What else is plausible.
    """

    name: str
    question: str
    value: str
    reason: str
    alternatives: Sequence[Alternative]

    def declared(self) -> dict[str, Any]:
        """Return what a report needs to know of it, as plain data."""
        return {
            "name": self.name,
            "question": self.question,
            "value": self.value,
            "reason": self.reason,
            "alternatives": [one.value for one in self.alternatives],
        }


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
