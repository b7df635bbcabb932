"""Queueing delay and round-trip times, from the samples of the links' queues."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from windtunnel.metrics.backoffs import Array
from windtunnel.metrics.congestion import congestion_events
from windtunnel.metrics.view import View

PROBE_S = 1.0
"""Time between two probes."""


def queueing_s(view: View, t0: float, t1: float) -> Array:
    """Return the forward queue's delay at each sample of a window: the time its bytes take at the link's rate.

    Parameters
    ----------
    view : View
        The run.
    t0, t1 : float
        Seconds.

    Returns
    -------
    numpy.ndarray, shape (samples,)
        Seconds; the packet in service counts whole. Empty without samples.

    Notes
    -----
    Source: RFC 5166, section 2.2 (queueing delay). Samples are evenly spaced, so that their distribution is that of a random moment.
    """
    series = view.link_series(view.link)
    return (series.queue_bytes * 8 / view.rate_bps)[(series.t_s >= t0) & (series.t_s <= t1)]


def probes_s(view: View, base_rtt_s: float, t0: float, t1: float) -> Array:
    """Return the round-trip times that probes at every whole second would see: base RTT and the delay of the queues they meet.

    Parameters
    ----------
    view : View
        The run.
    base_rtt_s : float
        Propagation round-trip time of the probes, seconds.
    t0, t1 : float
        Seconds; probes leave from `t0` to before `t1`.

    Returns
    -------
    numpy.ndarray, shape (probes,)
        Seconds; empty when the queue was not sampled once per second. A probe meets the queues of the last sample before it, the
        reverse one where the run has one, and is itself of no size.

    Notes
    -----
    Source: Bullot, Cottrell, Hughes-Jones (J. Grid Computing 2003), section 4.1: pings beside the flow.
    """
    if view.sample_s > PROBE_S:
        return np.empty(0)
    at = np.arange(np.ceil(t0 / PROBE_S - 1e-9), np.ceil(t1 / PROBE_S - 1e-9)) * PROBE_S
    total = np.full(at.size, base_rtt_s)
    links = [(view.link, view.rate_bps), (view.reverse_link, view.reverse_rate_bps)]
    for link, rate_bps in links:
        if link is None:
            continue
        series = view.link_series(link)
        if not series.t_s.size:
            return np.empty(0)
        before = np.searchsorted(series.t_s, at + 1e-9, side="right") - 1
        waiting = np.where(before >= 0, series.queue_bytes[np.maximum(before, 0)], 0.0)
        total += waiting * 8 / rate_bps
    return total


def filled_packets(view: View, t0: float, t1: float) -> float | None:
    """Return how far the queue swings within a congestion epoch: its largest less its smallest length, mean over complete epochs.

    Parameters
    ----------
    view : View
        The run.
    t0, t1 : float
        Seconds.

    Returns
    -------
    float or None
        Packets; None with fewer than two congestion events or without samples.

    Notes
    -----
    Source: Leith et al. (PFLDnet 2008), section IV.B: Illinois empties and fills a buffer of one BDP in each epoch.
    """
    t_s, queue, _ = view.queue_samples
    marks = congestion_events(view, t0, t1).t_s
    found = [queue[(t_s >= begin) & (t_s < end)] for begin, end in pairwise(marks.tolist())]
    swings = [float(part.max() - part.min()) for part in found if part.size]
    return sum(swings) / len(swings) if swings else None
