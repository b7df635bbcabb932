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
from numpy.typing import NDArray

from windtunnel.fit.seen import Seen
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
    overflow_s, elsewhere = _losses(seen, base_s, longest_s)
    queue = _queue(overflow_s, rate.value * 1e6, longest_s - base_s)
    if overflow_s.size > 2 and overflow_s.std(ddof=1) > VARIES * overflow_s.mean():
        notes.append("the queue at losses varies: it is no drop-tail queue, or others fill it too")
    sent = sum(flow.sent for flow in seen.flows)
    spread = 1.96 * math.sqrt(elsewhere)
    loss = Estimate(
        elsewhere / sent if sent else 0.0,
        max(0.0, elsewhere - spread) / sent if sent else 0.0,
        (elsewhere + max(spread, 3.0)) / sent if sent else 1.0,
        f"{elsewhere} losses while the queue was short, of {sent} packets",
    )
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


def _losses(seen: Seen, base_s: float, longest_s: float) -> tuple[NDArray[np.float64], int]:
    """Return the queueing delay before each overflow, seconds, and how many losses were none."""
    before = []
    for flow in seen.flows:
        for at_s in flow.losses_s:
            # What was lost met the queue a round trip before it was found lost; the longest of two and a half shows that.
            near = (flow.t_s <= at_s + 1e-9) & (flow.t_s >= at_s - 2.5 * longest_s) & np.isfinite(flow.srtt_s)
            if near.any():
                before.append(float(flow.srtt_s[near].max()) - base_s)
    delays = np.array(before)
    full = delays > FULL * (longest_s - base_s)
    return delays[full], int((~full).sum())


def _queue(overflow_s: NDArray[np.float64], rate_bps: float, longest_s: float) -> Estimate:
    """Return the buffer from the queueing delays at overflows; without any it is no smaller than what was seen."""
    packets = rate_bps / PACKET_BITS
    if not overflow_s.size:
        most = max(1.0, longest_s * packets)
        return Estimate(most, most, math.inf, "the longest queueing delay: nothing overflowed, so that the buffer may be larger")
    low, high = _interval(overflow_s, np.median, "queue")
    how = f"median queueing delay before {overflow_s.size} overflows, by the rate"
    return Estimate(max(1.0, float(np.median(overflow_s)) * packets), max(1.0, low * packets), max(1.0, high * packets), how)
