"""The numerical habits the closed forms share: arrays in, arrays out, NaN outside the valid range."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
ArrayLike = npt.ArrayLike

PACKET_BITS = 8 * 1500
"""Bits of a packet: 1500 bytes of IP, headers counted."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)


def array(values: ArrayLike) -> Array:
    """Return the values as an array of floats; a scalar becomes an array without dimensions."""
    return np.asarray(values, dtype=np.float64)


def within(
    values: ArrayLike, *, above: float = -np.inf, at_least: float = -np.inf, below: float = np.inf, at_most: float = np.inf
) -> Array:
    """Return the values with NaN in place of those outside the given bounds.

    Parameters
    ----------
    values : array_like
        Any shape.
    above, at_least : float
        Open and closed lower bound.
    below, at_most : float
        Open and closed upper bound.

    Returns
    -------
    numpy.ndarray
        Same shape.
    """
    x = array(values)
    valid = (x > above) & (x >= at_least) & (x < below) & (x <= at_most)
    return np.where(valid, x, np.nan)


def bisect(function: Callable[[Array], Array], *, low: ArrayLike, high: ArrayLike, steps: int = 100) -> Array:
    """Return where a rising function crosses zero, for all elements at once.

    Parameters
    ----------
    function : callable
        Takes and returns arrays of one shape; rising in each element.
    low, high : array_like
        Bracket of the crossing.
    steps : int
        Halvings; 100 exhaust double precision.

    Returns
    -------
    numpy.ndarray
        Crossings; NaN where the function is NaN, or does not change sign in the bracket.
    """
    a, b = np.broadcast_arrays(array(low), array(high))
    crosses = (function(a) <= 0) & (function(b) >= 0)
    for _ in range(steps):
        middle = 0.5 * (a + b)
        under = function(middle) < 0
        a, b = np.where(under, middle, a), np.where(under, b, middle)
    return np.where(crosses, 0.5 * (a + b), np.nan)


def integral(function: Callable[[Array], Array], *, low: Array, high: Array, breaks: Sequence[Array] = ()) -> Array:
    """Return the integral of a piecewise smooth function, for all bounds at once (Gauss-Legendre, 48 points per piece).

    Parameters
    ----------
    function : callable
        Takes an array with one more leading dimension (the points) than the bounds.
    low, high : numpy.ndarray
        Bounds, of one shape.
    breaks : sequence of numpy.ndarray
        Where the function is not smooth; those outside the bounds do nothing.

    Returns
    -------
    numpy.ndarray
        Shape of the bounds.
    """
    inner = [np.clip(point, low, high) for point in breaks]
    edges = np.sort(np.stack([low, *inner, high]), axis=0)
    nodes = _NODES.reshape((-1,) + (1,) * np.ndim(low))
    weights = _WEIGHTS.reshape(nodes.shape)
    total = np.zeros_like(low)
    for left, right in itertools.pairwise(edges):
        half = 0.5 * (right - left)
        total = total + half * (weights * function(left + half * (nodes + 1))).sum(axis=0)
    return total
