"""Scenario files that name code from elsewhere: whoever starts them is asked."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

import typer

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
        When nobody allowed it.
    """
    from windtunnel.scenario import Untrusted

    try:
        return read(trust)
    except Untrusted as error:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        print(f"{error.field}: {error.problem.partition(';')[0]}", file=sys.stderr)
        if not typer.confirm("Build and run it?", err=True):
            raise
        return read(True)
