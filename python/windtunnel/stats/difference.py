"""The difference of two means, and its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

from windtunnel.stats.student import quantile, two_sided
from windtunnel.stats.summary import CONFIDENCE, Summary


@dataclass(frozen=True)
class Difference:
    """The difference of two means.

    Attributes
    ----------
    estimate : float
        First minus second.
    low, high : float
        Its 95 % interval; infinite where one of them has fewer than two values.
    """

    estimate: float
    low: float
    high: float


def difference(first: Summary, second: Summary) -> Difference:
    """Return the difference of the means of two independent samples, whose spreads may differ.

    Parameters
    ----------
    first, second : Summary
        In the same unit, with finite means.

    Returns
    -------
    Difference
        First minus second.

    Notes
    -----
    Source: B. L. Welch, "The generalization of 'Student's' problem when several different population variances are involved",
    Biometrika 34, 1947; degrees of freedom after F. E. Satterthwaite, Biometrics Bulletin 2(6), 1946.
    """
    estimate = first.mean - second.mean
    if first.n < 2 or second.n < 2:
        return Difference(estimate, -math.inf, math.inf)
    error, degrees = welch(first, second)
    if error == 0:
        return Difference(estimate, estimate, estimate)
    half = quantile(degrees, (1 + CONFIDENCE) / 2) * error
    return Difference(estimate, estimate - half, estimate + half)


def p_value(first: Summary, second: Summary) -> float:
    """Return the probability of a difference of the means this large or larger where there is none, by the test behind `difference`.

    Parameters
    ----------
    first, second : Summary
        As for `difference`, with two values each at least.

    Returns
    -------
    float
        In [0, 1], two-sided; of samples without any spread 1 when the means are equal and 0 when they are not.

    Raises
    ------
    ValueError
        When a sample has fewer than two values.
    """
    if first.n < 2 or second.n < 2:
        raise ValueError(f"samples of {first.n} and {second.n} values; allowed: two or more each")
    error, degrees = welch(first, second)
    if error == 0:
        return 1.0 if first.mean == second.mean else 0.0
    return two_sided(degrees, (first.mean - second.mean) / error)


def welch(first: Summary, second: Summary) -> tuple[float, float]:
    """Return the standard error of a difference of means and its degrees of freedom, both zero where nothing is spread.

    Parameters
    ----------
    first, second : Summary
        As for `difference`, with two values each at least.
    """
    squares = [one.sem**2 for one in (first, second)]
    total = sum(squares)
    if total == 0:
        return 0.0, 0.0
    return math.sqrt(total), total**2 / sum(square**2 / (one.n - 1) for square, one in zip(squares, (first, second), strict=True))
