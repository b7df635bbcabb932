"""Fewer pages for a report of very many runs: the first repeats of every point keep their runs' pages, the others have their numbers."""

from __future__ import annotations

from dataclasses import replace

from windtunnel.report.model import Report

MANY_RUNS = 10_000
"""Of more runs than this a report has pages of the first repeat of every point, unless it is told otherwise."""


def pruned(report: Report, repeats: int | None = None) -> Report:
    """Return a report with pages of fewer runs.

    Parameters
    ----------
    report : Report
        As `assemble` makes it.
    repeats : int, optional
        How many repeats of every point, on each backend, keep the pages of their runs. When absent all do, and one where there are more
        than `MANY_RUNS` runs.

    Returns
    -------
    Report
        The same where nothing is left out; otherwise its facts say what is.
    """
    if repeats is None:
        if len(report.runs) <= MANY_RUNS:
            return report
        repeats = 1
    first = {
        repeat.run
        for section in report.sections
        for point in section.points
        for own in (point.repeats, *point.beside.values())
        for repeat in sorted(own, key=lambda one: one.seed)[:repeats]
    }
    kept = {key: run for key, run in report.runs.items() if key in first}
    if len(kept) == len(report.runs):
        return report
    which = "first repeat" if repeats == 1 else f"first {repeats} repeats"
    said = f"{len(kept)} of {len(report.runs)}: the {which} of every point; `windtunnel serve` shows all"
    return replace(report, runs=kept, facts={**report.facts, "pages of runs": said})
