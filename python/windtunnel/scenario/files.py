"""Scenario files: TOML and JSON, read strictly."""

from __future__ import annotations

import importlib
import json
import re
import sys
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from windtunnel.scenario import addresses, controllers, traces
from windtunnel.scenario.errors import ScenarioError, from_validation, one_line
from windtunnel.scenario.models import Scenario
from windtunnel.scenario.reading import read_text
from windtunnel.scenario.table import keys_within

MOST_KEYS = 200
"""Keys at the top of a file; a scenario has some twenty."""
_DEEP_KEY = re.compile(r"""(?:\.[ \t]*[\w"'-]+[ \t]*){17}""")
_toml = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")


def parse(document: Any, *, name: str = "") -> Scenario:
    """Check plain data and make a scenario of it.

    Parameters
    ----------
    document : object
        What a TOML or JSON file holds.
    name : str, optional
        The file's name, for the error.

    Returns
    -------
    Scenario
        The scenario, as written.

    Raises
    ------
    ScenarioError
        One line with field, value and what is allowed.
    """
    try:
        scenario = Scenario.model_validate(document)
    except ValidationError as error:
        found = from_validation(error, _keys())
        field = f"{name}: {found.field}" if name and found.field else name or found.field
        raise ScenarioError(field, found.problem) from None
    except RecursionError:
        raise ScenarioError(name, "is nested too deeply; allowed: the tables of a scenario") from None
    return scenario


def _keys() -> dict[str, list[str]]:
    """Return the keys of each table: of a link in a file also the name of a trace's file, which Python code reads itself."""
    found = keys_within(Scenario)
    return found | {name: [*found[name], "trace"] for name in ("bottleneck", "hops", "reverse")}


def read_document(path: Path) -> dict[str, Any]:
    """Read a TOML or JSON file (by its suffix; anything but ``.json`` is TOML) as plain data; or what an address of the playground holds.

    Raises
    ------
    ScenarioError
        When it cannot be read or parsed, with the place in the file.
    """
    is_address = addresses.is_address(str(path))
    text = addresses.unpacked(str(path)) if is_address else read_text(path)
    form = "JSON" if is_address or path.suffix.lower() == ".json" else "TOML"
    if form == "TOML" and _DEEP_KEY.search(text):  # The parser's time grows with the square of a key's depth.
        raise ScenarioError(str(path), f"is nested too deeply; allowed: {form} tables of a scenario")
    try:
        data = json.loads(text, object_pairs_hook=_no_duplicates) if form == "JSON" else _toml.loads(text)
    except RecursionError:
        raise ScenarioError(str(path), f"is nested too deeply; allowed: {form} tables of a scenario") from None
    except ValueError as error:
        raise ScenarioError(str(path), f"is not valid {form}: {one_line(str(error))[:200]}") from None
    if not isinstance(data, dict):
        raise ScenarioError(str(path), f"holds a {type(data).__name__}; allowed: a table of scenario fields")
    if len(data) > MOST_KEYS:
        raise ScenarioError(str(path), f"holds {len(data)} keys at its top; allowed: at most {MOST_KEYS}")
    return data


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for key, value in pairs:
        if key in table:
            raise ValueError(f"key {key!r} comes twice")
        table[key] = value
    return table


def load(path: str | Path, *, trust: bool = False) -> Scenario:
    """Read a scenario file. Files that it names are relative to it.

    Parameters
    ----------
    path : str or Path
        A TOML file, or JSON when it ends in ``.json``.
    trust : bool
        Whether controllers from elsewhere than the file's own folder are built and run too.

    Returns
    -------
    Scenario
        The scenario, as written.

    Raises
    ------
    Untrusted
        When it names such controllers, and `trust` does not allow it.
    ScenarioError
        One line with the file, the field, the value and what is allowed.
    """
    path = Path(path)
    return from_document(read_document(path), path.parent, name=str(path), trust=trust)


def from_document(document: dict[str, Any], folder: Path, *, name: str, trust: bool = False) -> Scenario:
    """Make a scenario of what a file holds, as `load` does.

    Parameters
    ----------
    document : dict
        Plain data.
    folder : Path
        Where relative names begin.
    name : str
        What the user calls the file.
    trust : bool
        Whether controllers from elsewhere than the folder are built and run too.

    Raises
    ------
    Untrusted
        When it names such controllers, and `trust` does not allow it.
    ScenarioError
        One line with the file, the field, the value and what is allowed.
    """
    return parse(with_traces(controllers.with_files(document, folder, name=name, trust=trust), folder), name=name)


def with_traces(document: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the document with the traces its links name by ``trace = "FILE"`` read in.

    Parameters
    ----------
    document : dict
        What a scenario file holds.
    folder : Path
        Where relative names begin.

    Raises
    ------
    ScenarioError
        When a trace cannot be read.
    """
    full = dict(document)
    for name in ("bottleneck", "reverse"):
        if name in full:
            full[name] = _with_trace(full[name], folder)
    if isinstance(full.get("hops"), list):
        full["hops"] = [_with_trace(hop, folder) for hop in full["hops"]]
    return full


def _with_trace(link: Any, folder: Path) -> Any:
    if not isinstance(link, dict) or not isinstance(link.get("trace"), str):
        return link
    rest = {key: value for key, value in link.items() if key != "trace"}
    return rest | {"trace_ms": traces.read(folder / link["trace"])}
