"""How long a new flow takes to its share, and how long a link takes to fill again."""

from __future__ import annotations

import math

import numpy as np

from windtunnel.metrics.backoffs import Array
from windtunnel.metrics.congestion import congestion_events
from windtunnel.metrics.rates import PACKET_BITS
from windtunnel.metrics.throughput import binned_bps
from windtunnel.metrics.view import View

BIN_S = 0.1
SHARE = 0.8


def memory_s(view: View, flow: int, *, share: float = 0.01, shortest_s: float = 1.0, longest_s: float = 5.0) -> float:
    """Return the memory 1/lambda of the short-term throughput.

    Parameters
    ----------
    view : View
        The run.
    flow : int
        The new flow's number.
    share : float
        Share of Reno's epoch E.
    shortest_s, longest_s : float
        Bounds, seconds.

    Returns
    -------
    float
        clip(share E, shortest, longest), seconds; E = (P + B)^2 x packet bits / (2 rate) is the time one Reno flow needs from half a
        full pipe to a full one (P = BDP at the flow's base RTT, B = buffer, packets).

    Notes
    -----
    Source: the register, `conv80`; Li, Leith, Shorten (ToN 2007), eq. (3), gives no number.
    """
    pipe = view.rate_bps * view.base_rtt_s(flow) / PACKET_BITS + view.queue_packets
    epoch = pipe**2 * PACKET_BITS / (2 * view.rate_bps)
    return min(max(share * epoch, shortest_s), longest_s)


def conv80_s(view: View, flow: int, *, memory: float, fair_share: bool = False) -> float | None:
    """Return when a new flow's short-term throughput first reaches 80 % of its long-term mean.

    Parameters
    ----------
    view : View
        The run.
    flow : int
        The new flow's number.
    memory : float
        1/lambda, seconds.
    fair_share : bool
        Compare with 80 % of the fair share (link rate over foreground flows) in place of the long-term mean.

    Returns
    -------
    float or None
        Seconds from the flow's start; infinite when it never does within the run, or never delivered anything in the last third; None
        when the run was not sampled every 0.1 s or finer.

    Notes
    -----
    Source: the register, `conv80`: u_hat <- u_hat exp(-d/memory) + u (1 - exp(-d/memory)) from u_hat = 0 at the start, with no correction
    of the start; long-term mean over the last third. Bins end at whole tenths of a second, where the samples lie, so that nothing is
    interpolated; the first one is shorter when the flow starts between them, and its own length is used.
    """
    if view.sample_s > BIN_S:
        return None
    t0, t1 = view.start_s(flow), view.duration_s
    edges = _edges(t0, t1)
    carried = view.delivered_bits(flow, edges)
    last_third = view.delivered_bits(flow, np.array([t1 - (t1 - t0) / 3, t1]))
    if carried is None or last_third is None:
        return None
    long_term = float(last_third[1] - last_third[0]) / ((t1 - t0) / 3)
    if long_term <= 0:
        return math.inf
    target = SHARE * (view.rate_bps / len(view.foreground) if fair_share else long_term)
    reached = np.flatnonzero(short_term_bps(edges, carried, memory=memory) >= target)
    return float(edges[reached[0] + 1]) - t0 if reached.size else math.inf


def _edges(t0: float, t1: float) -> Array:
    """Return `t0` and the whole tenths of a second after it up to `t1`, seconds."""
    first = math.floor(t0 / BIN_S + 1e-6) + 1
    return np.concatenate(([t0], BIN_S * np.arange(first, math.floor(t1 / BIN_S + 1e-6) + 1)))


def short_term_bps(edges: Array, carried: Array, *, memory: float) -> Array:
    """Return the exponential mean of a rate at the end of each bin: u_hat <- u_hat exp(-d/memory) + u (1 - exp(-d/memory)) from zero.

    Parameters
    ----------
    edges : numpy.ndarray, shape (bins + 1,)
        Seconds.
    carried : numpy.ndarray, shape (bins + 1,)
        Bits carried by then.
    memory : float
        1/lambda, seconds.

    Returns
    -------
    numpy.ndarray, shape (bins,)
        Bits per second.

    Notes
    -----
    Source: Li, Leith, Shorten (ToN 2007), eq. (3), with the factor lambda that the printed integral lacks.
    """
    widths = np.diff(edges)
    mean, found = 0.0, []
    for rate, keep in zip((np.diff(carried) / widths).tolist(), np.exp(-widths / memory).tolist(), strict=True):
        mean = mean * keep + rate * (1 - keep)
        found.append(mean)
    return np.array(found)


def conv_ratio_s(view: View, *, memory: float, hold: bool = False) -> float | None:
    """Return when the short-term throughputs of two flows first are within 80 % of each other.

    Parameters
    ----------
    view : View
        A run of two foreground flows.
    memory : float
        1/lambda of the exponential means, seconds.
    hold : bool
        From where they stay so to the end of the run, in place of the first time.

    Returns
    -------
    float or None
        Seconds from the start of the second flow; infinite when never; None when the run was not sampled every 0.1 s or finer.

    Notes
    -----
    Source: Li, Leith, Shorten (ToN 2007), the caption of Fig. 11 (its text compares with the long-term mean: `conv80_s`). The older
    flow's mean begins at its own start.
    """
    if view.sample_s > BIN_S:
        return None
    begin = view.start_s(view.foreground[1])
    means = []
    for flow in view.foreground:
        edges = _edges(view.start_s(flow), view.duration_s)
        carried = view.delivered_bits(flow, edges)
        if carried is None:
            return None
        means.append((edges[1:], short_term_bps(edges, carried, memory=memory)))
    times = means[1][0]
    older = means[0][1][np.searchsorted(means[0][0], times - 1e-9)]
    near = np.minimum(older, means[1][1]) >= SHARE * np.maximum(older, means[1][1])
    reached = np.flatnonzero(np.logical_and.accumulate(near[::-1])[::-1] if hold else near)
    return float(times[reached[0]]) - begin if reached.size else math.inf


def gap_after_epochs(view: View, epochs: int) -> float | None:
    """Return how much of the difference of two windows is left some congestion epochs after the second flow starts.

    Parameters
    ----------
    view : View
        A run of two foreground flows.
    epochs : int
        The congestion event before which the difference is taken, counted from 1 after the start of flow 2.

    Returns
    -------
    float or None
        The difference of cwnd just before that event over the one just before the first; None with fewer events or without samples.

    Notes
    -----
    Source: Leith et al. (PFLDnet 2008), section IV: four epochs; of a common back-off factor b, b^(epochs - 1) is left when both flows
    back off at every event (R. Shorten, F. Wirth, D. Leith, IEEE/ACM ToN 14(3), 2006).
    """
    events = congestion_events(view, view.start_s(view.foreground[1]), view.duration_s).t_s
    if events.size < epochs:
        return None
    gaps = []
    for t in (events[0], events[epochs - 1]):
        windows = []
        for flow in view.foreground:
            series = view.series(flow)
            before = int(np.searchsorted(series.t_s, t, side="right")) - 1
            if before < 0:
                return None
            windows.append(float(series.cwnd_packets[before]))
        gaps.append(abs(windows[0] - windows[1]))
    return gaps[1] / gaps[0] if gaps[0] > 0 else None


def refill_s(view: View, flows: tuple[int, ...], since_s: float | None) -> float | None:
    """Return the time from a disturbance until the link is full again.

    Parameters
    ----------
    view : View
        The run.
    flows : tuple of int
        The flows whose throughput counts.
    since_s : float, optional
        End of the disturbance, seconds; the first back-off of these flows when absent.

    Returns
    -------
    float or None
        Seconds until the 1 s mean of throughput is 95 % of the link rate, or of the highest 1 s mean before if that was lower; infinite
        if never. None without a disturbance or samples of 0.1 s.

    Notes
    -----
    Source: the register, `refill_s`; the means move by 0.1 s.
    """
    if since_s is None:
        times = [float(view.backoffs(flow).t_s[0]) for flow in flows if view.backoffs(flow).t_s.size]
        if not times:
            return None
        since_s = min(times)
    after = binned_bps(view, flows, since_s, view.duration_s, BIN_S)
    if after is None:
        return None
    target = view.rate_bps
    began = min(view.start_s(flow) for flow in flows)
    before = binned_bps(view, flows, began, since_s, BIN_S) if since_s - began >= 1 else None
    if before is not None:
        target = min(target, float(_second_means(before).max()))
    full = np.flatnonzero(_second_means(after) >= 0.95 * target)
    return 1 + BIN_S * float(full[0]) if full.size else math.inf


def _second_means(bins: np.ndarray[tuple[int], np.dtype[np.float64]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the mean of every ten consecutive bins; empty when there are fewer."""
    per_second = round(1 / BIN_S)
    summed = np.concatenate(([0.0], np.cumsum(bins)))
    return (summed[per_second:] - summed[:-per_second]) / per_second
