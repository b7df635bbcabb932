"""Clients that ask for what a flow sends: request, response, a thought, and again."""

from __future__ import annotations

from typing import Any

from windtunnel.scenario.laws import Law, read_law
from windtunnel.scenario.ranges import RANGES

SHORT = {"response": "response_bytes", "request": "request_bytes", "think": "think_s"}
KEYS = (*SHORT, "requests")
LAWS = tuple(SHORT.values())
REQUEST = Law(law="fixed", mean=400.0)
"""A request that names no size: one packet, bytes."""
THINK = Law(law="exponential", mean=1.0)
"""Thoughts that name no law, seconds: those of sessions."""


def with_defaults(table: dict[str, Any]) -> dict[str, Any]:
    """Return a flow's table with the default request and thought, where it has responses."""
    if all(table.get(key) is None for key in ("response", "response_bytes")):
        return table
    missing = {long: law for long, law in (("request_bytes", REQUEST), ("think_s", THINK)) if not _has(table, long)}
    return table | missing


def _has(table: dict[str, Any], long: str) -> bool:
    return any(table.get(key) is not None for key, field in SHORT.items() if field == long) or table.get(long) is not None


def law(value: Any, field: str) -> Any:
    """Return one of a client's laws as a table, from one, a line, or a size or time that all have; None and laws as they are.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When it is no law, or its mean is out of range.
    """
    if value is None or isinstance(value, Law):
        return value
    is_one = isinstance(value, (int, float)) or (isinstance(value, str) and ":" not in value)
    return read_law({"law": "fixed", "mean": value} if is_one else value, RANGES[field])
