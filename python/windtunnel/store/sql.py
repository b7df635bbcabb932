"""SQL over a results folder: DuckDB views of what is stored."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.records import FRAMES
from windtunnel.store.errors import ResultsError
from windtunnel.store.results import Results

if TYPE_CHECKING:
    import duckdb


class QueryError(ValueError):
    """A query that cannot be answered; its text is one line."""


def query(results: Results, statement: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Answer one SQL query over a results folder.

    Parameters
    ----------
    results : Results
        The folder. Views: `measures` (all experiments, with `experiment`) and one per frame of the records (`flows`, `events`,
        `flow_samples`, ...), each with the key of its `run`.
    statement : str
        A query in DuckDB's SQL. Nothing outside the folder can be read and nothing can be written.

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
    """
    import duckdb

    with connected(results) as connection:
        try:
            answer = connection.execute(statement)
            columns = [str(column[0]) for column in answer.description or []]
            return columns, answer.fetchall()
        except duckdb.Error as error:
            raise QueryError(" ".join(str(error).split())[:300]) from None


@contextlib.contextmanager
def connected(results: Results) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a DuckDB connection with the folder's views and access to nothing else.

    Parameters
    ----------
    results : Results
        The folder.

    Yields
    ------
    duckdb.DuckDBPyConnection
        In memory; closed at the end.
    """
    import duckdb

    folder = results.folder.resolve()
    connection = duckdb.connect(":memory:", config={"threads": 2})
    try:
        _view(connection, "measures", folder / "experiments" / "*" / "measures.parquet", _part(-2, "experiment"))
        for name in FRAMES:
            if any((folder / "runs").glob(f"*/{name}.parquet")):
                _view(connection, name, folder / "runs" / "*" / f"{name}.parquet", f"split_part({_part(-2)}, '.', 1) AS run")
        connection.execute(f"SET allowed_directories = [{_quoted(str(folder))}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        yield connection
    except duckdb.IOException as error:
        raise ResultsError(results.folder, f"cannot be read: {' '.join(str(error).split())[:120]}") from None
    finally:
        connection.close()


def _view(connection: duckdb.DuckDBPyConnection, name: str, files: Path, key: str) -> None:
    source = f"read_parquet({_quoted(str(files))}, union_by_name = true, filename = true)"
    connection.execute(f'CREATE VIEW "{name}" AS SELECT {key}, * EXCLUDE (filename) FROM {source}')


def _part(index: int, name: str = "") -> str:
    part = f"string_split(filename, '/')[{index}]"
    return f"{part} AS {name}" if name else part


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
