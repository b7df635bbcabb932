"""A sweep from a file: the grid, the measures, and a scenario in which the dimensions stand in braces."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from windtunnel.scenario import Scenario, ScenarioError, Untrusted, units
from windtunnel.scenario.errors import one_line, shown, unknown
from windtunnel.scenario.files import from_document, read_document
from windtunnel.sweeps.api import Sweep, checked

KEYS = ("name", "question", "seeds", "measures", "kept", "over", "scenario", "make")
SEEDS = 5
_PLACE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_UNITS = ("s", "bit/s", "bytes")
_REGISTERS = {("s", "rtt"): 1e3, ("bit/s", "rate"): 1e-6}
"""Dimensions of the register have its units, ms and Mbit/s, here too: figures, tables and claims name them so."""


def read(path: Path, *, trust: bool = False, seeds: int | None = None) -> Sweep:
    """Read a study. Files that it names are relative to it.

    Parameters
    ----------
    path : Path
        A TOML file, or JSON when it ends in ``.json``.
    trust : bool
        Whether code from elsewhere than the file's own folder is run too.
    seeds : int, optional
        Repeats in place of the file's.

    Returns
    -------
    Sweep
        Checked, but for the scenarios, which its plan checks.

    Raises
    ------
    Untrusted
        When it names code from elsewhere, and `trust` does not allow it.
    ScenarioError
        One line with the file, the field, the value and what is allowed.
    """
    document = read_document(path)
    try:
        for key in document:
            if key not in KEYS:
                raise ScenarioError(str(key), unknown("field of a study", key, KEYS))
        for key in ("over", "measures"):
            if key not in document:
                raise ScenarioError(key, f"is missing; allowed: {', '.join(KEYS)}")
        if ("scenario" in document) == ("make" in document):
            raise ScenarioError("scenario", "exactly one of scenario (a table, dimensions in braces) and make (FILE:FUNCTION) is needed")
        return _read(path, document, trust, seeds)
    except Untrusted as error:
        raise Untrusted(str(path), error.problem) from None
    except ScenarioError as error:
        field = error.field if error.field.startswith(str(path)) else f"{path}: {error.field}"
        raise ScenarioError(field, error.problem) from None


def _read(path: Path, document: Mapping[str, Any], trust: bool, seeds: int | None) -> Sweep:
    question, name = document.get("question", ""), document.get("name", path.stem)
    if not isinstance(question, str):
        raise ScenarioError("question", f"{shown(question)} is no text; allowed: a sentence")
    over = document["over"]
    if not isinstance(over, dict):
        raise ScenarioError("over", f"{shown(over)} is no table; allowed: a list of values for each dimension")
    values, written, headings = _quantities(over)
    code = functools.partial(_function, folder=path.parent, trust=trust)
    own = document.get("make")
    make = _filled(path, document["scenario"], values, written, trust) if own is None else code(own, field="make")
    measures = document["measures"]
    if not isinstance(measures, list):
        raise ScenarioError("measures", f"{shown(measures)} is no list; allowed: names of metrics, FILE:FUNCTION, MODULE:FUNCTION")
    asked = [code(one, field="measures") if isinstance(one, str) and ":" in one else one for one in measures]
    return checked(
        make,
        over=values,
        seeds=document.get("seeds", SEEDS) if seeds is None else seeds,
        measures=asked,
        name=name,
        kept=document.get("kept", "all"),
        question=question,
        headings=headings,
    )


def _quantities(over: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, dict[Any, Any]], dict[str, str]]:
    """Return dimensions with quantities such as ``10ms`` as numbers in SI, how each was written, and headings with units."""
    values: dict[str, Any] = dict(over)
    written: dict[str, dict[Any, Any]] = {}
    headings: dict[str, str] = {}
    for name, own in over.items():
        if not isinstance(own, list) or not all(isinstance(one, str) for one in own):
            continue
        for unit in _UNITS:
            numbers = [_quantity(one, unit) for one in own]
            if own and None not in numbers:
                if (unit, name) in _REGISTERS:
                    numbers = [float(f"{one * _REGISTERS[unit, name]:.12g}") for one in numbers if one is not None]
                else:
                    headings[name] = f"{name} ({unit})"
                values[name] = numbers
                written[name] = dict(zip(numbers, own, strict=True))
                break
    return values, written, headings


def _quantity(text: str, unit: str) -> float | None:
    """Return a quantity in SI; a number without a unit stays the text it is."""
    try:
        return units.parse(text, unit) if not text.strip()[-1:].isdigit() else None
    except ValueError:
        return None


def _filled(
    path: Path, template: Any, values: Mapping[str, Any], written: Mapping[str, Mapping[Any, Any]], trust: bool
) -> Callable[..., Scenario]:
    """Return what makes a scenario of the template: dimensions in braces replaced as they were written."""
    if not isinstance(template, dict):
        raise ScenarioError("scenario", f"{shown(template)} is no table; allowed: what a scenario file holds")
    used: set[str] = set()

    def noted(name: str) -> str:
        used.add(name)
        return ""

    _placed(template, noted)
    for name in sorted(used - set(values)):
        raise ScenarioError("scenario", f"{{{name}}}: {unknown('dimension', name, values)}")
    for name in values:
        if name not in used:
            raise ScenarioError("over", f"{name} is not used in the scenario; allowed: {{{name}}} somewhere in it")

    def make(**point: Any) -> Scenario:
        given = {name: written[name][value] if name in written else value for name, value in point.items()}
        return from_document(_placed(template, given.__getitem__), path.parent, name=str(path), trust=trust)

    return make


def _placed(value: Any, value_of: Callable[[str], Any]) -> Any:
    if isinstance(value, dict):
        return {key: _placed(one, value_of) for key, one in value.items()}
    if isinstance(value, list):
        return [_placed(one, value_of) for one in value]
    if not isinstance(value, str):
        return value
    whole = _PLACE.fullmatch(value)
    return value_of(whole[1]) if whole else _PLACE.sub(lambda found: _text(value_of(found[1])), value)


def _text(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _function(text: Any, *, field: str, folder: Path, trust: bool) -> Callable[..., Any]:
    """Return a function that a study names, as ``mine.py:peak`` or ``package.module:peak``."""
    where, colon, name = text.rpartition(":") if isinstance(text, str) else ("", "", "")
    if not colon or not name.isidentifier() or not where:
        raise ScenarioError(field, f"{shown(text)} is no function; allowed: FILE.py:FUNCTION, MODULE:FUNCTION")
    module = _file(folder / where, folder, field, trust) if where.endswith(".py") else _module(where, field, trust)
    found = getattr(module, name, None)
    if not callable(found):
        own = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise ScenarioError(field, f"{shown(text)}: {unknown('function of it', name, own)}")
    return found  # type: ignore[no-any-return]


def _module(name: str, field: str, trust: bool) -> ModuleType:
    if not trust:
        raise Untrusted(field, f"names code from elsewhere than its own folder: module {name}; it is run with --trust")
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise ScenarioError(field, f"module {shown(name)} cannot be imported: {type(error).__name__}: {one_line(str(error))}") from error


def _file(path: Path, folder: Path, field: str, trust: bool) -> ModuleType:
    place = path.resolve()
    if not place.is_relative_to(folder.resolve()) and not trust:
        raise Untrusted(field, f"names code from elsewhere than its own folder: {path}; it is run with --trust")
    if not place.is_file():
        raise ScenarioError(field, f"{str(path)!r} is not a file; allowed: a Python file beside the study")
    return _executed(place, field)


@functools.lru_cache(maxsize=64)
def _executed(place: Path, field: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"windtunnel_study_{place.stem}", place)
    if spec is None or spec.loader is None:
        raise ScenarioError(field, f"{str(place)!r} is no Python file")
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    sys.path.insert(0, str(place.parent))  # As Python does for a script: what lies beside it can be imported.
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(place)]
        at = f", line {lines[-1]}" if lines else ""
        raise ScenarioError(field, f"{place.name}{at}: {type(error).__name__}: {one_line(str(error))}") from error
    finally:
        sys.path[:] = before
    return module
