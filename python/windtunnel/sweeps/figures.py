"""Figures of a sweep: which dimension goes where, and drawing them from its frame."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from windtunnel import plots
from windtunnel.experiment import Measure
from windtunnel.metrics import MEASURES
from windtunnel.plots import Compared, Curves, Declaration
from windtunnel.report.stored import HEADINGS
from windtunnel.scenario import ScenarioError
from windtunnel.scenario.errors import unknown
from windtunnel.sweeps.frame import dimensions_of, long
from windtunnel.sweeps.measures import label

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_FIGURES = 24
"""Of a sweep that declares none; a grid of many dimensions would have thousands."""
MOST_PANELS = 9
_LOG_FROM = 15.0
"""An axis over more than this ratio is logarithmic."""


def declared(
    points: Mapping[str, Sequence[Any]], measures: Sequence[Measure], *, longest_s: float, headings: Mapping[str, str]
) -> tuple[Declaration, ...]:
    """Declare the figures of a grid: each measure against its longest dimension of numbers, with standard errors.

    Parameters
    ----------
    points : mapping of str to sequence
        The grid.
    measures : sequence of Measure
        What is measured.
    longest_s : float
        Duration of the longest run, s: what a time that was not reached counts as while at most half of the repeats lack it.
    headings : mapping of str to str
        What dimensions are called, by name.

    Returns
    -------
    tuple of Curves or Compared
        None where nothing varies.
    """
    found = [figure for one in measures for figure in _of_measure(points, one, longest_s)]
    called = {**HEADINGS, **headings}
    return tuple(replace(figure, x_label=called.get(figure.x, figure.x)) for figure in found[:MOST_FIGURES])


@dataclass(frozen=True)
class _Roles:
    """Which dimension goes where: the rest have no place in one figure."""

    x: str
    series: str | None
    panels: str | None
    rest: tuple[str, ...]


def _roles(points: Mapping[str, Sequence[Any]], given: Mapping[str, str | None]) -> _Roles | None:
    """Give every dimension that varies a place, those first that have one already; None where nothing varies."""
    taken = set(given.values())
    varied = {name: values for name, values in points.items() if len(values) > 1 and name not in taken}
    texts = sorted((name for name, values in varied.items() if isinstance(values[0], str)), key=lambda name: name != "alg")
    numbers = [name for name in varied if name not in texts]
    x = given.get("x") or (max(numbers, key=lambda name: len(varied[name])) if numbers else next(iter(texts), None))
    if x is None:
        return None
    others = [name for name in [*texts, *numbers] if name != x]
    series = given.get("series") or (others.pop(0) if others else None)
    panels = given.get("panels") or next((name for name in others if len(varied[name]) <= MOST_PANELS), None)
    return _Roles(x, series, panels, tuple(name for name in others if name != panels))


def _of_measure(points: Mapping[str, Sequence[Any]], one: Measure, longest_s: float) -> Iterator[Curves | Compared]:
    roles = _roles(points, {})
    if roles is not None:
        for values in itertools.product(*(points[name] for name in roles.rest)):
            yield _figure(one, roles, dict(zip(roles.rest, values, strict=True)), points[roles.x], longest_s)


def _figure(one: Measure, roles: _Roles, at: Mapping[str, Any], xs: Sequence[Any], longest_s: float | None) -> Curves | Compared:
    name = label(one)
    unit = MEASURES[one.metric].unit if one.metric in MEASURES else ""
    said = "".join(f", {key} {value}" for key, value in at.items())
    qualified = {key: value for key, value in (("flow", one.flow), ("t0", one.t0), ("t1", one.t1)) if value is not None}
    shape: dict[str, Any] = {
        "name": re.sub(r"[^A-Za-z0-9_]+", "-", f"{name}{said}"),
        "title": f"{name} by {roles.x}{said}",
        "metric": one.metric,
        "panels": roles.panels,
        "x": roles.x,
        "x_label": HEADINGS.get(roles.x, roles.x),
        "y_label": name if unit in ("", "1", "name", "count") else f"{name} ({unit})",
        "fixed": {**qualified, **at},
        "censored_at": longest_s,
    }
    if isinstance(xs[0], str):
        return Compared(series=roles.series or roles.x, **shape)
    is_log = min(xs) > 0 and max(xs) / min(xs) >= _LOG_FROM
    return Curves(series=roles.series or "metric", x_log=is_log, **shape)


def plot_sweep(
    frame: pl.DataFrame,
    measure: str,
    path: str | Path | None = None,
    *,
    x: str | None = None,
    series: str | None = None,
    panels: str | None = None,
    at: Mapping[str, str | float] | None = None,
    censored_at: float | None = None,
) -> Figure:
    """Draw one measure of a sweep: means over the seeds with their standard errors.

    Parameters
    ----------
    frame : polars.DataFrame
        What `sweep` returned, or rows of it.
    measure : str
        A column of it.
    path : str or Path, optional
        Also write it there: svg, pdf or png by the suffix.
    x : str, optional
        The dimension along the x axis; the one of numbers with most values when absent.
    series, panels : str, optional
        The dimensions that make curves and panels; the next ones when absent.
    at : mapping of str to (str or float), optional
        Values of the other dimensions; of those that are not named here all rows are averaged over.
    censored_at : float, optional
        What a time that was not reached counts as while at most half of a point's repeats lack it: the duration of the runs, s.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.

    Raises
    ------
    ScenarioError
        When there is no such column or nothing to draw, or the file cannot be written.
    """
    dimensions = dimensions_of(frame)
    columns = [name for name in frame.columns if name not in (*dimensions, "seed", "run")]
    if measure not in columns:
        raise ScenarioError("measure", unknown("column of the frame", measure, columns))
    for field, name in (("x", x), ("series", series), ("panels", panels), *(("at", name) for name in at or {})):
        if name is not None and name not in dimensions:
            raise ScenarioError(field, unknown("dimension of the frame", name, dimensions))
    table = long(frame, measure)
    points = {name: tuple(frame[name].unique(maintain_order=True)) for name in dimensions}
    fixed = dict(at or {})
    given = {"x": x, "series": series, "panels": panels}
    roles = _roles({name: values for name, values in points.items() if name not in fixed}, given)
    roles = roles or _Roles(next(name for name in dimensions if name not in fixed), series, panels, ())
    figure = _figure(Measure(measure), roles, fixed, points[roles.x], censored_at)
    try:
        drawn = plots.draw(figure, measures=table)
    except ValueError as error:
        raise ScenarioError(
            "measure", f"{measure}: {error}; allowed: a column with numbers, and censored_at where some are infinite"
        ) from None
    if path is not None:
        plots.save(drawn, Path(path))
    return drawn
