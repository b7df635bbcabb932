"""A table of a scenario as a notebook shows it: what was given, and nothing that is as it is by default."""

from __future__ import annotations

from html import escape
from typing import Any

from windtunnel.foreign import shown
from windtunnel.scenario.table import Table

MOST_ENTRIES = 12
"""Entries of a list; of more it says how many."""


def table_html(table: Table) -> str:
    """Return a table of what was given of a scenario or a part of it.

    Parameters
    ----------
    table : Table
        A scenario, a flow, a link.

    Returns
    -------
    str
        One element: a row per field, lists with an entry per line.
    """
    rows = [f"<tr><th>{escape(name)}</th><td>{_value(value)}</td></tr>" for name, value in _given(table)]
    return f"<table><caption>{escape(type(table).__name__)}</caption><tbody>{''.join(rows)}</tbody></table>"


def _given(table: Table) -> list[tuple[str, Any]]:
    fields = type(table).model_fields
    return [(name, getattr(table, name)) for name in fields if getattr(table, name) != fields[name].get_default(call_default_factory=True)]


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        lines = [_value(entry) for entry in value[:MOST_ENTRIES]]
        more = [f"... ({len(value)} in all)"] if len(value) > MOST_ENTRIES else []
        return "<br>".join([*lines, *more])
    return escape(_text(value))


def _text(value: Any) -> str:
    if isinstance(value, Table):
        return ", ".join(f"{name} {_text(inner)}" if name != "algorithm" else shown(str(inner)) for name, inner in _given(value))
    if isinstance(value, dict):
        return ", ".join(f"{name}={_text(inner)}" for name, inner in value.items())
    if isinstance(value, tuple):
        return ", ".join(_text(inner) for inner in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
