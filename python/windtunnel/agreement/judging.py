"""Whether two samples of a quantity agree: estimate and interval of their difference against what is tolerated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from windtunnel.agreement.quantities import Quantity
from windtunnel.stats import Difference, Summary, difference, summarise

AGREES, DIFFERS, INCONCLUSIVE, NOT_MEASURED = VERDICTS = ("agrees", "differs", "inconclusive", "not_measured")


@dataclass(frozen=True)
class Judgement:
    """What came out of one comparison.

    Parameters
    ----------
    verdict : str
        One of `VERDICTS`.
    note : str
        Why, where the numbers do not say it.
    sim, linux : Summary or None
        Of the first and of the second side, over the seeds; None where nothing was measured.
    difference, low, high : float or None
        First side minus second and its 95 % interval, in the quantity's unit or relative to the second; None where a side has no finite
        mean, and for the ends of an interval that has none.
    """

    verdict: str
    note: str = ""
    sim: Summary | None = None
    linux: Summary | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None


USUAL = ("the simulator", "the kernel")
"""What notes call the sides."""


def judge(
    ours: Sequence[float],
    theirs: Sequence[float],
    about: Quantity,
    *,
    drawn: bool,
    longest_s: float,
    called: tuple[str, str] = USUAL,
) -> Judgement:
    """Compare the values of both sides.

    Parameters
    ----------
    ours, theirs : sequence of float
        One value per seed that has one, of the first side and of the second, of the same seeds where they are paired; infinite is a time
        that was not reached.
    about : Quantity
        What they are, and what is tolerated.
    drawn : bool
        Whether anything was drawn; if not, the values themselves are compared.
    longest_s : float
        What an infinite repeat counts as while at most half of them are: the length of the run, seconds.
    called : tuple of str
        What notes call the sides.
    """
    if not ours and not theirs:
        return Judgement(NOT_MEASURED, "there is none, on either side")
    sim, linux = (summarise(values, censored_at=longest_s) if values else None for values in (ours, theirs))
    if sim is None or linux is None:
        return Judgement(INCONCLUSIVE, f"{called[0] if sim is None else called[1]} has no value", sim, linux)
    if math.isinf(sim.mean) or math.isinf(linux.mean):
        return _never(sim, linux, called)
    if about.relative and linux.mean == 0:
        both = sim.mean == 0
        return Judgement(AGREES if both else INCONCLUSIVE, "zero on both sides" if both else f"{called[1]}'s is zero", sim, linux)
    scale = abs(linux.mean) if about.relative else 1.0
    found = _by_seed(ours, theirs, longest_s) if about.paired else difference(sim, linux)
    estimate = found.estimate / scale
    low, high = (found.low / scale, found.high / scale) if drawn else (estimate, estimate)
    verdict, note = verdict_of(low, high, about.tolerance), ""
    if verdict != AGREES and about.within_kernel and linux.t_interval[0] <= sim.mean <= linux.t_interval[1]:
        verdict, note = AGREES, f"inside {called[1]}'s interval over seeds"
    ends = (low if math.isfinite(low) else None, high if math.isfinite(high) else None)
    return Judgement(verdict, note, sim, linux, estimate, *ends)


def _by_seed(ours: Sequence[float], theirs: Sequence[float], longest_s: float) -> Difference:
    """Return the mean of the differences of each seed, with its t interval."""
    pairs = zip(ours, theirs, strict=True)
    found = summarise([min(first, longest_s) - min(second, longest_s) for first, second in pairs])
    return Difference(found.mean, *(found.t_interval if found.n > 1 else (-math.inf, math.inf)))


def verdict_of(low: float, high: float, tolerance: float) -> str:
    """Judge an interval of a difference: inside the tolerance it agrees, wholly outside it differs, else there is too little evidence.

    Parameters
    ----------
    low, high : float
        The interval; equal where nothing was drawn.
    tolerance : float
        The largest difference that is agreement, in the same unit.
    """
    if -tolerance <= low and high <= tolerance:
        return AGREES
    return DIFFERS if low > tolerance or high < -tolerance else INCONCLUSIVE


def _never(sim: Summary, linux: Summary, called: tuple[str, str]) -> Judgement:
    if sim.infinite == sim.n and linux.infinite == linux.n:
        return Judgement(AGREES, "never, on either side", sim, linux)
    note = f"never in {sim.infinite} of {sim.n} runs of {called[0]}, {linux.infinite} of {linux.n} of {called[1]}"
    apart = {sim.infinite / sim.n, linux.infinite / linux.n} == {0.0, 1.0}
    return Judgement(DIFFERS if apart else INCONCLUSIVE, note, sim, linux)
