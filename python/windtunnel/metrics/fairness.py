"""Fairness between flows."""

from __future__ import annotations

from collections.abc import Sequence

from windtunnel import native


def jain(rates: Sequence[float]) -> float | None:
    """Return Jain's fairness index, (sum x)^2 / (n sum x^2).

    Parameters
    ----------
    rates : sequence of float, shape (n,)
        Throughput of each flow, in any one unit.

    Returns
    -------
    float or None
        In [1/n, 1]; None without flows or when nothing was delivered.

    Notes
    -----
    Source: R. Jain, D. Chiu, W. Hawe, "A quantitative measure of fairness and discrimination for resource allocation in shared computer
    systems", DEC-TR-301, 1984.
    """
    return native.jain(list(rates))


def ratio_min_max(rates: Sequence[float]) -> float | None:
    """Return the smallest over the largest throughput.

    Parameters
    ----------
    rates : sequence of float, shape (n,)
        Throughput of each flow, in any one unit.

    Returns
    -------
    float or None
        In [0, 1]; None with fewer than two flows or when nothing was delivered.

    Notes
    -----
    Source: Y.-T. Li, D. Leith, R. Shorten, "Experimental evaluation of TCP protocols for high-speed networks", IEEE/ACM ToN 15(5), 2007:
    the throughput ratio of its fairness tests, made symmetric.
    """
    return native.ratio_min_max(list(rates))


def asymmetry(tested: float, opponent: float) -> float:
    """Return the asymmetry (x1 - x2)/(x1 + x2) of two throughputs.

    Parameters
    ----------
    tested, opponent : float
        Throughput of the flow under test and of its opponent, in any one unit, not both zero.

    Returns
    -------
    float
        In [-1, 1]: 0 is fair, above it the flow under test takes more. With r = x2/x1 it is (1 - r)/(1 + r).

    Notes
    -----
    Source: Bullot, Cottrell, Hughes-Jones (J. Grid Computing 2003), section 5.2.
    """
    return (tested - opponent) / (tested + opponent)
