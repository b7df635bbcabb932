"""Sizes of queues and of steps of marks, each in one of four units, or under a short name with its unit in the text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from windtunnel.scenario import units
from windtunnel.scenario.errors import refusal, shown

QUEUE_FIELDS = ("queue_packets", "queue_bytes", "queue_s", "queue_bdp")
MARK_FIELDS = ("mark_packets", "mark_bytes", "mark_s", "mark_bdp")


def read(data: dict[str, Any], short: str, fields: Sequence[str]) -> dict[str, Any]:
    """Replace a size written under its short name, such as ``queue = "20%bdp"``, by the field of its unit.

    Parameters
    ----------
    data : dict
        A table as it was written.
    short : str
        ``queue`` or ``mark``.
    fields : sequence of str
        The fields of that size, one per unit.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When the text cannot be read, or the size is given twice.
    """
    if short not in data:
        return data
    full = dict(data)
    value = full.pop(short)
    given = [name for name in fields if full.get(name) is not None]
    if given:
        raise refusal(f"{short} and {given[0]} are both given; allowed: one of them", field=short)
    try:
        name, size = units.parse_queue(value)
    except ValueError as error:
        allowed = "packets (175), 20%bdp, 50ms or 256kB"
        raise refusal(f"{shown(value)} cannot be read: {error}; allowed: {allowed}", field=short) from None
    full[name.replace("queue", short)] = size
    return full


def given(table: object, fields: Sequence[str]) -> list[str]:
    """Return which of a size's fields a table has."""
    return [name for name in fields if getattr(table, name) is not None]
