"""Run a plan: what is missing is computed, everything is measured, and each experiment's declaration is stored beside its measures."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from windtunnel.backends import backend as backend_of
from windtunnel.backends.estimate import announced
from windtunnel.campaign import Campaign, Needs
from windtunnel.experiment import away
from windtunnel.experiment.elsewhere import LeftOut, left_out
from windtunnel.experiment.functions import fingerprint, is_ours, is_portable
from windtunnel.experiment.measuring import MeasuredRun, plain, table
from windtunnel.experiment.model import Experiment, Measure
from windtunnel.experiment.plan import ORDER, Job, Plan, PointRepeat
from windtunnel.experiment.presence import presence
from windtunnel.foreign import ForeignError, stacks
from windtunnel.metrics.version import MEASURES_VERSION
from windtunnel.plots.declared import to_json
from windtunnel.pool import each, workers
from windtunnel.records import Records
from windtunnel.remarks import say
from windtunnel.scenario import runs_here
from windtunnel.store import PACK_AT, Results, ResultsError, RunStore, Settling, is_packed
from windtunnel.version import __version__

RUNS_PER_TASK = 20


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
class _Wanted:
    """What one experiment wants of a run: its number among the tables, the point and repeat, and what is measured."""

    number: int
    cell: PointRepeat
    measures: tuple[Measure, ...]
    kept: str


@dataclass(frozen=True)
class _Run:
    """A job on its way to a worker, and what its run is measured for as soon as it is made."""

    job: Job
    store: RunStore
    backend: str
    wanted: tuple[_Wanted, ...]


@dataclass(frozen=True)
class _Measuring:
    """A few stored runs on their way to a worker, by their keys, and what each is measured for."""

    store: RunStore
    runs: Mapping[str, tuple[_Wanted, ...]]


_Rows = list[tuple[int, PointRepeat, list[dict[str, Any]]]]
"""Number of a table, point and repeat, and the measured rows."""


class RunsFailed(ForeignError):
    """Some runs ended early because of a controller from a file; all others were made, and what they gave is stored."""


def _make(task: _Run) -> _Rows | ForeignError:
    """Make a run and measure it; answer with the fault of a controller from a file, so that the others go on."""
    try:
        made = backend_of(task.backend).run(task.job.scenario)
    except ForeignError as fault:
        return fault
    return _rows(task.store.keep(task.job.key, made, task.job.kept), task.wanted)


def _measure(task: _Measuring) -> _Rows:
    rows = []
    for key, wanted in task.runs.items():
        path = task.store.find(key, min((one.kept for one in wanted), key=ORDER.index))
        if path is None:
            raise ResultsError(task.store.folder, f"run {key} has gone; run the suite again")
        rows += _rows(task.store.read(path), wanted)
    return rows


def _rows(run: Records, wanted: Sequence[_Wanted]) -> _Rows:
    measuring = MeasuredRun(run)
    return [(one.number, one.cell, measuring.rows(one.cell, one.measures)) for one in wanted]


def execute(
    plan: Plan, results: Results, *, jobs: int, command: str, on_step: Callable[[Step], None], campaign: Campaign | None = None
) -> None:
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
    campaign : Campaign, optional
        Whose workers make the runs, in place of processes here.

    Raises
    ------
    ResultsError
        When the folder cannot be written.
    WorkerLost
        When a worker process died.
    CampaignError
        When a campaign's cluster cannot be used.
    RunsFailed
        When a controller from a file ended runs early; all others were made and measured.
    """
    execute_all([Part(plan, results, command)], jobs=jobs, on_step=on_step, campaign=campaign)


@dataclass(frozen=True)
class Part:
    """A plan, where its measures are stored, and the command that asks for it, as `execute` takes them."""

    plan: Plan
    results: Results
    command: str


def execute_all(parts: Sequence[Part], *, jobs: int, on_step: Callable[[Step], None], campaign: Campaign | None = None) -> None:
    """Carry out several plans whose runs are stored together, each run once.

    Parameters
    ----------
    parts : sequence of Part
        What to do, at least one, all on one backend.
    jobs, on_step, campaign
        As for `execute`.
    """
    store, backend = parts[0].results.runs, parts[0].plan.backend
    for damage in store.drop_unreadable():
        say(f"{str(damage).partition(';')[0]}; what was in its pack is made again")
    missing = _missing(store, [job for part in parts for job in part.plan.jobs.values()])
    if campaign is None and parts[0].plan.kind == "sim":
        for line in announced([job.scenario for job in missing], processes=jobs):
            say(line)
    tables = _tables(parts, is_away=campaign is not None)
    wanted = _wanted(tables)
    jobs = processes(backend, jobs)
    with workers(jobs) as pool:
        total = sum(job.weight for job in missing)
        done = 0.0
        on_step(Step("runs", 0, len(missing), 0.0, total))
        # A run is measured where it was made, and is not read back for that.
        tasks = [_Run(job, store, backend, wanted.pop(job.key, ())) for job in missing]
        own = {task.job.key for task in tasks if runs_here(task.job.scenario)}
        others = [task for task in tasks if task.job.key not in own]
        here = ((task, _make(task)) for task in tasks if task.job.key in own)
        made_there = each(pool, _make, others, ahead=jobs + 1) if campaign is None else _made_away(campaign, parts, others, tables)
        answers = itertools.chain(made_there, here)
        faults: list[ForeignError] = []
        settling = Settling(parts[0].results)
        with presence(parts[0].results) as is_there:
            for count, (task, made) in enumerate(answers, start=1):
                is_there()
                if isinstance(made, ForeignError):
                    faults.append(made)
                    for one in task.wanted:
                        tables[one.number].lack(one.cell, made)
                else:
                    _take(tables, made, store)
                settling.has_one_more()
                done += task.job.weight
                on_step(Step("runs", count, len(missing), done, total))
            settling.settle()
        _measure_stored(tables, wanted, pool, jobs=jobs, on_step=on_step)
    if faults:
        more = f" (and {len(faults) - 1} more of {len(missing)} runs; all others were made)" if len(faults) > 1 else ""
        raise RunsFailed(faults[0].where, faults[0].problem + more)


def processes(backend: str, jobs: int) -> int:
    """Return how many processes may make runs at the same time: one where a run needs the machine for itself."""
    return 1 if backend_of(backend).runs_alone else jobs


def _made_away(
    campaign: Campaign, parts: Sequence[Part], tasks: Sequence[_Run], tables: Sequence[_Table]
) -> Iterator[tuple[_Run, _Rows | ForeignError]]:
    """Make runs on a cluster's workers, and store here what they send, so that a folder has one writer."""
    plan, results = parts[0].plan, parts[0].results
    needs = Needs(plan.backend, backend_of(plan.backend).version())
    experiments = {cell.key: id for part in reversed(parts) for id, cells in part.plan.cells.items() for cell in cells}
    # Many are packed where they are made. What is measured here is read run by run, and an object store gets larger packs than a task's.
    together = len(tasks) >= PACK_AT and results.remote is None and not any(one.here for one in tables)
    made = away.made(campaign, _make, tasks, needs=needs, experiment_of=lambda task: experiments[task.job.key], is_packed=together)
    with presence(results) as is_there:
        for batch, answer in made:
            is_there()
            for place, files in answer.places.items():
                results.runs.take(place, files)
            yield from zip(batch, answer.answers, strict=True)


def _missing(store: RunStore, wanted: Iterable[Job]) -> list[Job]:
    """Return what is not stored yet: of a run that is wanted with more and with less, the one with more; the longest first."""
    most: dict[str, Job] = {}
    for job in wanted:
        known = most.get(job.key)
        if known is None or ORDER.index(job.kept) < ORDER.index(known.kept):
            most[job.key] = job
    sound: set[Path] = set()
    missing = [job for job in most.values() if not _is_stored(store, job, sound)]
    # Or the last one runs alone.
    return sorted(missing, key=lambda job: (-job.weight, job.key))


def _is_stored(store: RunStore, job: Job, sound: set[Path]) -> bool:
    """Return whether a run is stored; a damaged one is named and removed. `sound` are packs that have been looked at."""
    while (path := store.find(job.key, job.kept)) is not None:
        damage = store.damage(path) if path.parent not in sound else None
        if damage is None:
            sound |= {path.parent} if is_packed(path) else set()
            return True
        say(f"{str(damage).partition(';')[0]}; {'what is in its pack' if is_packed(path) else 'it'} is made again")
        store.remove(path)
    return False


@dataclass
class _Table:
    """The measures of an experiment as they come in, by run and cell; `uses` counts the cells of each run in its plan."""

    part: Part
    experiment: Experiment
    fingerprint: str
    known: dict[tuple[str, str], list[dict[str, Any]]]
    uses: Mapping[str, int]
    is_away: bool
    waiting: int = 0
    lacking: list[tuple[PointRepeat, ForeignError]] = field(default_factory=list)

    @property
    def cells(self) -> Sequence[PointRepeat]:
        return self.part.plan.cells[self.experiment.id]

    @cached_property
    def there(self) -> tuple[Measure, ...]:
        """The measures that workers take."""
        can_go = is_ours if self.is_away else is_portable  # A cluster's workers have this package, and perhaps nothing of the user's.
        return tuple(one for one in self.experiment.measures if one.function is None or can_go(one.function))

    @cached_property
    def here(self) -> tuple[Measure, ...]:
        """Those that only this process can take."""
        return tuple(one for one in self.experiment.measures if one not in self.there)

    def take(self, cell: PointRepeat, rows: list[dict[str, Any]]) -> None:
        """Take the rows of a cell; with those of the last one the table is stored."""
        self.known[cell.key, _named(cell)] = rows
        self._has_one_more()

    def lack(self, cell: PointRepeat, fault: ForeignError) -> None:
        """Take notice that the run of a cell failed."""
        self.lacking.append((cell, fault))
        self._has_one_more()

    def _has_one_more(self) -> None:
        self.waiting -= 1
        if self.waiting == 0:
            self.store()

    def store(self) -> None:
        """Store it: every cell is measured, or its run failed; without a single one there is nothing to store."""
        cells = [cell for cell in self.cells if (cell.key, _named(cell)) in self.known]
        if not cells and self.lacking:
            return
        plan, results, experiment = self.part.plan, self.part.results, self.experiment
        points = plan.scale.points(experiment)
        frame = table(experiment, points, [(cell, self.known[cell.key, _named(cell)]) for cell in cells])
        failed = _failed(points, self.lacking)
        declaration = declare(plan, experiment, command=self.part.command.format(id=experiment.id), failed=failed) | {
            "fingerprint": self.fingerprint,
            "shared_runs": sum(self.uses[cell.key] > 1 for cell in self.cells),
        }
        results.store_experiment(experiment.id, declaration, frame, backend=plan.kind)
        self.known = {}


def _tables(parts: Sequence[Part], *, is_away: bool) -> list[_Table]:
    """Return the table of every experiment with what is known of it from an earlier suite run."""
    tables = []
    for part in parts:
        uses = Counter(cell.key for own in part.plan.cells.values() for cell in own)
        for experiment in part.plan.experiments:
            fingerprint = _fingerprint(experiment)
            known = _known(part.results, experiment, part.plan.kind, fingerprint)
            tables.append(_Table(part, experiment, fingerprint, known, uses, is_away))
    return tables


def _wanted(tables: Sequence[_Table]) -> dict[str, tuple[_Wanted, ...]]:
    """Return what is not measured yet, by run; a table that lacks nothing is stored."""
    found: dict[str, list[_Wanted]] = {}
    for number, one in enumerate(tables):
        measures, kept = one.there, one.experiment.kept
        fresh = [cell for cell in one.cells if (cell.key, _named(cell)) not in one.known]
        one.waiting = len(fresh)
        for cell in fresh:
            found.setdefault(cell.key, []).append(_Wanted(number, cell, measures, kept))
        if not fresh:
            one.store()
    return {key: tuple(own) for key, own in found.items()}


def _take(tables: Sequence[_Table], rows: _Rows, store: RunStore) -> None:
    """Take what workers measured, and measure here what they cannot: functions of the user's script."""
    for number, cell, own in rows:
        one = tables[number]
        if one.here:
            path = store.find(cell.key, one.experiment.kept)
            if path is None:
                raise ResultsError(store.folder, f"run {cell.key} has gone; run it again")
            own = own + MeasuredRun(store.read(path)).rows(cell, one.here)
        one.take(cell, own)


def _measure_stored(
    tables: Sequence[_Table],
    wanted: Mapping[str, tuple[_Wanted, ...]],
    pool: ProcessPoolExecutor,
    *,
    jobs: int,
    on_step: Callable[[Step], None],
) -> None:
    """Measure what an earlier suite run stored, each run read once, whatever number of experiments wants it."""
    cells = sum(len(one.cells) for one in tables)
    measured = cells - sum(map(len, wanted.values()))
    on_step(Step("measures", measured, cells, measured, cells))
    keys = list(wanted)
    groups = [keys[at : at + RUNS_PER_TASK] for at in range(0, len(keys), RUNS_PER_TASK)]
    tasks = [_Measuring(tables[0].part.results.runs, {key: wanted[key] for key in group}) for group in groups]
    for _, rows in each(pool, _measure, tasks, ahead=jobs + 1):
        _take(tables, rows, tables[0].part.results.runs)
        measured += len(rows)
        on_step(Step("measures", measured, cells, measured, cells))


def _failed(points: Mapping[str, Sequence[Any]], lacking: Sequence[tuple[PointRepeat, ForeignError]]) -> tuple[LeftOut, ...]:
    """Gather the points whose runs failed, with the first fault of each file."""
    first: dict[str, str] = {}
    for _, fault in lacking:
        first.setdefault(fault.where, f"ended early: {fault.problem}")
    return left_out(points, [(cell.point, [first[fault.where]]) for cell, fault in lacking])


def declare(plan: Plan, experiment: Experiment, *, command: str, failed: Sequence[LeftOut] = ()) -> dict[str, Any]:
    """Return what a report needs to know of an experiment, as plain data."""
    points = plan.scale.points(experiment)
    backend = backend_of(plan.backend)
    absent = (*plan.left_out[experiment.id], *failed)
    return {
        "id": experiment.id,
        "title": experiment.title,
        "question": experiment.question,
        "source": experiment.source,
        "parameters": [list(pair) for pair in (*experiment.parameters, *_own_stack(plan, experiment), *_whole_stacks(plan, experiment))],
        "points": {name: list(values) for name, values in points.items()},
        "repeats": len(plan.scale.seeds(experiment)),
        "figures": [to_json(figure) for figure in experiment.figures],
        "measures": [{k: v for k, v in asdict(one).items() if k != "function" and v is not None} for one in experiment.measures],
        "notes": [*plan.scale.notes(experiment), *(_left_out_note(one) for one in absent)],
        **({"emulates": experiment.emulates} if experiment.emulates else {}),
        **({"choices": [one.declared() for one in experiment.choices]} if experiment.choices else {}),
        **({"headings": dict(experiment.headings)} if experiment.headings else {}),
        "kept": experiment.kept,
        "scale": plan.scale.name,
        "backend": plan.kind,
        "backend_title": backend.title,
        "backend_version": backend.version(),
        "left_out": [{"at": {name: list(values) for name, values in one.at.items()}, "reason": one.reason} for one in absent],
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


def _whole_stacks(plan: Plan, experiment: Experiment) -> list[tuple[str, str]]:
    """Return version and key of each whole stack that an experiment's flows are of."""
    named = {flow.stack for cell in plan.cells[experiment.id] for flow in plan.jobs[cell.key].scenario.flows if flow.stack is not None}
    return [(f"build of {one.name}", f"version {one.version}, key {one.key}") for one in map(stacks.required, sorted(named))]


def _left_out_note(one: LeftOut) -> str:
    return f"Not run on this backend{f', {one.where}' if one.where else ''}: {one.reason.rstrip('.')}."


def _fingerprint(experiment: Experiment) -> str:
    """Name what was measured and how: a change of either measures stored runs again."""
    asked = [{**asdict(one), "function": one.function and fingerprint(one.function)} for one in experiment.measures]
    text = json.dumps([MEASURES_VERSION, asked], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _named(cell: PointRepeat) -> str:
    return json.dumps([plain(cell.point), cell.seed], sort_keys=True)


def _known(results: Results, experiment: Experiment, backend: str, fingerprint: str) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Return the rows an earlier suite run measured, by run key and cell, when they still are what would be measured now."""
    if not (results.experiment_folder(experiment.id, backend) / "measures.parquet").is_file():
        return {}
    try:
        if results.declaration(experiment.id, backend).get("fingerprint") != fingerprint:
            return {}
        frame = results.measures(experiment.id, backend)
    except ResultsError as damage:  # Measured again from the stored runs.
        say(f"{str(damage).partition(';')[0]}; it is made again")
        return {}
    dimensions = list(experiment.points)
    known: dict[tuple[str, str], list[dict[str, Any]]] = {}
    if any(name not in frame.columns for name in dimensions):
        return {}
    for row in frame.iter_rows(named=True):
        point = {name: row.pop(name) for name in dimensions}
        known.setdefault((str(row["run"]), _named(PointRepeat(point, row["seed"], ""))), []).append(row)
    return known
