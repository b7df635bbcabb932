"""Two samples of one measure: the same to the bit, apart by more than noise, or without a difference beyond noise."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from windtunnel.diff.reading import Repeats
from windtunnel.stats import Difference, Summary, difference, fisher_exact, p_value, summarise

SAME, DIFFERS, CHANCE, WITHIN, NOT_JUDGED = OUTCOMES = ("same", "differs", "chance", "within_noise", "not_judged")
"""The same to the bit; apart even among all comparisons; apart taken alone, as some are by chance; not apart; not to be told."""
LEVEL = 0.05


@dataclass(frozen=True)
class Judgement:
    """What came out of one comparison, before it is seen among the others.

    Parameters
    ----------
    p : float or None
        How probable a difference this large is where there is none; None where nothing can be tested.
    note : str
        What the numbers do not say.
    first, second : Summary or None
        Of the finite repeats of each side; None where there is none.
    difference : Difference or None
        Second minus first.
    is_same : bool
        Whether the repeats are equal to the bit.
    """

    p: float | None
    note: str = ""
    first: Summary | None = None
    second: Summary | None = None
    difference: Difference | None = None
    is_same: bool = False


def judge(ours: Repeats, theirs: Repeats) -> Judgement:
    """Compare the repeats of two folders.

    Parameters
    ----------
    ours, theirs : Repeats
        At the same place.

    Returns
    -------
    Judgement
        Finite values are compared by Welch's test, how many there are by Fisher's, and the smaller p-value of the two is doubled.
        Where nothing was drawn any change is a difference.
    """
    sides = (ours.values, theirs.values)
    if any(isinstance(value, str) for side in sides for value in side.values()):
        names = [", ".join(sorted({str(value) for value in side.values()})) for side in sides]
        return Judgement(None, f"{names[0]}; then {names[1]}", is_same=sides[0] == sides[1])
    finite = [[value for value in side.values() if isinstance(value, float) and math.isfinite(value)] for side in sides]
    first, second = (summarise(values) if values else None for values in finite)
    apart = difference(second, first) if first is not None and second is not None else None
    lacking = [len(side) - len(values) for side, values in zip(sides, finite, strict=True)]
    counted = f"none or never in {lacking[0]} of {len(sides[0])}, then in {lacking[1]} of {len(sides[1])}" if any(lacking) else ""
    found = Judgement(None, counted, first, second, apart, is_same=sides[0] == sides[1])
    if found.is_same:
        return found
    if not (ours.is_drawn or theirs.is_drawn):
        return replace(found, p=0.0, note=_joined(counted, "nothing is drawn"))
    tests = []
    if first is not None and second is not None and min(first.n, second.n) > 1:
        tests.append(_of_means(first, second))
    if counted and min(map(len, sides)) > 1:
        tests.append(fisher_exact((len(finite[0]), lacking[0]), (len(finite[1]), lacking[1])))
    if not tests:
        return replace(found, note=_joined(counted, "one repeat"))
    return replace(found, p=min(1.0, len(tests) * min(tests)))


def _of_means(first: Summary, second: Summary) -> float:
    """Return the p-value of two means; values without any spread, as counts often are, are compared as two kinds of thing."""
    if first.sem == second.sem == 0:
        return 1.0 if first.mean == second.mean else fisher_exact((first.n, 0), (0, second.n))
    return p_value(first, second)


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)
