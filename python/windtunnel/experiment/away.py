"""Runs made where nothing of the results folder is: what they measure and what is stored of them comes back as bytes."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from windtunnel.campaign import Campaign, Deadly, Needs
from windtunnel.foreign import ForeignError
from windtunnel.pool import WorkerLost
from windtunnel.store import RunStore

BATCH_PACKETS = 1e7
"""Runs of fewer packets go together: what a cluster does for a task, some 8 ms of CPU, is 2 % of so many packets."""
BATCHES_EACH = 4
"""Batches for each thread at least, so that none waits long for the last."""
MOST_TOGETHER = 100


@dataclass(frozen=True)
class Away:
    """A run on its way back.

    Parameters
    ----------
    rows : list
        What was measured on it.
    files : mapping of str to bytes
        What is stored of it, by the names of files.
    """

    rows: Any
    files: Mapping[str, bytes]


def made(
    campaign: Campaign, make: Callable[[Any], Any], tasks: Sequence[Any], *, needs: Needs, experiment_of: Callable[[Any], str]
) -> Iterator[tuple[Any, Away | ForeignError]]:
    """Yield every task with the run that a cluster's workers made of it, as they end.

    Parameters
    ----------
    campaign : Campaign
        The cluster.
    make : callable
        A function of a module: makes and measures the run of a task, and stores it in the task's store.
    tasks : sequence
        Each has a `store` and a `job`; the longest first.
    needs : Needs
        What is asked of a worker.
    experiment_of : callable
        What the dashboard calls a task.

    Raises
    ------
    WorkerLost
        When runs end every worker that makes them; all others were made.
    """
    function = functools.partial(_made, make)
    together: list[tuple[Any, ...]] = []
    yield from _answers(campaign, function, _batches(tasks, campaign.threads()), needs, experiment_of, together)
    deadly = [batch for batch in together if len(batch) == 1]
    alone = [(task,) for batch in together if len(batch) > 1 for task in batch]
    yield from _answers(campaign, function, alone, needs, experiment_of, deadly)
    if deadly:
        names = ", ".join(dict.fromkeys(experiment_of(task) for (task,) in deadly))
        raise WorkerLost(
            f"{len(deadly)} of {len(tasks)} runs (of {names}) ended every worker that made them: they may need more memory than a worker "
            "has; all others were made and are kept"
        )


def _answers(
    campaign: Campaign,
    function: Callable[[tuple[Any, ...]], list[Away | ForeignError]],
    batches: Sequence[tuple[Any, ...]],
    needs: Needs,
    experiment_of: Callable[[Any], str],
    deadly: list[tuple[Any, ...]],
) -> Iterator[tuple[Any, Away | ForeignError]]:
    for batch, answers in campaign.each(function, batches, needs=needs, named=lambda batch: experiment_of(batch[0])) if batches else ():
        if isinstance(answers, Deadly):
            deadly.append(batch)
        else:
            yield from zip(batch, answers, strict=True)


def _batches(tasks: Sequence[Any], threads: int) -> list[tuple[Any, ...]]:
    """Put tasks together that are too small to be handed over one by one."""
    most = min(BATCH_PACKETS, sum(task.job.weight for task in tasks) / (BATCHES_EACH * max(threads, 1)))
    found: list[list[Any]] = []
    room = 0.0
    for task in tasks:
        if not found or room < task.job.weight or len(found[-1]) == MOST_TOGETHER:
            found.append([])
            room = most
        found[-1].append(task)
        room -= task.job.weight
    return [tuple(batch) for batch in found]


def _made(make: Callable[[Any], Any], batch: Sequence[Any]) -> list[Away | ForeignError]:
    """Make runs, in a folder of the worker's machine that is there for that alone."""
    made: list[Away | ForeignError] = []
    with tempfile.TemporaryDirectory(prefix="windtunnel-") as folder:
        store = RunStore(Path(folder))
        for task in batch:
            rows = make(replace(task, store=store))
            made.append(rows if isinstance(rows, ForeignError) else Away(rows, store.files(task.job.key, task.job.kept)))
    return made
