"""Two samples of one measure: the same to the bit, apart by more than noise, or not told apart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from windtunnel.diff.reading import Value
from windtunnel.stats import Difference, Summary, difference, fisher_exact, p_value, summarise

SAME, DIFFERS, CHANCE, WITHIN, UNTOLD = OUTCOMES = ("same", "differs", "chance", "within_noise", "untold")
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


def judge(ours: Mapping[int, Value], theirs: Mapping[int, Value]) -> Judgement:
    """Compare the repeats of two folders.

    Parameters
    ----------
    ours, theirs : mapping of int to (float, str or None)
        Value by seed; infinite is a time that was not reached.

    Returns
    -------
    Judgement
        Finite values are compared by Welch's test, how many there are by Fisher's, and the smaller p-value of the two is doubled.
        Of a law's check, which draws nothing and has the one seed 0, any change is a difference.
    """
    if any(isinstance(value, str) for side in (ours, theirs) for value in side.values()):
        names = [", ".join(sorted({str(value) for value in side.values()})) for side in (ours, theirs)]
        return Judgement(None, f"{names[0]}; then {names[1]}", is_same=dict(ours) == dict(theirs))
    finite = [[value for value in side.values() if isinstance(value, float) and math.isfinite(value)] for side in (ours, theirs)]
    first, second = (summarise(values) if values else None for values in finite)
    apart = difference(second, first) if first is not None and second is not None else None
    note = _without(ours, len(finite[0]), theirs, len(finite[1]))
    if dict(ours) == dict(theirs):
        return Judgement(None, note, first, second, apart, is_same=True)
    if set(ours) == set(theirs) == {0}:
        return Judgement(0.0, "; ".join(filter(None, (note, "nothing is drawn"))), first, second, apart)
    found = []
    if first is not None and second is not None and min(first.n, second.n) > 1:
        found.append(p_value(first, second))
    if note and min(len(ours), len(theirs)) > 1:
        found.append(fisher_exact((len(finite[0]), len(ours) - len(finite[0])), (len(finite[1]), len(theirs) - len(finite[1]))))
    p = min(1.0, len(found) * min(found)) if found else None
    return Judgement(p, note if found else "; ".join(filter(None, (note, "one repeat"))), first, second, apart)


def _without(ours: Mapping[int, Value], known: int, theirs: Mapping[int, Value], also_known: int) -> str:
    if known == len(ours) and also_known == len(theirs):
        return ""
    return f"none or never in {len(ours) - known} of {len(ours)}, then in {len(theirs) - also_known} of {len(theirs)}"
