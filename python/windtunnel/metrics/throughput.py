"""Throughput of flows over any window, and ratios between flows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from windtunnel.metrics.backoffs import Array
from windtunnel.metrics.rates import PACKET_BITS
from windtunnel.metrics.view import View

_SLACK_S = 1e-6


def throughput_bps(view: View, flow: int, t0: float, t1: float) -> float | None:
    """Return a flow's delivered IP bits per second from `t0` to `t1`.

    Parameters
    ----------
    view : View
        The run.
    flow : int
        The flow's number.
    t0, t1 : float
        Seconds. Over the counted window the records' counters decide, over others the samples.

    Returns
    -------
    float or None
        Bits per second; None when the window is empty, reaches beyond the run or was not sampled.
    """
    if not 0 <= t0 < t1 <= view.duration_s + _SLACK_S:
        return None
    counted = view.row(flow)["window_delivered_packets"] if view.is_counted(t0, t1) else None
    if counted is not None:
        return float(counted) * view.packet_bits(flow) / (t1 - t0)
    carried = view.delivered_bits(flow, np.array([t0, t1]))
    return None if carried is None else float(carried[1] - carried[0]) / (t1 - t0)


def total_bps(view: View, flows: Sequence[int], t0: float, t1: float) -> float | None:
    """Return the throughput of several flows together, bits per second; None when one is missing."""
    rates = [throughput_bps(view, flow, t0, t1) for flow in flows]
    known = [rate for rate in rates if rate is not None]
    return sum(known) if known and len(known) == len(rates) else None


def at_least_a_packet(rate: float, t0: float, t1: float) -> float:
    """Return a rate for use in a ratio: zero counts as one packet in the window (the register's rule), bits per second."""
    return rate if rate > 0 else PACKET_BITS / (t1 - t0)


def ratio(view: View, over: Sequence[int], under: Sequence[int], t0: float, t1: float) -> float | None:
    """Return the throughput of one application over that of another.

    Parameters
    ----------
    view : View
        The run.
    over, under : sequence of int
        Flow numbers of numerator and denominator.
    t0, t1 : float
        Seconds.

    Returns
    -------
    float or None
        Delivering nothing counts as one packet in the window; None when a throughput is missing.
    """
    upper, lower = total_bps(view, over, t0, t1), total_bps(view, under, t0, t1)
    if upper is None or lower is None:
        return None
    return at_least_a_packet(upper, t0, t1) / at_least_a_packet(lower, t0, t1)


def smaller_over_larger(view: View, t0: float, t1: float) -> float | None:
    """Return the smaller over the larger throughput of two applications; None unless the foreground holds exactly two."""
    if len(view.applications) != 2:
        return None
    value = ratio(view, *view.applications, t0, t1)
    return None if value is None else min(value, 1 / value)


def late_against_best(view: View, *, late_s: float = 100.0, width_s: float = 60.0, step_s: float = 1.0) -> float | None:
    """Return how fair two flows end up against how fair they ever were.

    Parameters
    ----------
    view : View
        A run of two foreground flows, or applications.
    late_s : float
        Length of the last part of the run, seconds.
    width_s, step_s : float
        Length and step of the windows that slide from the start of the default window to the end of the run, seconds.

    Returns
    -------
    float or None
        (min/max over the last part) / (largest min/max over any window); None when the run is too short or was not sampled.
    """
    begin, end = view.window_s
    late = smaller_over_larger(view, max(0.0, end - late_s), end)
    if late is None or end - begin < max(width_s, late_s):
        return None
    starts: Array = begin + step_s * np.arange(int((end - begin - width_s) / step_s + _SLACK_S) + 1, dtype=np.float64)
    shares: list[Array] = []
    for flows in view.applications:
        until, since = carried_bits(view, flows, starts + width_s), carried_bits(view, flows, starts)
        if until is None or since is None:
            return None
        carried = until - since
        shares.append(np.where(carried > 0, carried, PACKET_BITS))
    best = float((np.minimum(*shares) / np.maximum(*shares)).max())
    return late / best


def binned_bps(view: View, flows: Sequence[int], t0: float, t1: float, width_s: float) -> Array | None:
    """Return the throughput of flows together in consecutive bins; a last bin that would be shorter is left out.

    Parameters
    ----------
    view : View
        The run.
    flows : sequence of int
        Flow numbers.
    t0, t1, width_s : float
        Window and bin width, seconds.

    Returns
    -------
    numpy.ndarray, shape (bins,), or None
        Bits per second; None when the window reaches beyond the run, or the run was not sampled at least once per bin.
    """
    if view.sample_s > width_s or not 0 <= t0 < t1 <= view.duration_s + _SLACK_S:
        return None
    edges: Array = t0 + width_s * np.arange(int((t1 - t0) / width_s + _SLACK_S) + 1, dtype=np.float64)
    carried = carried_bits(view, flows, edges)
    return None if carried is None else np.diff(carried) / width_s


def carried_bits(view: View, flows: Sequence[int], times: Array) -> Array | None:
    """Return the IP bits that flows together had delivered by given times (seconds); None when one was not sampled."""
    carried = [view.delivered_bits(flow, times) for flow in flows]
    known = [bits for bits in carried if bits is not None]
    return np.sum(known, axis=0, dtype=np.float64) if known and len(known) == len(carried) else None


def variation(samples: Array | None) -> float | None:
    """Return sample standard deviation (n - 1) over mean; None with fewer than two samples or a mean of zero."""
    if samples is None or samples.size < 2 or samples.mean() == 0:
        return None
    return float(samples.std(ddof=1) / samples.mean())


def crossings(view: View, t0: float, t1: float, *, smooth_s: float = 30.0, band: float = 0.1) -> float | None:
    """Return how often the lead changes between two flows.

    Parameters
    ----------
    view : View
        A run of two foreground flows, or applications.
    t0, t1 : float
        Seconds.
    smooth_s : float
        Length of the moving mean, seconds; it moves by the sampling interval of 0.1 s.
    band : float
        A change counts only once the new leader is ahead by more than this share of the link rate.

    Returns
    -------
    float or None
        A whole number; None without two flows or samples, or when the window is shorter than the mean.
    """
    if len(view.applications) != 2:
        return None
    both = [binned_bps(view, flows, t0, t1, 0.1) for flows in view.applications]
    if both[0] is None or both[1] is None:
        return None
    bins = round(smooth_s / 0.1)
    if both[0].size < bins:
        return None
    summed = np.concatenate(([0.0], np.cumsum(both[0] - both[1])))
    lead = (summed[bins:] - summed[:-bins]) / bins
    sides = np.sign(lead[np.abs(lead) > band * view.rate_bps])
    return float(sum(a != b for a, b in pairwise(sides)))


def correlation(first: Array | None, second: Array | None) -> float | None:
    """Return Pearson's correlation of two series; None where one is absent, short or constant."""
    if first is None or second is None or first.size < 2 or first.size != second.size:
        return None
    x, y = first - first.mean(), second - second.mean()
    spread = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / spread if spread > 0 else None


def window_correlation(view: View, flow: int, t0: float, t1: float) -> float | None:
    """Return the correlation of a flow's throughput with its mean window, over consecutive bins of one base RTT.

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
        In [-1, 1]; None when the run was not sampled at least once per base RTT, or one of the two does not change.

    Notes
    -----
    Source: Leith, Shorten (PFLDnet 2008), Fig. 1: throughput that does not follow the window shows a link that is never idle.
    """
    width = view.base_rtt_s(flow)
    rates = binned_bps(view, (flow,), t0, t1, width)
    if rates is None or not rates.size:
        return None
    series = view.series(flow)
    number = np.floor((series.t_s - t0) / width - _SLACK_S).astype(np.int64)
    inside = (number >= 0) & (number < rates.size)
    samples = np.bincount(number[inside], minlength=rates.size)
    summed = np.bincount(number[inside], weights=series.cwnd_packets[inside], minlength=rates.size)
    full = samples > 0
    return correlation(rates[full], summed[full] / samples[full])
