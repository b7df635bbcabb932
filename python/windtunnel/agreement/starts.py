"""The trajectories of one flow from several starts: exact ties of a run without jitter decide some of them, none decides the median."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from windtunnel.agreement.judging import NOT_MEASURED, Judgement, verdict_of
from windtunnel.agreement.trajectory import Distance
from windtunnel.stats import summarise


def judge_starts(found: Sequence[Distance | None], tolerance: float) -> Judgement:
    """Judge the distances of runs that were paired by their starts.

    Parameters
    ----------
    found : sequence of Distance or None
        One per start; None where a run has no samples.
    tolerance : float
        The largest distance that is agreement, relative to the kernel.

    Returns
    -------
    Judgement
        Verdict and difference are the median's; `low` and `high` are the smallest and the largest distance, not an interval of
        confidence. The windows of both sides are those of the start in the middle, the lower one of two.
    """
    distances = sorted((one for one in found if one is not None), key=lambda one: one.largest)
    if not distances:
        return Judgement(NOT_MEASURED, "there are no samples")
    median = statistics.median(one.largest for one in distances)
    least, most = distances[0].largest, distances[-1].largest
    middle = distances[(len(distances) - 1) // 2]
    second = " and ".join("none" if loss is None else f"{loss:.2f} s" for loss in middle.losses_s)
    where = f"the largest, at {middle.at_s:.2f} s" if middle.largest else "never more than a packet"
    over = f"median of {len(distances)} starts, {100 * least:.2f} % to {100 * most:.2f} %; of the one in the middle: "
    note = f"{over}{where}; mean {100 * middle.mean:.2f} % up to {middle.until_s:.2f} s; second loss: {second}"
    sides = summarise([middle.sim_packets]), summarise([middle.linux_packets])
    return Judgement(verdict_of(median, median, tolerance), note, *sides, median, least, most)
