"""A folder with a suite of one's own: a project with a package that declares experiments, measures and claims."""

from __future__ import annotations

import keyword
import re
import sys
from importlib.resources import files
from pathlib import Path

from windtunnel.records import staged
from windtunnel.starters.copying import StarterError, copy

_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")


def create_suite(name: str, folder: Path, *, taken: tuple[str, ...] = ()) -> list[Path]:
    """Make a folder with a suite that runs, judges its claims and passes its test.

    Parameters
    ----------
    name : str
        What it is called: a lowercase letter, then lowercase letters, digits and ``_``, 32 at most.
    folder : Path
        The new folder; it must not exist.
    taken : tuple of str
        Names of other suites.

    Returns
    -------
    list of Path
        The files, relative to the folder.

    Raises
    ------
    StarterError
        When the name is none, or the folder exists or cannot be made.
    """
    if not _NAME.fullmatch(name) or keyword.iskeyword(name) or name in ("windtunnel", *taken) or name in sys.stdlib_module_names:
        allowed = "a lowercase letter, then up to 31 of a-z, 0-9 and _, and no name of another suite or of a module of Python"
        raise StarterError(f"name: {name!r} cannot be a suite's; allowed: {allowed}")
    if folder.exists():
        raise StarterError(f"{folder}: exists; name another folder with --to")
    made: list[Path] = []
    try:
        with staged(folder) as work:
            copy(files("windtunnel.starters") / "templates" / "suite", work, Path(), {"name": name}, made)
    except OSError as error:
        raise StarterError(f"{folder}: cannot be made: {error.strerror}") from None
    return sorted(made)
