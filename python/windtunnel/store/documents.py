"""The JSON files of a results folder: written strictly, and read as the shape their readers rely on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from windtunnel.records.checksums import FILES, Damaged, sealed, unsealed
from windtunnel.store.errors import ResultsError

AGAIN = "run the suite again to have it written again"


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_pairs(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, list) and len(one) == 2 and isinstance(one[0], str) for one in value)


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def _is_lists(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(one, list) for one in value.values())


Shape = Mapping[str, Callable[[Any], bool]]
FACTS: Shape = {
    **dict.fromkeys(("title", "subtitle", "command", "made"), _is_text),
    **dict.fromkeys(("suites", "order", "findings"), _is_texts),
    "facts": _is_pairs,
}
"""What ``results.json`` may hold beside its format."""
DECLARATION: Shape = {
    **dict.fromkeys(("title", "question", "source", "command", "scale", "backend"), _is_text),
    **dict.fromkeys(("repeats", "backend_version"), _is_whole),
    "parameters": _is_pairs,
    "points": _is_lists,
    "figures": _is_tables,
    "notes": _is_texts,
}
"""What every ``experiment.json`` holds."""


def _is_left_out(value: Any) -> bool:
    return _is_tables(value) and all(_is_lists(one.get("at")) and _is_text(one.get("reason")) for one in value)


def _is_choices(value: Any) -> bool:
    return _is_tables(value) and all(
        all(_is_text(one.get(key)) for key in ("name", "question", "value", "reason")) and _is_texts(one.get("alternatives"))
        for one in value
    )


def _is_named(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())


ADDED: Shape = {
    **{"backend_title": _is_text, "left_out": _is_left_out, "emulates": _is_text, "choices": _is_choices},
    "headings": _is_named,
}
"""What it also holds: of the backend, since there is more than one, what it emulates, where it does, what its paper leaves open, and what
its dimensions are called where they are no register's."""


def write_json(path: Path, data: Mapping[str, Any], files: Mapping[str, str] | None = None) -> None:
    """Write a table as JSON, with its checksum and those of `files` beside it.

    Raises
    ------
    OSError
        When it cannot be written.
    """
    path.write_text(sealed({**data, FILES: dict(files or {})}, indent=1), encoding="utf-8")


def read_json(path: Path) -> dict[str, Any]:
    """Read a table.

    Raises
    ------
    ResultsError
        When it cannot be read, or is none.
    """
    try:
        data = unsealed(path.read_bytes())
    except Damaged as error:
        raise ResultsError(path, f"{error}; {AGAIN}") from None
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or "it is not JSON"
        raise ResultsError(path, f"cannot be read: {reason}; {AGAIN}") from None
    if not isinstance(data, dict):
        raise ResultsError(path, f"is not a table; {AGAIN}")
    return data


def check(path: Path, data: Mapping[str, Any], shape: Shape, *, needed: bool) -> None:
    """Refuse what was read from `path` when it has another shape, or lacks a key that is `needed`.

    Raises
    ------
    ResultsError
        Naming the key.
    """
    for key, is_sound in shape.items():
        if key in data and not is_sound(data[key]):
            raise ResultsError(path, f"is damaged at {key}; {AGAIN}")
        if needed and key not in data:
            raise ResultsError(path, f"lacks {key}; {AGAIN}")
