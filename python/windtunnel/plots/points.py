"""From the measures table to the points of a figure: one mean with its standard error per panel, series and x."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from windtunnel.plots.declared import Compared, Curves, Value
from windtunnel.stats import summarise

_OWN_COLUMNS = ("flow", "state", "t0", "t1")
DRAWN = ("value", "partly", "bound")
"""Kinds of points that lie on the axes."""
HOLLOW = ("partly", "bound")
"""Those of them that are bounds."""


@dataclass(frozen=True)
class Point:
    """One point of a curve, in the figure's units.

    `kind` is ``value``; ``partly`` when some repeats are infinite, so that the mean is a lower bound; ``bound`` when some are the least
    that can be measured, so that it is an upper bound; ``unreached`` when most are infinite;
    ``below`` when a logarithmic axis has no place for it; ``absent`` when nothing was measured.
    """

    panel: Value | None
    series: Value
    x: Any
    mean: float
    sem: float
    n: int
    kind: str


def points_of(declaration: Curves, measures: pl.DataFrame) -> list[Point]:
    """Reduce the rows of a figure's metric to points.

    Parameters
    ----------
    declaration : Curves
        The figure.
    measures : polars.DataFrame
        The measures table.

    Returns
    -------
    list of Point
        Panels and x in ascending order, series in the order of the table. A point that another series of the panel has and this
        one lacks is there, as ``absent``.

    Raises
    ------
    ValueError
        When the table has no row of the metric, or lacks a column the declaration names.
    """
    rows = _rows(declaration, declaration.metric, measures)
    groups: dict[tuple[Value | None, Value, float], list[float | None]] = {}
    for panel, series, x, value in rows:
        if series is not None and x is not None:
            groups.setdefault((panel, series, float(x)), []).append(value)
    if not groups:
        raise ValueError(f"figure {declaration.name!r}: the table has no row of {declaration.metric} with these values")
    order = list(dict.fromkeys(series for _, series, _ in groups))
    points = []
    for panel in ascending(dict.fromkeys(panel for panel, _, _ in groups)):
        xs = sorted({x for other, _, x in groups if other == panel})
        there = {series for other, series, _ in groups if other == panel}
        points += [_point(declaration, (panel, s, x), groups.get((panel, s, x), [])) for s in order if s in there for x in xs]
    return points if declaration.least is None else _bounded(declaration, declaration.least, measures, groups, points)


def _bounded(
    declaration: Curves,
    least: str,
    measures: pl.DataFrame,
    groups: Mapping[tuple[Value | None, Value, float], list[float | None]],
    points: list[Point],
) -> list[Point]:
    """Return the points, with those as bounds of which a repeat is the least that can be measured."""
    smallest: dict[tuple[Value | None, Value, float], list[float | None]] = {}
    for panel, series, x, value in _rows(declaration, least, measures):
        if series is not None and x is not None:
            smallest.setdefault((panel, series, float(x)), []).append(value)

    def is_bound(point: Point) -> bool:
        place = (point.panel, point.series, point.x)
        pairs = zip(groups.get(place, []), smallest.get(place, []), strict=False)
        return any(value is not None and limit is not None and value <= limit * (1 + 1e-9) for value, limit in pairs)

    return [replace(point, kind="bound") if point.kind == "value" and is_bound(point) else point for point in points]


@dataclass(frozen=True)
class Other:
    """The same points of a figure, measured by something else.

    Parameters
    ----------
    label : str
        What measured them, such as ``Linux kernel``.
    points : list of Point
        Those that have a value.
    """

    label: str
    points: list[Point]


def others_of(declaration: Curves | Compared, beside: Mapping[str, pl.DataFrame]) -> list[Other]:
    """Reduce the tables of other backends to a figure's points.

    Parameters
    ----------
    declaration : Curves or Compared
        The figure.
    beside : mapping of str to polars.DataFrame
        Tables of measures by what measured them.

    Returns
    -------
    list of Other
        In the order given, without those that have no point of this figure.
    """
    found = []
    for label, measures in beside.items():
        try:
            points = named_points_of(declaration, measures) if isinstance(declaration, Compared) else points_of(declaration, measures)
        except ValueError:
            continue  # It has not measured this.
        points = [point for point in points if point.kind != "absent"]
        if points:
            found.append(Other(label, points))
    return found


def named_points_of(declaration: Compared, measures: pl.DataFrame) -> list[Point]:
    """Reduce the rows of a figure's metric to points whose `x` is a name.

    Parameters
    ----------
    declaration : Compared
        The figure.
    measures : polars.DataFrame
        The measures table.

    Returns
    -------
    list of Point
        In the order of the table. Repeats of a point, and dimensions that the figure does not name, are averaged over.

    Raises
    ------
    ValueError
        When the table has no row of the metric, or lacks a column the declaration names.
    """
    groups: dict[tuple[Value | None, Value, Value], list[float | None]] = {}
    for panel, series, x, value in _rows(declaration, declaration.metric, measures):
        if series is not None and x is not None:
            groups.setdefault((panel, series, x), []).append(value)
    if not groups:
        raise ValueError(f"figure {declaration.name!r}: the table has no row of {declaration.metric} with these values")
    return [_point(declaration, place, values) for place, values in groups.items()]


def mean_line(
    declaration: Curves, metric: str, measures: pl.DataFrame, *, alg: str | None, panel: Value | None
) -> tuple[list[float], list[float]]:
    """Return x and the mean of another metric in one panel, for a prediction that is measured.

    Parameters
    ----------
    declaration : Curves
        The figure.
    metric : str
        The metric.
    measures : polars.DataFrame
        The measures table.
    alg : str, optional
        Only the rows of this series.
    panel : str or float, optional
        The panel.

    Returns
    -------
    tuple of (list of float, list of float)
        x ascending, and the means; points without a finite value are left out.
    """
    groups: dict[float, list[float]] = {}
    for other, series, x, value in _rows(declaration, metric, measures):
        if other == panel and x is not None and value is not None and math.isfinite(value) and alg in (None, series):
            groups.setdefault(float(x), []).append(value)
    xs = sorted(groups)
    return xs, [math.fsum(groups[x]) / len(groups[x]) for x in xs]


def _rows(declaration: Curves | Compared, metric: str, measures: pl.DataFrame) -> Iterable[tuple[Any, ...]]:
    named = [declaration.x, declaration.series, *([declaration.panels] if declaration.panels else []), *declaration.fixed]
    lacking = [column for column in named if column not in measures.columns]
    if lacking:
        raise ValueError(f"figure {declaration.name!r}: the table has no column {lacking[0]!r}")
    chosen = measures.filter(pl.col("metric") == metric)
    for column, value in declaration.fixed.items():
        chosen = chosen.filter(pl.col(column) == value)
    if declaration.algs:
        # In the order of the declaration, so that a figure reads the same whatever the grid's order is.
        order = {name: place for place, name in enumerate(declaration.algs)}
        chosen = chosen.filter(pl.col("alg").is_in(declaration.algs)).sort(pl.col("alg").replace_strict(order), maintain_order=True)
    for column in _OWN_COLUMNS:
        if column in measures.columns and column not in named:
            chosen = chosen.filter(pl.col(column).is_null())
    panel = pl.col(declaration.panels) if declaration.panels else pl.lit(None)
    columns = [panel.alias("panel"), pl.col(declaration.series).alias("series"), pl.col(declaration.x).alias("x"), pl.col("value")]
    return chosen.sort("seed", maintain_order=True).select(columns).iter_rows()


def _point(declaration: Curves | Compared, place: tuple[Value | None, Value, Any], repeats: list[float | None]) -> Point:
    values = [value for value in repeats if value is not None and not math.isnan(value)]
    if not values:
        return Point(*place, mean=math.nan, sem=math.nan, n=0, kind="absent")
    summary = summarise(values, censored_at=declaration.censored_at)
    mean, sem = float(summary.mean), float(summary.sem)
    if not math.isfinite(mean):
        kind = "unreached"
    elif declaration.y_log and mean <= 0:
        kind = "below"
    else:
        kind = "partly" if summary.infinite else "value"
    return Point(*place, mean=mean, sem=sem if math.isfinite(sem) else 0.0, n=int(summary.n), kind=kind)


def ascending(values: Iterable[Value | None]) -> list[Value | None]:
    """Sort numbers; leave names in their order.

    Parameters
    ----------
    values : iterable of str, float or None
        The values, each once.

    Returns
    -------
    list
        The same values.
    """
    listed = list(values)
    numbers = [value for value in listed if isinstance(value, int | float)]
    return [*sorted(numbers)] if len(numbers) == len(listed) else listed


def unreached_label(metric: str) -> str:
    """Return what an infinite value of a metric means, for legends and captions."""
    return "not converged" if metric.startswith("conv") else "not reached"


def hollow_label(metric: str, points: Iterable[Point]) -> str:
    """Return what a hollow mark of a figure means, for its legend; nothing where there is none."""
    kinds = {point.kind for point in points}
    said = [unreached_label(metric)] if kinds & {"unreached", "partly"} else []
    return " or ".join([*said, *(["upper bound"] if "bound" in kinds else [])])


def remarks_on(declaration: Curves | Compared, points: list[Point], others: Sequence[Other] = ()) -> list[str]:
    """Say what the marks mean and how many points are missing.

    Parameters
    ----------
    declaration : Curves or Compared
        The figure.
    points : list of Point
        Its points.
    others : sequence of Other
        Those of other backends.

    Returns
    -------
    list of str
        Whole sentences.
    """
    said = _remarks(declaration, points)
    for other in others:
        repeats = sorted({point.n for point in other.points if point.n})
        count = f"{repeats[0]}" if len(repeats) == 1 else f"{repeats[0]} to {repeats[-1]}" if repeats else "no"
        said.append(f"Half-filled: {other.label}, {count} repeat{'' if count == '1' else 's'}.")
        edge = sum(point.kind in ("unreached", "below") for point in other.points)
        if edge:
            said.append(f"{_points(edge)} of these beyond an edge, with an arrow.")
        lower = sum(point.kind == "partly" for point in other.points)
        upper = sum(point.kind == "bound" for point in other.points)
        if upper:
            said.append(f"{_points(upper)} of these at the least that can be measured: an upper bound.")
        if lower:
            said.append(f"{_points(lower)} of these {unreached_label(declaration.metric)} in some repeats: the mean is a lower bound.")
    return said


def _remarks(declaration: Curves | Compared, points: list[Point]) -> list[str]:
    kinds = Counter(point.kind for point in points)
    repeats = sorted({point.n for point in points if point.n})
    label = unreached_label(declaration.metric)
    said = []
    if repeats and repeats[-1] > 1:
        count = f"{repeats[0]}" if len(repeats) == 1 else f"{repeats[0]} to {repeats[-1]}"
        said.append(f"Points are means of {count} repeats; bars are ± one standard error.")
    if kinds["unreached"]:
        said.append(f"{_points(kinds['unreached'])} {label} within the run in most repeats: hollow, at the top edge, with an arrow.")
    if kinds["partly"]:
        counted = "" if declaration.censored_at is None else f", counted as {declaration.censored_at:g}"
        said.append(f"{_points(kinds['partly'])} {label} in some repeats{counted}: hollow, the mean is a lower bound.")
    if kinds["bound"]:
        said.append(f"{_points(kinds['bound'])} at the least that can be measured in some repeats: hollow, an upper bound.")
    if kinds["below"]:
        said.append(
            f"{_points(kinds['below'])} zero, which a logarithmic axis has no place for: hollow, at the bottom edge, with an arrow."
        )
    if kinds["absent"]:
        said.append(f"{_points(kinds['absent'])} without a value: left out.")
    return said


def _points(count: int) -> str:
    return "One point" if count == 1 else f"{count} points"
