"""Congestion events of the bottleneck, and what follows from who backs off at them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from windtunnel.metrics.backoffs import Array
from windtunnel.metrics.view import View

REACTION_SHARE = 0.75
"""Share of the base RTT between a drop and the news of it: bottleneck, receiver, reverse bottleneck, sender (three quarters of four)."""


@dataclass(frozen=True)
class CongestionEvents:
    """Clusters of drops, in order of time.

    Attributes
    ----------
    t_s : numpy.ndarray, shape (events,)
        The first drop of each that made a flow back off, seconds.
    backed_off : numpy.ndarray of bool, shape (flows, events)
        Which foreground flow backed off, in order of start.
    """

    t_s: Array
    backed_off: np.ndarray[tuple[int, int], np.dtype[np.bool_]]


def congestion_events(view: View, t0: float, t1: float) -> CongestionEvents:
    """Return the congestion events from `t0` to `t1` (seconds), inferred from the back-offs of the foreground flows.

    Each back-off is set back to the drop it answers: by three quarters of the flow's base RTT and the delay of a full queue, for a queue
    that drops is full. Drops separated from the next by more than one largest RTT begin a new event (the register, `lambda_sync`).

    Parameters
    ----------
    view : View
        The run.
    t0, t1 : float
        Seconds; events whose answers could lie beyond `t1` are left out.

    Returns
    -------
    CongestionEvents
        Empty without back-offs.
    """
    queue_s = view.queue_packets * view.packet_s
    drops = [view.backoffs(flow).t_s - REACTION_SHARE * view.base_rtt_s(flow) - queue_s for flow in view.foreground]
    together = np.concatenate(drops)
    owner = np.repeat(np.arange(len(drops)), [len(own) for own in drops])
    order = np.argsort(together, kind="stable")
    together, owner = together[order], owner[order]
    begins = np.diff(together, prepend=-np.inf) > view.largest_rtt_s
    number = np.cumsum(begins) - 1
    first_s = together[begins]
    backed_off = np.zeros((len(drops), len(first_s)), dtype=np.bool_)
    backed_off[owner, number] = True
    chosen = (first_s >= t0) & (first_s <= t1 - 2 * view.largest_rtt_s)
    return CongestionEvents(first_s[chosen], backed_off[:, chosen])


def lambda_sync(view: View, flow: int, t0: float, t1: float) -> float | None:
    """Return a flow's synchronisation factor: the share of the congestion events at which it backs off.

    Parameters
    ----------
    view : View
        The run.
    flow : int
        The flow's number, one of the foreground.
    t0, t1 : float
        Seconds.

    Returns
    -------
    float or None
        In [0, 1]; None without congestion events.

    Notes
    -----
    Source: Li, Leith, Shorten (ToN 2007), below eq. (4); the clustering is the register's.
    """
    events = congestion_events(view, t0, t1)
    if not events.t_s.size:
        return None
    return float(events.backed_off[view.foreground.index(flow)].mean())


def predicted_ratio(view: View, t0: float, t1: float, *, exponent: int) -> float | None:
    """Return the throughput of the shorter-RTT flow over the longer one's that eq. (4) predicts from measured synchronisation.

    Parameters
    ----------
    view : View
        A run of two foreground flows.
    t0, t1 : float
        Seconds.
    exponent : int
        Power of the round-trip time: 2 for the law of the window divided by the RTT, 1 for the equation as printed.

    Returns
    -------
    float or None
        (lambda_L T_L^e)/(lambda_S T_S^e), T = base RTT + mean queueing delay; None when a flow never backed off at a congestion event.

    Notes
    -----
    Source: Li, Leith, Shorten (ToN 2007), eq. (4).
    """
    pair = short_and_long(view)
    queue = mean_queue_packets(view, t0, t1)
    if pair is None or queue is None:
        return None
    factors = [lambda_sync(view, flow, t0, t1) for flow in pair]
    if not all(factors):
        return None
    short, long = (
        float(factor or 0.0) * (view.base_rtt_s(flow) + queue * view.packet_s) ** exponent
        for factor, flow in zip(factors, pair, strict=True)
    )
    return long / short


def short_and_long(view: View) -> tuple[int, int] | None:
    """Return the shorter-RTT and the longer-RTT flow of a pair; with equal RTTs flow 2, then flow 1. None unless there are two flows."""
    if len(view.foreground) != 2:
        return None
    first, second = view.foreground
    return (first, second) if view.base_rtt_s(first) < view.base_rtt_s(second) else (second, first)


def mean_queue_packets(view: View, t0: float, t1: float) -> float | None:
    """Return the time mean of the forward queue, packets; exact over the counted window, else the mean of the samples in it.

    Parameters
    ----------
    view : View
        The run.
    t0, t1 : float
        Seconds.

    Returns
    -------
    float or None
        Packets, the one in service included; None without samples.
    """
    if view.is_counted(t0, t1):
        counted = view.link["mean_queue_packets"]
        return None if counted is None else float(counted)
    t_s, queue, _ = view.queue_samples
    chosen = (t_s >= t0) & (t_s <= t1)
    return float(queue[chosen].mean()) if chosen.any() else None


def epoch_s(view: View, flows: tuple[int, ...], t0: float, t1: float, *, median: bool = False) -> float:
    """Return the mean (or median) time between successive back-offs of a flow, flows pooled, complete epochs only.

    Parameters
    ----------
    view : View
        The run.
    flows : tuple of int
        Flow numbers.
    t0, t1 : float
        Seconds.
    median : bool
        The median in place of the mean.

    Returns
    -------
    float
        Seconds; infinite when no flow backed off twice.
    """
    gaps = np.concatenate([np.diff(view.backoffs(flow).within(t0, t1).t_s) for flow in flows])
    return float(np.median(gaps) if median else gaps.mean()) if gaps.size else float("inf")


def link_epoch_s(view: View, t0: float, t1: float) -> float:
    """Return the mean time between congestion events from `t0` to `t1`, seconds; infinite with fewer than two."""
    gaps = np.diff(congestion_events(view, t0, t1).t_s)
    return float(gaps.mean()) if gaps.size else float("inf")


def epochs_until(view: View, t0: float, until_s: float) -> float | None:
    """Return how many congestion events pass from `t0` to `until_s`, the last epoch counted by the fraction elapsed.

    Parameters
    ----------
    view : View
        The run.
    t0, until_s : float
        Seconds.

    Returns
    -------
    float or None
        Epochs; None when the run ends before the epoch that `until_s` lies in.
    """
    marks = np.concatenate(([t0], congestion_events(view, t0, view.duration_s).t_s))
    passed = int(np.searchsorted(marks, until_s, side="right"))
    if passed == len(marks):
        return None
    return passed - 1 + float((until_s - marks[passed - 1]) / (marks[passed] - marks[passed - 1]))
