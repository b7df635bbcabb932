"""Slow start, window limits and completion times.

Sources: RFC 5681 (doubling per RTT); N. Cardwell, S. Savage, T. Anderson, "Modeling TCP latency", INFOCOM 2000 (the bound without loss).
"""

from __future__ import annotations

import numpy as np

from windtunnel.theory.numeric import PACKET_BITS, Array, ArrayLike, array, within


def slow_start_rounds(window: ArrayLike, *, initial_window: ArrayLike = 10.0) -> Array:
    """Return the RTTs of slow start up to a window: log2(W/IW).

    Parameters
    ----------
    window : array_like
        Packets, at least the initial window.
    initial_window : array_like
        Packets.

    Returns
    -------
    numpy.ndarray
        RTTs, not whole; one ACK per packet or byte counting without a limit.
        With one increment per ACK of two packets it is 1.71 times as many.
    """
    return within(np.log2(within(window, above=0) / within(initial_window, above=0)), at_least=0)


def slow_start_overshoot(*, pipe: ArrayLike, buffer: ArrayLike) -> Array:
    """Return the most packets lost when slow start ends at a drop-tail queue: pipe and buffer, packets, as the last round doubles them."""
    return array(pipe) + array(buffer)


def completion_s(size_packets: ArrayLike, *, rtt_s: ArrayLike, capacity: ArrayLike, initial_window: ArrayLike = 10.0) -> Array:
    """Return an estimate of the time to transfer a file without loss: RTT log2(s/IW + 1) + s/C.

    Parameters
    ----------
    size_packets : array_like
        s, packets.
    rtt_s : array_like
        RTT, seconds.
    capacity : array_like
        C, packets per second.
    initial_window : array_like
        IW, packets.

    Returns
    -------
    numpy.ndarray
        Seconds; an upper bound while nothing is lost and no other flow is there, since slow start and the transfer overlap.
    """
    size = within(size_packets, at_least=0)
    return array(rtt_s) * np.log2(size / within(initial_window, above=0) + 1) + size / within(capacity, above=0)


def window_limited_rate_bps(window_limit: ArrayLike, *, rtt_s: ArrayLike, packet_bits: float = PACKET_BITS) -> Array:
    """Return the rate that a window limit (packets) allows: W/RTT, bits per second; `rtt_s` in seconds."""
    return within(window_limit, at_least=0) * packet_bits / within(rtt_s, above=0)
