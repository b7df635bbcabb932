"""From experiments to runs: every run once, whatever number of experiments wants it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from windtunnel.backends import backend as backend_of
from windtunnel.backends.weight import packets
from windtunnel.experiment.elsewhere import LeftOut, left_out, profiles, restated
from windtunnel.experiment.model import Draws, Experiment, Scale
from windtunnel.scenario import Scenario, digest
from windtunnel.store import KEPT, run_key

ORDER = tuple(KEPT)


@dataclass(frozen=True)
class PointRepeat:
    """One point and repeat of an experiment, and the run that answers it; `files` are the scale's."""

    point: dict[str, Any]
    seed: int
    key: str
    files: Mapping[str, str] = field(default_factory=dict)


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
        How long it takes, in packets that it may deliver.
    """

    key: str
    scenario: Scenario
    kept: str
    weight: float


@dataclass(frozen=True)
class Plan:
    """What a suite run has to do: `cells` of each experiment by its id, `jobs` by key, and the `backend` that makes the runs.

    Parameters
    ----------
    backend : str
        As `windtunnel.backends.backend` takes it, the kernel by its digest.
    kind : str
        The backend's name, without the kernel: measures are stored under it.
    scale : Scale
        How much of the experiments is run.
    experiments : tuple of Experiment
        Those with points at this scale.
    cells : dict of str to tuple of PointRepeat
        By experiment; none where the backend can express no point.
    jobs : dict of str to Job
        By key.
    left_out : dict of str to tuple of LeftOut
        What the backend cannot express, by experiment.
    in_place_of : dict of str to tuple of str
        The profiles in place of which the backend's own stack is run, by experiment.
    """

    backend: str
    kind: str
    scale: Scale
    experiments: tuple[Experiment, ...]
    cells: dict[str, tuple[PointRepeat, ...]]
    jobs: dict[str, Job]
    left_out: dict[str, tuple[LeftOut, ...]]
    in_place_of: dict[str, tuple[str, ...]]


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
        With every distinct scenario once; experiments that need the same run share it. A backend with a stack of its own runs that in place
        of the profiles asked for, and what it cannot express is left out; the plan says both.

    Raises
    ------
    ScenarioError
        When a scenario cannot be run, before anything runs.
    KernelError
        When the backend is a kernel that is not built.
    """
    chosen = backend_of(backend)
    version = chosen.version()
    cells: dict[str, tuple[PointRepeat, ...]] = {}
    omitted: dict[str, tuple[LeftOut, ...]] = {}
    replaced: dict[str, tuple[str, ...]] = {}
    jobs: dict[str, Job] = {}
    for experiment in experiments:
        own: list[PointRepeat] = []
        refused: list[tuple[dict[str, Any], list[str]]] = []
        asked: set[str] = set()
        scenario_of = scale.scenario(experiment)
        for point, seed in scale.grid(experiment):
            wanted = scale.where is None or scale.where(point)
            if not wanted and seed > 1:
                continue  # Whether the backend can express it was asked with the first repeat.
            declared = scenario_of(point, Draws(seed)).model_copy(update={"seed": max(seed, 1)})
            scenario = restated(declared, chosen.stack)
            lacking = chosen.unsupported(scenario)
            if lacking:
                refused.append((point, lacking))
                continue
            if not wanted:
                continue
            asked |= profiles(declared)
            key = run_key(digest(scenario), chosen.name, version)
            own.append(PointRepeat(point, seed, key, scale.files))
            known = jobs.get(key)
            if known is None:
                chosen.check(scenario)
            kept = experiment.kept if known is None else min(known.kept, experiment.kept, key=ORDER.index)
            jobs[key] = Job(key, scenario, kept, packets(scenario))
        if own or refused:
            cells[experiment.id] = tuple(own)
            omitted[experiment.id] = left_out(scale.points(experiment), refused)
            replaced[experiment.id] = tuple(sorted(asked - {chosen.stack})) if chosen.stack is not None else ()
    kept_experiments = tuple(experiment for experiment in experiments if experiment.id in cells)
    return Plan(chosen.exact, chosen.name, scale, kept_experiments, cells, jobs, omitted, replaced)
