"""Which further runs would decide what is undecided."""

from __future__ import annotations

import math
from statistics import NormalDist

from windtunnel.gate.judging import LEVEL, UNDECIDED, Row

POWER = 0.9
MOST = 1000
"""Seeds beyond which no more are asked for."""


def seeds_needed(row: Row, *, seeds: int, family: int) -> int | None:
    """Return about how many seeds would decide a comparison in nine of ten cases, if the difference is what it looks like.

    Parameters
    ----------
    row : Row
        An undecided one.
    seeds : int
        How many it was judged by.
    family : int
        Number of comparisons.

    Returns
    -------
    int or None
        None where more than 1000 would be needed: the difference looks like the margin itself, or nothing is known of the spread.

    Notes
    -----
    The number for two one-sided tests, and that for a difference to be seen among the family, by the normal distribution (Julious 2004);
    the smaller one counts.
    """
    if row.outcome != UNDECIDED or not math.isfinite(row.error) or row.error <= 0:
        return None
    spread = row.error * math.sqrt(seeds)
    normal = NormalDist()
    needs = []
    room = row.margin - abs(row.estimate)
    if room > 0:
        needs.append((spread * (normal.inv_cdf(1 - LEVEL) + normal.inv_cdf((1 + POWER) / 2)) / room) ** 2)
    if row.estimate:
        needs.append((spread * (normal.inv_cdf(1 - LEVEL / (2 * family)) + normal.inv_cdf(POWER)) / row.estimate) ** 2)
    fewest = min(needs, default=math.inf)
    return math.ceil(max(fewest, seeds + 1)) if fewest <= MOST else None
