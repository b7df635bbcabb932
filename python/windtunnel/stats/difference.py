"""The difference of two means, and its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

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
    squares = [one.sem**2 for one in (first, second)]
    total = sum(squares)
    if total == 0:
        return Difference(estimate, estimate, estimate)
    degrees = total**2 / sum(square**2 / (one.n - 1) for square, one in zip(squares, (first, second), strict=True))
    from scipy.special import stdtrit

    half = float(stdtrit(degrees, (1 + CONFIDENCE) / 2)) * math.sqrt(total)
    return Difference(estimate, estimate - half, estimate + half)
