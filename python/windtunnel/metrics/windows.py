"""Congestion windows between back-offs: their size, growth and reductions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from windtunnel.metrics.backoffs import Array
from windtunnel.metrics.throughput import variation
from windtunnel.metrics.view import View

DISORDER = 1
"""States up to this one (open, disorder) let the window grow; the ones above reduce or recover."""
INCREASE_COLUMNS = ("alpha", "a")
"""How the algorithms that export their additive increase per RTT call it."""


@dataclass(frozen=True)
class Stretch:
    """One stretch of congestion avoidance between two back-offs.

    Attributes
    ----------
    rounds : numpy.ndarray, shape (samples,)
        Round trips since its beginning: the time in units of the smoothed RTT of each moment.
    cwnd_packets : numpy.ndarray, shape (samples,)
        Windows.
    """

    rounds: Array
    cwnd_packets: Array


def stretches(view: View, flow: int, t0: float, t1: float) -> list[Stretch]:
    """Return a flow's stretches of congestion avoidance, at least two samples each.

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
    list of Stretch
        Cut at every back-off. Slow start (no ssthresh, or cwnd below it) and recovery are left out; the parts before the first and
        after the last back-off are stretches too.
    """
    series = view.series(flow)
    avoiding = (series.state <= DISORDER) & (series.cwnd_packets >= series.ssthresh_packets) & (series.t_s >= t0) & (series.t_s <= t1)
    chosen = np.flatnonzero(avoiding & ~np.isnan(series.srtt_s))
    if not chosen.size:
        return []
    epoch = np.searchsorted(view.backoffs(flow).t_s, series.t_s[chosen])
    parts = np.split(chosen, np.flatnonzero((np.diff(chosen) > 1) | (np.diff(epoch) > 0)) + 1)
    found = []
    for part in parts:
        if part.size < 2:
            continue
        steps = np.diff(series.t_s[part]) / (0.5 * (series.srtt_s[part][1:] + series.srtt_s[part][:-1]))
        found.append(Stretch(np.concatenate(([0.0], np.cumsum(steps))), series.cwnd_packets[part]))
    return found


def slope_packets_per_rtt(view: View, flow: int, t0: float, t1: float) -> float | None:
    """Return the least-squares slope of cwnd over round trips: one slope for all stretches, each with its own offset.

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
        Packets per RTT; None without congestion avoidance.
    """
    product = square = 0.0
    for stretch in stretches(view, flow, t0, t1):
        rounds = stretch.rounds - stretch.rounds.mean()
        product += float(rounds @ (stretch.cwnd_packets - stretch.cwnd_packets.mean()))
        square += float(rounds @ rounds)
    return product / square if square > 0 else None


def increase_packets_per_rtt(view: View, flow: int, t0: float, t1: float) -> float | None:
    """Return the mean increase of cwnd per round trip between back-offs: all growth over all round trips.

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
        Packets per RTT; None without congestion avoidance.
    """
    found = stretches(view, flow, t0, t1)
    rounds = sum(float(stretch.rounds[-1]) for stretch in found)
    grown = sum(float(stretch.cwnd_packets[-1] - stretch.cwnd_packets[0]) for stretch in found)
    return grown / rounds if rounds > 0 else None


def net_growth_packets_per_rtt(view: View, flow: int, t0: float, t1: float) -> float | None:
    """Return cwnd at the end of a time less cwnd at its beginning, over the round trips between, back-offs and all.

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
        Packets per RTT, the smoothed one of each sample; None with fewer than two samples.
    """
    series = view.series(flow)
    chosen = (series.t_s >= t0) & (series.t_s <= t1) & ~np.isnan(series.srtt_s)
    t_s, srtt_s, cwnd = series.t_s[chosen], series.srtt_s[chosen], series.cwnd_packets[chosen]
    if t_s.size < 2:
        return None
    rounds = float((np.diff(t_s) / (0.5 * (srtt_s[1:] + srtt_s[:-1]))).sum())
    return float(cwnd[-1] - cwnd[0]) / rounds


def distinct_increases(view: View, t0: float, t1: float) -> float | None:
    """Return how many different additive increases per RTT the foreground flows use.

    Parameters
    ----------
    view : View
        The run.
    t0, t1 : float
        Seconds.

    Returns
    -------
    float or None
        A whole number, from the increase the algorithm itself exports with each sample; None where it exports none.
    """
    names = [name for name in INCREASE_COLUMNS if name in view.records.flow_samples.columns]
    if not names:
        return None
    values = set()
    for flow in view.foreground:
        t_s = view.series(flow).t_s
        for name in names:
            values.update(view.variable(flow, name)[(t_s >= t0) & (t_s <= t1)].tolist())
    values = {value for value in values if value == value}
    return float(len(values)) if values else None


def sampled_cwnd(view: View, flow: int, t0: float, t1: float) -> Array:
    """Return the samples of cwnd from `t0` to `t1` (seconds), packets."""
    series = view.series(flow)
    return series.cwnd_packets[(series.t_s >= t0) & (series.t_s <= t1)]


def cwnd_variation(view: View, flow: int, t0: float, t1: float) -> float | None:
    """Return sample standard deviation over mean of cwnd; None with fewer than two samples."""
    return variation(sampled_cwnd(view, flow, t0, t1))


def largest_cwnd(view: View, flow: int) -> float | None:
    """Return the largest cwnd of the run, packets: of the samples and of the values just before back-offs; None without either."""
    seen = np.concatenate((view.series(flow).cwnd_packets, view.backoffs(flow).before_packets))
    return float(seen.max()) if seen.size else None


def mean_factor(view: View, flow: int, t0: float, t1: float) -> float | None:
    """Return the mean of window after over cwnd before a back-off; None without loss episodes in the window."""
    factors = view.backoffs(flow).within(t0, t1).factors
    return float(factors.mean()) if factors.size else None


def median_factor(view: View, flows: tuple[int, ...], t0: float, t1: float) -> float | None:
    """Return the median of window after over cwnd before the back-offs of some flows together; None without loss episodes.

    A median, because the few back-offs that follow a lost retransmission or a slow start are not the law's.
    """
    found = [view.backoffs(flow).within(t0, t1).factors for flow in flows]
    factors = np.concatenate(found) if found else np.empty(0)
    return float(np.median(factors)) if factors.size else None


def smallest_factor(view: View, flow: int, t0: float, t1: float) -> float | None:
    """Return the smallest of window after over cwnd before a back-off; None without loss episodes in the window."""
    factors = view.backoffs(flow).within(t0, t1).factors
    return float(factors.min()) if factors.size else None


def peak_to_trough(view: View, flow: int, t0: float, t1: float) -> float | None:
    """Return the mean over back-offs of cwnd before over the window after; None without loss episodes in the window."""
    factors = view.backoffs(flow).within(t0, t1).factors
    return float((1 / factors).mean()) if factors.size else None
