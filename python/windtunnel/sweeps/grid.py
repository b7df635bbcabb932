"""The grid of a sweep: its dimensions and values checked, and the function that lays out its runs."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from windtunnel.experiment import Draws, Point
from windtunnel.scenario import Scenario, ScenarioError
from windtunnel.scenario.errors import shown

MOST_RUNS = 1_000_000
"""Points times seeds of a sweep."""
MOST_SEEDS = 100_000
_RESERVED = ("seed", "metric", "flow", "state", "t0", "t1", "value", "text", "run", "digest", "experiment", "backend", "draws")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")

Values = tuple[Any, ...]


def check_name(name: object) -> str:
    """Return the name of a sweep.

    Raises
    ------
    ScenarioError
        When it is none.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ScenarioError("name", f"{shown(name)} cannot be a sweep's; allowed: up to 64 letters, digits, - and _")
    return name


def check_seeds(seeds: object) -> int:
    """Return the number of repeats.

    Raises
    ------
    ScenarioError
        When it is none.
    """
    if not isinstance(seeds, int) or isinstance(seeds, bool) or not 1 <= seeds <= MOST_SEEDS:
        raise ScenarioError("seeds", f"{shown(seeds)} is no number of repeats; allowed: 1 to {MOST_SEEDS}")
    return seeds


def read(over: Mapping[str, Any], *, seeds: int) -> tuple[dict[str, Values], dict[str, dict[str, Any]]]:
    """Return the dimensions with their values, and what stands behind the names of those that were given as tables.

    Parameters
    ----------
    over : mapping of str to (sequence or mapping)
        Values of each dimension: numbers, or texts; or a table from names to anything.
    seeds : int
        Repeats of each point.

    Returns
    -------
    points : dict of str to tuple
        Dimension to numbers or texts.
    behind : dict of str to dict
        Of a dimension given as a table: name to value.

    Raises
    ------
    ScenarioError
        When a dimension cannot have the name, a value is neither a number nor a text, or there are too many runs.
    """
    if not isinstance(over, Mapping) or not over:
        raise ScenarioError("over", f"{shown(over)} is no table of dimensions; allowed: at least one, as alg = ['reno', 'cubic']")
    points: dict[str, Values] = {}
    behind: dict[str, dict[str, Any]] = {}
    for name, values in over.items():
        if not isinstance(name, str) or not name.isidentifier() or name in _RESERVED:
            raise ScenarioError(
                "over", f"{shown(name)} cannot be a dimension; allowed: a name as in Python, and none of {', '.join(_RESERVED)}"
            )
        if isinstance(values, Mapping):
            behind[name] = dict(values)
        points[name] = _values(name, values)
    runs = math.prod(len(values) for values in points.values()) * seeds
    if runs > MOST_RUNS:
        raise ScenarioError("over", f"makes {runs} runs; allowed: at most {MOST_RUNS}")
    return points, behind


def _values(name: str, values: Any) -> Values:
    field = f"over.{name}"
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise ScenarioError(field, f"{shown(values)} is no list; allowed: at least one number or text")
    found = tuple(_plain(field, value) for value in values)
    if not found:
        raise ScenarioError(field, "is empty; allowed: at least one number or text")
    if len({isinstance(value, str) for value in found}) > 1:
        raise ScenarioError(field, f"{shown(list(found))} has numbers and texts; allowed: either")
    seen: set[Any] = set()
    for value in found:
        if value in seen:
            raise ScenarioError(field, f"{shown(value)} comes twice; allowed: each value once")
        seen.add(value)
    return found


def _plain(field: str, value: Any) -> str | int | float:
    if hasattr(value, "item") and not isinstance(value, str):  # NumPy's numbers.
        value = value.item()
    if isinstance(value, str) and value:
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ScenarioError(field, f"{shown(value)} is not allowed; allowed: finite numbers, texts, or a table from names to anything")
    return value


def layout(
    make: Callable[..., Scenario], dimensions: Sequence[str], behind: Mapping[str, Mapping[str, Any]]
) -> Callable[[Point, Draws], Scenario]:
    """Return what lays out a point's repeat by a user's function.

    Parameters
    ----------
    make : callable
        Takes the dimensions by name, and ``seed`` and ``draws`` if it has arguments of that name.
    dimensions : sequence of str
        Their names.
    behind : mapping
        From `read`.

    Raises
    ------
    ScenarioError
        When the function cannot be called so.
    """
    if not callable(make):
        raise ScenarioError(
            "make", f"{shown(make)} cannot be called; allowed: a function of {', '.join(dimensions)} that returns a Scenario"
        )
    try:
        signature = inspect.signature(make)
    except (TypeError, ValueError):
        signature = None
    more = [name for name in ("seed", "draws") if signature is not None and name in signature.parameters]
    if signature is not None:
        try:
            signature.bind(**dict.fromkeys([*dimensions, *more]))
        except TypeError as error:
            wanted = ", ".join(dimensions)
            raise ScenarioError("make", f"{getattr(make, '__name__', 'it')}{signature} {error}; allowed: a function of {wanted}") from None

    def laid_out(point: Point, draws: Draws) -> Scenario:
        given = {name: behind[name][value] if name in behind else value for name, value in point.items()}
        given |= {name: {"seed": draws.seed, "draws": draws}[name] for name in more}
        scenario = make(**given)
        if not isinstance(scenario, Scenario):
            raise ScenarioError("make", f"returned {type(scenario).__name__} at {dict(point)}; allowed: a Scenario")
        return scenario

    return laid_out
