"""What of a report takes long, over several processes: its figures and the pages of its runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from windtunnel import plots
from windtunnel.pool import each, workers
from windtunnel.report.model import Figure
from windtunnel.report.runpage import Frame, Task, write_runs

RUNS_PER_PART = 80


@dataclass(frozen=True)
class _Part:
    """Figures by their names and runs that one process makes at a time: one figure, or a few runs."""

    figures: Mapping[str, Figure]
    runs: Sequence[Task]


def make(
    figures: Mapping[str, Figure],
    runs: Sequence[Task],
    folder: Path,
    frame: Frame,
    *,
    jobs: int,
    on_step: Callable[[int, int], None] | None = None,
) -> dict[str, tuple[float, float]]:
    """Draw figures and write the pages of runs.

    Parameters
    ----------
    figures : mapping of str to Figure
        The figures by the names of their files.
    runs : sequence of Task
        The runs.
    folder : Path
        The report's folder; ``figures``, ``runs``, ``data`` and ``files`` exist.
    frame : Frame
        Header and footer of the pages.
    jobs : int
        Processes.
    on_step : callable of (int, int), optional
        Is told how many parts are done, of how many.

    Returns
    -------
    dict of str to (float, float)
        Width and height of every figure, inches, by its name.

    Raises
    ------
    windtunnel.records.FolderError
        When a run is damaged.
    windtunnel.pool.WorkerLost
        When a worker process died.
    """
    parts = [_Part({name: figure}, ()) for name, figure in figures.items()]
    stored = sorted(runs, key=lambda task: task.stored.folder)  # Those of a pack are read together.
    parts += [_Part({}, stored[at : at + RUNS_PER_PART]) for at in range(0, len(runs), RUNS_PER_PART)]
    drawn: dict[str, tuple[float, float]] = {}
    for done, sizes in enumerate(_answers(parts, folder, frame, jobs), 1):
        drawn |= sizes
        if on_step is not None:
            on_step(done, len(parts))
    return drawn


def _answers(parts: Sequence[_Part], folder: Path, frame: Frame, jobs: int) -> Iterator[dict[str, tuple[float, float]]]:
    one = partial(_make_part, folder=folder, frame=frame)
    if jobs <= 1 or len(parts) <= 1:
        yield from map(one, parts)
        return
    with workers(min(jobs, len(parts))) as pool:
        for _, sizes in each(pool, one, parts, ahead=jobs + 1):
            yield sizes


def _make_part(part: _Part, *, folder: Path, frame: Frame) -> dict[str, tuple[float, float]]:
    write_runs(part.runs, folder, frame)
    return {
        name: plots.render(
            figure.declaration, folder / "figures" / name, measures=figure.measures, histories=figure.histories, beside=figure.beside
        )
        for name, figure in part.figures.items()
    }
