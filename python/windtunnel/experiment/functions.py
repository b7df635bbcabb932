"""Measures that are a user's functions: where they can be called, by what their answers are known again, and what goes wrong in them."""

from __future__ import annotations

import functools
import hashlib
import importlib.machinery
import os
import pickle
import sys
import traceback
import types
from collections.abc import Callable, Iterator
from typing import Any

_OURS = "windtunnel."
_CONSTANTS = (bool, int, float, complex, str, bytes, type(None))


class MeasureFailed(ValueError):
    """A user's measure raised an exception, or gave something that is no value; its text is one line with measure, point and place.

    Parameters
    ----------
    text : str
        The line.
    """


def is_ours(function: Callable[..., Any]) -> bool:
    """Return whether a function is of this package: it is known by its name, and a fault of it is ours."""
    inner = _inner(function)
    return str(getattr(inner, "__module__", "")).startswith(_OURS)


def _inner(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the user's function within what this package wraps around it."""
    while isinstance(function, functools.partial):
        users = [one for one in (*function.args, *function.keywords.values()) if callable(one)]
        function = users[0] if users else function.func
    return function


def is_portable(function: Callable[..., Any]) -> bool:
    """Return whether worker processes find a function: it is of a module on the path, not of a script or a notebook.

    Parameters
    ----------
    function : callable
        A function, or a `functools.partial` of functions.
    """
    module = getattr(_inner(function), "__module__", None)
    if not module or module == "__main__" or not _is_on_path(module.partition(".")[0]):
        return False
    try:
        pickle.dumps(function)
    except (pickle.PicklingError, AttributeError, TypeError):  # A lambda, a function within a function, one with an open file.
        return False
    return True


def _is_on_path(package: str) -> bool:
    spec = importlib.machinery.PathFinder.find_spec(package, sys.path)
    loaded = getattr(sys.modules.get(package), "__file__", None)
    if spec is None:
        return False
    return loaded is None or spec.origin is None or os.path.realpath(spec.origin) == os.path.realpath(loaded)


def fingerprint(function: Callable[..., Any]) -> str:
    """Return by what the answers of a function are known again: the name of one of ours, of a user's what it does.

    That is its compiled code with its constants, defaults and what it closes over, and the same of the functions of its own module that it
    calls. Data that it reads elsewhere, and other modules, are not covered.
    """
    if is_ours(function) and not isinstance(function, functools.partial):
        return getattr(function, "__qualname__", type(function).__qualname__)
    digest = hashlib.sha256()
    for part in _parts(function, set()):
        digest.update(part.encode() + b"\\0")
    return digest.hexdigest()[:16]


def _parts(value: Any, seen: set[int]) -> Iterator[str]:
    """Yield texts that change when what a function does changes."""
    if isinstance(value, _CONSTANTS):
        yield repr(value)
        return
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, functools.partial):
        for one in (value.func, *value.args, *value.keywords, *value.keywords.values()):
            yield from _parts(one, seen)
    elif isinstance(value, types.MethodType):
        yield from _parts(value.__func__, seen)
        yield from _parts(value.__self__, seen)
    elif isinstance(value, types.FunctionType):
        yield from _function(value, seen)
    elif isinstance(value, types.CodeType):
        yield from _code(value, seen)
    elif isinstance(value, tuple | list | frozenset | set):
        yield type(value).__name__
        for one in sorted(value, key=repr) if isinstance(value, frozenset | set) else value:
            yield from _parts(one, seen)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _parts(key, seen)
            yield from _parts(one, seen)
    elif callable(value) and not isinstance(value, type) and type(value).__module__ != "builtins":
        yield from _parts(type(value).__call__, seen)
        yield from _parts(getattr(value, "__dict__", {}), seen)
    else:
        yield f"{type(value).__module__}.{getattr(value, '__qualname__', type(value).__qualname__)}"


def _function(function: types.FunctionType, seen: set[int]) -> Iterator[str]:
    if function.__module__.startswith(_OURS):
        yield f"{function.__module__}.{function.__qualname__}"
        return
    yield from _parts(function.__code__, seen)
    for one in (function.__defaults__, function.__kwdefaults__):
        yield from _parts(one, seen)
    for cell in function.__closure__ or ():
        try:
            yield from _parts(cell.cell_contents, seen)
        except ValueError:  # Not set yet.
            yield "empty"
    for name in _names(function.__code__):
        used = function.__globals__.get(name)
        own = isinstance(used, types.FunctionType) and used.__module__ == function.__module__
        if own or (isinstance(used, (*_CONSTANTS, tuple, list, dict)) and used is not None):
            yield name
            yield from _parts(used, seen)


def _code(code: types.CodeType, seen: set[int]) -> Iterator[str]:
    yield code.co_code.hex()
    yield " ".join(code.co_names)
    for constant in code.co_consts:
        yield from _parts(constant, seen)


def _names(code: types.CodeType) -> list[str]:
    inner = [name for constant in code.co_consts if isinstance(constant, types.CodeType) for name in _names(constant)]
    return list(dict.fromkeys([*code.co_names, *inner]))


def called(name: str, function: Callable[[Any], Any], view: Any, where: str) -> float | str | None:
    """Return what a measure's function gives of a run.

    Parameters
    ----------
    name : str
        The measure.
    function : callable
        Takes the view of the run.
    view : View
        The run.
    where : str
        The point and repeat, in words.

    Raises
    ------
    MeasureFailed
        When a user's function raises an exception, or gives something else than a number, a text or None.
    """
    try:
        value = function(view)
    except Exception as error:
        if is_ours(function):
            raise
        raise MeasureFailed(f"measure {name} at {where}: {type(error).__name__}: {error}{_place(error, function)}") from error
    if value is None or isinstance(value, str):
        return value
    try:
        return float(value)
    except (TypeError, ValueError):
        problem = f"gave {type(value).__name__}; allowed: a number, a text or None"
        raise MeasureFailed(f"measure {name} at {where}: {problem}") from None


def _place(error: Exception, function: Callable[..., Any]) -> str:
    """Return file and line of the user's function where an exception passed through it."""
    file = getattr(getattr(_inner(function), "__code__", None), "co_filename", None)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f" ({file}, line {lines[-1]})" if lines else ""
