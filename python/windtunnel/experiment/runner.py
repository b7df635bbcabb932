"""Run a plan: what is missing is computed, everything is measured, and each experiment's declaration is stored beside its measures."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

from windtunnel.backends import backend as backend_of
from windtunnel.experiment.elsewhere import LeftOut
from windtunnel.experiment.measuring import measured_rows, plain, table
from windtunnel.experiment.model import Experiment, Measure
from windtunnel.experiment.plan import ORDER, Cell, Job, Plan
from windtunnel.metrics.version import MEASURES_VERSION
from windtunnel.plots.declared import to_json
from windtunnel.pool import each, workers
from windtunnel.store import Results, ResultsError, RunStore
from windtunnel.version import __version__

CELLS_PER_TASK = 40


@dataclass(frozen=True)
class Step:
    """How far a suite run has come.

    Parameters
    ----------
    what : str
        ``runs`` or ``measures``.
    done, total : int
        Runs made, or cells measured.
    weight_done, weight_total : float
        The same by the time they take, in packets.
    """

    what: str
    done: int
    total: int
    weight_done: float
    weight_total: float


@dataclass(frozen=True)
class _Run:
    """A job on its way to a worker."""

    job: Job
    store: RunStore
    backend: str


@dataclass(frozen=True)
class _Measuring:
    """A few cells of an experiment, by its number among those measured, on their way to a worker."""

    number: int
    cells: tuple[Cell, ...]
    store: RunStore
    measures: tuple[Measure, ...]
    kept: str


def _make(task: _Run) -> None:
    task.store.write(task.job.key, backend_of(task.backend).run(task.job.scenario), task.job.kept)


def _measure(task: _Measuring) -> list[list[dict[str, Any]]]:
    rows = []
    for cell in task.cells:
        path = task.store.find(cell.key, task.kept)
        if path is None:
            raise ResultsError(task.store.folder, f"run {cell.key} has gone; run the suite again")
        rows.append(measured_rows(task.store, path, cell, task.measures))
    return rows


def execute(plan: Plan, results: Results, *, jobs: int, command: str, on_step: Callable[[Step], None]) -> None:
    """Carry out a plan.

    Parameters
    ----------
    plan : Plan
        What to do.
    results : Results
        Where, opened for writing. Stored runs are used, missing ones made; whatever happens, finished runs stay.
    jobs : int
        Worker processes.
    command : str
        The command line that asks for the whole plan; ``{id}`` stands for the experiment in what is stored for each.
    on_step : callable
        Told of progress.

    Raises
    ------
    ResultsError
        When the folder cannot be written.
    WorkerLost
        When a worker process died.
    """
    execute_all([Part(plan, results, command)], jobs=jobs, on_step=on_step)


@dataclass(frozen=True)
class Part:
    """A plan, where its measures are stored, and the command that asks for it, as `execute` takes them."""

    plan: Plan
    results: Results
    command: str


def execute_all(parts: Sequence[Part], *, jobs: int, on_step: Callable[[Step], None]) -> None:
    """Carry out several plans whose runs are stored together, each run once.

    Parameters
    ----------
    parts : sequence of Part
        What to do, at least one, all on one backend.
    jobs, on_step
        As for `execute`.
    """
    store, backend = parts[0].results.runs, parts[0].plan.backend
    missing = _missing(store, [job for part in parts for job in part.plan.jobs.values()])
    with workers(jobs) as pool:
        total = sum(job.weight for job in missing)
        done = 0.0
        on_step(Step("runs", 0, len(missing), 0.0, total))
        tasks = [_Run(job, store, backend) for job in missing]
        for count, (task, _) in enumerate(each(pool, _make, tasks, ahead=jobs + 1), start=1):
            done += task.job.weight
            on_step(Step("runs", count, len(missing), done, total))
        _measure_all(parts, pool, jobs=jobs, on_step=on_step)


def _missing(store: RunStore, wanted: Iterable[Job]) -> list[Job]:
    """Return what is not stored yet: of a run that is wanted with more and with less, the one with more; the longest first."""
    most: dict[str, Job] = {}
    for job in wanted:
        known = most.get(job.key)
        if known is None or ORDER.index(job.kept) < ORDER.index(known.kept):
            most[job.key] = job
    missing = [job for job in most.values() if store.find(job.key, job.kept) is None]
    # Or the last one runs alone.
    return sorted(missing, key=lambda job: (-job.weight, job.key))


@dataclass
class _Table:
    """The measures of an experiment as they come in, by run and cell."""

    part: Part
    experiment: Experiment
    fingerprint: str
    known: dict[tuple[str, str], list[dict[str, Any]]]
    waiting: int

    @property
    def cells(self) -> Sequence[Cell]:
        return self.part.plan.cells[self.experiment.id]

    def store(self, uses: Mapping[str, int]) -> None:
        """Store it: every cell is measured."""
        plan, results, experiment = self.part.plan, self.part.results, self.experiment
        points = plan.scale.points(experiment)
        frame = table(experiment, points, [(cell, self.known[cell.key, _named(cell)]) for cell in self.cells])
        declaration = declare(plan, experiment, command=self.part.command.format(id=experiment.id)) | {
            "fingerprint": self.fingerprint,
            "shared_runs": sum(uses[cell.key] > 1 for cell in self.cells),
        }
        results.store_experiment(experiment.id, declaration, frame, backend=plan.kind)
        self.known = {}


def _measure_all(parts: Sequence[Part], pool: ProcessPoolExecutor, *, jobs: int, on_step: Callable[[Step], None]) -> None:
    """Measure the cells that are not measured yet, of all experiments in one line; each one's table is stored when it is whole."""
    uses = {id(part): Counter(cell.key for own in part.plan.cells.values() for cell in own) for part in parts}
    tables: list[_Table] = []
    tasks: list[_Measuring] = []
    cells = sum(len(own) for part in parts for own in part.plan.cells.values())
    measured = 0
    for part in parts:
        for experiment in part.plan.experiments:
            fingerprint = _fingerprint(experiment)
            known = _known(part.results, experiment, part.plan.kind, fingerprint)
            made = _Table(part, experiment, fingerprint, known, 0)
            fresh = [cell for cell in made.cells if (cell.key, _named(cell)) not in known]
            made.waiting = len(fresh)
            groups = [tuple(fresh[at : at + CELLS_PER_TASK]) for at in range(0, len(fresh), CELLS_PER_TASK)]
            measures = tuple(experiment.measures)
            tasks += [_Measuring(len(tables), group, part.results.runs, measures, experiment.kept) for group in groups]
            tables.append(made)
            measured += len(made.cells) - len(fresh)
            if not fresh:
                made.store(uses[id(part)])
            on_step(Step("measures", measured, cells, measured, cells))
    for task, rows in each(pool, _measure, tasks, ahead=jobs + 1):
        made = tables[task.number]
        made.known |= {(cell.key, _named(cell)): own for cell, own in zip(task.cells, rows, strict=True)}
        made.waiting -= len(task.cells)
        measured += len(task.cells)
        on_step(Step("measures", measured, cells, measured, cells))
        if made.waiting == 0:
            made.store(uses[id(made.part)])


def declare(plan: Plan, experiment: Experiment, *, command: str) -> dict[str, Any]:
    """Return what a report needs to know of an experiment, as plain data."""
    points = plan.scale.points(experiment)
    backend = backend_of(plan.backend)
    left_out = plan.left_out[experiment.id]
    return {
        "id": experiment.id,
        "title": experiment.title,
        "question": experiment.question,
        "source": experiment.source,
        "parameters": [list(pair) for pair in (*experiment.parameters, *_own_stack(plan, experiment))],
        "points": {name: list(values) for name, values in points.items()},
        "repeats": len(plan.scale.seeds(experiment)),
        "figures": [to_json(figure) for figure in experiment.figures],
        "measures": [{k: v for k, v in asdict(one).items() if k != "function" and v is not None} for one in experiment.measures],
        "notes": [*plan.scale.notes(experiment), *(_left_out_note(one) for one in left_out)],
        **({"emulates": experiment.emulates} if experiment.emulates else {}),
        **({"choices": [one.declared() for one in experiment.choices]} if experiment.choices else {}),
        "kept": experiment.kept,
        "scale": plan.scale.name,
        "backend": plan.kind,
        "backend_title": backend.title,
        "backend_version": backend.version(),
        "left_out": [{"at": {name: list(values) for name, values in one.at.items()}, "reason": one.reason} for one in left_out],
        "code_version": __version__,
        "command": command,
    }


def _own_stack(plan: Plan, experiment: Experiment) -> list[tuple[str, str]]:
    """Return what a reader must know of a backend that runs its own stack in place of the one the experiment asks for."""
    asked = plan.in_place_of[experiment.id]
    backend = backend_of(plan.backend)
    if not asked:
        return []
    return [("stack run", f"{backend.title}: its own stack and its own algorithms ({backend.stack}) in place of {', '.join(asked)}")]


def _left_out_note(one: LeftOut) -> str:
    return f"Not run on this backend{f', {one.where}' if one.where else ''}: {one.reason}."


def _fingerprint(experiment: Experiment) -> str:
    """Name what was measured and how: a change of either measures stored runs again."""
    asked = [{**asdict(one), "function": getattr(one.function, "__qualname__", None)} for one in experiment.measures]
    text = json.dumps([MEASURES_VERSION, asked], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _named(cell: Cell) -> str:
    return json.dumps([plain(cell.point), cell.seed], sort_keys=True)


def _known(results: Results, experiment: Experiment, backend: str, fingerprint: str) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Return the rows an earlier suite run measured, by run key and cell, when they still are what would be measured now."""
    if not (results.experiment_folder(experiment.id, backend) / "measures.parquet").is_file():
        return {}
    try:
        if results.declaration(experiment.id, backend).get("fingerprint") != fingerprint:
            return {}
        frame = results.measures(experiment.id, backend)
    except ResultsError:
        return {}  # Damaged: measured again from the stored runs.
    dimensions = list(experiment.points)
    known: dict[tuple[str, str], list[dict[str, Any]]] = {}
    if any(name not in frame.columns for name in dimensions):
        return {}
    for row in frame.iter_rows(named=True):
        point = {name: row.pop(name) for name in dimensions}
        known.setdefault((str(row["run"]), _named(Cell(point, row["seed"], ""))), []).append(row)
    return known
