"""Rate, base RTT, buffer and random loss of a path from what bulk transfers saw of it, each with an interval and how it was found.

One bottleneck with a drop-tail queue is assumed: while the queue stands the link transmits all the time, so that what all flows deliver
is its rate; a loss while the RTT is long is an overflow, one while it is short is not. Smoothed RTTs lag, so that a buffer comes out a few
per cent small.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from windtunnel.fit.seen import Seen, SeenFlow
from windtunnel.scenario import ScenarioError
from windtunnel.stats import bootstrap_indices

PACKET_BITS = 12_000
WINDOW_S = 0.25
"""Rates are measured over windows of so long, or of four base RTTs."""
STANDS = 0.1
"""The queue stands in a window whose shortest RTT is above the base by this share of the longest queueing delay."""
NO_QUEUE = 0.02
"""Of the base RTT: what jitter adds to it."""
BURST_PACKETS = 2
"""What a burst adds, in packets' times."""
FULL = 0.5
"""A loss is an overflow where the queueing delay before it was more than this share of the longest."""
USUAL = 0.75
"""Of runs together, the longest queueing delay is that of this quantile of theirs."""
REACHES = 1 / 3
"""A run that reached this share of it has filled the buffer, and is judged by its own."""
VARIES = 0.25
"""Sample deviation over mean of the queue at overflows from which a note says that it is no drop-tail queue, or not alone."""
RESAMPLES = 2000


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval.

    Parameters
    ----------
    value, low, high : float
        In the unit; an end is infinite where only a bound is known.
    how : str
        How it was found.
    """

    value: float
    low: float
    high: float
    how: str


@dataclass(frozen=True)
class PathEstimate:
    """What is known of a path.

    Parameters
    ----------
    rate_mbps : Estimate
        The bottleneck's rate, IP, Mbit/s.
    rtt_ms : Estimate
        The base RTT, ms.
    queue_packets : Estimate
        The buffer, packets of 1500 bytes.
    loss : Estimate
        Probability that a packet is lost while the queue is not full.
    notes : tuple of str
        What a reader must know.
    """

    rate_mbps: Estimate
    rtt_ms: Estimate
    queue_packets: Estimate
    loss: Estimate
    notes: tuple[str, ...]


def estimate(seen: Seen) -> PathEstimate:
    """Estimate a path.

    Parameters
    ----------
    seen : Seen
        A measurement.

    Raises
    ------
    ScenarioError
        When it has no RTT samples, or is shorter than three windows.
    """
    rtts = np.concatenate([flow.srtt_s for flow in seen.flows])
    if not np.isfinite(rtts).any():
        raise ScenarioError("measurement", f"{seen.source} has no RTT samples; allowed: a capture at the sender, or a run with samples")
    base_s, longest_s = min(float(np.nanmin(rtts)), *(flow.least_rtt_s for flow in seen.flows)), float(np.nanmax(rtts))
    blocks = [float(np.nanmin(part)) for part in np.array_split(rtts[np.isfinite(rtts)], 30) if part.size]
    rtt = Estimate(
        1e3 * base_s,
        1e3 * base_s,
        1e3 * _interval(np.array(blocks), np.min, "rtt")[1],
        "the shortest RTT: the path's own is no longer, as far as the queue was ever empty",
    )
    rates, stands = _windows(seen, base_s, longest_s)
    notes: list[str] = []
    if stands.sum() >= 3:
        full = rates[stands] / 1e6
        low, high = _interval(full, np.median, "rate")
        how = f"median of what all flows deliver in {stands.sum()} windows in which the queue stood"
        rate = Estimate(float(np.median(full)), low, high, how)
    else:
        most = float(rates.mean()) / 1e6
        how = "what all flows delivered in the mean: the queue never stood, so that the link may be faster"
        rate = Estimate(most, most, math.inf, how)
        notes.append("the link was never seen full: rate and queue are lower bounds")
    overflows, elsewhere = _losses(seen, base_s, longest_s)
    queue = _queue(overflows, rate.value * 1e6, longest_s - base_s)
    if any(one.size > 2 and one.std(ddof=1) > VARIES * one.mean() for one in overflows):
        notes.append("the queue at losses varies: it is no drop-tail queue, or others fill it too")
    loss = _loss(elsewhere)
    return PathEstimate(rate, rtt, queue, loss, tuple(notes))


def _interval(values: NDArray[np.float64], of: Callable[..., Any], name: str) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a statistic."""
    drawn = values[bootstrap_indices(values.size, RESAMPLES, name=f"fit {name}")]
    low, high = np.quantile(of(drawn, axis=1), [0.025, 0.975])
    return float(low), float(high)


def _windows(seen: Seen, base_s: float, longest_s: float) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return what all flows deliver in each window, bits per second, and whether the queue stood in it."""
    width = max(WINDOW_S, 4 * base_s)
    begin, end = min(float(flow.t_s[0]) for flow in seen.flows), seen.end_s
    edges = np.arange(begin, end, width)
    if edges.size < 4:
        raise ScenarioError("measurement", f"{seen.source} lasts {end - begin:.3g} s; allowed: at least {4 * width:.3g} s on this path")
    total = np.zeros(edges.size)
    shortest = np.full(edges.size - 1, math.inf)
    for flow in seen.flows:
        total += np.interp(edges, flow.t_s, flow.delivered_bits, left=0.0)
        index = np.searchsorted(edges, flow.t_s, side="right") - 1
        known = np.isfinite(flow.srtt_s) & (index >= 0) & (index < shortest.size)
        np.minimum.at(shortest, index[known], flow.srtt_s[known])
    rates = np.diff(total) / width
    # What jitter and the packets of one burst add is no queue.
    least_s = max(STANDS * (longest_s - base_s), NO_QUEUE * base_s, BURST_PACKETS * PACKET_BITS / max(float(rates.max()), 1.0))
    return rates, np.isfinite(shortest) & (shortest - base_s > least_s)


def _runs(seen: Seen) -> list[list[SeenFlow]]:
    """Return the flows that were there at the same time, in groups."""
    runs: list[list[SeenFlow]] = []
    end_s = -math.inf
    for flow in sorted(seen.flows, key=lambda flow: flow.start_s):
        if flow.start_s > end_s:
            runs.append([])
        runs[-1].append(flow)
        end_s = max(end_s, flow.end_s)
    return runs


def _losses(seen: Seen, base_s: float, longest_s: float) -> tuple[list[NDArray[np.float64]], list[tuple[int, float]]]:
    """Return each run's queueing delays before overflows, seconds, and its losses while the queue was short, with the packets then."""
    runs = _runs(seen)
    longest = [max((float(np.nanmax(flow.srtt_s)) for flow in run if np.isfinite(flow.srtt_s).any()), default=base_s) for run in runs]
    # A host that stood still in one run makes the buffer no larger.
    usual_s = float(np.quantile(longest, USUAL, method="lower")) - base_s
    overflows: list[list[float]] = []
    elsewhere = []
    for run, own_s in zip(runs, longest, strict=True):
        full_s = FULL * (own_s - base_s if own_s - base_s > REACHES * usual_s else usual_s)
        lost, packets = 0, 0.0
        overflows.append([])
        for flow in run:
            # What was lost met the queue a round trip before it was found lost; the longest of two and a half shows that.
            delay_s = _rolling(flow.t_s, flow.srtt_s, 2.5 * longest_s) - base_s
            at = np.searchsorted(flow.t_s, flow.losses_s + 1e-9) - 1
            before = np.where(at >= 0, delay_s[at], math.nan)
            overflows[-1] += [delay for delay in before.tolist() if delay > full_s]
            lost += int((before <= full_s).sum())
            packets += float(np.diff(flow.delivered_bits, prepend=0.0)[delay_s <= full_s].sum()) / PACKET_BITS
        elsewhere.append((lost, packets))
    return [np.array(delays) for delays in overflows if delays], elsewhere


def _rolling(t_s: NDArray[np.float64], values: NDArray[np.float64], span_s: float) -> NDArray[np.float64]:
    """Return the largest known value of the last so many seconds at each time; NaN where none is known."""
    frame = pl.DataFrame({"t": (1e9 * t_s).astype(np.int64), "value": values}).with_columns(pl.col("value").fill_nan(None))
    largest = frame.select(pl.col("value").rolling_max_by("t", window_size=f"{int(1e9 * span_s)}i"))["value"]
    return largest.fill_null(math.nan).to_numpy()


def _loss(runs: list[tuple[int, float]]) -> Estimate:
    """Return the probability of a loss without an overflow from each run's count of them and of the packets that could be so lost.

    A path loses the same share in every run. Where more was lost than the others' interval allows, those were overflows that the smoothed
    RTT does not show, as of many flows that start together: such runs do not count.
    """
    counted = sorted((run for run in runs if run[1] >= 1), key=lambda run: run[0] / run[1])
    if not counted:
        return Estimate(0.0, 0.0, 1.0, "the queue was never short")
    kept = list(counted)
    while len(kept) > 1:
        (lost, sent), rest = kept[-1], kept[:-1]
        if _poisson(lost)[0] / sent <= _poisson(sum(one for one, _ in rest))[1] / sum(of for _, of in rest):
            break
        kept = rest
    lost, sent = sum(one for one, _ in kept), sum(of for _, of in kept)
    low, high = _poisson(lost)
    more = f"; in {len(counted) - len(kept)} of {len(counted)} runs more than a path can lose in one and not in another"
    how = f"{lost} losses while the queue was short, of {sent:.0f} packets then{more if len(kept) < len(counted) else ''}"
    return Estimate(lost / sent, low / sent, high / sent, how)


def _poisson(count: int) -> tuple[float, float]:
    """Return the 95 % interval of what a count stands for."""
    spread = 1.96 * math.sqrt(count)
    return max(0.0, count - spread), count + max(spread, 3.0)


def _queue(overflows: list[NDArray[np.float64]], rate_bps: float, longest_s: float) -> Estimate:
    """Return the buffer from the queueing delays at overflows; without any it is no smaller than what was seen."""
    packets = rate_bps / PACKET_BITS
    if not overflows:
        most = max(1.0, longest_s * packets)
        return Estimate(most, most, math.inf, "the longest queueing delay: nothing overflowed, so that the buffer may be larger")
    count = sum(one.size for one in overflows)
    how = f"median queueing delay before {count} overflows, by the rate"
    values = overflows[0]
    if len(overflows) > 1:
        # Each run counts once: with many flows a delayed ACK makes the RTT longer than the queue does.
        values, how = np.array([np.median(one) for one in overflows]), f"{how}, of {len(overflows)} runs"
    low, high = _interval(values, np.median, "queue")
    return Estimate(max(1.0, float(np.median(values)) * packets), max(1.0, low * packets), max(1.0, high * packets), how)
