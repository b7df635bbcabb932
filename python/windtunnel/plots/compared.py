"""Draw a metric by name, with printed numbers beside the measured ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from windtunnel.foreign import is_made, shown
from windtunnel.plots.axes import Grid, legend_above, legend_rows, panel_title, sheet, styled, y_ticks
from windtunnel.plots.curves import HALF
from windtunnel.plots.declared import Compared, Published, Value
from windtunnel.plots.points import Point, ascending, named_points_of, others_of
from windtunnel.plots.style import INK, PAPER, QUIET, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

_GROUP = 0.62
"""Share of the distance between two names that their marks take."""
_ASIDE = 0.4
"""A printed number stands this share of a mark's place to the right of the measured one."""
_SIZE = 4.6
_LETTERS_IN_ROW = 20
"""Names of more letters than a panel has room for are written askew."""
_LETTERS_IN_SHEET, _BETWEEN = 95, 2
"""The same of a figure of one panel, and what stands between two names."""


@dataclass(frozen=True)
class _Layout:
    """Where every name and series stands in a panel."""

    names: tuple[Value, ...]
    series: tuple[Value, ...]

    @property
    def step(self) -> float:
        return _GROUP / max(len(self.series), 1)

    def at(self, name: Value, series: Value) -> float:
        if series not in self.series:
            return self.names.index(name)
        return self.names.index(name) + (self.series.index(series) - (len(self.series) - 1) / 2) * self.step


def draw_compared(declaration: Compared, measures: pl.DataFrame | None, beside: Mapping[str, pl.DataFrame]) -> Figure:
    """Draw one metric at every name, a panel for each value of the panels' dimension.

    Parameters
    ----------
    declaration : Compared
        The figure.
    measures : polars.DataFrame, optional
        The measures table.
    beside : mapping of str to polars.DataFrame
        Those of other backends: half-filled marks to the left of the others.

    Returns
    -------
    matplotlib.figure.Figure
        In the units of the metric.

    Raises
    ------
    ValueError
        When there is no table or nothing in it to draw.
    """
    if measures is None:
        raise ValueError(f"figure {declaration.name!r}: a measures table is needed")
    own, others = named_points_of(declaration, measures), others_of(declaration, beside)
    points = [*own, *(point for other in others for point in other.points)]
    panels = ascending(dict.fromkeys(point.panel for point in points))
    own_colours = declaration.series == declaration.x
    every = _ascending(point.series for point in points)
    # Controllers of whole stacks have looks of their own wherever they stand.
    stacks = any("@" in str(value) for value in every)
    looks = {value: look(str(value)) for value in every} if own_colours or stacks else dict(zip(every, _looks(), strict=False))
    with styled():
        handles = _legend(declaration, [] if own_colours else every, looks, [other.label for other in others])
        rows = len(legend_rows([str(handle.get_label()) for handle in handles]))
        names = [str(name) for name in dict.fromkeys(point.x for point in points)]
        letters = sum(len(name) for name in names)
        askew = letters > _LETTERS_IN_ROW if len(panels) > 1 else letters + _BETWEEN * len(names) > _LETTERS_IN_SHEET
        grid = Grid(len(panels), len(panels), 2.45, legend_rows=rows, gap_in=0.24, bottom_in=0.66 if askew else 0.36)
        figure, axes = sheet(grid, titled=declaration.panels is not None)
        low, high = _limits(declaration, points)
        for number, (axis, panel) in enumerate(zip(axes, panels, strict=True)):
            mine = [point for point in points if point.panel == panel]
            layout = _layout(mine, own_colours)
            _frame(declaration, axis, layout, (low, high), askew=askew)
            _draw(axis, [point for point in own if point.panel == panel], layout, looks)
            _draw_others(axis, [point for other in others for point in other.points if point.panel == panel], layout, looks)
            _draw_published(axis, [mark for mark in declaration.published if _shown(declaration, mark, panel)], declaration, layout, looks)
            axis.set_title(panel_title(declaration.panels, panel))
            axis.tick_params(labelleft=number == 0)
        axes[0].set_ylabel(declaration.y_label)
        legend_above(figure, handles, left_in=grid.left_in)
        return figure


def _looks() -> list[tuple[str, str]]:
    """Return looks for values that are no protocols: the palette in the order of the protocols that are apart most."""
    return [look(name) for name in ("cubic", "htcp", "bic", "hstcp", "scalable", "vegas", "westwood", "illinois")]


def _layout(points: Sequence[Point], own_colours: bool) -> _Layout:
    names = tuple(dict.fromkeys(point.x for point in points))
    return _Layout(names, () if own_colours else _ascending(point.series for point in points))


def _ascending(values: Iterable[Value]) -> tuple[Value, ...]:
    """Sort numbers, leave names in their order, each once."""
    return tuple(value for value in ascending(dict.fromkeys(values)) if value is not None)


def _limits(declaration: Compared, points: Sequence[Point]) -> tuple[float, float]:
    values = [*declaration.baseline, *(mark.value for mark in declaration.published)]
    for point in points:
        if math.isfinite(point.mean):
            values += [point.mean - point.sem, point.mean + point.sem]
    for mark in declaration.published:
        # A deviation larger than its positive mean says nothing of negative values.
        low = mark.value - (mark.sd or 0.0)
        values += [max(low, 0.0) if mark.value >= 0 else low, mark.value + (mark.sd or 0.0)]
    values = [value for value in values if value > 0] if declaration.y_log else values
    low, high = (min(values), max(values)) if values else (0.1, 1.0)
    if declaration.y_limits is not None:
        return min(declaration.y_limits[0], low), max(declaration.y_limits[1], high)
    if declaration.y_log:
        return low / 1.3, high * 1.3
    bottom = 0.0 if low >= 0 else low - 0.06 * (high - low)
    return bottom, high + 0.06 * ((high - bottom) or 1.0)


def _frame(declaration: Compared, axis: Axes, layout: _Layout, limits: tuple[float, float], *, askew: bool) -> None:
    if declaration.y_log:
        axis.set_yscale("log")
    axis.set_ylim(*limits)
    axis.set_xlim(-0.6, len(layout.names) - 0.4)
    axis.set_xticks(range(len(layout.names)), [str(name) for name in layout.names])
    axis.tick_params(axis="x", length=0)
    if askew:
        for label in axis.get_xticklabels():
            label.set(rotation=38, ha="right", rotation_mode="anchor")
    y_ticks(axis, log=declaration.y_log)
    for level in declaration.baseline:
        axis.axhline(level, color=QUIET, linewidth=0.7, zorder=1.2)


def _draw(axis: Axes, points: Sequence[Point], layout: _Layout, looks: Mapping[Value, tuple[str, str]]) -> None:
    for point in points:
        if not math.isfinite(point.mean):
            continue
        assert isinstance(point.x, str | int | float)
        colour, marker = looks[point.series]
        x = layout.at(point.x, point.series)
        axis.errorbar(
            [x], [point.mean], yerr=[point.sem] if point.sem else None, fmt=marker, color=colour, markersize=_SIZE,
            mec=PAPER, mew=0.4, elinewidth=0.8, capsize=1.6, capthick=0.8, zorder=3, clip_on=False,
        )  # fmt: skip


def _draw_others(axis: Axes, points: Sequence[Point], layout: _Layout, looks: Mapping[Value, tuple[str, str]]) -> None:
    for point in points:
        if not math.isfinite(point.mean):
            continue
        colour, marker = looks[point.series]
        x = layout.at(point.x, point.series) - _ASIDE * min(layout.step, 0.5)
        if point.sem:
            axis.errorbar([x], [point.mean], yerr=[point.sem], fmt="none", ecolor=colour, elinewidth=0.6, zorder=2.6)
        axis.plot([x], [point.mean], linestyle="none", marker=marker, color=colour, markersize=_SIZE, **HALF, zorder=2.7, clip_on=False)


def _shown(declaration: Compared, mark: Published, panel: Value | None) -> bool:
    fixed = all(mark.at.get(name, value) == value for name, value in declaration.fixed.items())
    return fixed and (declaration.panels is None or mark.at.get(declaration.panels) == panel)


def _draw_published(
    axis: Axes, marks: Sequence[Published], declaration: Compared, layout: _Layout, looks: Mapping[Value, tuple[str, str]]
) -> None:
    for mark in marks:
        name, series = mark.at.get(declaration.x), mark.at.get(declaration.series)
        if name is None or series is None or name not in layout.names or series not in (layout.series or looks):
            continue
        colour, marker = looks[series]
        x = layout.at(name, series) + _ASIDE * min(layout.step, 0.5)
        axis.errorbar(
            [x], [mark.value], yerr=[mark.sd] if mark.sd else None, fmt=marker, color=colour, markersize=_SIZE - 0.4,
            mfc=PAPER, mew=0.9, elinewidth=0.5, capsize=0, alpha=0.85, zorder=2.5,
        )  # fmt: skip


def _legend(declaration: Compared, series: Sequence[Value], looks: Mapping[Value, tuple[str, str]], others: Sequence[str]) -> list[Line2D]:
    from matplotlib.lines import Line2D

    style: dict[str, Any] = {"linestyle": "none", "markersize": _SIZE}
    handles = [
        Line2D([], [], **style, marker=looks[value][1], color=looks[value][0], mec=PAPER, mew=0.4, label=_label(declaration.series, value))
        for value in series
    ]
    if declaration.published:
        handles += [
            Line2D([], [], **style, marker="o", color=INK, mec=PAPER, mew=0.4, label="measured"),
            Line2D([], [], **style, marker="o", color=INK, mfc=PAPER, mew=0.9, label="published"),
        ]
    handles += [Line2D([], [], **style, marker="o", color=INK, **HALF, label=label) for label in others]
    return handles


def _label(dimension: str, value: Value) -> str:
    if not isinstance(value, str):
        return panel_title(dimension, value)
    return shown(value) if is_made(value) else value.replace("_", " ")
