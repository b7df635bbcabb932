"""What every part of a scenario is: a frozen table of checked fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from windtunnel.scenario.errors import from_validation, refusal, shown

Quantity = float | str
"""What a constructor takes for a number: it, or a text with a unit, as ``"42ms"``."""
Entry = Mapping[str, Any]
"""What it takes for a table: its fields by name."""


class Table(BaseModel):
    """A frozen table whose fields may also be written under the short names of `SHORT`.

    Raises
    ------
    ScenarioError
        When a field is unknown or out of range, or fields contradict each other: one line with field, value and allowed range.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, strict=False, hide_input_in_errors=True)

    SHORT: ClassVar[Mapping[str, str]] = {}
    BESIDE: ClassVar[Sequence[str]] = ()
    """Keys that are read besides the fields and their short names, and put into one of them."""

    if not TYPE_CHECKING:  # Each table that people make in Python says itself what its constructor takes.

        def __init__(self, /, **given: Any) -> None:
            try:
                super().__init__(**given)
            except ValidationError as error:
                raise from_validation(error, keys_within(type(self))) from None

        # Tables within tables are checked by the outermost one, as pydantic does where it knows the constructor for its own.
        __init__.__pydantic_base_init__ = True

    @classmethod
    def keys(cls) -> list[str]:
        """Return what may be written in such a table: its fields, each under its short name where it has one, and those of `BESIDE`."""
        short = {long: name for name, long in cls.SHORT.items()}
        return [*(short.get(name, name) for name in cls.model_fields), *cls.BESIDE]

    @model_validator(mode="before")
    @classmethod
    def _short_names(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            if isinstance(data, cls):
                return data
            raise refusal(f"{shown(data)} is a {type(data).__name__}, not a table; allowed: {', '.join(cls.model_fields)}")
        full = dict(data)
        for short, long in cls.SHORT.items():
            if short in full:
                if long in full:
                    raise refusal(f"{short} and {long} are both given; allowed: one of them", field=short)
                full[long] = full.pop(short)
        return full


def keys_within(table: type[Table]) -> dict[str, list[str]]:
    """Return the keys that a table and each table within it take.

    Parameters
    ----------
    table : type
        The outermost one.

    Returns
    -------
    dict of str to list of str
        By the name of the field that holds the table, and of one among several kinds also by the word that says which; the outermost
        one's under an empty name.
    """
    found = {"": table.keys()}
    pending = [table]
    seen = {table}
    while pending:
        for field, info in pending.pop().model_fields.items():
            for inner in _tables(info.annotation):
                for name in (field, *_words(inner)):
                    found.setdefault(name, inner.keys())
                if inner not in seen:
                    seen.add(inner)
                    pending.append(inner)
    return found


def _tables(annotation: Any) -> Iterator[type[Table]]:
    if isinstance(annotation, type) and issubclass(annotation, Table):
        yield annotation
    for part in get_args(annotation):
        yield from _tables(part)


def _words(table: type[Table]) -> tuple[str, ...]:
    """Return the words by which one kind of table is distinguished from others: what a field without a default can only be."""
    return tuple(word for info in table.model_fields.values() if info.is_required() for word in _literals(info.annotation))


def _literals(annotation: Any) -> tuple[str, ...]:
    words = get_args(annotation)
    return tuple(words) if len(words) == 1 and isinstance(words[0], str) else ()
