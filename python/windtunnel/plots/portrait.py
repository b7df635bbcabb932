"""One algorithm on one page: a flow alone, two flows, and its throughput under random loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from windtunnel.foreign import shown
from windtunnel.plots.axes import WIDTH_IN, styled
from windtunnel.plots.decimate import thin
from windtunnel.plots.style import INK, QUIET, look
from windtunnel.records import Records

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEIGHT_IN = 4.2
_BUCKETS = 300
_BIN_S = 2.0
# Left, bottom, width, height of each panel, in shares of the page.
_PLACES = {
    "window": (0.085, 0.69, 0.895, 0.25),
    "queue": (0.085, 0.535, 0.895, 0.115),
    "pair": (0.085, 0.1, 0.385, 0.285),
    "response": (0.595, 0.1, 0.385, 0.285),
}


def draw_portrait(algorithm: str, alone: Records, pair: Records, response: Mapping[str, Sequence[tuple[float, float]]]) -> Figure:
    """Draw the portrait of an algorithm.

    Parameters
    ----------
    algorithm : str
        ``name`` or ``name:variant``.
    alone : Records
        One flow, with flow and link samples; the connections of an application are added up.
    pair : Records
        Two flows, the second started later, with flow samples; of applications with several connections, one's before the other's.
    response : mapping of str to sequence of (float, float)
        For the algorithm, and for any other that is drawn beside it: loss probability and throughput in Mbit/s.

    Returns
    -------
    matplotlib.figure.Figure
        Window and queue in packets, goodput and throughput in Mbit/s, time in seconds.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with styled():
        figure = Figure(figsize=(WIDTH_IN, _HEIGHT_IN))
        FigureCanvasAgg(figure)
        panels = {name: figure.add_axes(place) for name, place in _PLACES.items()}
        colour, _ = look(algorithm)
        _draw_alone(panels["window"], panels["queue"], alone, colour)
        _draw_pair(panels["pair"], pair, colour)
        _draw_response(panels["response"], response, algorithm)
        return figure


def _thinned(samples: pl.DataFrame, column: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    samples = samples.group_by("t_s").agg(pl.col(column).sum()).sort("t_s")
    return thin(samples["t_s"].to_numpy(), samples[column].cast(pl.Float64).to_numpy(), buckets=_BUCKETS)


def _draw_alone(window: Axes, queue: Axes, records: Records, colour: str) -> None:
    end_s = float(records.facts.scenario["duration_s"])
    window.plot(*_thinned(records.flow_samples, "cwnd_packets"), color=colour, linewidth=0.9)
    window.set_ylabel("cwnd (packets)")
    window.set_title(f"One flow: {_path(records)}")
    window.tick_params(labelbottom=False)
    queue.plot(*_thinned(records.link_samples.filter(pl.col("link") == 0), "queue_packets"), color=INK, linewidth=0.6)
    queue.set_ylabel("queue")
    queue.set_xlabel("time (s)", labelpad=1)
    for axis in (window, queue):
        axis.set_xlim(0, end_s)
        axis.set_ylim(bottom=0)


def _path(records: Records) -> str:
    link: Mapping[str, Any] = records.facts.scenario["bottleneck"]
    rtt_s = records.facts.scenario["flows"][0]["rtt_s"]
    marks = f", marks from {link['mark_packets']:g} on" if link.get("mark_packets") else ""
    return f"{link['rate_bps'] / 1e6:g} Mbit/s, {rtt_s * 1e3:g} ms, queue of {link['queue_packets']:g} packets{marks}"


def _draw_pair(axis: Axes, records: Records, colour: str) -> None:
    end_s = float(records.facts.scenario["duration_s"])
    connections = records.flows.height // 2
    for order, ink in ((0, colour), (1, QUIET)):
        mine = records.flow_samples.filter(pl.col("flow") // connections == order)
        samples = mine.group_by("t_s").agg(pl.col("delivered_bytes").sum()).sort("t_s")
        t_s, delivered = samples["t_s"].to_numpy(), samples["delivered_bytes"].cast(pl.Float64).to_numpy()
        edges = np.arange(t_s[0], t_s[-1] + 1e-9, _BIN_S)
        rate_mbps = np.diff(np.interp(edges, t_s, delivered)) * 8e-6 / _BIN_S
        axis.plot((edges[1:] + edges[:-1]) / 2, rate_mbps, color=ink, linewidth=0.9, linestyle="--" if order else "-")
    axis.set_title("Two flows")
    axis.set_ylabel("goodput (Mbit/s)")
    axis.set_xlabel("time (s)")
    axis.set_xlim(0, end_s)
    axis.set_ylim(bottom=0)


def _draw_response(axis: Axes, response: Mapping[str, Sequence[tuple[float, float]]], algorithm: str) -> None:
    for name, points in response.items():
        colour, marker = look(name)
        own = name == algorithm
        loss, rate_mbps = zip(*points, strict=True)
        axis.plot(loss, rate_mbps, color=colour, marker=marker, linestyle="-" if own else ":", label=shown(name), zorder=3 if own else 2)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_title("Random loss, one flow")
    axis.set_xlabel("loss probability")
    axis.set_ylabel("throughput (Mbit/s)")
    axis.legend(loc="lower left")
