"""How long Reno takes to fill a pipe again: its epochs in seconds, queueing included.

Source: the additive increase of RFC 5681 integrated over the RTT max(T, w/C). `refill_bound_s` is the E from which the averaging memory of
the 80 % convergence time is taken.
"""

from __future__ import annotations

import numpy as np

from windtunnel.theory.numeric import PACKET_BITS, Array, ArrayLike, array, within
from windtunnel.theory.path import Path


def refill_rounds(*, pipe: ArrayLike, packets_per_ack: ArrayLike = 1.0) -> Array:
    """Return the RTTs Reno needs from half a pipe (packets) to a full one: b P/2, with b packets per ACK and one increment per ACK."""
    return array(packets_per_ack) * within(pipe, above=0) / 2


def refill_bound_s(path: Path) -> Array:
    """Return the time Reno needs from half of pipe and buffer to all of it, every RTT taken as with a full queue.

    (P + B)^2 packet bits/(2 rate). Seconds. An upper bound, as the queue is not always full.
    """
    return path.full**2 * PACKET_BITS / (2 * array(path.rate_bps))


def epoch_s(path: Path, *, flows: ArrayLike = 1, keep: ArrayLike = 0.5, step: ArrayLike = 1.0) -> Array:
    """Return the time between losses of n synchronised AIMD flows.

    Parameters
    ----------
    path : Path
        The bottleneck.
    flows : array_like
        n, all with the path's RTT.
    keep : array_like
        Share kept, in (0, 1).
    step : array_like
        Packets per RTT of each flow; 1/2 for Reno with delayed ACKs and no byte counting.

    Returns
    -------
    numpy.ndarray
        Seconds, from keep (P + B) to P + B with the RTT max(T, w/C).
    """
    low = within(keep, above=0, below=1) * path.full
    empty = np.maximum(path.pipe - low, 0.0)
    queued_from = np.maximum(low, path.pipe)
    queued = (path.full**2 - queued_from**2) / (2 * path.capacity)
    return array((empty * array(path.rtt_s) + queued) / (array(step) * array(flows)))
