"""Runs made where nothing of the results folder is: what they measure and what is stored of them comes back as bytes."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from windtunnel.campaign import Campaign, Deadly, Needs
from windtunnel.pool import WorkerLost
from windtunnel.store import RunStore

BATCH_PACKETS = 1e7
"""Runs of fewer packets go together: what a cluster does for a task, some 8 ms of CPU, is 2 % of so many packets."""
BATCH_PACKETS_A_THREAD = 4e5
"""And of so many for each thread, some 25 ms: the command is one for all of them, and takes some 11 ms for a task."""
BATCHES_EACH = 4
"""Batches for each thread at least, so that none waits long for the last."""
MOST_TOGETHER = 100


@dataclass(frozen=True)
class Away:
    """The runs of a task on their way back.

    Parameters
    ----------
    answers : sequence
        What was measured on each, or the fault of a controller from a file that ended it.
    places : mapping of str to mapping of str to bytes
        What is stored of them: the files of a run or of a pack, by their places.
    """

    answers: Sequence[Any]
    places: Mapping[str, Mapping[str, bytes]]


def made(
    campaign: Campaign,
    make: Callable[[Any], Any],
    tasks: Sequence[Any],
    *,
    needs: Needs,
    experiment_of: Callable[[Any], str],
    is_packed: bool = False,
) -> Iterator[tuple[tuple[Any, ...], Away]]:
    """Yield all tasks, some together, with the runs that a cluster's workers made of them, as they end.

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
    is_packed : bool
        Whether workers put runs that they make together into a pack.

    Raises
    ------
    WorkerLost
        When runs end every worker that makes them; all others were made.
    """
    function = functools.partial(_made, make, is_packed)
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
    function: Callable[[tuple[Any, ...]], Away],
    batches: Sequence[tuple[Any, ...]],
    needs: Needs,
    experiment_of: Callable[[Any], str],
    deadly: list[tuple[Any, ...]],
) -> Iterator[tuple[tuple[Any, ...], Away]]:
    for batch, answer in campaign.each(function, batches, needs=needs, named=lambda batch: experiment_of(batch[0])) if batches else ():
        if isinstance(answer, Deadly):
            deadly.append(batch)
        else:
            yield batch, answer


def _batches(tasks: Sequence[Any], threads: int) -> list[tuple[Any, ...]]:
    """Put tasks together that are too small to be handed over one by one."""
    most = min(
        max(BATCH_PACKETS, BATCH_PACKETS_A_THREAD * threads), sum(task.job.weight for task in tasks) / (BATCHES_EACH * max(threads, 1))
    )
    found: list[list[Any]] = []
    room = 0.0
    for task in tasks:
        if not found or room < task.job.weight or len(found[-1]) == MOST_TOGETHER:
            found.append([])
            room = most
        found[-1].append(task)
        room -= task.job.weight
    return [tuple(batch) for batch in found]


def _made(make: Callable[[Any], Any], is_packed: bool, batch: Sequence[Any]) -> Away:
    """Make runs, in a folder of the worker's machine that is there for that alone."""
    with tempfile.TemporaryDirectory(prefix="windtunnel-") as folder:
        store = RunStore(Path(folder))
        answers = [make(replace(task, store=store)) for task in batch]
        if is_packed and len(batch) > 1:
            store.pack(lasting=False)
        return Away(answers, store.contents())
