"""Controllers from files as scenarios know them: a name that covers the content, and a row as a built-in's in the catalogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from windtunnel import foreign
from windtunnel.foreign import stacks
from windtunnel.scenario.catalogue import Algorithm, Parameter, catalogue
from windtunnel.scenario.errors import ScenarioError

FAMILY = "file"
"""What stands for the family of a controller from a file."""
_LISTS = ("flows", "arrivals", "sessions")


class Untrusted(ScenarioError):
    """A scenario file names code from elsewhere than its own folder.

    Parameters
    ----------
    field : str
        The scenario file.
    problem : str
        What it names.
    """


def algorithm(name: str) -> Algorithm | None:
    """Return the entry of an accepted name, built in or from a file; None where what was made of a file is not in the cache any more."""
    if not foreign.is_made(name):
        return catalogue().algorithms[name.partition(":")[0]]
    found = foreign.controller(name)
    return None if found is None else _entry(found)


def _entry(found: foreign.Controller) -> Algorithm:
    row = found.row
    signals = ("ecn",) if row["needs"]["ecn"] else ()
    return Algorithm(
        name=found.file,
        aliases=(),
        family=FAMILY,
        year=None,
        source=f"{found.file}, which calls itself {row['name']}",
        summary=row["summary"] or f"A controller from a file, which calls itself {row['name']}.",
        variants={found.key: "the content of the file, and what built it"},
        parameters={p["name"]: _parameter(p) for p in row["parameters"]},
        profiles=dict.fromkeys(catalogue().profiles, found.key),
        signals=signals,
    )


def _parameter(row: Mapping[str, Any]) -> Parameter:
    return Parameter(row["name"], row["default"], row["unit"], row["min"], row["max"], row["doc"], is_whole=row["whole"])


def needed(algorithms: Sequence[str]) -> list[tuple[str, str]]:
    """Return names and libraries of those of these algorithms that are from files, each once.

    Raises
    ------
    ScenarioError
        When one is not in the cache any more.
    """
    try:
        found = [foreign.required(name) for name in dict.fromkeys(algorithms) if foreign.is_made(name)]
    except foreign.ForeignError as error:
        raise ScenarioError(error.where, error.problem) from None
    return [(one.name, str(one.library)) for one in found]


def stack_libraries(named: Sequence[str]) -> list[tuple[str, str]]:
    """Return names and libraries of these stacks, each once.

    Raises
    ------
    ScenarioError
        When one is not in the cache any more.
    """
    try:
        found = [stacks.required(name) for name in dict.fromkeys(named)]
    except foreign.ForeignError as error:
        raise ScenarioError(error.where, error.problem) from None
    return [(one.known_as, str(one.library)) for one in found]


def with_files(document: dict[str, Any], folder: Path, *, name: str, trust: bool) -> dict[str, Any]:
    """Return a document with the files that its flows and sources name made, and their names in place of the files'.

    Parameters
    ----------
    document : dict
        What a scenario file holds.
    folder : Path
        Where it lies: relative names begin there.
    name : str
        What the user calls it.
    trust : bool
        Whether files from elsewhere are made and run too.

    Raises
    ------
    Untrusted
        When one is from elsewhere, before anything is made.
    ScenarioError
        When one is no controller.
    """
    named = [text for key in _LISTS for entry in _entries(document.get(key)) if (text := _algorithm(entry))]
    home = folder.resolve()
    elsewhere = [str(path) for text in dict.fromkeys(named) if not (path := _path(text, folder)).is_relative_to(home)]
    if elsewhere and not trust:
        listed = ", ".join(elsewhere)
        raise Untrusted(name, f"names code from elsewhere than its own folder: {listed}; it is built and run with --trust (trust=True)")
    made: dict[str, str] = {}
    for text in dict.fromkeys(named):
        try:
            made[text] = foreign.make(text, beside=folder).name
        except foreign.ForeignError as error:
            raise ScenarioError(error.where, error.problem) from None
    if not made:
        return document
    full = dict(document)
    for key in _LISTS:
        if key in full:
            entries = full[key]
            full[key] = [_replaced(one, made) for one in entries] if isinstance(entries, (list, tuple)) else _replaced(entries, made)
    return full


def _path(text: str, folder: Path) -> Path:
    return (folder / Path(text.partition(":")[0]).expanduser()).resolve()


def _entries(given: Any) -> Sequence[Any]:
    return given if isinstance(given, (list, tuple)) else [given]


def _algorithm(entry: Any) -> str | None:
    """Return the file that a line or a table names; None when it names none."""
    text = entry.get("algorithm") if isinstance(entry, dict) else entry.split(",")[0].strip() if isinstance(entry, str) else None
    return text if isinstance(text, str) and foreign.is_file(text) else None


def _replaced(entry: Any, made: Mapping[str, str]) -> Any:
    text = _algorithm(entry)
    if text is None:
        return entry
    if isinstance(entry, dict):
        return entry | {"algorithm": made[text]}
    return ",".join([made[text], *entry.split(",")[1:]])
