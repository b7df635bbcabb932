"""Metrics over several points of an experiment: the knee of a curve and the slope of a response function."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

KNEE_SLOPE = 0.15
KNEE_LARGEST_Q = 0.2
NEAR_RATE = 0.03


def knee(q: npt.ArrayLike, util: npt.ArrayLike) -> float:
    """Return the queue size below which utilisation falls off.

    Parameters
    ----------
    q : array_like, shape (n,)
        Queue sizes in BDP, rising.
    util : array_like, shape (n,)
        Utilisation at each.

    Returns
    -------
    float
        The largest q_k+1 <= 0.2 with (util_k+1 - util_k)/ln(q_k+1/q_k) >= 0.15; q_1 if there is none.

    Raises
    ------
    ValueError
        When the lengths differ, nothing is given, or the sizes do not rise from above zero.

    Notes
    -----
    Source: the register, `knee_q`.
    """
    sizes, used = np.asarray(q, dtype=np.float64), np.asarray(util, dtype=np.float64)
    if sizes.shape != used.shape or sizes.ndim != 1 or not sizes.size:
        raise ValueError(f"q and util have shapes {sizes.shape} and {used.shape}; allowed: one dimension, equal, not empty")
    if sizes[0] <= 0 or (np.diff(sizes) <= 0).any():
        raise ValueError("q does not rise from above zero")
    steep = np.diff(used) / np.diff(np.log(sizes)) >= KNEE_SLOPE
    found = sizes[1:][steep & (sizes[1:] <= KNEE_LARGEST_Q)]
    return float(found[-1]) if found.size else float(sizes[0])


def response_slope(p: npt.ArrayLike, thr_mbps: npt.ArrayLike, *, rate_mbps: float) -> float:
    """Return the slope of a response function: least squares of log10 throughput on log10 loss probability.

    Parameters
    ----------
    p : array_like, shape (n,)
        Loss probabilities, above zero.
    thr_mbps : array_like, shape (n,)
        Throughput at each, Mbit/s.
    rate_mbps : float
        The link rate, Mbit/s; points within 3 % of it are left out.

    Returns
    -------
    float
        NaN when fewer than two points, or no two different probabilities, are left, or when nothing was delivered at one.

    Raises
    ------
    ValueError
        When the lengths differ.

    Notes
    -----
    Source: the register, `rf_slope` and `loglog_slope`.
    """
    loss, rates = np.asarray(p, dtype=np.float64), np.asarray(thr_mbps, dtype=np.float64)
    if loss.shape != rates.shape:
        raise ValueError(f"p and thr_mbps have shapes {loss.shape} and {rates.shape}; allowed: equal ones")
    below = rates < (1 - NEAR_RATE) * rate_mbps
    loss, rates = loss[below], rates[below]
    if loss.size < 2 or (loss <= 0).any() or (rates <= 0).any():
        return math.nan
    x, y = np.log10(loss), np.log10(rates)
    x, y = x - x.mean(), y - y.mean()
    spread = float(x @ x)
    return float(x @ y) / spread if spread > 0 else math.nan
