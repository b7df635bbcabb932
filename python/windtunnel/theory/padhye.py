"""Reno's rate with timeouts and a window limit.

Source: J. Padhye, V. Firoiu, D. Towsley, J. Kurose, "Modeling TCP throughput: a simple model and its empirical validation", SIGCOMM 1998:
the full model and its approximation. Valid for losses that come in bursts within a round and are independent between rounds; with
SACK most of the timeouts it counts do not happen, and `timeouts=False` leaves them out: an upper bound.
"""

from __future__ import annotations

import numpy as np

from windtunnel.theory.numeric import Array, ArrayLike, array, within


def unlimited_window(p: ArrayLike, *, packets_per_ack: ArrayLike = 2.0) -> Array:
    """Return the mean window at a loss when no limit binds (Wu of the full model).

    Parameters
    ----------
    p : array_like
        Loss probability, in (0, 1).
    packets_per_ack : array_like
        b, packets acknowledged by one ACK.

    Returns
    -------
    numpy.ndarray
        Packets.
    """
    loss, b = within(p, above=0, below=1), array(packets_per_ack)
    first = (2 + b) / (3 * b)
    return first + np.sqrt(8 * (1 - loss) / (3 * b * loss) + first**2)


def timeout_share(p: ArrayLike, *, window: ArrayLike) -> Array:
    """Return the share of losses found by a timeout (Q-hat of the full model).

    Parameters
    ----------
    p : array_like
        Loss probability, in (0, 1).
    window : array_like
        Window at the loss, packets, above 0; 1 up to three packets.

    Returns
    -------
    numpy.ndarray
        In [0, 1].
    """
    # 1 - (1-p)^w as expm1: the plain difference loses its digits at small p.
    w = within(window, above=0)
    log_kept = np.log1p(-within(p, above=0, below=1))
    kept3 = np.exp(3 * log_kept)
    value = -np.expm1(3 * log_kept) * (1 + kept3 * -np.expm1((w - 3) * log_kept)) / -np.expm1(w * log_kept)
    return array(np.where(w <= 3, 1.0 + 0 * value, np.minimum(1.0, value)))


def padhye_rate(
    p: ArrayLike,
    *,
    rtt_s: ArrayLike,
    rto_s: ArrayLike,
    packets_per_ack: ArrayLike = 2.0,
    window_limit: ArrayLike = np.inf,
    timeouts: bool = True,
) -> Array:
    """Return the sending rate by the full model.

    Parameters
    ----------
    p : array_like
        Loss probability, in (0, 1).
    rtt_s : array_like
        RTT, seconds.
    rto_s : array_like
        First retransmission timeout T0, seconds.
    packets_per_ack : array_like
        b.
    window_limit : array_like
        Largest window, packets; infinite without a limit.
    timeouts : bool
        Whether losses can end in timeouts.

    Returns
    -------
    numpy.ndarray
        Packets sent per second.
    """
    loss, b, rtt, limit = within(p, above=0, below=1), array(packets_per_ack), within(rtt_s, above=0), array(window_limit)
    free = unlimited_window(loss, packets_per_ack=b)
    limited = free >= limit
    window = np.where(limited, limit, free)
    share = timeout_share(loss, window=window) if timeouts else np.zeros_like(loss)
    backoffs = 1 + loss + 2 * loss**2 + 4 * loss**3 + 8 * loss**4 + 16 * loss**5 + 32 * loss**6
    rounds = np.where(limited, b / 8 * window + (1 - loss) / (loss * window) + 2, b / 2 * window + 1)
    packets = (1 - loss) / loss + window + share / (1 - loss)
    return packets / (rtt * rounds + share * array(rto_s) * backoffs / (1 - loss))


def padhye_rate_short(
    p: ArrayLike, *, rtt_s: ArrayLike, rto_s: ArrayLike, packets_per_ack: ArrayLike = 2.0, window_limit: ArrayLike = np.inf
) -> Array:
    """Return the sending rate by the approximation, in packets per second. Parameters as for `padhye_rate`."""
    loss, b, rtt = within(p, above=0, below=1), array(packets_per_ack), within(rtt_s, above=0)
    rto_part = array(rto_s) * np.minimum(1.0, 3 * np.sqrt(3 * b * loss / 8)) * loss * (1 + 32 * loss**2)
    return array(np.minimum(array(window_limit) / rtt, 1 / (rtt * np.sqrt(2 * b * loss / 3) + rto_part)))
