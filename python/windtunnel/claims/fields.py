"""Typed access to one entry of a register, with the entry's name in every refusal."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from windtunnel.claims.model import RegisterError
from windtunnel.scenario.errors import closest, shown, unknown

_LISTED = 30


@dataclass(frozen=True)
class Entry:
    """A mapping of a register file.

    Parameters
    ----------
    file, item : str
        The file, and the entry's id or place in it: what a refusal names.
    fields : mapping
        What the entry holds.
    """

    file: str
    item: str
    fields: Mapping[str, Any]

    @classmethod
    def of(cls, value: Any, *, file: str, item: str) -> Entry:
        """Return an entry, or refuse what is not a mapping."""
        if not isinstance(value, Mapping):
            raise RegisterError(file, item, f"holds {shown(value)}; allowed: a mapping")
        return cls(file, item, value)

    def error(self, problem: str) -> RegisterError:
        """Return the error that names this entry."""
        return RegisterError(self.file, self.item, problem)

    def only(self, *, required: Collection[str], optional: Collection[str] = ()) -> None:
        """Refuse a missing or an unknown key."""
        for key in self.fields:
            if key not in required and key not in optional:
                raise self.error(not_known("key", key, [*required, *optional]))
        for key in required:
            if key not in self.fields:
                raise self.error(f"{key} is missing; a value is required")

    def text(self, key: str, *, needed: bool = True) -> str:
        """Return a text; one that is not needed may be missing, and is then empty."""
        value = self.fields.get(key, None if needed else "")
        if not isinstance(value, str) or (needed and not value.strip()):
            raise self.error(f"{key} is {shown(value)}; allowed: a text")
        return value

    def whole(self, key: str) -> int:
        """Return a whole number from 0 to a million."""
        value = self.fields.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 1_000_000:
            raise self.error(f"{key} is {shown(value)}; allowed: a whole number from 0 to 1000000")
        return value

    def number(self, key: str) -> float:
        """Return a finite number that is not negative."""
        value = self.fields.get(key)
        if value is None or not is_number(value) or value < 0:
            raise self.error(f"{key} is {shown(value)}; allowed: a number, 0 or more")
        return float(value)

    def names(self, key: str, *, needed: bool = True) -> tuple[str, ...]:
        """Return a list of texts."""
        value = self.fields.get(key, None if needed else [])
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise self.error(f"{key} is {shown(value)}; allowed: a list of names")
        return tuple(value)

    def mapping(self, key: str, *, nullable: bool = False) -> Mapping[str, Any]:
        """Return a mapping; a missing one is empty, and so is null where it means that nothing is given."""
        value = self.fields.get(key, {})
        if value is None and nullable:
            return {}
        if not isinstance(value, Mapping):
            raise self.error(f"{key} is {shown(value)}; allowed: a mapping")
        return value


def not_known(what: str, name: object, allowed: Collection[str]) -> str:
    """Word the refusal of a name; a long list of allowed names is left out, the nearest one of it is not."""
    if len(allowed) <= _LISTED:
        return unknown(what, name, allowed)
    return f"{shown(name)} is not a known {what}{closest(name, allowed) if isinstance(name, str) else ''}"


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number that a double can hold (True and False are none)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
