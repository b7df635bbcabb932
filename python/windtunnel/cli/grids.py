"""What commands that run grids share: their options checked, and progress on stderr."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from windtunnel.experiment import Scale, Step

MOST_SEEDS = 1000
MOST_JOBS = 256
STEPS = {"runs": "Running", "measures": "Measuring"}


def algorithms(text: str | None) -> tuple[str, ...] | None:
    """Return the protocols of ``--alg reno,htcp`` under our names; None when it was not given.

    Raises
    ------
    ScenarioError
        When one is unknown.
    """
    return None if text is None else tuple(algorithm_of(part.strip()) for part in text.split(","))


def algorithm_of(name: str, field: str = "alg") -> str:
    """Return a protocol under our name; of a file the name of what was made of it.

    Parameters
    ----------
    name : str
        What the user wrote.
    field : str
        Where, for the error.

    Raises
    ------
    ScenarioError
        When it is unknown, or the file is no controller.
    """
    from pydantic_core import PydanticCustomError

    from windtunnel.scenario import ScenarioError
    from windtunnel.scenario.checks import algorithm_name

    try:
        return algorithm_name(name)
    except PydanticCustomError as error:
        raise ScenarioError(field, str((error.context or {}).get("problem", error))) from None


def repeats(given: int | None) -> int | None:
    """Return ``--seeds``.

    Raises
    ------
    ScenarioError
        When it is out of range.
    """
    from windtunnel.scenario import ScenarioError

    if given is not None and not 1 <= given <= MOST_SEEDS:
        raise ScenarioError("seeds", f"{given} is out of range; allowed: 1 to {MOST_SEEDS}")
    return given


def worker_count(given: int | None) -> int:
    """Return ``--jobs``, one per core when it was not given.

    Raises
    ------
    ScenarioError
        When it is out of range.
    """
    from windtunnel.scenario import ScenarioError

    if given is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not 1 <= given <= MOST_JOBS:
        raise ScenarioError("jobs", f"{given} is out of range; allowed: 1 to {MOST_JOBS}")
    return given


def keys_beside(names: Iterable[str] | None) -> str:
    """Return what stands behind a command that names files, a comment of the shell: the names under which results know their content.

    Parameters
    ----------
    names : iterable of str, optional
        Protocols under our names.
    """
    from windtunnel.foreign import is_made

    made = [name for name in dict.fromkeys(names or ()) if is_made(name)]
    return f"  # {', '.join(made)}" if made else ""


def options(scale: Scale, out: str, backend: str, *, alg: str | None) -> str:
    """Return the options that ask for a scale, a folder and a backend, each after a blank; those that need not be said are left out.

    Protocols stand as they were given in `alg`, files among them, so that the command can be typed again.
    """
    parts = [f"--backend {shlex.quote(backend)}"] if backend != "sim" else []
    parts += ["--quick"] if scale.quick else []
    parts += [f"--alg {shlex.quote(alg)}"] if alg is not None else []
    parts += [f"--seeds {scale.repeats}"] if scale.repeats is not None else []
    parts += [f"--out {shlex.quote(out)}"] if out != "results" else []
    return "".join(f" {part}" for part in parts) + keys_beside(scale.algorithms)


@contextlib.contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[Step], None]]:
    """Show a bar with the time left on stderr; nothing when asked for JSON or when nobody looks."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[done]}/{task.fields[all]}"),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=console, disable=quiet or not console.is_terminal) as bar:
        tasks: dict[str, Any] = {}

        def on_step(step: Step) -> None:
            if step.what not in tasks:
                tasks[step.what] = bar.add_task(STEPS[step.what], total=None, done=0, all=step.total)
            bar.update(tasks[step.what], completed=step.weight_done, total=step.weight_total, done=step.done, all=step.total)

        yield on_step
