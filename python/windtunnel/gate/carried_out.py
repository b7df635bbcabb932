"""One side of the gate carried out: a controller on every cell of a plan, on one backend."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from windtunnel import experiment
from windtunnel.backends import backend as backend_of
from windtunnel.experiment import Draws, Experiment, Measure, Plan, Point, Scale, Step
from windtunnel.gate.cells import Cell
from windtunnel.gate.plans import GatePlan
from windtunnel.gate.subject import Subject
from windtunnel.gate.values import Series, Values, rounded
from windtunnel.scenario import Scenario
from windtunnel.store import Results, writing_results

PREFIX = "gate."
DIMENSION = "controller"


def laid_out(point: Point, draws: Draws, *, cell: Cell, subjects: Mapping[str, Subject]) -> Scenario:
    """Return the scenario of a cell for the controller that a point names."""
    return cell.scenario(subjects[point[DIMENSION]], draws)


def experiments(subjects: Sequence[Subject], plan: GatePlan) -> tuple[Experiment, ...]:
    """Return a plan's cells as experiments, for some controllers."""
    by_name = {one.name: one for one in subjects}
    return tuple(
        Experiment(
            id=PREFIX + cell.name,
            title=cell.title,
            question="Did it become worse?",
            source="windtunnel gate",
            points={DIMENSION: tuple(by_name)},
            scenario=partial(laid_out, cell=cell, subjects=by_name),
            measures=tuple(Measure(one.name, function=one.bound(cell.own)) for one in cell.quantities),
            duration_s=cell.end_s,
            repeats=len(plan.seeds),
        )
        for cell in plan.cells
    )


def lay_out(subjects: Sequence[Subject], plan: GatePlan, *, backend: str) -> Plan:
    """Lay out the runs of a plan for some controllers.

    Raises
    ------
    ScenarioError, ForeignError, KernelError
        When a controller cannot be set or run, or there is no such kernel.
    """
    return experiment.plan(experiments(subjects, plan), Scale(repeats=len(plan.seeds)), backend=backend)


def carry_out(
    subjects: Sequence[Subject],
    plan: GatePlan,
    folder: Path,
    *,
    backend: str = "sim",
    jobs: int,
    command: str,
    on_step: Callable[[Step], None],
) -> dict[str, Values]:
    """Run what is missing of a plan for some controllers, and return what each gave.

    Parameters
    ----------
    subjects : sequence of Subject
        The controllers.
    plan : GatePlan
        The cells and seeds.
    folder : Path
        Results folder; what it holds is not run again.
    backend : str
        What makes the runs.
    jobs : int
        Worker processes.
    command : str
        What asks for it.
    on_step : callable
        Told of progress.

    Returns
    -------
    dict of str to Values
        By the controller's name. Cells that the backend cannot run are left out, with the reason.

    Raises
    ------
    ScenarioError, ForeignError, KernelError
        When a controller cannot be set or run, or there is no such kernel.
    ResultsError, WorkerLost
        When the folder cannot be used, or a worker process died.
    """
    todo = lay_out(subjects, plan, backend=backend)
    with writing_results(folder) as results:
        experiment.execute(todo, results, jobs=jobs, command=command.replace("{", "{{").replace("}", "}}"), on_step=on_step)
        return {one.name: _values(one, plan, todo, results) for one in subjects}


def _values(controller: Subject, plan: GatePlan, todo: Plan, results: Results) -> Values:
    chosen = backend_of(todo.backend)
    cells: dict[str, Mapping[str, Series]] = {}
    left_out: dict[str, str] = {}
    for cell in plan.cells:
        id = PREFIX + cell.name
        reasons = [one.reason for one in todo.left_out.get(id, ())]
        if reasons:
            left_out[cell.name] = reasons[0]
        if todo.cells.get(id):
            cells[cell.name] = _series(results.measures(id, todo.kind).iter_rows(named=True), controller.name, cell)
    return Values(controller.name, chosen.title, str(chosen.version()), todo.kind, plan.name, cells, left_out)


def _series(rows: Iterable[dict[str, Any]], name: str, cell: Cell) -> dict[str, Series]:
    found: dict[str, Series] = {one.name: {} for one in cell.quantities}
    for row in rows:
        if row[DIMENSION] == name:
            found[row["metric"]][int(row["seed"])] = rounded(row["value"])
    return found
