"""SQL over a results folder: DuckDB views of what is stored."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from windtunnel.records import FRAMES
from windtunnel.store.errors import ResultsError
from windtunnel.store.results import Results

if TYPE_CHECKING:
    import duckdb

# A query may be made of these and of nothing else: DuckDB's SELECT can hold a COPY that writes files, and functions that read files or
# run a query given as text.
_NODES = ("SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE")
_SOURCES = ("range", "generate_series", "unnest")
_TYPES: Mapping[pl.DataType, str] = {
    pl.UInt8(): "UTINYINT",
    pl.Int32(): "INTEGER",
    pl.UInt32(): "UINTEGER",
    pl.UInt64(): "UBIGINT",
    pl.Float64(): "DOUBLE",
    pl.String(): "VARCHAR",
}


class QueryError(ValueError):
    """A query that cannot be answered; its text is one line."""


def query(results: Results, statement: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Answer one SQL query over a results folder.

    Parameters
    ----------
    results : Results
        The folder. Views: `measures` (all experiments, with `experiment` and `backend`) and one per frame of the records (`flows`,
        `events`, `flow_samples`, ...), each with the key of its `run`.
    statement : str
        One query in DuckDB's SQL. It reads the views and nothing else, and writes nothing.

    Returns
    -------
    columns : list of str
        Names of the columns.
    rows : list of tuple
        The answer.

    Raises
    ------
    QueryError
        When the query is refused; DuckDB's own words, on one line.
    ResultsError
        When a stored file is damaged.
    """
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {"threads": 2, "temp_directory": "", "python_enable_replacements": False}
    with contextlib.closing(duckdb.connect(":memory:", config=config)) as connection:
        parts = list(_parts(_parsed(connection, statement)))
        _check(parts)
        named = {str(part["table_name"]).lower() for part in parts if part.get("type") == "BASE_TABLE"}
        _add_views(connection, results, named)
        try:
            answer = connection.execute(statement)
            columns = [str(column[0]) for column in answer.description or []]
            return columns, answer.fetchall()
        except duckdb.Error as error:
            raise QueryError(_words(error)) from None


def _parsed(connection: duckdb.DuckDBPyConnection, statement: str) -> list[dict[str, Any]]:
    """Return DuckDB's own tree of a statement, which must be one query."""
    import duckdb

    allowed = "allowed: one query (SELECT, FROM, WITH, DESCRIBE, SUMMARIZE, PIVOT with IN)"
    try:
        row = connection.execute("SELECT json_serialize_sql(?)", [statement]).fetchone()
        tree: dict[str, Any] = json.loads(row[0]) if row else {}
    except duckdb.Error as error:
        raise QueryError(_words(error)) from None
    except RecursionError:
        raise QueryError(f"the query is nested too deeply; {allowed}") from None
    if tree.get("error_type") == "parser":
        raise QueryError(f"Parser Error: {_one_line(str(tree.get('error_message')))}")
    statements: list[dict[str, Any]] = tree.get("statements", [])
    if tree.get("error") or len(statements) != 1:
        raise QueryError(f"{_one_line(statement)[:60]!r} is not a query; {allowed}")
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


def _check(parts: Iterable[Mapping[str, Any]]) -> None:
    for part in parts:
        kind = str(part.get("type", ""))
        if kind.endswith("_NODE") and kind not in _NODES:
            raise QueryError(f"{kind.split('_')[0]} writes; allowed: queries that only read")
        if kind == "TABLE_FUNCTION":
            name = str(part["function"].get("function_name", "")).lower()
            if name not in _SOURCES:
                raise QueryError(f"{name} is not allowed in FROM; allowed: views, subqueries, {', '.join(_SOURCES)}")


def _add_views(connection: duckdb.DuckDBPyConnection, results: Results, named: set[str]) -> None:
    """Add the views a query names, all of them when it names none (as SHOW TABLES does), and close every other way to files."""
    import duckdb

    folder = results.folder.resolve()
    runs = [folder / "runs" / path.name for path in results.runs.stored().values()]
    files = {name: [path / f"{name}.parquet" for path in runs] for name in FRAMES}
    files = {name: [path for path in paths if path.exists()] for name, paths in files.items()}
    keys = dict.fromkeys(files, "split_part(string_split(filename, '/')[-2], '.', 1) AS run")
    files["measures"] = [
        folder / results.experiment_folder(id, backend).relative_to(results.folder) / "measures.parquet"
        for backend in results.backends()
        for id in results.experiments(backend)
    ]
    place = "string_split(filename, '/')[-2]"
    keys["measures"] = f"split_part({place}, '@', 1) AS experiment, coalesce(nullif(split_part({place}, '@', 2), ''), 'sim') AS backend"
    try:
        for name in sorted(named & set(files) or set(files)):
            if files[name]:
                _add_view(connection, name, files[name], keys[name])
            elif name in FRAMES and name != "acks":  # Recorded on request; an empty one would look like a run without ACKs.
                _add_empty_view(connection, name)
        allowed = ", ".join(_quoted(text) for text in (str(folder), _literal(str(folder))))
        connection.execute(f"SET allowed_directories = [{allowed}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
    except duckdb.Error as error:
        raise ResultsError(results.folder, f"cannot be read: {_words(error)}") from None


def _add_view(connection: duckdb.DuckDBPyConnection, name: str, files: Sequence[Path], key: str) -> None:
    listed = ", ".join(_quoted(_literal(str(path))) for path in files)
    source = f"FROM read_parquet([{listed}], union_by_name = true, filename = true, hive_partitioning = false)"
    stored = {row[0] for row in connection.execute(f"DESCRIBE SELECT * {source}").fetchall()}
    # What no run has measured was not stored.
    absent = [(column, dtype) for column, dtype in FRAMES.get(name, {}).items() if column not in stored]
    nulls = "".join(f", CAST(NULL AS {_TYPES[dtype]}) AS {column}" for column, dtype in absent)
    connection.execute(f'CREATE VIEW "{name}" AS SELECT {key}, * EXCLUDE (filename){nulls} {source}')


def _add_empty_view(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Add the view of a frame of which no run has kept a row."""
    columns = ", ".join(f"CAST(NULL AS {_TYPES[dtype]}) AS {column}" for column, dtype in FRAMES[name].items())
    connection.execute(f'CREATE VIEW "{name}" AS SELECT CAST(NULL AS VARCHAR) AS run, {columns} WHERE false')


def _literal(path: str) -> str:
    """Return a path that DuckDB takes for itself, not for a pattern; beside a backslash a bracket is none to it."""
    return path if "\\" in path else re.sub(r"([\[*?{])", r"[\1]", path)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _words(error: Exception) -> str:
    """Return DuckDB's message on one line, without the Python traceback it may quote."""
    return _one_line(str(error).partition("Traceback (most recent call last)")[0])[:300]


def _one_line(text: str) -> str:
    return " ".join(text.split())
