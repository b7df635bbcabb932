"""One application on several connections: how many flows `ptcp` stands for, and when they start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windtunnel.scenario.controllers import algorithm

if TYPE_CHECKING:
    from windtunnel.scenario.flows import Flow


def _value(flow: Flow, name: str, otherwise: float) -> float:
    """Return a parameter of the application, its default when not given, and `otherwise` where a flow is one connection."""
    # The controllers of whole stacks are not the catalogue's, whatever they are called.
    known = None if flow.stack is not None else algorithm(flow.algorithm)
    parameter = None if known is None else known.parameters.get(name)
    if parameter is None or flow.application is not None:
        return otherwise
    return float(flow.parameters.get(name, parameter.default or otherwise))


def streams(flow: Flow) -> int:
    """Return how many connections one such flow stands for: 1 but for an application that is still whole."""
    return int(_value(flow, "streams", 1.0))


def stagger_s(flow: Flow) -> float:
    """Return the span within which those connections start, in seconds."""
    return _value(flow, "stagger", 0.0)
