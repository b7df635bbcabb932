"""From a run's records to the charts of its page: what was sampled, and when each flow backed off."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from windtunnel.plots.decimate import thin_together
from windtunnel.plots.histories import flow_styles, scale_of
from windtunnel.plots.live import both
from windtunnel.records import Records
from windtunnel.records.names import base_rtts_s

Samples = NDArray[np.float64]
Styles = list[tuple[int, str, str]]

LARGEST_CHART = 100_000
"""Numbers drawn in one chart."""
LARGEST_PAGE = 280_000
"""Numbers in all charts of a page: what keeps it below three megabytes."""
THIN_CHART = 1_200
"""Numbers in a chart of a run that was stored without its samples; there are thousands of those."""
MOST_FLOWS = 12
_BINS_S = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
_MOST_BINS = 1_200
_QUEUE, _DROPS = ("#666666", "#a9afb6"), ("#d55e00", "#e87d40")
_QUANTITIES = {
    "cwnd_packets": "Congestion window",
    "srtt_s": "Smoothed round-trip time",
    "ssthresh_packets": "Slow-start threshold",
    "inflight_packets": "In flight",
    "pacing_rate_bps": "Pacing rate",
}
_UNITS = (("_packets", "packets"), ("_s", "ms"), ("_bps", "Mbit/s"), ("_bytes", "MB"))
_NOT_DRAWN = {"t_s", "flow", "min_rtt_s", "delivered_bytes", "retransmitted_packets", "state", *_QUANTITIES}
_SAMPLED_FIRST, _SAMPLED_LAST = ("cwnd_packets", "srtt_s"), ("ssthresh_packets", "inflight_packets", "pacing_rate_bps")


@dataclass(frozen=True)
class Line:
    """One line of a chart: its label, its colour on light and on dark, and values, shape (samples,), in the chart's unit."""

    label: str
    colour: list[str]
    values: Samples


@dataclass(frozen=True)
class Chart:
    """One quantity against time.

    Parameters
    ----------
    id : str
        The quantity: a column of the records, or ``goodput_mbps`` or ``backoffs``.
    title, unit, note : str
        What it is, in what unit, and what a reader must know.
    t_s : array, shape (samples,)
        Seconds.
    lines : tuple of Line
        They share the times.
    dots : bool
        Drawn as points: each value stands for an event, not for a course.
    """

    id: str
    title: str
    unit: str
    t_s: Samples
    lines: tuple[Line, ...]
    note: str = ""
    dots: bool = False


def is_charted(quantity: str) -> bool:
    """Return whether a quantity of a history has a chart on the page of its run."""
    return quantity in _QUANTITIES or quantity not in _NOT_DRAWN


def charts_of(records: Records, *, kept: str) -> list[Chart]:
    """Return the charts of a run, thinned to what a page can carry.

    Parameters
    ----------
    records : Records
        The run.
    kept : str
        How much of it was stored, a name of `windtunnel.store.KEPT`.

    Returns
    -------
    list of Chart
        Only of what was stored; empty when that is nothing.
    """
    charts = list(_all(records))
    if kept != "all":
        return [_thinned(chart, THIN_CHART) for chart in charts]
    most = _fair_share([len(chart.lines) * chart.t_s.size for chart in charts])
    return [_thinned(chart, most) for chart in charts]


def _fair_share(sizes: Sequence[int]) -> int:
    """Return how many numbers each chart may have: small ones keep theirs, the others share what a page has left."""
    left, waiting = LARGEST_PAGE, sorted(sizes)
    while waiting and waiting[0] * len(waiting) <= left:
        left -= waiting.pop(0)
    return min(LARGEST_CHART, left // len(waiting) if waiting else LARGEST_CHART)


def _thinned(chart: Chart, most: int) -> Chart:
    t_s, values = thin_together(chart.t_s, np.array([line.values for line in chart.lines]), numbers=most)
    if t_s.size == chart.t_s.size:
        return chart
    note = f"{chart.note} {chart.t_s.size} times thinned to the smallest and largest value of each {t_s.size // 2}th of the run.".strip()
    lines = tuple(Line(line.label, line.colour, own) for line, own in zip(chart.lines, values, strict=True))
    return Chart(chart.id, chart.title, chart.unit, t_s, lines, note, chart.dots)


def _all(records: Records) -> Iterator[Chart]:
    styles = flows_drawn(records)
    own = sorted(name for name in records.flow_samples.columns if name not in _NOT_DRAWN)
    for name in _SAMPLED_FIRST:
        yield from _sampled(records, name, styles)
    yield from _goodput(records, styles)
    yield from _links(records)
    yield from _backoffs(records, styles)
    for name in (*_SAMPLED_LAST, *own):
        yield from _sampled(records, name, styles)


def flows_drawn(records: Records) -> Styles:
    """Return flow, colour and label of the flows that charts show: the first dozen."""
    return flow_styles(records.flows, base_rtts_s(records.facts.scenario))[:MOST_FLOWS]


def _sampled(records: Records, name: str, styles: Styles) -> Iterator[Chart]:
    samples = records.flow_samples
    if name not in samples.columns or samples[name].null_count() == samples.height:
        return
    title = _QUANTITIES.get(name, f"{name}, the algorithm's own")
    unit, factor = next((unit for suffix, unit in _UNITS if name.endswith(suffix)), ""), scale_of(name)
    times = samples["t_s"].unique().sort().to_numpy()
    lines = []
    for flow, colour, label in styles:
        mine = samples.filter(pl.col("flow") == flow)
        values = np.full(times.size, math.nan)
        values[np.searchsorted(times, mine["t_s"].to_numpy())] = mine[name].cast(pl.Float64).fill_null(math.nan).to_numpy() * factor
        lines.append(Line(label, both(colour), _plausible(name, values)))
    if any(np.isfinite(line.values).any() for line in lines):
        yield Chart(name, title, unit, times, tuple(lines))


def _plausible(name: str, values: Samples) -> Samples:
    """Leave out thresholds and rates that stand for 'none yet': no picture has room for them."""
    if name in ("ssthresh_packets", "pacing_rate_bps"):
        return np.where(values < 1e7, values, math.nan)
    return np.where(np.isfinite(values), values, math.nan)


def _goodput(records: Records, styles: Styles) -> Iterator[Chart]:
    samples = records.flow_samples
    if not samples.height or samples["delivered_bytes"].null_count() == samples.height:
        return
    times = samples["t_s"].unique().sort().to_numpy()
    width_s = _bin_s(times)
    edges = np.arange(0, times[-1] + 1e-9, width_s)
    if edges.size < 3:
        return
    lines = []
    flows, every_s = samples["flow"].to_numpy(), samples["t_s"].to_numpy()
    counted = samples["delivered_bytes"].cast(pl.Float64).to_numpy()
    for flow, colour, label in styles:
        mine = (flows == flow) & ~np.isnan(counted)
        order = np.argsort(every_s[mine], kind="stable")
        t_s, delivered = every_s[mine][order], counted[mine][order]
        if t_s.size < 2:
            continue
        rate = np.diff(np.interp(edges, t_s, delivered)) * 8 / width_s / 1e6
        rate[(edges[1:] <= t_s[0] + 1e-9) | (edges[:-1] >= t_s[-1] - 1e-9)] = math.nan
        lines.append(Line(label, both(colour), rate))
    if lines:
        yield Chart("goodput_mbps", "Goodput", "Mbit/s", (edges[1:] + edges[:-1]) / 2, tuple(lines), f"Mean over {width_s:g} s.")


def _bin_s(times: Samples) -> float:
    """Return the shortest bin of a round length that holds at least two samples and leaves no more bins than pixels."""
    step_s = float(np.median(np.diff(times))) if times.size > 1 else 0.0
    return next((width for width in _BINS_S if width >= 2 * step_s - 1e-9 and times[-1] / width <= _MOST_BINS), _BINS_S[-1])


def _links(records: Records) -> Iterator[Chart]:
    samples = records.link_samples
    if not samples.height:
        return
    first = samples.filter(pl.col("link") == samples["link"].min()).sort("t_s")
    t_s = first["t_s"].to_numpy()
    queue = first["queue_packets"].cast(pl.Float64).fill_null(math.nan).to_numpy()
    if np.isfinite(queue).any():
        yield Chart("queue_packets", "Queue of the bottleneck", "packets", t_s, (Line("queue", list(_QUEUE), queue),))
    width_s = _bin_s(t_s)
    edges = np.arange(0, t_s[-1] + 1e-9, width_s)
    for column, title in (("dropped_packets", "Dropped at the bottleneck"), ("marked_packets", "Marked at the bottleneck")):
        counted = first[column].cast(pl.Float64).fill_null(math.nan).to_numpy()
        if edges.size < 3 or not np.nanmax(counted, initial=0.0):
            continue
        inside = np.searchsorted(t_s, edges, side="right") - 1
        total = np.where(inside >= 0, counted[np.maximum(inside, 0)], 0.0)
        label = title.partition(" ")[0].lower()
        line = Line(label, list(_DROPS), np.diff(total))
        yield Chart(column, title, "packets", (edges[1:] + edges[:-1]) / 2, (line,), f"Packets in each {width_s:g} s.")


def _backoffs(records: Records, styles: Styles) -> Iterator[Chart]:
    chosen = records.events.lazy().filter((pl.col("kind") == "loss_episode") & pl.col("value").is_not_null()).sort("t_s")
    found = chosen.select("t_s", "flow", "value").collect()
    if not found.height:
        return
    flows, every_s, windows = (found[name].to_numpy() for name in ("flow", "t_s", "value"))
    times = np.unique(every_s)
    lines = []
    for flow, colour, label in styles:
        mine = flows == flow
        values = np.full(times.size, math.nan)
        values[np.searchsorted(times, every_s[mine])] = windows[mine]
        lines.append(Line(label, both(colour), values))
    if any(np.isfinite(line.values).any() for line in lines):
        yield Chart("backoffs", "Window at each loss episode", "packets", times, tuple(lines), dots=True)


def chart_json(chart: Chart) -> dict[str, Any]:
    """Return a chart as JSON types, values to four significant digits; times as start and step where they are regular.

    Parameters
    ----------
    chart : Chart
        The chart.

    Returns
    -------
    dict
        With ``t`` either a list of seconds or ``{"start", "step", "count"}``.
    """
    steps = np.diff(chart.t_s)
    step = float(chart.t_s[-1] - chart.t_s[0]) / max(chart.t_s.size - 1, 1)
    regular = chart.t_s.size > 2 and float(np.abs(steps - step).max(initial=0.0)) < 1e-6
    times: Any = {"start": round(float(chart.t_s[0]), 6), "step": round(step, 9), "count": int(chart.t_s.size)}
    return {
        "title": chart.title,
        "unit": chart.unit,
        "dots": chart.dots,
        "t": times if regular else _short(chart.t_s, 7),
        "lines": [{"label": line.label, "colour": line.colour, "v": _short(line.values, 4)} for line in chart.lines],
    }


def _short(values: Samples, digits: int) -> list[float | int | None]:
    """Round to significant digits; whole numbers lose their point, what is not finite is None."""
    finite = np.isfinite(values)
    size = np.abs(np.where(finite & (values != 0), values, 1.0))
    power = digits - 1 - np.floor(np.log10(size))
    up, down = 10.0 ** np.maximum(power, 0), 10.0 ** np.maximum(-power, 0)
    rounded = np.round(np.where(finite, values, 0.0) * up / down) / up * down
    return [
        (int(value) if value.is_integer() else value) if known else None
        for value, known in zip(rounded.tolist(), finite.tolist(), strict=True)
    ]
