"""A declared figure as plain data, for a program that draws it itself: the same points, limits, looks and theory as the printed one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from windtunnel.plots.axes import panel_title
from windtunnel.plots.curves import asides, series_label, series_styles, shared_scale, theory_colour, theory_lines, y_range
from windtunnel.plots.declared import Curves
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
    sources = [(own, {}, ""), *((other.points, {"b": number}, other.label) for number, other in enumerate(others, start=1))]
    panels = ascending(dict.fromkeys(point.panel for point in points))
    styles = series_styles(points)
    theory = [theory_lines(declaration, measures, points, panel) for panel in panels]
    shared = shared_scale(declaration, points, panels)
    beside_x = {panel: asides([point for point in own if point.panel == panel]) for panel in panels}
    drawn = []
    for panel, lines in zip(panels, theory, strict=True):
        mine = [point for point in points if point.panel == panel]
        scaled_by = points if shared else mine
        low, high = y_range(declaration, scaled_by, [line for own in theory for line in own] if shared else lines)
        drawn.append(
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
    order = list(styles)
    return {
        "name": declaration.name,
        "title": declaration.title,
        "x_label": declaration.x_label or declaration.x,
        "y_label": declaration.y_label or declaration.metric,
        "x_log": declaration.x_log,
        "y_log": declaration.y_log,
        "baseline": list(declaration.baseline),
        "hollow": hollow_label(declaration.metric, own),
        "series": [
            {
                "label": series_label(declaration.series, name),
                "colour": both(style["color"]),
                "marker": style["marker"],
                "dash": _LABELLED.get(style["linestyle"], []),
            }
            for name, style in styles.items()
        ],
        **({"others": [other.label for other in others]} if others else {}),
        "panels": drawn,
        "points": [
            {
                "p": panels.index(point.panel),
                "s": order.index(point.series),
                "x": point.x,
                "y": point.mean if math.isfinite(point.mean) else None,
                "e": point.sem,
                "k": point.kind,
                **(
                    {}
                    if which or not beside_x[point.panel][point.series]
                    else {"d": round(beside_x[point.panel][point.series] * _PIXELS, 2)}
                ),
                **which,
                **describe(point, label),
            }
            for mine, which, label in sources
            for point in mine
            if point.kind != "absent"
        ],
    }


def _finite(values: NDArray[np.float64]) -> list[float | None]:
    return [float(f"{value:.6g}") if math.isfinite(value) else None for value in values.tolist()]
