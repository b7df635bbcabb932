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


def thin_together(
    t_s: NDArray[np.float64], columns: NDArray[np.float64], *, numbers: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Thin several series that share their times, so that they still share them.

    Each bucket becomes two rows: the smallest and the largest value of each series in the order they came in. No peak is lost; a peak's
    time is right to within its bucket.

    Parameters
    ----------
    t_s : array, shape (samples,)
        Times, seconds, ascending.
    columns : array, shape (series, samples)
        Values; NaN where nothing was measured.
    numbers : int
        How many values may be left, of all series together.

    Returns
    -------
    tuple of (array, array)
        Times, shape (rows,), and values, shape (series, rows); what was given when it is few enough already.
    """
    series, samples = columns.shape
    if columns.size <= numbers or samples <= 4:
        return t_s, columns
    buckets = max(numbers // (2 * series), 1)
    half = -(-samples // (2 * buckets))
    buckets = -(-samples // (2 * half))
    padded = np.full((series, buckets * 2 * half), np.nan)
    padded[:, :samples] = columns
    parts = padded.reshape(series, buckets, 2 * half)
    known = ~np.isnan(parts)
    low = np.where(known, parts, np.inf).argmin(axis=2)
    high = np.where(known, parts, -np.inf).argmax(axis=2)
    ends = np.stack((np.minimum(low, high), np.maximum(low, high)), axis=2)
    rows = np.take_along_axis(parts, ends, axis=2).reshape(series, 2 * buckets)
    places = half * np.arange(2 * buckets)
    step_s = (t_s[-1] - t_s[0]) / (samples - 1)
    # The last bucket may reach past the end.
    times = np.interp(places, np.arange(samples), t_s) + np.maximum(places - (samples - 1), 0) * step_s
    return times, rows
