"""The mean of some repeats, its standard error and its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from windtunnel.stats.bootstrap import mean_interval
from windtunnel.stats.student import quantile

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Summary:
    """The mean of repeats.

    Attributes
    ----------
    n : int
        Number of values.
    mean : float
        NaN without values; infinite when more than half of them are.
    sem : float
        Standard error of the mean, sample standard deviation over sqrt(n); NaN with fewer than two values or an infinite mean.
    low, high : float
        The 95 % bootstrap interval of the mean, which is what tables show; NaN where `sem` is. It stays within the range of the values.
    infinite : int
        How many of the values are infinite.
    """

    n: int
    mean: float
    sem: float
    low: float
    high: float
    infinite: int

    @property
    def t_interval(self) -> tuple[float, float]:
        """The 95 % t interval of the mean, for tests; NaN where `sem` is. It may reach beyond what a share or a time can be."""
        if math.isnan(self.sem):
            return math.nan, math.nan
        half = quantile(self.n - 1, (1 + CONFIDENCE) / 2) * self.sem
        return self.mean - half, self.mean + half


def summarise(values: Sequence[float], *, censored_at: float | None = None) -> Summary:
    """Summarise the values of independent repeats.

    Parameters
    ----------
    values : sequence of float, shape (n,)
        In any one unit. Infinity is a time that was not reached; missing values must have been left out.
    censored_at : float, optional
        What an infinite value counts as in the mean while at most half are infinite: the duration of the run.

    Returns
    -------
    Summary
        In the unit of the values.

    Raises
    ------
    ValueError
        When a value is NaN or minus infinity, or infinite ones must be counted and `censored_at` is not given.

    Notes
    -----
    Sources: `mean_interval`; W. S. Gosset ("Student"), "The probable error of a mean", Biometrika 6(1), 1908. The rule for infinity is the
    register's (`grammar.infinity`).
    """
    n = len(values)
    if any(math.isnan(value) or value == -math.inf for value in values):
        raise ValueError("a value is NaN or minus infinity; allowed: finite values and infinity")
    infinite = sum(value == math.inf for value in values)
    if 2 * infinite > n:
        return Summary(n, math.inf, math.nan, math.nan, math.nan, infinite)
    if infinite and censored_at is None:
        raise ValueError(f"{infinite} of {n} values are infinite and censored_at is not given")
    counted = [float(censored_at) if value == math.inf and censored_at is not None else float(value) for value in values]
    if not counted:
        return Summary(0, math.nan, math.nan, math.nan, math.nan, 0)
    mean = math.fsum(counted) / n
    if n == 1:
        return Summary(1, mean, math.nan, math.nan, math.nan, infinite)
    sem = math.sqrt(math.fsum((value - mean) ** 2 for value in counted) / (n - 1) / n)
    return Summary(n, mean, sem, *mean_interval(counted), infinite)
