"""Scenario files that name code from elsewhere: the user is asked."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

Read = TypeVar("Read")


def trusting(read: Callable[[bool], Read], trust: bool) -> Read:
    """Read a scenario file; where it names code from elsewhere than its own folder, ask on a terminal, and refuse it anywhere else.

    Parameters
    ----------
    read : callable
        Reads it; told whether code from elsewhere may be built and run.
    trust : bool
        What ``--trust`` says.

    Returns
    -------
    object
        What was read.

    Raises
    ------
    Untrusted
        When it was not allowed.
    """
    from windtunnel.scenario import Untrusted

    try:
        return read(trust)
    except Untrusted as error:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        print(f"{error.field}: {error.problem.partition(';')[0]}", file=sys.stderr)
        print("Build and run it? [y/N]: ", end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline()
        if not answer:  # End of file: the cursor is still behind the question.
            print(file=sys.stderr)
        if answer.strip().lower() not in ("y", "yes"):
            raise
        return read(True)
