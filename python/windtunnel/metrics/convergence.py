"""How long a new flow takes to its share, and how long a link takes to fill again."""

from __future__ import annotations

import math

import numpy as np

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
    first = math.floor(t0 / BIN_S + 1e-6) + 1
    edges = np.concatenate(([t0], BIN_S * np.arange(first, math.floor(t1 / BIN_S + 1e-6) + 1)))
    carried = view.delivered_bits(flow, edges)
    last_third = view.delivered_bits(flow, np.array([t1 - (t1 - t0) / 3, t1]))
    if carried is None or last_third is None:
        return None
    long_term = float(last_third[1] - last_third[0]) / ((t1 - t0) / 3)
    if long_term <= 0:
        return math.inf
    target = SHARE * (view.rate_bps / len(view.foreground) if fair_share else long_term)
    widths = np.diff(edges)
    kept = np.exp(-widths / memory).tolist()
    short_term = 0.0
    for index, (rate, keep) in enumerate(zip((np.diff(carried) / widths).tolist(), kept, strict=True)):
        short_term = short_term * keep + rate * (1 - keep)
        if short_term >= target:
            return float(edges[index + 1]) - t0
    return math.inf


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
