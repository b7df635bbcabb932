"""What is measured on every run of a sweep: metrics of the register by name, and functions of the user's."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from windtunnel.experiment import Measure
from windtunnel.metrics import MEASURES, View, measured
from windtunnel.run import Run
from windtunnel.scenario import ScenarioError
from windtunnel.scenario.errors import shown, unknown

Value: TypeAlias = "float | str | None"
Asked: TypeAlias = "str | Measure | Callable[[Run], float | str | None]"
"""A metric's name, as ``util`` or ``thr_mbps,flow=2,t0=10``; a declared measure; or a function of a run."""

_DISTURBED = ("refill_s", "onset_delay_s", "ai_eff")
"""Their `t0` is the moment of a disturbance, not the beginning of a window."""
_KEYS = ("flow", "t0", "t1")


def of_run(function: Callable[[Run], Value], view: View) -> Value:
    """Return what a user's function gives of a run."""
    return function(Run(view.records))


def since_warmup(metric: str, flow: str | None, t0: float | None, t1: float | None, view: View) -> Value:
    """Return a metric of a run whose window begins where the scenario's warm-up ends, if it does not say otherwise."""
    if t0 is None and MEASURES[metric].windowed and metric not in _DISTURBED:
        t0 = float(view.scenario["warmup_s"])
    if t1 is None and MEASURES[metric].windowed:
        t1 = view.duration_s
    return measured(metric, view, flow=flow, t0=t0, t1=t1)


def label(one: Measure) -> str:
    """Return what a measure's column is called: the metric, and what qualifies it, as ``thr_mbps,flow=2``."""
    parts = [one.metric, *(f"{key}={getattr(one, key)}" for key in ("flow", "state", "t0", "t1") if getattr(one, key) is not None)]
    return ",".join(parts)


def read(asked: Sequence[Asked]) -> tuple[Measure, ...]:
    """Return the measures that are asked for.

    Parameters
    ----------
    asked : sequence of str, callable or Measure
        At least one; each under a name of its own.

    Raises
    ------
    ScenarioError
        When one is not known, has no name, or comes twice.
    """
    if isinstance(asked, str) or not isinstance(asked, Sequence) or not asked:
        raise ScenarioError("measures", f"{shown(asked)} is no list; allowed: at least one metric's name or function of a run")
    found = [_read(one) for one in asked]
    names = [label(one) for one in found]
    for name in names:
        if names.count(name) > 1:
            raise ScenarioError("measures", f"{name!r} comes twice; allowed: each measure once")
    return tuple(found)


def _read(one: Any) -> Measure:
    if isinstance(one, str):
        return _named(one)
    if isinstance(one, Measure):
        return one if one.function is not None else _windowed(one)
    if not callable(one):
        raise ScenarioError("measures", f"{shown(one)} is no measure; allowed: a metric's name, a function of a run, a Measure")
    name = getattr(one, "__name__", "")
    if not name.isidentifier():
        raise ScenarioError("measures", f"{shown(one)} has no name; allowed: a function that is defined with def")
    if name in MEASURES:
        raise ScenarioError("measures", f"function {name} has the name of a metric; allowed: another name")
    return Measure(name, function=functools.partial(of_run, one))


def _named(text: str) -> Measure:
    name, *given = (part.strip() for part in text.split(","))
    values: dict[str, str] = {}
    for part in given:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if key not in _KEYS or not equals or not value or key in values:
            raise ScenarioError(
                "measures", f"{shown(part)} of {shown(text)} is not read; allowed once each: flow=NUMBER|sum|NAME, t0=S, t1=S"
            )
        values[key] = value
    t0, t1 = (_seconds(text, values[key]) if key in values else None for key in ("t0", "t1"))
    return _windowed(Measure(name, flow=values.get("flow"), t0=t0, t1=t1))


def _seconds(text: str, value: str) -> float:
    from windtunnel.scenario import units

    try:
        return units.parse(value, "s")
    except ValueError as error:
        raise ScenarioError("measures", f"{shown(text)}: {error}") from None


def _windowed(one: Measure) -> Measure:
    if one.metric not in MEASURES:
        raise ScenarioError("measures", unknown("metric", one.metric, MEASURES))
    chosen = MEASURES[one.metric]
    if one.flow is not None and not chosen.by_flow:
        raise ScenarioError("measures", f"{label(one)}: {one.metric} is not of a flow; allowed: {one.metric}")
    if (one.t0 is not None or one.t1 is not None) and not chosen.windowed:
        raise ScenarioError("measures", f"{label(one)}: {one.metric} has a window of its own; allowed: {one.metric}")
    function = functools.partial(since_warmup, one.metric, one.flow, one.t0, one.t1)
    return Measure(one.metric, one.flow, one.state, one.t0, one.t1, function)
