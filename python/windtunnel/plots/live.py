"""A declared figure as plain data, for a program that draws it itself: the same points, limits, looks and theory as the printed one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from windtunnel.plots.axes import panel_title
from windtunnel.plots.curves import asides, series_label, series_styles, shared_scale, theory_colour, theory_lines, y_range
from windtunnel.plots.declared import Curves, Value
from windtunnel.plots.points import Point, ascending, hollow_label, others_of, points_of
from windtunnel.plots.saving import dark_of

_LABELLED = {"-": [], "--": [6, 4], ":": [2, 3], "-.": [6, 3, 2, 3]}
_PIXELS = 96 / 72
"""Pixels of a page to a point of print."""


def both(colour: str) -> list[str]:
    """Return a colour on paper and its counterpart on a dark screen."""
    return [colour.lower(), dark_of(colour.lower())]


def live_curves(
    declaration: Curves,
    measures: pl.DataFrame,
    describe: Callable[[Point, str], dict[str, Any]],
    beside: Mapping[str, pl.DataFrame] | None = None,
) -> dict[str, Any]:
    """Return what draws a figure of curves.

    Parameters
    ----------
    declaration : Curves
        The figure.
    measures : polars.DataFrame
        The measures table.
    describe : callable
        What else is said of a point, such as its link, and of what measured it, empty for `measures`; JSON types.
    beside : mapping of str to polars.DataFrame, optional
        The measures of other backends.

    Returns
    -------
    dict
        JSON types: ``series`` (label, colours on light and dark, marker, dash), ``panels`` (title, x values, y limits, theory lines) and
        ``points`` (panel and series by number, x, y, standard error, kind as in `Point`; ``d`` by how many pixels it is drawn
        beside its x, as in print, where it is; ``b`` where another backend measured it: which of
        ``others``, from 1). Numbers that are not finite are null.

    Raises
    ------
    ValueError
        When there is nothing in the table to draw.
    """
    own, others = points_of(declaration, measures), others_of(declaration, beside or {})
    points = [*own, *(point for other in others for point in other.points)]
    panels = ascending(dict.fromkeys(point.panel for point in points))
    styles = series_styles(points)
    beside_x = {panel: asides([point for point in own if point.panel == panel]) for panel in panels}
    panel_of, series_of = ({value: number for number, value in enumerate(values)} for values in (panels, styles))

    def drawn(point: Point, which: dict[str, int], source: str) -> dict[str, Any]:
        aside = 0.0 if which else beside_x[point.panel][point.series] * _PIXELS
        place = {"p": panel_of[point.panel], "s": series_of[point.series]}
        return place | _value(point) | ({"d": round(aside, 2)} if aside else {}) | which | describe(point, source)

    sources = [(own, {}, ""), *((other.points, {"b": number}, other.label) for number, other in enumerate(others, start=1))]
    return {
        "name": declaration.name,
        "title": declaration.title,
        "x_label": declaration.x_label or declaration.x,
        "y_label": declaration.y_label or declaration.metric,
        "x_log": declaration.x_log,
        "y_log": declaration.y_log,
        "baseline": list(declaration.baseline),
        "hollow": hollow_label(declaration.metric, own),
        "series": [_series(series_label(declaration.series, name), style) for name, style in styles.items()],
        **({"others": [other.label for other in others]} if others else {}),
        "panels": _panels(declaration, measures, points, panels),
        "points": [drawn(point, which, label) for mine, which, label in sources for point in mine if point.kind != "absent"],
    }


def _panels(declaration: Curves, measures: pl.DataFrame, points: list[Point], panels: Sequence[Value | None]) -> list[dict[str, Any]]:
    theory = [theory_lines(declaration, measures, points, panel) for panel in panels]
    shared = shared_scale(declaration, points, panels)
    found = []
    for panel, lines in zip(panels, theory, strict=True):
        scaled_by = points if shared else [point for point in points if point.panel == panel]
        low, high = y_range(declaration, scaled_by, [line for own in theory for line in own] if shared else lines)
        found.append(
            {
                "title": panel_title(declaration.panels, panel),
                "x": sorted({point.x for point in scaled_by}),
                "y": [low, high],
                "lines": [
                    {"label": overlay.label, "colour": both(theory_colour(overlay)), "x": _finite(x), "y": _finite(y)}
                    for overlay, x, y in lines
                ],
            }
        )
    return found


def _series(label: str, style: Mapping[str, Any]) -> dict[str, Any]:
    dash = _LABELLED.get(style["linestyle"], [])
    return {"label": label, "colour": both(style["color"]), "marker": style["marker"], "dash": dash}


def _value(point: Point) -> dict[str, Any]:
    return {"x": point.x, "y": point.mean if math.isfinite(point.mean) else None, "e": point.sem, "k": point.kind}


def _finite(values: NDArray[np.float64]) -> list[float | None]:
    return [float(f"{value:.6g}") if math.isfinite(value) else None for value in values.tolist()]
