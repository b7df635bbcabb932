"""The benchmark of 2007 as of today: the seven tests of Li, Leith and Shorten at four rates, for every algorithm there is."""

from __future__ import annotations

from dataclasses import replace

from windtunnel.experiment import Experiment
from windtunnel.suites.now.criteria import FOLLOWED
from windtunnel.suites.now.grids import planned
from windtunnel.suites.stacks.subjects import missing

TITLE = "The benchmark of 2007 as of today: the seven tests of Li, Leith and Shorten at 10 Mbit/s to 10 Gbit/s"
METRICS = {
    "epochs": ("count", "congestion epochs that the flow with fewest completes"),
    "late_over_first": ("1", "goodput of the flow that came late over that of the first"),
    "over_other": ("1", "goodput of the algorithm over that of the flow it joined"),
}
"""Unit and meaning of the measures that are this suite's own."""


def present(experiment: Experiment) -> Experiment:
    """Return an experiment without the whole stacks that are not built."""
    absent = missing()
    here = tuple(name for name in experiment.points["alg"] if name.partition("@")[2] not in absent)
    return replace(experiment, points={**experiment.points, "alg": here})


def skipped() -> list[str]:
    """Return a line on the stacks that are left out because they are not built, none where all are."""
    absent = missing()
    return [f"whole stacks left out, not built: {', '.join(absent)} (windtunnel stacks build)"] if absent else []


__all__ = ["FOLLOWED", "METRICS", "TITLE", "planned", "present", "skipped"]
