"""The square-root law: AIMD under a given loss probability.

Source: M. Mathis, J. Semke, J. Mahdavi, T. Ott, "The macroscopic behavior of the TCP congestion avoidance algorithm", CCR 27(3), 1997;
the general AIMD form: S. Floyd, M. Handley, J. Padhye, "A comparison of equation-based and AIMD congestion control", 2000.
Valid while losses are far apart (p below about 1e-2), without timeouts and window limits; p counts packets, one reduction per loss event.
"""

from __future__ import annotations

import numpy as np

from windtunnel.theory.numeric import PACKET_BITS, Array, ArrayLike, array, within

RANDOM_LOSS_CONSTANT = 1.31
"""Constant K of W = K/sqrt(p) when losses are independent instead of periodic (Ott, Kemperman, Mathis 1996), one packet per ACK."""


def square_root_constant(packets_per_ack: ArrayLike = 1.0) -> Array:
    """Return K of W = K/sqrt(p) for Reno with periodic losses: sqrt(3/(2b)).

    Parameters
    ----------
    packets_per_ack : array_like
        b: 1 with byte counting or without delayed ACKs, 2 with delayed ACKs and one increment per ACK.

    Returns
    -------
    numpy.ndarray
        Dimensionless.
    """
    return np.sqrt(1.5 / within(packets_per_ack, above=0))


def aimd_mean_window(p: ArrayLike, *, increase: ArrayLike = 1.0, decrease: ArrayLike = 0.5) -> Array:
    """Return the mean window of AIMD(a, d) with one loss every 1/p packets: sqrt(a (2-d)/(2 d p)).

    Parameters
    ----------
    p : array_like
        Loss probability per packet, in (0, 1).
    increase : array_like
        a, packets per RTT; 1/b for Reno with b packets per ACK.
    decrease : array_like
        d, the share of the window removed, in (0, 1).

    Returns
    -------
    numpy.ndarray
        Packets.
    """
    d = within(decrease, above=0, below=1)
    return np.sqrt(within(increase, above=0) * (2 - d) / (2 * d * within(p, above=0, below=1)))


def aimd_peak_window(p: ArrayLike, *, increase: ArrayLike = 1.0, decrease: ArrayLike = 0.5) -> Array:
    """Return the window of AIMD(a, d) just before a loss: the mean times 2/(2-d). Parameters as for `aimd_mean_window`; packets."""
    return aimd_mean_window(p, increase=increase, decrease=decrease) * 2 / (2 - array(decrease))


def reno_rate_bps(p: ArrayLike, *, rtt_s: ArrayLike, packets_per_ack: ArrayLike = 1.0, packet_bits: float = PACKET_BITS) -> Array:
    """Return Reno's rate by the square-root law: (packet/RTT) K/sqrt(p).

    Parameters
    ----------
    p : array_like
        Loss probability per packet, in (0, 1).
    rtt_s : array_like
        RTT, seconds, above 0.
    packets_per_ack : array_like
        b, see `square_root_constant`.
    packet_bits : float
        Bits of a packet.

    Returns
    -------
    numpy.ndarray
        Bits per second.
    """
    window = square_root_constant(packets_per_ack) / np.sqrt(within(p, above=0, below=1))
    return window * packet_bits / within(rtt_s, above=0)


def reno_loss_probability(window: ArrayLike, *, packets_per_ack: ArrayLike = 1.0) -> Array:
    """Return the loss probability at which Reno's mean window is the given one: 3/(2 b W^2).

    Parameters
    ----------
    window : array_like
        Mean window, packets, above about 10.
    packets_per_ack : array_like
        b, see `square_root_constant`.

    Returns
    -------
    numpy.ndarray
        Per packet.
    """
    return (square_root_constant(packets_per_ack) / within(window, above=0)) ** 2


def parallel_mean_window(p: ArrayLike, *, streams: ArrayLike = 16) -> Array:
    """Return the total mean window of n independent Reno streams (P-TCP): n K/sqrt(p).

    Parameters
    ----------
    p : array_like
        Loss probability per packet as each stream sees it, in (0, 1).
    streams : array_like
        n; 16 in H. Bullot, R. L. Cottrell, R. Hughes-Jones, J. Grid Computing 1(4), 2003.

    Returns
    -------
    numpy.ndarray
        Packets.
    """
    return array(streams) * aimd_mean_window(p)
