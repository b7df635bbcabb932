"""How long a congestion epoch of TCP Illinois is.

Source: S. Liu, T. Basar, R. Srikant, "TCP-Illinois" (2006), the increase as a function of the queueing delay, with the constants that
Leith et al. (PFLDnet 2008, section II) name: 10 packets per round trip with an empty queue, 0.3 with a full one.
"""

from __future__ import annotations

import numpy as np

from windtunnel.theory.numeric import Array, array
from windtunnel.theory.path import Path

LARGEST, SMALLEST = 10.0, 0.3
"""Increase per round trip, packets."""
EMPTY = 0.01
"""Up to this share of the delay of a full queue the queue counts as empty."""


def epoch_s(path: Path) -> Array:
    """Return the time one Illinois flow takes from half of pipe and buffer to all of it.

    Parameters
    ----------
    path : Path
        The bottleneck.

    Returns
    -------
    numpy.ndarray
        Seconds: the integral of RTT(w)/alpha(d(w)) over the window w, with d the queueing delay and RTT = max(T, w/C). Every sample is
        taken to be exact and the decrease to be one half, which it is where the queue was full.
    """
    capacity, buffer = array(path.capacity), array(path.buffer)
    full_s = buffer / capacity
    empty_s = EMPTY * full_s
    # alpha(d) = k1/(k2 + d), through (d1, largest) and (dm, smallest).
    k1 = (full_s - empty_s) * SMALLEST * LARGEST / (LARGEST - SMALLEST)
    k2 = (full_s - empty_s) * SMALLEST / (LARGEST - SMALLEST) - empty_s
    low = np.asarray(path.full) / 2
    below = np.maximum(path.pipe - low, 0.0) * array(path.rtt_s) / LARGEST
    begin = np.maximum(low - path.pipe, 0.0)
    corner = np.maximum(capacity * empty_s, begin)

    def with_empty_queue(x: Array) -> Array:
        return (path.pipe * x + x**2 / 2) / (LARGEST * capacity)

    def with_queue(x: Array) -> Array:
        return (path.pipe * k2 * x + (path.pipe / capacity + k2) * x**2 / 2 + x**3 / (3 * capacity)) / (capacity * k1)

    return array(below + with_empty_queue(corner) - with_empty_queue(begin) + with_queue(buffer) - with_queue(corner))
