"""Draw runs in the plane of two metrics: a dot for each, an ellipse of one standard deviation and the median for each series."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from windtunnel.plots.axes import Grid, legend_above, legend_rows, number, panel_title, sheet, styled
from windtunnel.plots.declared import Ellipses, Value
from windtunnel.plots.points import ascending
from windtunnel.plots.style import PAPER, QUEUE_LOOK, RULE, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

FEWEST = 3
"""Runs that determine the centre and the spread of two quantities."""
_COLUMNS = 3
_ANGLES = np.linspace(0.0, 2 * math.pi, 121)
_APART = ("cubic", "htcp", "bic", "hstcp", "scalable", "vegas", "westwood", "illinois", "fast", "ctcp", "reno")
"""Protocols whose colours are those of other names, in order."""
_MARKERS = "os^Dv"


@dataclass(frozen=True)
class Cloud:
    """The runs of a series in a panel: `runs` has shape (runs, 2), the x and the y of each."""

    panel: Value | None
    series: Value
    runs: Array


def clouds_of(declaration: Ellipses, measures: pl.DataFrame) -> list[Cloud]:
    """Reduce a measures table to the runs of each series.

    Parameters
    ----------
    declaration : Ellipses
        The figure.
    measures : polars.DataFrame
        The measures table.

    Returns
    -------
    list of Cloud
        Panels in ascending order, series in the order of the table. A run that lacks one of the metrics is left out.

    Raises
    ------
    ValueError
        When no run has both metrics, or the table lacks a column that the declaration names.
    """
    named = [name for name in (declaration.panels, declaration.series, *declaration.fixed) if name is not None]
    lacking = [name for name in named if name not in measures.columns]
    if lacking:
        raise ValueError(f"figure {declaration.name!r}: the table has no column {lacking[0]!r}")
    rows = measures.filter(pl.col("metric").is_in([declaration.x, declaration.y]), pl.col("value").is_finite())
    for column in ("flow", "state", "t0", "t1"):
        if column in rows.columns and column not in declaration.fixed:
            rows = rows.filter(pl.col(column).is_null())
    for column, value in declaration.fixed.items():
        rows = rows.filter(pl.col(column) == value)
    if declaration.algs and "alg" in rows.columns:
        rows = rows.filter(pl.col("alg").is_in(declaration.algs))
    found: dict[tuple[Any, Any], dict[str, dict[str, float]]] = {}
    for row in rows.iter_rows(named=True):
        place = (row[declaration.panels] if declaration.panels else None, row[declaration.series])
        run = str((row.get("run"), row["seed"]))
        found.setdefault(place, {}).setdefault(run, {})[row["metric"]] = float(row["value"])
    clouds = []
    for panel in ascending(dict.fromkeys(panel for panel, _ in found)):
        for (other, series), runs in found.items():
            both = [(one[declaration.x], one[declaration.y]) for one in runs.values() if declaration.x in one and declaration.y in one]
            if other == panel and both:
                clouds.append(Cloud(panel, series, np.asarray(both, dtype=float)))
    if not clouds:
        raise ValueError(f"figure {declaration.name!r}: no run has both {declaration.x} and {declaration.y}")
    return clouds


def contour(runs: Array) -> Array | None:
    """Return the contour of one standard deviation of the Gaussian of greatest likelihood.

    Parameters
    ----------
    runs : numpy.ndarray, shape (runs, 2)
        The x and the y of each.

    Returns
    -------
    numpy.ndarray, shape (121, 2), or None
        Points around the mean at Mahalanobis distance 1 by the covariance over n (not n - 1); None for fewer than three runs.
    """
    if len(runs) < FEWEST:
        return None
    centre = runs.mean(axis=0)
    covariance = (runs - centre).T @ (runs - centre) / len(runs)
    spread, axes = np.linalg.eigh(covariance)
    circle = np.stack((np.cos(_ANGLES), np.sin(_ANGLES)))
    drawn: Array = centre + (axes @ (np.sqrt(np.maximum(spread, 0.0))[:, None] * circle)).T
    return drawn


def draw_ellipses(declaration: Ellipses, measures: pl.DataFrame | None) -> Figure:
    """Draw the runs of every series, its ellipse and its median, a panel for each value of the panels' dimension.

    Parameters
    ----------
    declaration : Ellipses
        The figure.
    measures : polars.DataFrame, optional
        The measures table.

    Returns
    -------
    matplotlib.figure.Figure
        In the units of the metrics.

    Raises
    ------
    ValueError
        When there is no table or nothing in it to draw.
    """
    if measures is None:
        raise ValueError(f"figure {declaration.name!r}: a measures table is needed")
    clouds = clouds_of(declaration, measures)
    panels = list(dict.fromkeys(cloud.panel for cloud in clouds))
    looks = _looks(declaration, list(dict.fromkeys(cloud.series for cloud in clouds)))
    with styled():
        handles = _legend(looks)
        rows = len(legend_rows([str(handle.get_label()) for handle in handles]))
        grid = Grid(len(panels), min(len(panels), _COLUMNS), 2.4, legend_rows=rows, gap_in=0.5, row_gap_in=0.5)
        figure, axes = sheet(grid, titled=declaration.panels is not None)
        for place, (axis, panel) in enumerate(zip(axes, panels, strict=True)):
            axis.set_title(panel_title(declaration.panels, panel))
            axis.grid(True, color=RULE, linewidth=0.5)
            _draw(axis, [cloud for cloud in clouds if cloud.panel == panel], looks)
            if place % grid.columns == 0:
                axis.set_ylabel(declaration.y_label or declaration.y)
            if place >= len(panels) - grid.columns:
                axis.set_xlabel(declaration.x_label or declaration.x)
        legend_above(figure, handles, left_in=grid.left_in)
        return figure


def _looks(declaration: Ellipses, series: Sequence[Value]) -> dict[Value, tuple[str, str]]:
    """Return a colour and a marker for each series: the protocols' own, or the palette in turn."""
    if declaration.series == "alg" or all(value in QUEUE_LOOK for value in series):
        return {value: look(str(value)) for value in series}
    return {value: (look(_APART[place % len(_APART)])[0], _MARKERS[place // len(_APART)]) for place, value in enumerate(series)}


def _legend(looks: Mapping[Value, tuple[str, str]]) -> list[Line2D]:
    from matplotlib.lines import Line2D

    return [
        Line2D([], [], color=colour, marker=marker, markersize=4.6, mec=PAPER, mew=0.4, label=str(value))
        for value, (colour, marker) in looks.items()
    ]


def _draw(axis: Axes, clouds: Sequence[Cloud], looks: Mapping[Value, tuple[str, str]]) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    for cloud in clouds:
        colour, marker = looks[cloud.series]
        axis.plot(cloud.runs[:, 0], cloud.runs[:, 1], linestyle="none", marker=".", markersize=2.2, color=colour, alpha=0.55, zorder=2)
        around = contour(cloud.runs)
        if around is not None:
            axis.plot(around[:, 0], around[:, 1], color=colour, linewidth=0.9, zorder=2.5)
        x, y = np.median(cloud.runs, axis=0)
        axis.plot([x], [y], linestyle="none", marker=marker, markersize=5, color=colour, mec=PAPER, mew=0.4, zorder=3, clip_on=False)
    axis.set_xlim(left=min(0.0, *axis.get_xlim()))
    for one in (axis.xaxis, axis.yaxis):
        one.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
        one.set_major_formatter(FuncFormatter(lambda value, _: number(value)))


def remarks_on_ellipses(declaration: Ellipses, measures: pl.DataFrame) -> list[str]:
    """Say what dots, ellipses and markers are, and of how many runs."""
    counts = sorted({len(cloud.runs) for cloud in clouds_of(declaration, measures)})
    runs = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    said = [f"A dot is a run, {runs} of each; a marker is their median."]
    if counts[-1] >= FEWEST:
        said.append("An ellipse is one standard deviation of the Gaussian of greatest likelihood.")
    return said
