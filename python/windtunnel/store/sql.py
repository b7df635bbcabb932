"""SQL over a results folder: DuckDB views of what is stored."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from windtunnel.records import FRAMES
from windtunnel.store.errors import QueryError, ResultsError, words
from windtunnel.store.parts import Named, parsed
from windtunnel.store.results import Results
from windtunnel.store.scans import Scan, Table, scan

if TYPE_CHECKING:
    import duckdb

_MEASURES = "measures"
"""The view of what was measured."""
_RUNS = "runs"
"""The view with a row for each run; every other one is a frame of the records."""

_NEEDED = "queries need DuckDB, which the extra `sql` brings: pip install 'windtunnel[sql]'"


def query(results: Results, statement: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Answer one SQL query over a results folder.

    Parameters
    ----------
    results : Results
        The folder. Views: `measures` (all experiments, with `experiment` and `backend`), `runs` (what each run is and where) and one per
        frame of the records (`flows`, `events`, `flow_samples`, ...), each with the key of its `run`.
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
        When the query is refused; DuckDB's own words, on one line. Also where DuckDB is not installed.
    ResultsError
        When a stored file is damaged.
    """
    try:
        import duckdb
    except ModuleNotFoundError:
        raise QueryError(_NEEDED) from None

    config: dict[str, str | bool | int | float | list[str]] = {"threads": 2, "temp_directory": "", "python_enable_replacements": False}
    with contextlib.closing(duckdb.connect(":memory:", config=config)) as connection:
        named = parsed(connection, statement)
        scans = _add_views(connection, results, named)
        try:
            answer = connection.execute(statement)
            columns = [str(column[0]) for column in answer.description or []]
            return columns, answer.fetchall()
        except duckdb.Error as error:
            of_a_stream = any(text in str(error) for text in _OF_A_STREAM)
            for damaged in filter(None, (one.damaged() for one in scans if of_a_stream)):
                raise damaged from None
            raise QueryError(words(error)) from None


_OF_A_STREAM = ("reading the stream registered as", "get_next failed")
"""How versions 2 and 1 of DuckDB begin what is wrong with a stream of rows; every stream here reads stored files."""


def _add_views(connection: duckdb.DuckDBPyConnection, results: Results, named: Named) -> list[Scan]:
    """Add the views a query names, all of them when it names none (as SHOW TABLES does), and close every other way to files."""
    import duckdb

    scans: list[Scan] = []
    folder = results.folder.resolve()
    every = {*FRAMES, _MEASURES, _RUNS}
    wanted = named.tables & every or every
    frames = sorted(wanted & set(FRAMES))
    stored = results.runs.checked_frames(frames)
    try:
        for name in frames:
            files = [os.path.join(folder, "runs", path.parent.name, path.name) for path in stored[name].files]
            packed = [(str(path.resolve()), elsewhere) for path, elsewhere in stored[name].packed]
            if files or packed or name != "acks":  # Recorded on request; an empty one would look like a run without ACKs.
                scans.append(scan(name, files, named, packed))
                connection.register(name, scans[-1])
        if _RUNS in wanted:
            connection.register(_RUNS, Table(results.runs.listing()))
        if _MEASURES in wanted:
            _add_measures(connection, results, folder)
        allowed = ", ".join(_quoted(text) for text in (str(folder), _literal(str(folder))))
        connection.execute(f"SET allowed_directories = [{allowed}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
    except (OSError, duckdb.Error, pl.exceptions.PolarsError) as error:
        raise ResultsError(results.folder, f"cannot be read: {words(error)}") from None
    return scans


def _add_measures(connection: duckdb.DuckDBPyConnection, results: Results, folder: Path) -> None:
    """Add the view of what was measured; the dimensions of the experiments differ, and DuckDB finds the types that hold all of one name."""
    files = [folder / path.relative_to(results.folder) for path in results.checked_measures()]
    listed = ", ".join(_quoted(_literal(str(path))) for path in files)
    place = "string_split(filename, '/')[-2]"
    key = f"split_part({place}, '@', 1) AS experiment, coalesce(nullif(split_part({place}, '@', 2), ''), 'sim') AS backend"
    source = f"read_parquet([{listed}], union_by_name = true, filename = true, hive_partitioning = false)"
    connection.execute(f"CREATE VIEW {_MEASURES} AS SELECT {key}, * EXCLUDE (filename) FROM {source}")


def _literal(path: str) -> str:
    """Return a path that DuckDB takes for itself, not for a pattern; beside a backslash a bracket is none to it."""
    return path if "\\" in path else re.sub(r"([\[*?{])", r"[\1]", path)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
