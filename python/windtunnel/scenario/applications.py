"""One application on several connections: `ptcp` as the flows it stands for."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from windtunnel.scenario.checks import algorithm_of

if TYPE_CHECKING:
    from windtunnel.scenario.models import Flow


def _value(flow: Flow, name: str, otherwise: float) -> float:
    """Return a parameter of the application, its default when not given, and `otherwise` where a flow is one connection."""
    parameter = algorithm_of(flow.algorithm).parameters.get(name)
    if parameter is None or flow.application is not None:
        return otherwise
    return float(flow.parameters.get(name, parameter.default or otherwise))


def streams(flow: Flow) -> int:
    """Return how many connections one such flow stands for: 1 but for an application that is still whole."""
    return int(_value(flow, "streams", 1.0))


def stagger_s(flow: Flow) -> float:
    """Return the span within which those connections start, in seconds."""
    return _value(flow, "stagger", 0.0)


def connections(flow: Flow, application: int, seed: int) -> list[Flow]:
    """Return the connections of an application, which share its bytes equally.

    Parameters
    ----------
    flow : Flow
        The application, with `streams` and `stagger` among its parameters or their defaults.
    application : int
        The number its connections get.
    seed : int
        Of the run: all connections but the first start at random within the stagger.

    Returns
    -------
    list of Flow
        Each without the application's parameters; fewer than `streams` when there are fewer bytes.
    """
    count = streams(flow) if flow.bytes is None else min(streams(flow), flow.bytes)
    draws = random.Random(f"{seed}/application{application}/stagger")
    span_s = stagger_s(flow)
    own = {key: value for key, value in flow.parameters.items() if key not in ("streams", "stagger")}
    made = []
    for number in range(count):
        start_s = flow.start_s + (round(span_s * draws.random(), 9) if number else 0.0)
        size = None if flow.bytes is None else flow.bytes // count + (number < flow.bytes % count)
        made.append(flow.model_copy(update={"application": application, "parameters": own, "start_s": start_s, "bytes": size}))
    return made
