"""How flows of unequal RTT share a link.

Source: eq. (4) of Li, Leith, Shorten (ToN 2007), u_i = alpha/(lambda_i T_i (1 - beta)). By mean balance it is the law of the window: with
congestion events tau apart a flow gains alpha tau/T_i and loses lambda_i (1 - beta) w_i. Throughput is w_i/T_i, so it goes as 1/T_i^2.
Both forms are here. T is the base RTT plus the mean queueing delay.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from windtunnel.theory.numeric import PACKET_BITS, Array, ArrayLike, array, within

_STEPS = 400
_EPOCHS = 25


def ratio_as_printed(
    short_rtt_s: ArrayLike, long_rtt_s: ArrayLike, *, short_synchronisation: ArrayLike = 1.0, long_synchronisation: ArrayLike = 1.0
) -> Array:
    """Return the ratio of the shorter to the longer flow by eq. (4) as printed: (lambda_L T_L)/(lambda_S T_S).

    Parameters
    ----------
    short_rtt_s, long_rtt_s : array_like
        RTTs with mean queueing delay, seconds, above 0.
    short_synchronisation, long_synchronisation : array_like
        lambda: share of the congestion events at which each flow backs off, in (0, 1].

    Returns
    -------
    numpy.ndarray
        Dimensionless; the ratio of the windows, not of the throughputs.
    """
    rounds = within(long_rtt_s, above=0) / within(short_rtt_s, above=0)
    return rounds * within(long_synchronisation, above=0, at_most=1) / within(short_synchronisation, above=0, at_most=1)


def ratio_derived(
    short_rtt_s: ArrayLike, long_rtt_s: ArrayLike, *, short_synchronisation: ArrayLike = 1.0, long_synchronisation: ArrayLike = 1.0
) -> Array:
    """Return the ratio of the throughputs, (lambda_L T_L^2)/(lambda_S T_S^2). Parameters as for `ratio_as_printed`."""
    windows = ratio_as_printed(
        short_rtt_s, long_rtt_s, short_synchronisation=short_synchronisation, long_synchronisation=long_synchronisation
    )
    return windows * array(long_rtt_s) / array(short_rtt_s)


def synchronised_exponent(response_exponent: ArrayLike) -> Array:
    """Return e of x ~ T^-e for a protocol with w = K/p^d whose flows see the same number of losses per second: 1/(1 - d).

    Parameters
    ----------
    response_exponent : array_like
        d, in (0, 1]: 1/2 for Reno, 0.835 for HSTCP, 1 for Scalable.

    Returns
    -------
    numpy.ndarray
        Infinite at d = 1: the longer flow starves. Under the same loss probability instead, x ~ 1/T for all of them.
    """
    left = 1 - within(response_exponent, above=0, at_most=1)
    return np.where(left > 0, 1 / np.where(left > 0, left, 1.0), np.inf) + 0 * left


@dataclass(frozen=True)
class Orbit:
    """Means over an epoch of two synchronised flows.

    Attributes
    ----------
    first_rate, second_rate : numpy.ndarray
        Packets per second.
    queueing_s : numpy.ndarray
        Mean queueing delay, seconds.
    epoch_s : numpy.ndarray
        Time between losses, seconds.
    """

    first_rate: Array
    second_rate: Array
    queueing_s: Array
    epoch_s: Array


def synchronised_orbit(*, rate_bps: float, rtts_s: tuple[ArrayLike, ArrayLike], buffer_packets: ArrayLike, keep: float = 0.5) -> Orbit:
    """Return the periodic state of two AIMD(1, 1 - beta) flows of unequal RTT that lose together when the queue is full.

    Parameters
    ----------
    rate_bps : float
        Link rate, bits per second.
    rtts_s : tuple of array_like
        Base RTTs of the two flows, seconds.
    buffer_packets : array_like
        Buffer, packets.
    keep : float
        Share kept, in (0, 1).

    Returns
    -------
    Orbit
        Broadcast shape.

    Notes
    -----
    Fluid: dw_i/dt = 1/(T_i + d), the queueing delay d such that sum w_i/(T_i + d) is the capacity, a loss at d = buffer/capacity.
    The load at that delay grows from beta times to once the capacity, and is what the integration (midpoint rule) steps along.
    """
    capacity = rate_bps / PACKET_BITS
    first, second, fullest = np.broadcast_arrays(array(rtts_s[0]), array(rtts_s[1]), array(buffer_packets) / capacity)
    rtt = np.stack([first, second])
    window = 0.5 * capacity * (rtt + fullest)
    step = (1 - keep) * capacity / _STEPS
    totals = np.zeros((4, *first.shape))
    for _ in range(_EPOCHS):
        window = keep * window
        totals = np.zeros((4, *first.shape))
        for _ in range(_STEPS):
            half = window + 0.5 * _advance(window, rtt, fullest=fullest, capacity=capacity, load=step)[0]
            growth, time, delay = _advance(half, rtt, fullest=fullest, capacity=capacity, load=step)
            totals += np.stack([*(half / (rtt + delay)), delay, np.ones_like(delay)]) * time
            window = window + growth
    means = totals[:3] / totals[3]
    return Orbit(first_rate=means[0], second_rate=means[1], queueing_s=means[2], epoch_s=totals[3])


def _advance(window: Array, rtt: Array, *, fullest: Array, capacity: float, load: float) -> tuple[Array, Array, Array]:
    """Return growth of both windows and time for the load at a full queue to rise by `load`, and the delay meanwhile."""
    # Positive root of C (T1+d)(T2+d) = w1 (T2+d) + w2 (T1+d), 0 while the link is not full.
    linear = capacity * rtt.sum(axis=0) - window.sum(axis=0)
    constant = capacity * rtt[0] * rtt[1] - window[0] * rtt[1] - window[1] * rtt[0]
    delay = np.where(constant < 0, (-linear + np.sqrt(linear**2 - 4 * capacity * np.minimum(constant, 0.0))) / (2 * capacity), 0.0)
    per_second = 1 / (rtt + delay)
    time = load / (per_second / (rtt + fullest)).sum(axis=0)
    return per_second * time, time, delay
