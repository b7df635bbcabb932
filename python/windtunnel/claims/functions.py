"""The functions of the grammar that compute with lists of numbers.

A number is a float (a constant) or an array of shape (n,): the point estimate first, then the value under each bootstrap resample.
So one walk over a predicate evaluates it on all resamples at once. Every function here takes a list of such numbers, all arrays of
one length, and returns a float when all of them are constants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from windtunnel.claims.model import PredicateError

Array: TypeAlias = npt.NDArray[np.float64]
Number: TypeAlias = float | Array


def stacked(values: Sequence[Number]) -> Array:
    """Return numbers as rows of an array of shape (k, n); n is 1 when all are constants."""
    width = max((len(value) for value in values if isinstance(value, np.ndarray)), default=1)
    return np.stack([np.broadcast_to(np.asarray(value, dtype=np.float64), (width,)) for value in values])


def _same_kind(result: Array, values: Sequence[Number]) -> Number:
    """Return a float for constants: an estimate is reported only of what was measured."""
    return result if any(isinstance(value, np.ndarray) for value in values) else float(result[0])


def average(rows: Array, axis: int = 0) -> Array:
    """Return the mean along an axis, exact when all elements are equal (0.7 three times is 0.7, and meets a bound of 0.7)."""
    first = np.take(rows, [0], axis=axis)
    base = np.where(np.isfinite(first), first, 0.0)
    result: Array = np.squeeze(base, axis=axis) + np.mean(rows - base, axis=axis)
    return result


def capped(rows: Array, duration_s: float) -> Array:
    """Return the values with infinity counted as the length of the run, s: the register's rule for means."""
    return np.where(np.isposinf(rows), duration_s, rows)


def mean(values: Sequence[Number], *, duration_s: float) -> Number:
    """Return the arithmetic mean; an infinite element counts as `duration_s`."""
    return _same_kind(average(capped(stacked(values), duration_s)), values)


def gmean(values: Sequence[Number], *, duration_s: float) -> Number:
    """Return the geometric mean; an infinite element counts as `duration_s`, one that is 0 or less makes the result nan."""
    rows = capped(stacked(values), duration_s)
    positive = np.where(rows > 0, rows, np.nan)
    return _same_kind(np.exp(average(np.log(positive))), values)


def median(values: Sequence[Number]) -> Number:
    """Return the middle element, or the mean of the two middle ones; infinities are ordered, nan makes the result nan."""
    rows = np.sort(stacked(values), axis=0)
    low, high = rows[(len(rows) - 1) // 2], rows[len(rows) // 2]
    middle = np.where(low == high, low, (low + high) / 2)
    return _same_kind(np.where(np.isnan(rows).any(axis=0), np.nan, middle), values)


def smallest(values: Sequence[Number]) -> Number:
    """Return the smallest element; nan makes the result nan."""
    return _same_kind(np.min(stacked(values), axis=0), values)


def largest(values: Sequence[Number]) -> Number:
    """Return the largest element; nan makes the result nan."""
    return _same_kind(np.max(stacked(values), axis=0), values)


def frac_inf(values: Sequence[Number]) -> Number:
    """Return the share of elements that are infinite."""
    return _same_kind(np.mean(np.isposinf(stacked(values)), axis=0), values)


def absolute(value: Number) -> Number:
    """Return the absolute value."""
    return np.abs(value) if isinstance(value, np.ndarray) else abs(value)


def log10(value: Number) -> Number:
    """Return the decimal logarithm: -inf of 0, inf of inf, nan of a negative number."""
    result: Array = np.log10(np.atleast_1d(value))
    return result if isinstance(value, np.ndarray) else float(result[0])


def spearman(x: Sequence[Number], y: Sequence[Number]) -> Number:
    """Return the rank correlation: Pearson's of the ranks, ties sharing their mean rank; nan when one list is constant."""
    rows = _pair(x, y, "spearman")
    ranks = [_ranks(part) for part in rows]
    dx, dy = (part - part.mean(axis=0) for part in ranks)
    result: Array = np.sum(dx * dy, axis=0) / np.sqrt(np.sum(dx**2, axis=0) * np.sum(dy**2, axis=0))
    undefined = np.isnan(rows[0]).any(axis=0) | np.isnan(rows[1]).any(axis=0)
    return _same_kind(np.where(undefined, np.nan, np.clip(result, -1.0, 1.0)), [*x, *y])


def _ranks(rows: Array) -> Array:
    """Return the rank of each element in its column, from 1; ties share their mean rank."""
    ranked = []
    for column, ordered in zip(rows.T, np.sort(rows, axis=0).T, strict=True):
        below, not_above = np.searchsorted(ordered, column, side="left"), np.searchsorted(ordered, column, side="right")
        ranked.append((below + not_above + 1) / 2)
    return np.stack(ranked, axis=1)


def loglog_slope(x: Sequence[Number], y: Sequence[Number]) -> Number:
    """Return the least-squares slope of log10 y on log10 x; nan when a value is not positive and finite or all x are equal."""
    lx, ly = (np.log10(np.where((part > 0) & np.isfinite(part), part, np.nan)) for part in _pair(x, y, "loglog_slope"))
    dx = lx - lx.mean(axis=0)
    spread = np.sum(dx**2, axis=0)
    slope = np.sum(dx * ly, axis=0) / np.where(spread > 0, spread, np.nan)
    return _same_kind(slope, [*x, *y])


def _pair(x: Sequence[Number], y: Sequence[Number], name: str) -> tuple[Array, Array]:
    if len(x) != len(y) or not x:
        raise PredicateError(f"{name}: lists of length {len(x)} and {len(y)}; allowed: the same length, not 0")
    rows = stacked([*x, *y])
    return rows[: len(x)], rows[len(x) :]


def percentile_interval(resamples: Array, *, low: float = 0.025, high: float = 0.975) -> list[float]:
    """Return two percentiles, interpolated between order statistics; infinities are ordered, undefined resamples left out.

    Parameters
    ----------
    resamples : array, shape (n,)
        The value under each resample.
    low, high : float, optional
        The two fractions.

    Returns
    -------
    list of float
        Lower and upper bound; nan when no resample is defined.
    """
    ordered = np.sort(resamples[~np.isnan(resamples)])
    if len(ordered) == 0:
        return [float("nan"), float("nan")]

    def at(fraction: float) -> float:
        place = fraction * (len(ordered) - 1)
        below, above = float(ordered[int(np.floor(place))]), float(ordered[int(np.ceil(place))])
        share = place - np.floor(place)
        if below == above or share == 0 or np.isneginf(below):
            return below
        return float(below + share * (above - below))

    return [at(low), at(high)]


ARITHMETIC: dict[str, Callable[[Array, Array], Array]] = {"Add": np.add, "Sub": np.subtract, "Mult": np.multiply, "Div": np.divide}


def arithmetic(operator: str, a: Number, b: Number) -> Number:
    """Return a sum, difference, product or quotient as IEEE 754 has it: 1/0 is infinite, 0/0 and inf-inf are nan."""
    result = ARITHMETIC[operator](np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
    return result if isinstance(a, np.ndarray) or isinstance(b, np.ndarray) else float(result)
