"""After a loss: how deep the window falls, how long the flow stays down, and whether there was a loss at all."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from windtunnel.frames import pl
from windtunnel.metrics.backoffs import Array
from windtunnel.metrics.throughput import binned_bps
from windtunnel.metrics.view import View

DISORDER = 1
"""States above this one reduce or recover."""
MEAN_S, GROWTH_S = 5, 10
_STILL_BPS = 1.0
"""A change of the mean below this is rounding."""


def drops_s(view: View, flow: int) -> Array | None:
    """Return the times of the recorded drops of a flow's packets, seconds; None when the run did not record drops."""
    if not view.scenario.get("record_drops"):
        return None
    events = view.records.events
    return events.filter((pl.col("kind") == "drop") & (pl.col("flow") == flow))["t_s"].to_numpy()


def spurious_backoffs(view: View, flow: int, t0: float, t1: float) -> int | None:
    """Return how many back-offs of a flow no drop of its packets explains.

    Parameters
    ----------
    view : View
        A run that recorded drops.
    flow : int
        The flow's number.
    t0, t1 : float
        Seconds.

    Returns
    -------
    int or None
        Back-offs without a drop within the last two of the largest round trips; None when drops were not recorded.

    Notes
    -----
    Source: Leith et al. (PFLDnet 2008), section VIII.B.4: back-offs of a delay-based rule that follow no loss.
    """
    drops = drops_s(view, flow)
    if drops is None:
        return None
    times = view.backoffs(flow).within(t0, t1).t_s
    near = np.searchsorted(drops, times, side="right") - np.searchsorted(drops, times - 2 * view.largest_rtt_s, side="left")
    return int((near == 0).sum())


def window_after_loss(view: View, flow: int, t0: float, t1: float) -> float | None:
    """Return the smallest sampled cwnd within one base RTT after a back-off, mean over back-offs.

    Parameters
    ----------
    view : View
        The run, sampled at least once per base RTT.
    flow : int
        The flow's number.
    t0, t1 : float
        Seconds.

    Returns
    -------
    float or None
        Packets; None without back-offs or with coarser samples.

    Notes
    -----
    Source: Leith et al. (PFLDnet 2008), section VIII.B.1: a stack that falls to one packet at every loss.
    """
    width = view.base_rtt_s(flow)
    if view.sample_s > width:
        return None
    series = view.series(flow)
    parts = [series.cwnd_packets[(series.t_s >= t) & (series.t_s <= t + width)] for t in view.backoffs(flow).within(t0, t1).t_s.tolist()]
    lowest = [float(part.min()) for part in parts if part.size]
    return sum(lowest) / len(lowest) if lowest else None


def regain_s(view: View, flow: int, t0: float, t1: float) -> float | None:
    """Return the time from a back-off until cwnd is what it was just before it, mean over the back-offs after which it gets there.

    Parameters
    ----------
    view : View
        The run.
    flow : int
        The flow's number.
    t0, t1 : float
        Seconds.

    Returns
    -------
    float or None
        Seconds; infinite when the next back-off or the end always comes first, None without loss episodes or samples.

    Notes
    -----
    Source: Leith, Shorten (PFLDnet 2008), Fig. 3.
    """
    series, backoffs = view.series(flow), view.backoffs(flow)
    found: list[float] = []
    seen = False
    ends = np.append(backoffs.t_s[1:], view.duration_s)
    for t, before, after, end in zip(backoffs.t_s, backoffs.before_packets, backoffs.after_packets, ends, strict=True):
        if not t0 <= t <= t1 or np.isnan(after) or not series.t_s.size:
            continue
        seen = True
        settled = (series.t_s > t) & (series.t_s <= end)
        low = settled & (np.cumsum(settled & (series.cwnd_packets < before)) > 0)
        back = np.flatnonzero(low & (series.cwnd_packets >= before))
        if back.size:
            found.append(float(series.t_s[back[0]] - t))
    return sum(found) / len(found) if found else math.inf if seen else None


def increase_at(view: View, flow: int, after_s: float) -> float | None:
    """Return the growth of cwnd over one round trip a given time after a flow's first back-off.

    Parameters
    ----------
    view : View
        The run.
    flow : int
        The flow's number.
    after_s : float
        Seconds after the back-off.

    Returns
    -------
    float or None
        Packets per RTT, the RTT being the smoothed one of that moment; None without a back-off or samples there.
    """
    series, backoffs = view.series(flow), view.backoffs(flow)
    if not backoffs.t_s.size or not series.t_s.size:
        return None
    begin = float(backoffs.t_s[0]) + after_s
    end = begin + float(np.interp(begin, series.t_s, series.srtt_s))
    if not end <= float(series.t_s[-1]):
        return None
    first, second = np.interp([begin, end], series.t_s, series.cwnd_packets)
    return float(second - first)


def onset_delay_s(view: View, flows: tuple[int, ...], since_s: float) -> float | None:
    """Return the time from a disturbance until throughput begins to recover without falling again.

    Parameters
    ----------
    view : View
        The run.
    flows : tuple of int
        The flows whose throughput counts, together.
    since_s : float
        Beginning of the disturbance, seconds.

    Returns
    -------
    float or None
        Seconds, whole: up to the second from which the mean of the last five seconds grows, and then for ten seconds never falls.
        Infinite if there is none; None without samples.

    Notes
    -----
    Source: Leith et al. (PFLDnet 2008), Fig. 1: Vista stays down for half a minute after a burst.
    """
    begin = max(0.0, since_s - MEAN_S)
    bins = binned_bps(view, flows, begin, view.duration_s, 1.0)
    if bins is None or bins.size < MEAN_S:
        return None
    # steps[k] compares the mean that ends at begin + k + 5 with the next.
    steps = np.diff(np.convolve(bins, np.full(MEAN_S, 1 / MEAN_S), mode="valid"))
    for k in range(steps.size - GROWTH_S + 1):
        if steps[k] > _STILL_BPS and (steps[k : k + GROWTH_S] >= -_STILL_BPS).all():
            return max(0.0, begin + k + MEAN_S - since_s)
    return math.inf


@dataclass(frozen=True)
class Episode:
    """A retransmission timeout, and the recovery after it.

    Attributes
    ----------
    timeout_s, end_s : float
        When it struck, and the first sample at which the flow was no longer recovering, seconds; NaN if it never ended.
    """

    timeout_s: float
    end_s: float


def timeout_episode(view: View, flow: int) -> Episode | None:
    """Return a flow's first retransmission timeout and the recovery after it; None without one or without samples."""
    events = view.records.events
    times = events.filter((pl.col("kind") == "timeout") & (pl.col("flow") == flow))["t_s"]
    series = view.series(flow)
    if not times.len() or not series.t_s.size:
        return None
    struck = float(times[0])
    over = np.flatnonzero((series.t_s > struck) & (series.state <= DISORDER))
    return Episode(struck, float(series.t_s[over[0]]) if over.size else math.nan)


def burst_before(view: View, flow: int, timeout_s: float) -> Array | None:
    """Return the drops of a flow that led to a timeout: the last before it and those at most a largest RTT apart; None if not recorded."""
    drops = drops_s(view, flow)
    if drops is None:
        return None
    before = drops[drops <= timeout_s]
    gaps = np.flatnonzero(np.diff(before) > view.largest_rtt_s)
    return before[gaps[-1] + 1 :] if gaps.size else before
