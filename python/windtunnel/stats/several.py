"""Many comparisons at once, and comparisons of counts."""

from __future__ import annotations

import math
from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for their number, so that calling all of at most 0.05 a difference is wrong anywhere in 5 % of cases only.

    Parameters
    ----------
    p_values : sequence of float, shape (m,)
        Of m comparisons, which may depend on each other.

    Returns
    -------
    list of float, shape (m,)
        Adjusted p-values in the same order, at most 1.

    Notes
    -----
    Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6(2), 1979.
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = largest
    return adjusted


def fisher_exact(first: tuple[int, int], second: tuple[int, int]) -> float:
    """Return the two-sided p-value of Fisher's exact test of whether two samples have the same share of something.

    Parameters
    ----------
    first, second : tuple of int, shape (2,)
        How many of each sample have it, and how many have not.

    Returns
    -------
    float
        In (0, 1]: the probability, the margins given, of all tables that are no more likely than this one.

    Notes
    -----
    Source: R. A. Fisher, "Statistical Methods for Research Workers", 5th edition, 1934, section 21.02.
    """
    (a, b), (c, d) = first, second
    having, n, m = a + c, a + b, c + d

    def ways(k: int) -> int:
        return math.comb(n, k) * math.comb(m, having - k)

    seen = ways(a)
    possible = range(max(0, having - m), min(n, having) + 1)
    return sum(way for way in map(ways, possible) if way <= seen) / math.comb(n + m, having)
