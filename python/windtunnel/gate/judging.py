"""Two sides compared, quantity by quantity: worse, better, equal within the margin, or undecided, with the whole family's errors bounded.

A difference is worse or better where it is there beyond chance, all comparisons of the gate considered (Holm, 1 %), and not shown to be
within the margin. It is equal within the margin where two one-sided tests show that (Schuirmann 1987), at 1 % each: that all of several
are equal needs no further allowance for their number (Berger 1982).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from windtunnel.gate.margins import Margins
from windtunnel.gate.measures import MORE, QUANTITIES, Quantity
from windtunnel.gate.values import Series, Values
from windtunnel.stats import Summary, fisher_exact, holm, summarise, welch
from windtunnel.stats.student import quantile, two_sided

WORSE, BETTER, EQUAL, UNDECIDED = OUTCOMES = ("worse", "better", "equal", "undecided")
LEVEL = 0.01
"""Of a wrong "worse" or "better" anywhere in the family, and of each wrong "equal"."""


@dataclass(frozen=True)
class Row:
    """One comparison.

    Parameters
    ----------
    cell, quantity : str
        What was compared.
    old, new : Summary or None
        Of each side's repeats; None without a value.
    estimate : float
        The difference of the means, new minus old, in the quantity's unit; NaN where there is none.
    error : float
        Its standard error.
    degrees : float
        Degrees of freedom of that.
    margin : float
        The largest difference that does not matter.
    p : float
        How probable a difference this large is where there is none; 1 where nothing can be tested.
    p_equal : float
        How probable such a small one is where it is as large as the margin.
    p_holm : float
        `p`, adjusted for the number of comparisons.
    outcome : str
        One of `OUTCOMES`.
    note : str
        What the numbers do not say.
    """

    cell: str
    quantity: str
    old: Summary | None
    new: Summary | None
    estimate: float
    error: float
    degrees: float
    margin: float
    p: float
    p_equal: float
    p_holm: float = 1.0
    outcome: str = UNDECIDED
    note: str = ""

    @property
    def about(self) -> Quantity:
        """The quantity."""
        return QUANTITIES[self.quantity]

    @property
    def interval(self) -> tuple[float, float]:
        """The 98 % interval of the difference: within the margins exactly where both one-sided tests at 1 % say so."""
        if not math.isfinite(self.error):
            return -math.inf, math.inf
        if self.error == 0:
            return self.estimate, self.estimate
        half = quantile(self.degrees, 1 - LEVEL) * self.error
        return self.estimate - half, self.estimate + half


def judge(old: Values, new: Values, margins: Margins) -> list[Row]:
    """Compare two sides.

    Parameters
    ----------
    old, new : Values
        What was there before, and what is judged.
    margins : Margins
        What does not matter.

    Returns
    -------
    list of Row
        For every quantity that both have, in the order of `new`. Where both have the same seeds, their draws are the same and the
        differences of the repeats are tested; else the means.
    """
    rows = []
    for cell, quantities in new.cells.items():
        for name, series in quantities.items():
            before = old.cells.get(cell, {}).get(name)
            if before is not None and name in QUANTITIES:
                rows.append(compared(cell, name, before, series, margins))
    return decided(rows)


def decided(rows: Sequence[Row]) -> list[Row]:
    """Return rows with their outcomes among all of them."""
    adjusted = holm([row.p for row in rows])
    return [replace(row, p_holm=p, outcome=_outcome(row, p)) for row, p in zip(rows, adjusted, strict=True)]


def _outcome(row: Row, p_holm: float) -> str:
    if row.p_equal <= LEVEL:
        return EQUAL
    if p_holm > LEVEL:
        return UNDECIDED
    if math.isnan(row.estimate):
        return WORSE  # Values have gone, or come, beyond chance: that is a difference.
    return BETTER if (row.estimate > 0) == (row.about.better == MORE) else WORSE


def compared(cell: str, name: str, old: Series, new: Series, margins: Margins) -> Row:
    """Return one comparison, before it is seen among the others."""
    values = [[value for value in side.values() if value is not None] for side in (old, new)]
    before, after = (summarise(side) if side else None for side in values)
    lacking = [len(side) - len(own) for side, own in zip((old, new), values, strict=True)]
    note = f"no value in {lacking[0]} of {len(old)} before, in {lacking[1]} of {len(new)} now" if any(lacking) else ""
    if before is None or after is None:
        p = fisher_exact((len(values[0]), lacking[0]), (len(values[1]), lacking[1])) if values[0] or values[1] else 1.0
        both = 0.0 if not values[0] and not values[1] else 1.0
        return Row(cell, name, before, after, math.nan, math.nan, 0.0, math.nan, p, both, note=note)
    margin = margins.of(cell, name).at(before.mean)
    shared = [seed for seed in new if new[seed] is not None and old.get(seed) is not None]
    if len(shared) == len(values[0]) == len(values[1]):
        gaps = [float(new[seed]) - float(old[seed]) for seed in shared]  # type: ignore[arg-type]
        of_gaps = summarise(gaps)
        estimate, error, degrees = of_gaps.mean, of_gaps.sem, len(gaps) - 1.0
    else:
        estimate, (error, degrees) = after.mean - before.mean, welch(before, after) if min(before.n, after.n) > 1 else (math.inf, 0.0)
    p, p_equal = _tests(estimate, error, degrees, margin)
    if any(lacking):
        # Fewer values on one side are a difference of their own: the smaller p-value of the two, doubled.
        p = min(1.0, 2 * min(p, fisher_exact((len(values[0]), lacking[0]), (len(values[1]), lacking[1]))))
        p_equal = 1.0
    return Row(cell, name, before, after, estimate, error, degrees, margin, p, p_equal, note=note)


def _tests(estimate: float, error: float, degrees: float, margin: float) -> tuple[float, float]:
    """Return the p-values of no difference, and of one as large as the margin (the larger of the two one-sided tests)."""
    if not math.isfinite(error):
        return 1.0, 1.0
    if error == 0:
        return (1.0 if estimate == 0 else 0.0), (0.0 if abs(estimate) <= margin else 1.0)
    inside = (margin - abs(estimate)) / error
    one_sided = two_sided(degrees, inside) / 2
    return two_sided(degrees, estimate / error), one_sided if inside > 0 else 1 - one_sided
