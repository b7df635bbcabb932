"""The shape of the window between back-offs, and its parts where an algorithm keeps several."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from typing import Literal

import numpy as np

from windtunnel.metrics.backoffs import Array
from windtunnel.metrics.view import View

Shape = Literal["concave", "convex", "concave-convex", "linear"]
DELAY_PART = "dwnd_packets"
"""How an algorithm with a loss-based and a delay-based window exports the second; the first is cwnd less it."""


def slope(x: Array, y: Array) -> float:
    """Return the least-squares slope of y on x; NaN with fewer than two different x."""
    dx = x - x.mean() if x.size else x
    spread = float(dx @ dx)
    return float(dx @ y) / spread if spread > 0 else math.nan


def shape(t_s: Array, window: Array) -> Shape | None:
    """Return the shape of a window's growth over one epoch.

    Parameters
    ----------
    t_s : numpy.ndarray, shape (n,)
        Seconds, rising.
    window : numpy.ndarray, shape (n,)
        Packets.

    Returns
    -------
    str or None
        From the least-squares slopes s1, s2, s3 of the thirds of the time: ``concave`` if s1 > 1.1 s2 and s2 >= s3, ``convex`` if
        s3 > 1.1 s2 and s2 >= s1, ``concave-convex`` if s2 < 0.9 min(s1, s3), else ``linear``. None when a third has no slope.

    Notes
    -----
    Source: the register, `shape_sign`.
    """
    if t_s.size < 6:
        return None
    edges = np.linspace(t_s[0], t_s[-1], 4)
    thirds = [(t_s >= begin) & (t_s <= end) for begin, end in pairwise(edges.tolist())]
    first, middle, last = (slope(t_s[third], window[third]) for third in thirds)
    if math.isnan(first) or math.isnan(middle) or math.isnan(last):
        return None
    if first > 1.1 * middle and middle >= last:
        return "concave"
    if last > 1.1 * middle and middle >= first:
        return "convex"
    return "concave-convex" if middle < 0.9 * min(first, last) else "linear"


def epochs(view: View, flow: int, t0: float, t1: float) -> list[tuple[Array, Array]]:
    """Return time and cwnd of the samples of every complete epoch: from after a back-off's recovery to the next back-off.

    Parameters
    ----------
    view : View
        The run.
    flow : int
        The flow's number.
    t0, t1 : float
        Seconds; both back-offs lie between.

    Returns
    -------
    list of (numpy.ndarray, numpy.ndarray)
        Seconds and packets, samples in recovery left out.
    """
    series, marks = view.series(flow), view.backoffs(flow).within(t0, t1).t_s
    calm = (series.state <= 1) & (series.cwnd_packets >= series.ssthresh_packets)
    found = []
    for begin, end in pairwise(marks.tolist()):
        inside = calm & (series.t_s > begin) & (series.t_s < end)
        found.append((series.t_s[inside], series.cwnd_packets[inside]))
    return found


def most_frequent_shape(view: View, flows: tuple[int, ...], t0: float, t1: float) -> Shape | None:
    """Return the most frequent shape of the complete epochs of some flows, of equally frequent ones the first; None without one."""
    shapes = [shape(*epoch) for flow in flows for epoch in epochs(view, flow, t0, t1)]
    counted = Counter(one for one in shapes if one is not None)
    return counted.most_common(1)[0][0] if counted else None


def _parts(view: View, flow: int) -> tuple[Array, Array] | None:
    """Return the loss-based and the delay-based part of a flow's samples, packets; None where the algorithm exports none."""
    if DELAY_PART not in view.records.flow_samples.columns:
        return None
    delay = view.variable(flow, DELAY_PART)
    return None if not delay.size or np.isnan(delay).all() else (view.series(flow).cwnd_packets - delay, delay)


def delay_share(view: View, flow: int, t0: float, t1: float) -> float | None:
    """Return the delay-based part over the whole window in the last sample before a back-off, mean over back-offs.

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
        In [0, 1]; None without back-offs or such a part.

    Notes
    -----
    Source: Leith et al. (PFLDnet 2008), Fig. 5.
    """
    parts, series = _parts(view, flow), view.series(flow)
    if parts is None:
        return None
    before = np.searchsorted(series.t_s, view.backoffs(flow).within(t0, t1).t_s) - 1
    before = before[before >= 0]
    return float((parts[1][before] / series.cwnd_packets[before]).mean()) if before.size else None


def part_kept(view: View, flow: int, t0: float, t1: float, *, delay: bool) -> float | None:
    """Return a part of the window after over before a back-off, mean over back-offs.

    Parameters
    ----------
    view : View
        The run.
    flow : int
        The flow's number.
    t0, t1 : float
        Seconds.
    delay : bool
        The delay-based part (as sampled before and after) in place of the loss-based one (ssthresh less the delay-based part, over
        cwnd less it).

    Returns
    -------
    float or None
        None without loss episodes, or where the part was zero before.
    """
    parts, series, backoffs = _parts(view, flow), view.series(flow), view.backoffs(flow).within(t0, t1)
    if parts is None:
        return None
    kept = []
    for t, before, after in zip(backoffs.t_s, backoffs.before_packets, backoffs.after_packets, strict=True):
        place = int(np.searchsorted(series.t_s, t))
        if np.isnan(after) or not 0 < place < series.t_s.size:
            continue
        was, became = float(parts[1][place - 1]), float(parts[1][place])
        pair = (was, became) if delay else (before - was, after - became)
        if pair[0] > 0:
            kept.append(pair[1] / pair[0])
    return float(np.mean(kept)) if kept else None


def loss_part_growth(view: View, flow: int, t0: float, t1: float, *, per_rtt: bool) -> float | None:
    """Return the growth of the loss-based part of a window: least-squares slope, mean over the stretches between back-offs.

    Parameters
    ----------
    view : View
        The run.
    flow : int
        The flow's number.
    t0, t1 : float
        Seconds.
    per_rtt : bool
        Over round trips of the smoothed RTT in place of seconds.

    Returns
    -------
    float or None
        Packets per RTT, or per second; None without congestion avoidance or such a part.
    """
    parts, series = _parts(view, flow), view.series(flow)
    if parts is None:
        return None
    calm = (series.state <= 1) & (series.cwnd_packets >= series.ssthresh_packets) & (series.t_s >= t0) & (series.t_s <= t1)
    chosen = np.flatnonzero(calm & ~np.isnan(series.srtt_s))
    if not chosen.size:
        return None
    epoch = np.searchsorted(view.backoffs(flow).t_s, series.t_s[chosen])
    found = []
    for part in np.split(chosen, np.flatnonzero((np.diff(chosen) > 1) | (np.diff(epoch) > 0)) + 1):
        if part.size < 2:
            continue
        t_s, rtt_s = series.t_s[part], series.srtt_s[part]
        rounds = np.concatenate(([0.0], np.cumsum(np.diff(t_s) / (0.5 * (rtt_s[1:] + rtt_s[:-1])))))
        found.append(slope(rounds if per_rtt else t_s, parts[0][part]))
    return sum(found) / len(found) if found else None
