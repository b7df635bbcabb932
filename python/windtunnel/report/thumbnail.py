"""A figure at the size of a stamp: its curves, its panels, no text. An overview of many experiments can carry a hundred of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from windtunnel.plots.decimate import thin
from windtunnel.plots.declared import Histories
from windtunnel.plots.histories import chosen_histories, flow_styles, quantity_of
from windtunnel.plots.live import both
from windtunnel.plots.points import DRAWN
from windtunnel.report.model import Figure

WIDTH, HEIGHT = 272, 136
_GAP, _EDGE = 14.0, 4.0
_MOST_PANELS, _MOST_FLOWS = 3, 8
_BUCKETS, _BUCKETS_OF_ALL = 110, 400
_AXIS = ("#c4c9cf", "#4a515a")
_DOT = 3
"""Of a curve with one point: so far to either side it is drawn."""


@dataclass(frozen=True)
class _Curve:
    """Points between 0 and 1 in the panel's own frame, and the colour on light and on dark."""

    colour: Sequence[str]
    points: Sequence[tuple[float, float]]


def thumbnail(figure: Figure, live: dict[str, Any] | None) -> str | None:
    """Draw a figure small.

    Parameters
    ----------
    figure : Figure
        The figure.
    live : dict, optional
        Its interactive form, from `windtunnel.report.live.live_figure`.

    Returns
    -------
    str or None
        An SVG of at most some ten kilobytes; None for a kind of figure that has no small form.
    """
    if live is not None and live["kind"] == "curves":
        return _svg([_curves(live, number) for number in range(min(len(live["panels"]), _MOST_PANELS))], across=True)
    if isinstance(figure.declaration, Histories):
        return _svg(_histories(figure, figure.declaration), across=False)
    return None


def _curves(live: dict[str, Any], number: int) -> list[_Curve]:
    panel = live["panels"][number]
    across, up = _scale(panel["x"][0], panel["x"][-1], log=live["x_log"]), _scale(*panel["y"], log=live["y_log"])
    curves = []
    for order, series in enumerate(live["series"]):
        own = [
            point for point in live["points"] if point["p"] == number and point["s"] == order and "b" not in point and point["k"] in DRAWN
        ]
        curves.append(_Curve(series["colour"], [(across(point["x"]), up(point["y"])) for point in own]))
    return curves


def _scale(low: float, high: float, *, log: bool) -> Any:
    if not high > low or (log and low <= 0):
        return lambda value: 0.5
    if log:
        return lambda value: math.log(value / low) / math.log(high / low)
    return lambda value: (value - low) / (high - low)


def _histories(figure: Figure, declaration: Histories) -> list[list[_Curve]]:
    panels = []
    chosen = chosen_histories(declaration, figure.histories)[:_MOST_PANELS]
    lines = max(sum(min(history.flows.height, _MOST_FLOWS) for history in chosen), 1)
    for history in chosen:
        drawn = []
        for flow, colour, _ in reversed(flow_styles(history.flows)[:_MOST_FLOWS]):
            t_s, values = quantity_of(declaration.quantity)(history.flow_samples.filter(pl.col("flow") == flow).sort("t_s"))
            t_s, values = thin(t_s, values, buckets=min(_BUCKETS, _BUCKETS_OF_ALL // lines))
            known = np.isfinite(values)
            drawn.append((colour, t_s[known], values[known]))
        end_s = max((float(t_s[-1]) for _, t_s, _ in drawn if t_s.size), default=1.0)
        top = max((float(values.max()) for _, _, values in drawn if values.size), default=1.0) * 1.04 or 1.0
        panels.append(
            [_Curve(both(colour), list(zip((t_s / end_s).tolist(), (values / top).tolist(), strict=True))) for colour, t_s, values in drawn]
        )
    return panels


def _svg(panels: Sequence[Sequence[_Curve]], *, across: bool) -> str:
    """Set panels beside each other, or below each other."""
    count = max(len(panels), 1)
    width = (WIDTH - 2 * _EDGE - (count - 1) * _GAP) / count if across else WIDTH - 2 * _EDGE
    height = HEIGHT - 2 * _EDGE if across else (HEIGHT - 2 * _EDGE - (count - 1) * _GAP) / count
    colours = list(dict.fromkeys(tuple(curve.colour) for curves in panels for curve in curves))
    light = "".join(f".c{order}{{stroke:{colour[0]}}}" for order, colour in enumerate([*colours, _AXIS]))
    dark = "".join(f".c{order}{{stroke:{colour[1]}}}" for order, colour in enumerate([*colours, _AXIS]))
    parts = []
    for number, curves in enumerate(panels):
        left = _EDGE + (number * (width + _GAP) if across else 0.0)
        top = _EDGE + (0.0 if across else number * (height + _GAP))
        parts.append(f'<path class="c{len(colours)}" d="M{left:.1f} {top:.1f}v{height:.1f}h{width:.1f}"/>')
        for curve in curves:
            if not curve.points:
                continue
            places = [f"{left + width * x:.1f} {top + height * (1 - min(max(y, 0.0), 1.0)):.1f}" for x, y in curve.points]
            line = "L".join(places) if len(places) > 1 else f"{places[0]}h{_DOT}h-{2 * _DOT}"
            parts.append(f'<path class="c{colours.index(tuple(curve.colour))}" d="M{line}"/>')
    style = f"path{{fill:none;stroke-width:1.4;stroke-linejoin:round}}{light}@media screen and (prefers-color-scheme:dark){{{dark}}}"
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    drawn = "".join(parts)
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{style}</style>{drawn}</svg>\n'
