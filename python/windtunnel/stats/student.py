"""Student's t distribution: all that intervals and tests of means need of it."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

_SMALLEST = 1e-300
_STEPS = 10_000
"""More than any fraction here takes: some square root of the degrees of freedom."""


def two_sided(degrees: float, t: float) -> float:
    """Return the probability that Student's t is as far from zero as `t` or farther.

    Parameters
    ----------
    degrees : float
        Degrees of freedom, above zero, whole or not.
    t : float
        Any number, infinity included.

    Returns
    -------
    float
        In [0, 1].

    Notes
    -----
    Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 1964, 26.7.1 with 26.5.27: the incomplete beta function at
    n / (n + t^2) with a = n / 2 and b = 1 / 2.
    """
    if math.isinf(t):
        return 0.0
    square = t * t
    return _incomplete_beta(degrees / 2, 0.5, degrees / (degrees + square), square / (degrees + square))


@lru_cache(maxsize=4096)
def quantile(degrees: float, probability: float) -> float:
    """Return the number that Student's t does not exceed with a probability.

    Parameters
    ----------
    degrees : float
        Degrees of freedom, one or more, whole or not.
    probability : float
        In [0.5, 1).

    Returns
    -------
    float
        Zero or more.

    Notes
    -----
    Newton's method from the normal distribution's quantile, which is smaller: right of zero the distribution's function is concave, so each
    step stays left of the answer.
    """
    t = NormalDist().inv_cdf(probability)
    beyond = 2 * (1 - probability)
    log_height = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - math.log(degrees * math.pi) / 2
    for _ in range(100):
        density = math.exp(log_height - (degrees + 1) / 2 * math.log1p(t * t / degrees))
        step = (two_sided(degrees, t) - beyond) / (2 * density)
        t += step
        if abs(step) <= 1e-14 * t:
            break
    return max(t, 0.0)


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b); `rest` is 1 - x without its rounding."""
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest))
    # The fraction converges fast left of this point only; right of it the function is one less its mirror (26.5.2).
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, rest) / b


def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction 26.5.8 of the incomplete beta function, by Lentz's method."""
    upper = 1.0
    lower = 1 / _kept(1 - (a + b) * x / (a + 1))
    value = lower
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            lower = 1 / _kept(1 + term * lower)
            upper = _kept(1 + term / upper)
            value *= lower * upper
        if abs(lower * upper - 1) < 1e-15:
            return value
    raise ArithmeticError(f"the fraction of the incomplete beta function does not converge at a={a}, b={b}, x={x}")


def _kept(number: float) -> float:
    return number if abs(number) > _SMALLEST else _SMALLEST
