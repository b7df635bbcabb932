"""Thin a long history for drawing without losing a peak."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

BUCKETS = 600
"""More than the pixels a panel of a report has; each bucket keeps two samples."""


def thin(
    t_s: NDArray[np.float64], values: NDArray[np.float64], *, buckets: int = BUCKETS
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Keep the smallest and the largest sample of every bucket of samples, and the first and the last of all.

    A line through what is kept covers the same pixels as the full line, as long as a bucket is no wider than a pixel
    (Jugel and others, "M4: A Visualization-Oriented Time Series Data Aggregation", VLDB 2014, section 4).

    Parameters
    ----------
    t_s : array, shape (samples,)
        Times, seconds, ascending.
    values : array, shape (samples,)
        Samples; NaN where nothing was measured. A bucket without a number stays a gap.
    buckets : int
        Buckets of equal numbers of samples.

    Returns
    -------
    tuple of (array, array)
        Times and values of the samples kept, at most ``2 * buckets + 2``, in order of time.
    """
    if values.size <= 2 * buckets + 2:
        return t_s, values
    edges = np.linspace(0, values.size, buckets + 1).astype(int)
    kept = {0, values.size - 1}
    for start, stop in pairwise(edges.tolist()):
        part = values[start:stop]
        if np.isnan(part).all():
            kept.add(start)
        else:
            kept.update((start + int(np.nanargmin(part)), start + int(np.nanargmax(part))))
    order = np.array(sorted(kept))
    return t_s[order], values[order]
