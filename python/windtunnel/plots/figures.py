"""Figures of one run: the congestion window, and an overview on a shared time axis."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from windtunnel.foreign import shown
from windtunnel.plots.style import LINE_STYLES, RC, look
from windtunnel.records import Records
from windtunnel.records.names import base_rtts_s, path_words, written
from windtunnel.scenario import ScenarioError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from windtunnel.plots.picture import Picture

Samples = NDArray[np.float64]
_LARGEST_LEGEND = 12
_BINS = 300


@contextlib.contextmanager
def styled() -> Iterator[None]:
    """Draw with the settings of a run's figures, whatever the reader's own are."""
    import matplotlib

    with matplotlib.rc_context(RC):
        yield


def figure_of(rows: int, heights: tuple[float, ...]) -> tuple[Picture, list[Axes]]:
    """Return a figure of so many panels on one time axis, of these heights (inches), and its axes."""
    from windtunnel.plots.picture import Picture

    figure = Picture(width_in=7.2, height_in=sum(heights))
    axes = figure.subplots(rows, 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": heights})
    return figure, [axis for (axis,) in axes]


def _labels(records: Records) -> dict[int, str]:
    asked = written(records.facts.scenario)
    named = [shown(name, asked) for name in asked]
    numbers = records.flows["flow"].to_list()
    names = records.flows["algorithm"].to_list()
    return {n: named[n] if n < len(named) else names[i] for i, n in enumerate(numbers)}


def _line(records: Records, flow: int, label: str) -> dict[str, Any]:
    colour, marker = look(label)
    same = [n for n, other in _labels(records).items() if look(other) == (colour, marker)]
    order = same.index(flow)
    return {
        "color": colour,
        "marker": marker,
        "linestyle": LINE_STYLES[order % len(LINE_STYLES)],
        "markevery": (0.03 + 0.02 * (flow % 5), 0.1),
        "label": f"{label} (flow {flow + 1}{_rtt(records, flow)})",
    }


def _rtt(records: Records, flow: int) -> str:
    """Return the flow's base RTT, for its name in the legend, where the flows' differ."""
    rtts_ms = [f"{rtt_s * 1e3:.4g}" for rtt_s in base_rtts_s(records.facts.scenario)]
    return f", {rtts_ms[flow]} ms" if len(set(rtts_ms)) > 1 and flow < len(rtts_ms) else ""


def _by_flow(records: Records) -> Iterator[tuple[int, str, pl.DataFrame]]:
    for flow, label in _labels(records).items():
        samples = records.flow_samples.filter(pl.col("flow") == flow).sort("t_s")
        if samples.height:
            yield flow, label, samples


def _draw_cwnd(axis: Axes, records: Records) -> None:
    for flow, label, samples in _by_flow(records):
        if samples["cwnd_packets"].null_count() == samples.height:
            continue  # A source of datagrams has no window.
        axis.plot(samples["t_s"].to_numpy(), samples["cwnd_packets"].to_numpy(), **_line(records, flow, label))
    axis.set_ylabel("cwnd (packets)")
    axis.set_ylim(bottom=0)


def _draw_throughput(axis: Axes, records: Records, duration_s: float) -> None:
    width_s = bin_s(duration_s)
    for flow, label, samples in _by_flow(records):
        t_s = samples["t_s"].to_numpy()
        edges = np.arange(t_s[0], t_s[-1] + 1e-9, width_s)
        if edges.size < 2:
            continue
        delivered = np.interp(edges, t_s, samples["delivered_bytes"].cast(pl.Float64).to_numpy())
        rate_mbps = np.diff(delivered) * 8 / width_s / 1e6
        axis.plot((edges[1:] + edges[:-1]) / 2, rate_mbps, **_line(records, flow, label))
    axis.set_ylabel("goodput (Mbit/s)")
    axis.set_ylim(bottom=0)


def _draw_rtt(axis: Axes, records: Records) -> None:
    for flow, label, samples in _by_flow(records):
        if samples["srtt_s"].null_count() == samples.height:
            continue  # A source of datagrams has no round trip.
        axis.plot(samples["t_s"].to_numpy(), samples["srtt_s"].to_numpy() * 1e3, **_line(records, flow, label))
    axis.set_ylabel("smoothed\nRTT (ms)")
    axis.set_ylim(bottom=0)


def _link_lines(axis: Axes, records: Records, column: str, *, label: bool) -> bool:
    drawn = False
    names = dict(zip(records.links["link"].to_list(), records.links["name"].to_list(), strict=True))
    for order, (link, name) in enumerate(names.items()):
        samples = records.link_samples.filter(pl.col("link") == link).sort("t_s")
        if samples.height:
            style = LINE_STYLES[order % len(LINE_STYLES)]
            text = f"{name} link" if label and len(names) > 1 else None
            axis.plot(samples["t_s"].to_numpy(), samples[column].to_numpy(), color="black", linestyle=style, linewidth=0.6, label=text)
            drawn = True
    return drawn


def _draw_queue(axis: Axes, records: Records) -> None:
    _link_lines(axis, records, "queue_packets", label=True)
    axis.set_ylabel("queue (packets)")
    axis.set_ylim(bottom=0)


def _draw_losses(axis: Axes, records: Records, duration_s: float) -> None:
    """Draw drops, and marks where there are any, as counts per bin."""
    width_s = bin_s(duration_s)
    names = dict(zip(records.links["link"].to_list(), records.links["name"].to_list(), strict=True))
    handles = []
    for order, (link, name) in enumerate(names.items()):
        samples = records.link_samples.filter(pl.col("link") == link).sort("t_s")
        for column, what, colour in (("dropped_packets", "drops", "black"), ("marked_packets", "marks", "tab:orange")):
            binned = per_bin(samples["t_s"].to_numpy(), samples[column].cast(pl.Float64).to_numpy(), width_s=width_s, end_s=duration_s)
            if binned is None or (what == "marks" and not binned[1].any()):
                continue
            style = LINE_STYLES[order % len(LINE_STYLES)]
            text = f"{what}, {name} link" if len(names) > 1 else what
            handles += axis.plot(*binned, color=colour, linestyle=style, linewidth=0.8, drawstyle="steps-mid", label=text)
    if len(handles) > 1:
        axis.legend(handles=handles, loc="upper right", fontsize=7, ncols=len(handles))
    axis.set_ylabel(f"drops, marks\n(per {width_s:g} s)" if len(handles) > len(names) else f"drops (packets\nper {width_s:g} s)")
    axis.set_ylim(bottom=0)


def bin_s(duration_s: float) -> float:
    """Return the width of a figure's bins: 1, 2 or 5 times a power of ten, at least 0.1 s."""
    least = max(duration_s / _BINS, 0.1)
    unit = 10.0 ** math.floor(math.log10(least) + 1e-9)
    return next(step * unit for step in (1, 2, 5, 10) if step * unit > least * (1 - 1e-9))


def per_bin(t_s: Samples, counter: Samples, *, width_s: float, end_s: float) -> tuple[Samples, Samples] | None:
    """Return how much a counter grows in each bin.

    Parameters
    ----------
    t_s, counter : numpy.ndarray, shape (samples,)
        Times (seconds) and counts since zero.
    width_s, end_s : float
        Width of a bin and end of the last, seconds. The bins are as wide as the samples where those are farther apart.

    Returns
    -------
    (numpy.ndarray, numpy.ndarray) or None
        Middles of the bins (seconds) and growth in each; None without samples or where nothing was counted.
    """
    known = ~np.isnan(counter)
    t_s, counter = t_s[known], counter[known]
    if not t_s.size:
        return None
    width_s = max(width_s, float(np.diff(t_s).max(initial=0.0)))
    edges = np.arange(0.0, end_s + 1e-9, width_s)
    if edges.size < 2:
        return None
    # A drop is of the bin its sample is in: the counter at an edge is the last one sampled by then.
    last = np.searchsorted(t_s, edges + 1e-9, side="right") - 1
    at = np.where(last >= 0, counter[np.maximum(last, 0)], 0.0)
    return (edges[1:] + edges[:-1]) / 2, np.diff(at)


def _finish(figure: Picture, axes: list[Axes], records: Records) -> Picture:
    duration_s = float(records.facts.scenario["duration_s"])
    axes[-1].set_xlabel("time (s)")
    axes[-1].set_xlim(0, duration_s)
    named: dict[str, Any] = {}
    for axis in axes[:2]:
        named = {label: handle for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)} | named
    labels, handles = list(named), list(named.values())
    if handles:
        shown = slice(0, _LARGEST_LEGEND)
        title = None if len(handles) <= _LARGEST_LEGEND else f"first {_LARGEST_LEGEND} of {len(handles)} flows"
        figure.legend(handles[shown], labels[shown], loc="outside right upper", title=title, title_fontsize=7)
    figure.suptitle(_caption(records), fontsize=8, x=0.01, ha="left")
    return figure


def _caption(records: Records) -> str:
    scenario = records.facts.scenario
    return f"{path_words(scenario)}, seed {scenario['seed']}, {records.facts.digest[:12]}"


def cwnd(records: Records) -> Picture:
    """Draw every flow's congestion window against time.

    Parameters
    ----------
    records : Records
        With flow samples.

    Returns
    -------
    matplotlib.figure.Figure
        Window in packets, time in seconds.

    Raises
    ------
    ScenarioError
        When the run took no samples.
    """
    _refuse_unsampled(records)
    with styled():
        figure, axes = figure_of(1, (3.2,))
        _draw_cwnd(axes[0], records)
        return _finish(figure, axes, records)


def overview(records: Records) -> Picture:
    """Draw window, goodput, smoothed RTT, queue, and drops and marks on one time axis.

    Parameters
    ----------
    records : Records
        With flow and link samples.

    Returns
    -------
    matplotlib.figure.Figure
        Five panels: packets, Mbit/s, milliseconds, packets, packets per interval; time in seconds.

    Raises
    ------
    ScenarioError
        When the run took no samples.
    """
    _refuse_unsampled(records)
    with styled():
        figure, axes = figure_of(5, (2.4, 1.7, 1.3, 1.3, 1.1))
        _draw_cwnd(axes[0], records)
        _draw_throughput(axes[1], records, float(records.facts.scenario["duration_s"]))
        _draw_rtt(axes[2], records)
        _draw_queue(axes[3], records)
        _draw_losses(axes[4], records, float(records.facts.scenario["duration_s"]))
        figure.align_ylabels(axes)
        return _finish(figure, axes, records)


def _refuse_unsampled(records: Records) -> None:
    if records.flows.is_empty():
        raise ScenarioError("flows", "there are none, and the figure shows flows; allowed: at least one beside the transfers")
    if records.flow_samples.is_empty():
        raise ScenarioError("sample_s", "0 leaves nothing to draw; allowed: above 0 for a figure")
