"""Controllers in Python: found in a file and loaded where foreign code is, or handed over as a class."""

from __future__ import annotations

import functools
import hashlib
import json
import linecache
import os
import platform
import sys
import tempfile
import traceback
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from windtunnel import native
from windtunnel.controllers import Controller, ControllerError, Description, describe
from windtunnel.controllers.described import INTERFACE
from windtunnel.controllers.jit import numba_version
from windtunnel.foreign.errors import ForeignError

SUFFIX = ".py"
LONGEST_BYTES = 1_000_000


def made(path: Path, cls: str, folder: Path) -> tuple[str, Path]:
    """Keep a copy of a file in the cache.

    Parameters
    ----------
    path : Path
        The file.
    cls : str
        The class that is meant; empty for the only one.
    folder : Path
        The cache's.

    Returns
    -------
    tuple of str and Path
        Its key, over content, class, interface and version of Python; and the copy.

    Raises
    ------
    ForeignError
        When the file cannot be read or the copy cannot be written.
    """
    if path.is_dir():
        raise ForeignError(str(path), "is a folder; give one file, as ./mine.py:Mine")
    try:
        source = path.read_bytes() if path.stat().st_size <= LONGEST_BYTES else b""
    except OSError as error:
        reason = "does not exist" if isinstance(error, FileNotFoundError) else error.strerror or "cannot be read"
        raise ForeignError(str(path), reason) from None
    if not source:
        raise ForeignError(str(path), f"is empty or longer than {LONGEST_BYTES} bytes")
    compiler = f" numba {numba_version()}" if b"compiled" in source else ""
    text = f"{INTERFACE} {platform.python_version()} {cls}{compiler}\n".encode()
    key = hashlib.sha256(text + source).hexdigest()[:16]
    place = folder / f"{key}{SUFFIX}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not place.is_file():
            with tempfile.NamedTemporaryFile("wb", dir=folder, prefix=".", delete=False) as kept:
                kept.write(source)
            os.replace(kept.name, place)
    except OSError as error:
        raise ForeignError(str(path), f"{folder} cannot be written: {error.strerror}; XDG_CACHE_HOME chooses another cache") from None
    return key, place


@functools.lru_cache(maxsize=64)
def _executed(library: str, file: str) -> types.ModuleType:
    module = types.ModuleType(f"windtunnel_controller_{Path(library).stem}")
    module.__file__ = file
    sys.modules[module.__name__] = module  # Where classes look for their annotations.
    try:
        text = Path(library).read_text(encoding="utf-8")
        # Where tracebacks and the compiler look for lines: the copy is what runs, whatever has become of the file.
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        exec(compile(text, file, "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        # What a syntax error says of itself ends with its place.
        said = error.msg if isinstance(error, SyntaxError) and error.filename == file else error
        raise ControllerError(f"{type(error).__name__}: {said}{_where(error, file)}") from error
    return module


def loaded(library: str, file: str, cls: str) -> Description:
    """Execute a file and return the class in it.

    Parameters
    ----------
    library : str
        The copy in the cache.
    file : str
        What the user calls it: tracebacks name it.
    cls : str
        The class; empty for the only one.

    Raises
    ------
    ControllerError
        When it has no such class, or the class is no controller; one line.
    """
    module = _executed(library, file)
    own = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Controller) and value.__module__ == module.__name__
    }
    if cls:
        if cls not in vars(module):
            raise ControllerError(f"has no class {cls}; it has {', '.join(own) or 'no subclass of windtunnel.Controller'}")
        return describe(vars(module)[cls])
    if len(own) != 1:
        raise ControllerError(
            f"has {', '.join(own) or 'no subclass of windtunnel.Controller'}; name one class, as ./{Path(file).name}:Mine"
        )
    return describe(next(iter(own.values())))


def row(described: Description) -> dict[str, Any]:
    """Return what a class says of itself, as a row of the catalogue."""
    needs = described.cls.needs
    parameter = [
        {"name": name, "unit": p.unit, "doc": p.doc, "default": p.default, "min": p.min, "max": p.max, "whole": p.whole}
        for name, p in described.parameters
    ]
    return {
        "name": described.name,
        "summary": described.summary,
        "parameters": parameter,
        "variables": list(described.cls.variables),
        "needs": {"control": needs.control, "ecn": needs.ecn},
    }


def class_described(library: str, file: str, cls: str) -> str:
    """Answer `row` of a file's class as JSON; asked in the process for foreign code.

    Raises
    ------
    ValueError
        File and problem.
    """
    try:
        return json.dumps(row(loaded(library, file, cls)))
    except ControllerError as error:
        raise ValueError(file, str(error)) from error


def with_classes(function: str, *given: Any, named: Sequence[tuple[str, str]], classes: dict[str, Description], page_fd: int) -> Any:
    """Ask the core something in which some controllers are classes.

    Parameters
    ----------
    function : str
        ``check``, ``run``, ``run_captured``, ``conform_rows`` or ``conform_segments``.
    *given
        Its first arguments: the scenario as JSON, behind what is captured, or stimulus, rows, algorithm and variant, or segments and
        algorithm.
    named : sequence of (str, str)
        Names and libraries of its native controllers.
    classes : dict of str to Description
        Its classes by their names.
    page_fd : int
        The page on which the core says what it calls.

    Raises
    ------
    ValueError
        What the core raised; of an exception in a hook with file and line, and it as its cause.
    """
    seated = [(name, described.for_core(*name.split(":"))) for name, described in classes.items()]
    try:
        return getattr(native, function)(*given, list(named), page_fd, seated)
    except ValueError as error:
        cause = error.__cause__
        if cause is None or len(error.args) != 2:
            raise
        files = {code.co_filename for described in classes.values() if (code := _code(described)) is not None}
        field, problem = error.args
        raise ValueError(field, problem + next((where for file in files if (where := _where(cause, file))), "")) from cause


def _code(described: Description) -> types.CodeType | None:
    return getattr(described.cls.ssthresh, "__code__", None)


def _where(error: BaseException, file: str) -> str:
    """Return the last line of a file that an exception went through, in brackets; empty where there is none."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    if isinstance(error, SyntaxError) and error.filename == file:
        lines.append(error.lineno)
    return f" ({Path(file).name}, line {lines[-1]})" if lines else ""
