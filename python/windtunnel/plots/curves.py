"""Draw declared curves: means with standard errors, theory under them, and missing points as missing."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from windtunnel.foreign import shown
from windtunnel.plots.axes import Grid, legend_above, legend_rows, panel_title, sheet, styled, ticks_at_points, y_ticks
from windtunnel.plots.declared import Curves, Overlay, Value
from windtunnel.plots.points import DRAWN, HOLLOW, Point, ascending, hollow_label, mean_line, others_of, points_of
from windtunnel.plots.style import INK, LINE_STYLES, PAPER, QUIET, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

_DASHES = (0, (4, 2.2))
_THEORY_SAMPLES = 80
_EDGE_POINTS = 7.5
# The crosses fill less of their box than the other markers.
_LARGER = {"P": 6.4, "X": 6.0, "*": 7.0}
_SIZE = 4.8
_SHARED_RATIO = 4.0
_ASIDE_POINTS = 1.7
_ASIDE_MOST_POINTS = 9.0
_OTHERS_LARGER = 1.3
HALF: dict[str, Any] = {"fillstyle": "left", "markerfacecoloralt": PAPER, "mew": 0.8}
"""A mark of another backend."""
Line = tuple[Overlay, np.ndarray[Any, Any], np.ndarray[Any, Any]]


def draw_curves(declaration: Curves, measures: pl.DataFrame | None, beside: Mapping[str, pl.DataFrame]) -> Figure:
    """Draw one metric against one dimension, a curve for each protocol, a panel for each value of the panels' dimension.

    Parameters
    ----------
    declaration : Curves
        The figure.
    measures : polars.DataFrame, optional
        The measures table.
    beside : mapping of str to polars.DataFrame
        Those of other backends: half-filled marks without a line.

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
    own, others = points_of(declaration, measures), others_of(declaration, beside)
    points = [*own, *(point for other in others for point in other.points)]
    panels = ascending(dict.fromkeys(point.panel for point in points))
    theory = {panel: theory_lines(declaration, measures, points, panel) for panel in panels}
    styles = series_styles(points)
    with styled():
        handles = _legend(declaration, points, styles, [line for lines in theory.values() for line in lines])
        handles += [_other_handle(other.label) for other in others]
        rows = len(legend_rows([str(handle.get_label()) for handle in handles]))
        shared = shared_scale(declaration, points, panels)
        columns = len(panels) if len(panels) <= 3 else 2 if len(panels) == 4 else 3
        height_in = 2.55 if len(panels) == 1 else 2.25
        grid = Grid(len(panels), columns, height_in, legend_rows=rows, gap_in=0.24 if shared else 0.56)
        figure, axes = sheet(grid, titled=declaration.panels is not None)
        for number, (axis, panel) in enumerate(zip(axes, panels, strict=True)):
            mine = [point for point in points if point.panel == panel]
            _scale(declaration, axis, points if shared else mine, [line for p in (panels if shared else [panel]) for line in theory[p]])
            _draw_panel(declaration, axis, [point for point in own if point.panel == panel], theory[panel], styles)
            _draw_others(axis, [point for other in others for point in other.points if point.panel == panel], styles)
            axis.set_title(panel_title(declaration.panels, panel))
            if number % columns and shared:
                axis.tick_params(labelleft=False)
            if number % columns == 0:
                axis.set_ylabel(declaration.y_label)
                axis.yaxis.set_label_coords(-0.47 / (axis.get_position().width * figure.get_size_inches()[0]), 0.5)
        _name_x(declaration, figure, axes, columns)
        legend_above(figure, handles, left_in=grid.left_in)
        return figure


def shared_scale(declaration: Curves, points: Sequence[Point], panels: Sequence[Value | None]) -> bool:
    """One scale for all panels, unless the values of one panel would be too small to see on it."""
    if declaration.y_limits is not None or declaration.y_log:
        return True
    tops = [max((abs(p.mean) for p in points if p.panel == panel and math.isfinite(p.mean)), default=math.nan) for panel in panels]
    known = [top for top in tops if top > 0]
    return not known or max(known) / min(known) <= _SHARED_RATIO


def theory_lines(declaration: Curves, measures: pl.DataFrame, points: Sequence[Point], panel: Value | None) -> list[Line]:
    """Return the theory of a panel: each overlay with its x and y, closed forms at the points and between them."""
    xs = sorted({point.x for point in points})
    lines: list[Line] = []
    for overlay in declaration.theory:
        if overlay.panel is not None and overlay.panel != panel:
            continue
        if overlay.metric is not None:
            x, y = mean_line(declaration, overlay.metric, measures, alg=overlay.alg, panel=panel)
            lines.append((overlay, np.array(x, dtype=float), np.array(y, dtype=float)))
            continue
        from windtunnel.theory.overlays import overlay as function_of

        assert overlay.function is not None
        low, high = xs[0], xs[-1]
        dense = np.geomspace(low, high, _THEORY_SAMPLES) if declaration.x_log else np.linspace(low, high, _THEORY_SAMPLES)
        grid = np.unique(np.concatenate([dense, xs]))
        lines.append((overlay, grid, np.asarray(function_of(overlay.function)(grid, **overlay.arguments), dtype=float)))
    return lines


def _scale(declaration: Curves, axis: Axes, points: Sequence[Point], lines: Sequence[Line]) -> None:
    """Set scales, limits and ticks; leave a band free at an edge that has markers of missing points."""
    xs = sorted({point.x for point in points})
    if declaration.x_log:
        axis.set_xscale("log")
        margin = (xs[-1] / xs[0]) ** 0.035 if len(xs) > 1 else 1.5
        axis.set_xlim(xs[0] / margin, xs[-1] * margin)
    else:
        margin = 0.035 * (xs[-1] - xs[0]) or 0.5
        axis.set_xlim(xs[0] - margin, xs[-1] + margin)
    low, high = y_range(declaration, points, lines)
    if declaration.y_log:
        axis.set_yscale("log")
    axis.set_ylim(low, high)
    ticks_at_points(axis, xs, log=declaration.x_log)
    y_ticks(axis, log=declaration.y_log)


def y_range(declaration: Curves, points: Sequence[Point], lines: Sequence[Line]) -> tuple[float, float]:
    """Return the ends of the y axis: no point lies outside; a band stays free at an edge that points lie beyond."""
    drawn = [point for point in points if point.kind in DRAWN]
    values = [point.mean for point in drawn] + [point.mean + point.sem for point in drawn] + list(declaration.baseline)
    if not declaration.y_log:
        values += [point.mean - point.sem for point in drawn]
    values = [value for value in values if value > 0] if declaration.y_log else values
    low, high = (min(values), max(values)) if values else (0.1, 1.0)
    if declaration.y_limits is not None:
        # A point outside the declared limits stretches them: no point is hidden.
        return min(declaration.y_limits[0], low), max(declaration.y_limits[1], high)
    # Theory may leave the picture; it stretches the axis a little at most.
    theory = [float(value) for _, _, y in lines for value in y if math.isfinite(value)]
    unreached = any(point.kind == "unreached" for point in points)
    below = any(point.kind == "below" for point in points)
    if declaration.y_log:
        within = [value for value in theory if low / 3 <= value <= high * 3]
        low, high = min([low, *within]), max([high, *within])
        span = max(math.log10(high / low), 0.6)
        return low / 10 ** (span * (0.16 if below else 0.06)), high * 10 ** (span * (0.18 if unreached else 0.06))
    high = max([high, *(value for value in theory if value <= high * 1.3)])
    bottom = 0.0 if low >= 0 else low - 0.06 * (high - low)
    return bottom, high + (0.18 if unreached else 0.06) * ((high - bottom) or 1.0)


def _draw_panel(
    declaration: Curves, axis: Axes, points: Sequence[Point], lines: Sequence[Line], styles: Mapping[Value, dict[str, Any]]
) -> None:
    for level in declaration.baseline:
        axis.axhline(level, color=QUIET, linewidth=0.7, zorder=1.2)
    for overlay, x, y in lines:
        axis.plot(x, y, color=theory_colour(overlay), linestyle=_DASHES, linewidth=0.9, zorder=1.8)
    for series, shift_points in asides(points).items():
        _draw_series(axis, [point for point in points if point.series == series], styles[series], shift_points)
    _draw_edges(axis, points, styles)


def asides(points: Sequence[Point]) -> dict[Value, float]:
    """Return how far beside its x each series of a panel is drawn, in points of 1/72 inch: bars of several at one x are kept apart."""
    order = list(dict.fromkeys(point.series for point in points))
    barred = Counter(point.x for point in points if point.kind in DRAWN and point.sem > 0)
    if max(barred.values(), default=0) < 2:
        return dict.fromkeys(order, 0.0)
    step = min(_ASIDE_POINTS, _ASIDE_MOST_POINTS / (len(order) - 1))
    return {series: (place - (len(order) - 1) / 2) * step for place, series in enumerate(order)}


def _draw_edges(axis: Axes, points: Sequence[Point], styles: Mapping[Value, dict[str, Any]], **look: Any) -> None:
    for kind in ("unreached", "below"):
        edge = [point for point in points if point.kind == kind]
        for place in sorted({point.x for point in edge}):
            there = [point for point in edge if point.x == place]
            for order, point in enumerate(there):
                _draw_at_edge(axis, point, styles[point.series], (order - (len(there) - 1) / 2) * _EDGE_POINTS, **look)


def _draw_others(axis: Axes, points: Sequence[Point], styles: Mapping[Value, dict[str, Any]]) -> None:
    """Draw what another backend measured: half-filled, a little larger, so that it is seen around a mark in the same place."""
    floor = axis.get_ylim()[0]
    for point in points:
        if point.kind not in DRAWN:
            continue
        style = styles[point.series]
        if point.sem > 0:
            down = min(point.sem, max(point.mean - floor, 0.0))
            bar: dict[str, Any] = {"fmt": "none", "ecolor": style["color"], "elinewidth": 0.6}
            axis.errorbar([point.x], [point.mean], yerr=[[down], [point.sem]], **bar, zorder=2.2)
        mark = {"marker": style["marker"], "markersize": style["markersize"] * _OTHERS_LARGER, "color": style["color"]}
        axis.plot([point.x], [point.mean], linestyle="none", **mark, **HALF, zorder=2.3, clip_on=False)
    _draw_edges(axis, points, styles, **{name: value for name, value in HALF.items() if name != "mew"}, mfc=None)


def _draw_series(axis: Axes, points: Sequence[Point], style: dict[str, Any], shift_points: float) -> None:
    drawn = np.array([point.mean if point.kind in DRAWN else math.nan for point in points])
    xs = np.array([point.x for point in points])
    colour, mark = style["color"], {"marker": style["marker"], "markersize": style["markersize"]}
    at_side = {"transform": _shifted(axis, shift_points)}
    axis.plot(xs, drawn, color=colour, linestyle=style["linestyle"], linewidth=1.1, zorder=2.5, **at_side)
    floor = axis.get_ylim()[0]
    barred = [point for point in points if point.kind in DRAWN and point.sem > 0]
    if barred:
        lower = [min(point.sem, max(point.mean - floor, 0.0)) for point in barred]
        upper = [point.sem for point in barred]
        at, means = [point.x for point in barred], [point.mean for point in barred]
        bar: dict[str, Any] = {"fmt": "none", "ecolor": colour, "elinewidth": 0.8, "capsize": 1.8, "capthick": 0.8}
        axis.errorbar(at, means, yerr=[lower, upper], **bar, zorder=2.6, **at_side)
    for kind, face, edge, width in (("value", colour, PAPER, 0.4), *((hollow, PAPER, colour, 1.0) for hollow in HOLLOW)):
        places = [(point.x, point.mean) for point in points if point.kind == kind]
        if places:
            axis.plot(
                *zip(*places, strict=True), linestyle="none", **mark, mfc=face, mec=edge, mew=width, zorder=3, clip_on=False, **at_side
            )


def _shifted(axis: Axes, shift_points: float) -> Any:
    """Return where data are drawn, moved to the side by so many points."""
    from matplotlib.transforms import ScaledTranslation

    figure = axis.get_figure(root=True)
    assert figure is not None
    return axis.transData + ScaledTranslation(shift_points / 72, 0, figure.dpi_scale_trans)


def _draw_at_edge(axis: Axes, point: Point, style: dict[str, Any], shift_points: float, **look: Any) -> None:
    """Draw a hollow marker and an arrow at the edge the value lies beyond; `shift_points` keeps several at one x apart."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    figure = axis.get_figure(root=True)
    assert figure is not None
    up = 1 if point.kind == "unreached" else -1
    base = blended_transform_factory(axis.transData, axis.transAxes)
    level = 1.0 if up == 1 else 0.0
    colour = style["color"]
    hollow = {"marker": style["marker"], "markersize": style["markersize"], "mfc": PAPER, "mew": 0.9} | look
    hollow["mfc"] = hollow["mfc"] or colour
    arrow = {"marker": _arrow(up), "markersize": _SIZE, "mfc": colour, "mew": 0.8}
    for mark, inset_points in ((hollow, 9.0), (arrow, 1.5)):
        move = ScaledTranslation(shift_points / 72, -up * inset_points / 72, figure.dpi_scale_trans)
        axis.plot([point.x], [level], linestyle="none", mec=colour, transform=base + move, clip_on=False, zorder=3.2, **mark)


def _arrow(up: int) -> Any:
    from matplotlib.path import Path

    corners = [(0, -0.7), (0, 0.1), (-0.32, 0.1), (0, 0.75), (0.32, 0.1), (0, 0.1)]
    return Path([(x, y * up) for x, y in corners], [Path.MOVETO, *[Path.LINETO] * 5])


def series_styles(points: Sequence[Point]) -> dict[Value, dict[str, Any]]:
    """Return colour, marker and line of every series; what shares a look, such as variants of one protocol, gets another line."""
    seen: Counter[tuple[str, str]] = Counter()
    styles: dict[Value, dict[str, Any]] = {}
    for series in dict.fromkeys(point.series for point in points):
        colour, marker = look(str(series))
        line = LINE_STYLES[seen[colour, marker] % len(LINE_STYLES)]
        seen[colour, marker] += 1
        styles[series] = {"color": colour, "marker": marker, "markersize": _LARGER.get(marker, _SIZE), "linestyle": line}
    return styles


def theory_colour(overlay: Overlay) -> str:
    """Return the colour of an overlay: its protocol's, or ink."""
    return look(overlay.alg)[0] if overlay.alg is not None else INK


def _legend(declaration: Curves, points: Sequence[Point], styles: Mapping[Value, dict[str, Any]], lines: Sequence[Line]) -> list[Line2D]:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], **style, mec=PAPER, mew=0.4, label=series_label(declaration.series, series)) for series, style in styles.items()
    ]
    labels: dict[str, Overlay] = {}
    for overlay, _, _ in lines:
        labels.setdefault(overlay.label, overlay)
    handles += [
        Line2D([], [], color=theory_colour(overlay), linestyle=_DASHES, linewidth=0.9, label=label) for label, overlay in labels.items()
    ]
    if label := hollow_label(declaration.metric, points):
        handles.append(Line2D([], [], linestyle="none", marker="o", mfc=PAPER, mec=QUIET, mew=0.9, label=label))
    return handles


def _other_handle(label: str) -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D([], [], linestyle="none", marker="o", markersize=_SIZE * _OTHERS_LARGER, color=QUIET, **HALF, label=label)


def series_label(dimension: str, value: Value) -> str:
    """Return what a legend calls a series."""
    return shown(value) if dimension == "alg" and isinstance(value, str) else panel_title(dimension, value)


def _name_x(declaration: Curves, figure: Figure, axes: Sequence[Axes], columns: int) -> None:
    """Name the x axis once, centred below the panels of the last row."""
    for number, axis in enumerate(axes):
        axis.tick_params(labelbottom=number + columns >= len(axes))
    first, last = axes[0].get_position(), axes[min(columns, len(axes)) - 1].get_position()
    height_in = figure.get_size_inches()[1]
    figure.text((first.x0 + last.x1) / 2, 0.06 / height_in, declaration.x_label, ha="center", va="bottom", fontsize=8.5, color=INK)
