"""From experiments to runs: every run once, whatever number of experiments wants it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from windtunnel.backends import backend as backend_of
from windtunnel.experiment.model import Draws, Experiment, Scale
from windtunnel.scenario import Scenario, digest
from windtunnel.store import KEPT, run_key

ORDER = tuple(KEPT)


@dataclass(frozen=True)
class Cell:
    """One point and repeat of an experiment, and the run that answers it."""

    point: dict[str, Any]
    seed: int
    key: str


@dataclass(frozen=True)
class Job:
    """One run to make.

    Parameters
    ----------
    key : str
        What it is stored under.
    scenario : Scenario
        What is run.
    kept : str
        How much of it is stored.
    weight : float
        How long it takes, in packets the bottleneck can carry.
    """

    key: str
    scenario: Scenario
    kept: str
    weight: float


@dataclass(frozen=True)
class Plan:
    """What a suite run has to do: `cells` of each experiment by its id, `jobs` by key, and the `backend` that makes the runs."""

    backend: str
    scale: Scale
    experiments: tuple[Experiment, ...]
    cells: dict[str, tuple[Cell, ...]]
    jobs: dict[str, Job]


def plan(experiments: Sequence[Experiment], scale: Scale, *, backend: str = "sim") -> Plan:
    """Lay out the runs of some experiments.

    Parameters
    ----------
    experiments : sequence of Experiment
        What is asked; those without points at this scale are left out.
    scale : Scale
        How much of it.
    backend : str
        What runs it.

    Returns
    -------
    Plan
        With every distinct scenario once; experiments that need the same run share it.

    Raises
    ------
    ScenarioError
        When a scenario cannot be run, before anything runs.
    """
    chosen = backend_of(backend)
    cells: dict[str, tuple[Cell, ...]] = {}
    jobs: dict[str, Job] = {}
    for experiment in experiments:
        own: list[Cell] = []
        scenario_of = scale.scenario(experiment)
        for point, seed in scale.grid(experiment):
            scenario = scenario_of(point, Draws(seed)).model_copy(update={"seed": max(seed, 1)})
            key = run_key(digest(scenario), chosen.name, chosen.version())
            own.append(Cell(point, seed, key))
            known = jobs.get(key)
            if known is None:
                chosen.check(scenario)
            kept = experiment.kept if known is None else min(known.kept, experiment.kept, key=ORDER.index)
            jobs[key] = Job(key, scenario, kept, scenario.bottleneck.rate_bps * scenario.duration_s / 12_000)
        if own:
            cells[experiment.id] = tuple(own)
    kept_experiments = tuple(experiment for experiment in experiments if experiment.id in cells)
    return Plan(backend, scale, kept_experiments, cells, jobs)
