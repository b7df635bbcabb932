"""Whether a results folder is still the one that was opened: a network share may be lost while runs are made for it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from windtunnel.store import Results, ResultsError

LOCK = ".lock"
"""What a process that writes to a folder holds there."""


@contextlib.contextmanager
def presence(results: Results) -> Iterator[Callable[[], None]]:
    """Give what raises when a folder is no longer the one that it is now; what else goes wrong with it then is said to come of that.

    Where a share was mounted an empty folder is left. What is made there is hidden as soon as the share is back.

    Parameters
    ----------
    results : Results
        Open for writing, or part of a folder that is. In an object store there is no folder that could be gone.

    Yields
    ------
    callable
        Raises ResultsError, in one line.

    Raises
    ------
    ResultsError
        When it is gone already.
    """
    folder = results.whole or results.folder
    lock = folder / LOCK
    before = _identity(lock)

    def check() -> None:
        if results.remote is None and (before is None or _identity(lock) != before):
            problem = "is gone, or another folder is in its place; what was stored is kept there, run it again when it is back"
            raise ResultsError(folder, problem)

    check()
    try:
        yield check
    except ResultsError:
        check()
        raise


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
