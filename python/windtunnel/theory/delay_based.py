"""Equilibria of delay-based protocols.

Sources: C. Jin, D. Wei, S. Low, "FAST TCP: motivation, architecture, algorithms, performance", INFOCOM 2004; S. Low, L. Peterson, L. Wang,
"Understanding Vegas: a duality model", J. ACM 49(2), 2002. One bottleneck, buffer large enough, every flow limited by its window.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from windtunnel.theory.numeric import Array, ArrayLike, array, within


@dataclass(frozen=True)
class Equilibrium:
    """Rest point of flows that share a link.

    Attributes
    ----------
    rates : numpy.ndarray, shape (n,)
        Packets per second.
    windows : numpy.ndarray, shape (n,)
        Packets.
    queueing_s : float
        Queueing delay, seconds.
    queue : float
        Queue, packets: the buffer must hold it, else no loss-free equilibrium exists.
    """

    rates: Array
    windows: Array
    queueing_s: float
    queue: float


def fast_equilibrium(*, capacity: float, alphas: ArrayLike, rtts_s: ArrayLike) -> Equilibrium:
    """Return where FAST flows rest: x_i = alpha_i/q, so that queue = sum(alpha); Vegas with alpha = beta rests there too.

    Parameters
    ----------
    capacity : float
        Packets per second of the link.
    alphas : array_like, shape (n,)
        Packets each flow keeps queued.
    rtts_s : array_like, shape (n,) or scalar
        Base RTTs, seconds.

    Returns
    -------
    Equilibrium
        Weighted proportional fairness: the RTT does not matter for the rates.
    """
    alpha = np.atleast_1d(within(alphas, above=0))
    queue = float(alpha.sum())
    rates = capacity * alpha / queue
    return Equilibrium(rates=rates, windows=alpha + rates * array(rtts_s), queueing_s=queue / capacity, queue=queue)


def vegas_queue_range(*, flows: int, alpha: float = 2.0, beta: float = 4.0) -> tuple[float, float]:
    """Return the smallest and largest total queue, packets, at which n Vegas flows of thresholds alpha and beta (packets) all rest."""
    return flows * alpha, flows * beta


def delay_based_rate(*, alpha: ArrayLike, queueing_s: ArrayLike, base_rtt_error_s: ArrayLike = 0.0, reverse_s: ArrayLike = 0.0) -> Array:
    """Return a flow's rate at rest, alpha/(q - e + r), packets per second.

    Parameters
    ----------
    alpha : array_like
        Packets it keeps queued.
    queueing_s : array_like
        Forward queueing delay q, seconds.
    base_rtt_error_s : array_like
        e, by how much it over-estimates its base RTT because it joined a standing queue, seconds.
    reverse_s : array_like
        Queueing delay of the reverse path r, which it cannot tell from the forward one, seconds.

    Returns
    -------
    numpy.ndarray
        NaN where the seen delay is not above 0: no equilibrium.
    """
    seen = within(array(queueing_s) - array(base_rtt_error_s) + array(reverse_s), above=0)
    return array(alpha) / seen


def fast_window_step(window: ArrayLike, *, base_rtt_s: ArrayLike, rtt_s: ArrayLike, alpha: ArrayLike, gamma: float = 0.5) -> Array:
    """Return FAST's window after one update: min(2 w, (1 - gamma) w + gamma (w base/rtt + alpha)).

    Parameters
    ----------
    window : array_like
        Packets.
    base_rtt_s, rtt_s : array_like
        Smallest and current RTT, seconds.
    alpha : array_like
        Packets to keep queued.
    gamma : float
        Gain, in (0, 1].

    Returns
    -------
    numpy.ndarray
        Packets.
    """
    w = array(window)
    return np.minimum(2 * w, (1 - gamma) * w + gamma * (array(base_rtt_s) / array(rtt_s) * w + array(alpha)))


def smallest_rtt_s(*, capacity: ArrayLike, buffer_bdp: ArrayLike, alpha_total: ArrayLike) -> Array:
    """Return the RTT from which a buffer of a fixed share of the BDP holds sum(alpha): alpha_total/(buffer_bdp capacity).

    Parameters
    ----------
    capacity : array_like
        Packets per second.
    buffer_bdp : array_like
        Buffer over BDP, above 0.
    alpha_total : array_like
        Sum of alpha, packets.

    Returns
    -------
    numpy.ndarray
        Seconds; below it FAST overflows the queue for ever.
    """
    return array(alpha_total) / (within(buffer_bdp, above=0) * array(capacity))
