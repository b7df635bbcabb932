"""Draw declared histories: one quantity of every flow against time, thinned so that no peak is lost."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from windtunnel.plots.axes import Grid, legend_above, legend_rows, number, panel_title, sheet, styled, y_ticks
from windtunnel.plots.decimate import BUCKETS, thin
from windtunnel.plots.declared import Histories, History
from windtunnel.plots.points import ascending
from windtunnel.plots.style import SHADES, look, shade

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

Samples = NDArray[np.float64]
_SCALES = (("_s", 1e3), ("_bps", 1e-6), ("_bytes", 1e-6))
_BIN_S = 1.0
_FLOWS_IN_LEGEND = 8
# Keeps the file of a figure with many panels as small as that of one with three panels of two flows.
_BUCKETS_OF_ALL = 3600


def draw_histories(declaration: Histories, histories: Sequence[History]) -> Figure:
    """Draw a quantity of every flow against time, a panel below the other for each value of the panels' dimension.

    Parameters
    ----------
    declaration : Histories
        The figure.
    histories : sequence of History
        Runs; of several seeds of one point the smallest is drawn.

    Returns
    -------
    matplotlib.figure.Figure
        Time in seconds; times in ms, rates in Mbit/s, bytes in MB, everything else as recorded.

    Raises
    ------
    ValueError
        When no run fits the declaration, or the samples of none have the quantity: what a controller does not have is left out.
    """
    chosen = chosen_histories(declaration, histories)
    with styled():
        handles = _legend(chosen)
        rows = len(legend_rows([str(handle.get_label()) for handle in handles]))
        titled = declaration.panels is not None
        grid = Grid(len(chosen), 1, 1.45 if len(chosen) > 1 else 2.4, legend_rows=rows, row_gap_in=0.12, left_in=0.68)
        figure, axes = sheet(grid, titled=titled)
        lines = sum(history.flows.height for history in chosen)
        end_s = max(_end_s(history) for history in chosen)
        for order, (axis, history) in enumerate(zip(axes, chosen, strict=True)):
            _draw_panel(declaration, axis, history, buckets=min(BUCKETS, _BUCKETS_OF_ALL // lines))
            axis.set_xlim(0, end_s)
            axis.set_title(panel_title(declaration.panels, history.point[declaration.panels] if declaration.panels else None))
            axis.tick_params(labelbottom=order == len(chosen) - 1)
        axes[-1].set_xlabel("time (s)")
        middle = (axes[0].get_position().y1 + axes[-1].get_position().y0) / 2
        figure.text(0.012, middle, declaration.y_label, ha="left", va="center", rotation=90, fontsize=8.5)
        legend_above(figure, handles, left_in=grid.left_in)
        return figure


def chosen_histories(declaration: Histories, histories: Sequence[History]) -> list[History]:
    """Return the runs a figure shows, one per panel in their order; of several seeds the smallest.

    Raises
    ------
    ValueError
        When no run fits the declaration, or the samples of none have the quantity: what a controller does not have is left out.
    """
    fitting = [history for history in histories if declaration.alg in (None, history.point.get("alg"))]
    if declaration.algs:
        fitting = [history for name in declaration.algs for history in fitting if history.point.get("alg") == name]
    fitting = [history for history in fitting if declaration.panels is None or declaration.panels in history.point]
    fitting = [history for history in fitting if history.flow_samples.height]
    if not fitting:
        raise ValueError(f"figure {declaration.name!r}: no run with samples fits")
    column = "delivered_bytes" if declaration.quantity == "goodput_mbps" else declaration.quantity
    fitting = [history for history in fitting if column in history.flow_samples.columns]
    if not fitting:
        raise ValueError(f"figure {declaration.name!r}: flow_samples have no column {column!r}")
    first: dict[Any, History] = {}
    for history in sorted(fitting, key=lambda history: history.seed):
        first.setdefault(history.point[declaration.panels] if declaration.panels else None, history)
    return [first[value] for value in ascending(first)]


def _end_s(history: History) -> float:
    return float(math.ceil(history.flow_samples["t_s"].to_numpy().max()))


def _draw_panel(declaration: Histories, axis: Axes, history: History, *, buckets: int) -> None:
    bottom = top = 0.0
    styles = flow_styles(history.flows, history.rtts_s)
    for flow, colour, _ in reversed(styles):
        samples = history.flow_samples.filter(pl.col("flow") == flow).sort("t_s")
        t_s, values = quantity_of(declaration.quantity)(samples)
        if not t_s.size:
            continue
        axis.plot(*thin(t_s, values, buckets=buckets), color=colour, linewidth=0.9, solid_joinstyle="round", zorder=2.5)
        known = values[np.isfinite(values)]
        bottom, top = min(bottom, float(known.min(initial=0.0))), max(top, float(known.max(initial=0.0)))
    if declaration.steps:
        at, capacity = zip(*declaration.steps, strict=True)
        axis.step(
            (*at, _end_s(history)), (*capacity, capacity[-1]), where="post", color="0.35", linewidth=0.7, linestyle=(0, (4, 3)), zorder=2
        )
        top = max(top, *capacity)
    axis.set_ylim(bottom * 1.06, top * 1.06 or 1.0)
    y_ticks(axis, log=False)


def quantity_of(name: str) -> Callable[[pl.DataFrame], tuple[Samples, Samples]]:
    """Return what makes times, seconds, and values, in the unit they are drawn in, of one flow's samples."""
    if name == "goodput_mbps":
        return _goodput_mbps
    scale = scale_of(name)
    return lambda samples: (samples["t_s"].to_numpy(), samples[name].cast(pl.Float64).fill_null(math.nan).to_numpy() * scale)


def scale_of(name: str) -> float:
    """Return what a column of flow_samples is multiplied by to be drawn: times in ms, rates in Mbit/s, bytes in MB."""
    return next((factor for suffix, factor in _SCALES if name.endswith(suffix)), 1.0)


def _goodput_mbps(samples: pl.DataFrame) -> tuple[Samples, Samples]:
    if samples.height < 2:
        return np.empty(0), np.empty(0)
    t_s = samples["t_s"].to_numpy()
    edges = np.arange(t_s[0], t_s[-1] + 1e-9, _BIN_S)
    delivered = np.interp(edges, t_s, samples["delivered_bytes"].cast(pl.Float64).to_numpy())
    return (edges[1:] + edges[:-1]) / 2, np.diff(delivered) * 8 / _BIN_S / 1e6


def flow_styles(flows: pl.DataFrame, rtts_s: Sequence[float] = ()) -> list[tuple[int, str, str]]:
    """Return flow, colour and label of each row of a `flows` frame; a second flow of a protocol has another shade of its colour.

    Flows are counted from 1. Labels say base RTTs, `rtts_s`, where they differ in four digits, and starts other than zero.
    """
    rtts_ms = [number(float(f"{rtt_s * 1e3:.4g}")) for rtt_s in rtts_s]
    seen: dict[str, int] = {}
    styles = []
    for position, (flow, algorithm, start_s) in enumerate(flows[["flow", "algorithm", "start_s"]].iter_rows(), start=1):
        order = seen.get(algorithm, 0)
        seen[algorithm] = order + 1
        rtt = f", {rtts_ms[position - 1]} ms" if len(set(rtts_ms)) > 1 and position <= len(rtts_ms) else ""
        start = "" if not round(start_s, 1) else f", from {number(round(start_s, 1))} s"
        styles.append((flow, shade(look(algorithm)[0], SHADES[order % len(SHADES)]), f"flow {position} ({algorithm}{rtt}{start})"))
    return styles


def _legend(chosen: Sequence[History]) -> list[Line2D]:
    """Name the flows; a start that differs between panels is left out of the name."""
    from matplotlib.lines import Line2D

    labels: dict[tuple[int, str], list[str]] = {}
    for history in chosen:
        for flow, colour, label in flow_styles(history.flows, history.rtts_s):
            labels.setdefault((flow, colour), []).append(label)
    handles = []
    for (_, colour), texts in list(labels.items())[:_FLOWS_IN_LEGEND]:
        text = texts[0] if len(set(texts)) == 1 else texts[0].partition(", from")[0].removesuffix(")") + ")"
        handles.append(Line2D([], [], color=colour, linewidth=1.6, label=text))
    if len(labels) > _FLOWS_IN_LEGEND:
        handles.append(Line2D([], [], linestyle="none", label=f"and {len(labels) - _FLOWS_IN_LEGEND} more"))
    return handles
