"""Metrics of several points: computed here per repeat, from the repeats of the same seed at every point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from windtunnel.claims.model import MissingPoint, PredicateError
from windtunnel.claims.several import Part, Several
from windtunnel.claims.tables import Repeats
from windtunnel.metrics import response

DERIVED = {"knee_q": ("q", "util"), "rf_slope": ("p", "thr_mbps")}
"""Metric: the dimension it runs over, and the metric it is computed from."""


@dataclass(frozen=True)
class Swept:
    """A metric that is computed from all points along a dimension, or from those in a closed interval."""

    metric: str
    bounds: tuple[float, float] | None

    @property
    def over(self) -> str:
        """The dimension it runs over."""
        return DERIVED[self.metric][0]

    @property
    def of(self) -> str:
        """The metric it is computed from."""
        return DERIVED[self.metric][1]

    def holds(self, value: float) -> bool:
        """Return whether a point belongs to the sweep; the bounds are points, up to rounding."""
        if self.bounds is None:
            return True
        low, high = self.bounds
        return low * (1 - 1e-9) <= value <= high * (1 + 1e-9)


def derive(swept: Swept, group: list[tuple[float, Repeats]], rate_mbps: float | None) -> Repeats:
    """Compute a metric of several points for each repeat.

    Parameters
    ----------
    swept : Swept
        The metric.
    group : list of (float, Repeats), shape (n,)
        The point's value along the dimension and its repeats, in ascending order.
    rate_mbps : float or None
        Link rate, Mbit/s.

    Returns
    -------
    Repeats
        One value for each seed that every point has.

    Raises
    ------
    MissingPoint
        When no seed has a value at every point.
    PredicateError
        When the link rate is needed and not known, or the points do not suffice.
    """
    points = [point for _, point in group]
    if rate_mbps is None and swept.metric == "rf_slope":
        raise PredicateError(f"{points[0].experiment.id}: rf_slope needs the link rate, which its experiment does not give")

    def value(values: list[Any]) -> float | None:
        return _value(swept, [x for x, _ in group], values, rate_mbps)

    return _joined(points, value, metric=swept.metric)


def together(several: Several, group: Sequence[tuple[Part, Repeats]], metric: str) -> Repeats:
    """Compute a metric of several points for each repeat; see `derive`.

    Parameters
    ----------
    several : Several
        How it is made.
    group : sequence of (Part, Repeats)
        Its parts.
    metric : str
        Its name.

    Returns
    -------
    Repeats
        One value for each seed that every part has.

    Raises
    ------
    MissingPoint
        When no seed has a value at every part.
    """
    if not group:
        raise MissingPoint(f"{metric}: no point is selected")
    points = [repeats for _, repeats in group]
    experiment = points[0].experiment

    def value(values: list[Any]) -> float | None:
        return several.function([replace(part, value=one) for (part, _), one in zip(group, values, strict=True)], experiment)

    return _joined(points, value, metric=metric)


def _joined(points: list[Repeats], function: Callable[[list[Any]], float | None], *, metric: str) -> Repeats:
    """Return a value for each seed that every point has."""
    places = [{seed: place for place, seed in enumerate(point.seeds)} for point in points]
    seeds = [seed for seed in points[0].seeds if all(seed in where for where in places)]
    found: list[tuple[int, float, str | None]] = []
    for seed in seeds:
        at = [where[seed] for where in places]
        value = function([point.values[place] for point, place in zip(points, at, strict=True)])
        digests = dict.fromkeys(point.digests[place] for point, place in zip(points, at, strict=True))
        if value is not None:
            found.append((seed, value, "+".join(str(digest) for digest in digests) if all(digests) else None))
    place = f"{points[0].experiment.id}: {metric} of {len(points)} points from {points[0].place.partition(': ')[2]}"
    if not found:
        raise MissingPoint(f"{place} has no value")
    return Repeats(
        experiment=points[0].experiment,
        place=place,
        seeds=tuple(seed for seed, _, _ in found),
        values=tuple(value for _, value, _ in found),
        runs=frozenset().union(*(point.runs for point in points)),
        digests=tuple(digest for _, _, digest in found),
        absent=max(len(point.seeds) + point.absent for point in points) - len(found),
    )


def _value(swept: Swept, x: list[float], y: list[Any], rate_mbps: float | None) -> float | None:
    try:
        if swept.metric == "knee_q" or rate_mbps is None:
            return response.knee(x, y)
        return response.response_slope(x, y, rate_mbps=rate_mbps)
    except ValueError as error:
        raise PredicateError(f"{swept.metric}: {error}") from None
