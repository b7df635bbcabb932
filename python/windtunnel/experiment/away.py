"""Runs made where nothing of the results folder is: what they measure and what is stored of them comes back as bytes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from windtunnel.foreign import ForeignError
from windtunnel.store import RunStore


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


def made_away(make: Callable[[Any], Any], task: Any) -> Away | ForeignError:
    """Make a run as `make` does, in a folder of this machine that is there for that alone.

    Parameters
    ----------
    make : callable
        Makes and measures the run of a task, and stores it in the task's store.
    task : object
        Has a `store` and a `job`.
    """
    with tempfile.TemporaryDirectory(prefix="windtunnel-") as folder:
        store = RunStore(Path(folder))
        rows = make(replace(task, store=store))
        return rows if isinstance(rows, ForeignError) else Away(rows, store.files(task.job.key, task.job.kept))
