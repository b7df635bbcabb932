"""Register files as plain data: YAML and JSON, read strictly and within bounds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from windtunnel.claims.model import RegisterError
from windtunnel.scenario.errors import one_line, shown

LARGEST_BYTES = 4_000_000
DEEPEST = 40
"""Nesting allowed; the published register uses 8 levels."""

_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # PyYAML may be built without its C part, which is ten times as fast.


class _StrictLoader(_SafeLoader):  # type: ignore[misc]
    """A safe loader that refuses a key that comes twice; YAML itself would take the last one without a word."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """Return the mapping of a node, every key of it once."""
        seen: set[tuple[str, str]] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                name = (key.tag, key.value)
                if name in seen:
                    raise yaml.constructor.ConstructorError(None, None, f"key {key.value!r} comes twice", key.start_mark)
                seen.add(name)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        return mapping


def read_document(path: Path) -> dict[str, Any]:
    """Read a register file as plain data.

    Parameters
    ----------
    path : Path
        A YAML file, or JSON when it ends in ``.json``.

    Returns
    -------
    dict
        The file's outermost mapping.

    Raises
    ------
    RegisterError
        When it is missing, a folder, not text, too large, too deep, malformed, or holds no mapping.
    """
    name = str(path)
    text = _text(path)
    data = _json(text, name) if path.suffix.lower() == ".json" else _yaml(text, name)
    if not isinstance(data, dict):
        raise RegisterError(
            name, "", f"is not a register: it holds {shown(data)}; allowed: a mapping with version, papers, experiments, claims"
        )
    return data


def _text(path: Path) -> str:
    name = str(path)
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RegisterError(name, "", f"cannot be read: {reason}; allowed: a readable file") from None
    if len(data) > LARGEST_BYTES:
        raise RegisterError(name, "", f"is larger than {LARGEST_BYTES} bytes; allowed: a register of at most that size")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RegisterError(name, "", f"is not text (byte {error.start} is not UTF-8); allowed: UTF-8 YAML or JSON") from None
    if "\0" in text:
        raise RegisterError(name, "", "is not text (it holds NUL bytes); allowed: UTF-8 YAML or JSON")
    return text


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_not_json)
    except RecursionError:
        raise RegisterError(name, "", f"is nested too deeply; allowed: {DEEPEST} levels") from None
    except ValueError as error:
        raise RegisterError(name, "", f"is not valid JSON: {one_line(str(error))[:200]}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for key, value in pairs:
        if key in table:
            raise ValueError(f"key {key!r} comes twice")
        table[key] = value
    return table


def _not_json(word: str) -> float:
    raise ValueError(f"{word} is not JSON")


def _yaml(text: str, name: str) -> Any:
    try:
        _survey(text, name)
        return yaml.load(text, Loader=_StrictLoader)
    except RegisterError:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}: " if mark else ""
        raise RegisterError(name, "", f"is not valid YAML: {place}{one_line(error.problem or error.context or '')[:200]}") from None
    except (yaml.YAMLError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise RegisterError(name, "", f"is not valid YAML: {one_line(str(error))[:200]}") from None


def _survey(text: str, name: str) -> None:
    """Refuse, before anything is built, what would grow out of bounds: aliases (a few lines can stand for gigabytes) and deep nesting."""
    depth = 0
    for event in yaml.parse(text, Loader=_SafeLoader):
        line = event.start_mark.line + 1 if event.start_mark else 0
        if isinstance(event, yaml.AliasEvent):
            raise RegisterError(name, f"line {line}", "aliases (*name) are not allowed; a register spells everything out")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                raise RegisterError(name, f"line {line}", f"is nested too deeply; allowed: {DEEPEST} levels")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
