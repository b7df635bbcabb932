"""Experiments on a backend that has one stack only: what is restated for it, and what it cannot express."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windtunnel.foreign import shown
from windtunnel.scenario import Scenario

_FLOW = re.compile(r"^flows(\[\d+\])?(\.algorithm)?[.:] *")


@dataclass(frozen=True)
class LeftOut:
    """Points of an experiment that a backend cannot express, for one reason.

    Parameters
    ----------
    at : mapping of str to tuple
        Values of the dimensions that tell these points from the others; empty when they are all.
    reason : str
        What the backend lacks.
    """

    at: Mapping[str, tuple[Any, ...]]
    reason: str

    @property
    def where(self) -> str:
        """The points in words, as ``alg=fast``; empty when they are all."""
        return ", ".join(f"{name}={'|'.join(shown(str(value)) for value in values)}" for name, values in self.at.items())


def restated(scenario: Scenario, stack: str | None) -> Scenario:
    """Return a scenario with a backend's only stack in place of the profiles it asks for.

    The path, the flows, their protocols and their times stay; options and parameters that are asked for one by one stay too, so that a
    backend without them refuses them.

    Parameters
    ----------
    scenario : Scenario
        As an experiment declares it.
    stack : str, optional
        The profile that stands for the backend's stack; None leaves the scenario as it is.
    """
    if stack is None or profiles(scenario) == {stack}:
        return scenario
    flows = tuple(flow.model_copy(update={"profile": None}) for flow in scenario.flows)
    return scenario.model_copy(update={"profile": stack, "flows": flows})


def profiles(scenario: Scenario) -> set[str]:
    """Return the stack profiles a scenario's flows ask for."""
    return {flow.profile or scenario.profile for flow in scenario.flows}


def left_out(points: Mapping[str, Sequence[Any]], refused: Iterable[tuple[Mapping[str, Any], Sequence[str]]]) -> tuple[LeftOut, ...]:
    """Gather refused points by their reasons.

    Parameters
    ----------
    points : mapping of str to sequence
        The experiment's grid.
    refused : iterable of (mapping, sequence of str)
        Points, each with what of its scenario cannot be expressed.

    Returns
    -------
    tuple of LeftOut
        One per reason, in the order of the points.
    """
    found: dict[str, list[Mapping[str, Any]]] = {}
    for point, fields in refused:
        reason = "; ".join(dict.fromkeys(_FLOW.sub("", one) for one in fields))
        found.setdefault(reason, []).append(point)
    gathered = []
    for reason, there in found.items():
        values = {name: tuple(value for value in all_ if any(point[name] == value for point in there)) for name, all_ in points.items()}
        gathered.append(LeftOut({name: own for name, own in values.items() if len(own) < len(points[name])}, reason))
    return tuple(gathered)
