"""DuckDB's own tree of a query: whether it only reads, and what of the views it names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from windtunnel.store.errors import QueryError, one_line, words

if TYPE_CHECKING:
    import duckdb

# A query may be made of these and of nothing else: DuckDB's SELECT can hold a COPY that writes files, and functions that read files or
# run a query given as text.
_NODES = ("SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE")
_SOURCES = ("range", "generate_series", "unnest")
_WHOLE = ("STAR", "PIVOT", "SHOW_REF")
"""What takes all columns of a view, without naming one."""
_ALLOWED = "allowed: one query (SELECT, FROM, WITH, DESCRIBE, SUMMARIZE, PIVOT with IN)"


@dataclass(frozen=True)
class Named:
    """What a query names.

    Parameters
    ----------
    tables : frozenset of str
        Tables, in small letters.
    columns : frozenset of str, optional
        Columns, in small letters; None where it may take any.
    """

    tables: frozenset[str]
    columns: frozenset[str] | None

    def among(self, columns: Iterable[str]) -> list[str]:
        """Return those of a view's columns that the query may take."""
        return [name for name in columns if self.columns is None or name.lower() in self.columns]


def parsed(connection: duckdb.DuckDBPyConnection, statement: str) -> Named:
    """Return what a statement names, which must be one query that only reads.

    Raises
    ------
    QueryError
        When it is anything else.
    """
    parts = list(_parts(_tree(connection, statement)))
    _check(parts)
    tables = frozenset(str(part["table_name"]).lower() for part in parts if part.get("type") == "BASE_TABLE")
    return Named(tables, _columns(parts, tables))


def _tree(connection: duckdb.DuckDBPyConnection, statement: str) -> list[dict[str, Any]]:
    import duckdb

    try:
        [[text]] = connection.execute("SELECT json_serialize_sql(?)", [statement]).fetchall()
        tree: dict[str, Any] = json.loads(text)
    except duckdb.Error as error:
        raise QueryError(words(error)) from None
    except RecursionError:
        raise QueryError(f"the query is nested too deeply; {_ALLOWED}") from None
    if tree.get("error_type") == "parser":
        raise QueryError(f"Parser Error: {one_line(str(tree.get('error_message')))}")
    statements: list[dict[str, Any]] = tree.get("statements", [])
    if tree.get("error") or len(statements) != 1:
        raise QueryError(f"{one_line(statement)[:60]!r} is not a query; {_ALLOWED}")
    return statements


def _parts(tree: Any) -> Iterator[dict[str, Any]]:
    waiting = [tree]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield one
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def _check(parts: list[dict[str, Any]]) -> None:
    for part in parts:
        kind = str(part.get("type", ""))
        if kind.endswith("_NODE") and kind not in _NODES:
            raise QueryError(f"{kind.split('_')[0]} writes; allowed: queries that only read")
        if kind == "TABLE_FUNCTION":
            name = str(part["function"].get("function_name", "")).lower()
            if name not in _SOURCES:
                raise QueryError(f"{name} is not allowed in FROM; allowed: views, subqueries, {', '.join(_SOURCES)}")


def _columns(parts: list[dict[str, Any]], tables: frozenset[str]) -> frozenset[str] | None:
    """Return every name that may be a column's, None where a column may be meant without its name."""
    rows = tables | {str(part.get("alias", "")).lower() for part in parts if part.get("type") == "BASE_TABLE"}
    found: set[str] = set()
    for part in parts:
        if part.get("type") in _WHOLE or part.get("ref_type") == "NATURAL" or part.get("column_name_alias"):
            return None
        found |= {str(name).lower() for name in part.get("using_columns") or ()}
        if part.get("type") == "COLUMN_REF":
            names = [str(name).lower() for name in part["column_names"]]
            if names[-1] in rows:  # A whole row, as one value.
                return None
            found |= set(names) - rows
    return frozenset(found)
