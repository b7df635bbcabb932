"""Suites of users: a package of their own, found by the path of its folder or by an entry point of an installed package."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.metadata
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

from windtunnel.claims import RegisterError
from windtunnel.experiment import Experiment
from windtunnel.scenario import ScenarioError
from windtunnel.scenario.errors import one_line, shown
from windtunnel.suites.errors import SuiteError

GROUP = "windtunnel.suites"
"""The group of entry points under which a package names its suites: ``NAME = "package.of.the.suite"``."""
REGISTER = "register.yaml"
"""The file with a suite's claims, in the suite's folder; a suite may have none."""

_folders: dict[str, Path] = {}


def is_path(name: str) -> bool:
    """Return whether a name is a path: it has a slash in it, or is a dot."""
    return "/" in name or name in (".", "..")


@functools.lru_cache(maxsize=1)
def installed() -> dict[str, str]:
    """Return the suites that installed packages bring: name to package."""
    return {entry.name: entry.value for entry in importlib.metadata.entry_points(group=GROUP)}


def loaded() -> tuple[str, ...]:
    """Return the names of the suites that this process has loaded by a path."""
    return tuple(_folders)


def found(name: str, *, papers: Sequence[str]) -> tuple[str, ModuleType, Path | None]:
    """Return a user's suite.

    Parameters
    ----------
    name : str
        A path, or the name of a suite that is installed or was loaded by its path.
    papers : sequence of str
        Names that are taken.

    Returns
    -------
    name : str
        What it is called: the package's last name, or the entry point's.
    package : module
        Its package.
    claims : Path or None
        Its register of claims.

    Raises
    ------
    SuiteError
        When it is none.
    """
    if not is_path(name) and name not in _folders:
        with refusing(name):
            package = importlib.import_module(installed()[name])
        own = name
    else:
        folder = _package(Path(name) if is_path(name) else _folders[name], name)
        own = folder.name
        if own in papers:
            raise SuiteError(f"{name}: {own} is a paper's suite; allowed: another name for the folder")
        with refusing(name):
            package = _imported(folder)
        _folders[own] = folder
    if not hasattr(package, "__path__") or not isinstance(getattr(package, "TITLE", None), str):
        raise SuiteError(f"{name}: its package has no TITLE; allowed: a text that says what the suite is, in __init__.py")
    claims = Path(next(iter(package.__path__))) / REGISTER
    return own, package, claims if claims.is_file() else None


def _package(folder: Path, name: str) -> Path:
    """Return the folder of the package: the one that was named, or the one of the same name in it, as in a project's."""
    place = folder.resolve()
    inner = place / place.name
    if not (place / "__init__.py").is_file() and (inner / "__init__.py").is_file():
        place = inner
    if not (place / "__init__.py").is_file():
        raise SuiteError(f"{name}: is no suite; allowed: a folder with __init__.py, as `windtunnel new NAME --suite` makes it")
    if not place.name.isidentifier():
        raise SuiteError(f"{name}: {shown(place.name)} cannot be a package's name; allowed: letters, digits and _")
    return place


def _imported(folder: Path) -> ModuleType:
    parent = str(folder.parent)
    if parent not in sys.path:
        sys.path.append(parent)  # Worker processes have the path of their parent: they find its measures by it.
    package = importlib.import_module(folder.name)
    file = getattr(package, "__file__", None)
    if file is None or os.path.realpath(file) != os.path.realpath(folder / "__init__.py"):
        raise SuiteError(f"{folder}: {folder.name} is the name of another package ({file}); allowed: another name for the folder")
    return package


@contextlib.contextmanager
def refusing(name: str) -> Iterator[None]:
    """Word what goes wrong in a user's files as one line with the place."""
    try:
        yield
    except (SuiteError, ScenarioError, RegisterError):
        raise
    except Exception as error:
        own = [frame for frame in traceback.extract_tb(error.__traceback__) if "importlib" not in frame.filename]
        users = [frame for frame in own if os.path.dirname(__file__) not in frame.filename]
        at = f" ({users[-1].filename}, line {users[-1].lineno})" if users else ""
        raise SuiteError(f"{name}: cannot be imported: {type(error).__name__}: {one_line(str(error))}{at}") from error


def check(name: str, experiments: Sequence[Experiment]) -> None:
    """Refuse a user's suite without experiments, or with one that has another suite's name.

    Raises
    ------
    SuiteError
        With the experiment.
    """
    if not experiments:
        raise SuiteError(f"{name}: has no experiment; allowed: a module of it with EXPERIMENTS")
    seen: set[str] = set()
    for one in experiments:
        if not isinstance(one, Experiment):
            raise SuiteError(f"{name}: EXPERIMENTS holds {shown(one)}; allowed: windtunnel.experiment.Experiment")
        if not one.id.startswith(f"{name}.") or one.id in seen or "/" in one.id:
            raise SuiteError(f"{name}: experiment {shown(one.id)} has a wrong id; allowed: {name}. and a name, each once")
        seen.add(one.id)
