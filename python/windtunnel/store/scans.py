"""One frame of many runs as one table that DuckDB reads: each file once, when it is asked for, and of it what is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from windtunnel.records import FRAMES
from windtunnel.records.schema import OPEN_FRAMES
from windtunnel.store.errors import ResultsError, words
from windtunnel.store.parts import Named

RUN = "run"
_BATCH = 100_000
"""Rows handed over at a time; those of one small file after the other would take twice as long."""
_FILE = "the file"
_KEY = pl.col(_FILE).str.extract(r"([^/.]*)\.[^/]*/[^/]*$").alias(RUN)
"""The key of a run, of its folder's name."""


@dataclass(frozen=True)
class Scan:
    """A frame of some runs.

    DuckDB takes it for a table by the interface of Arrow's streams: every use of the table in a query is a stream of its own, and no more
    of it than a few batches is in memory.

    Parameters
    ----------
    files : sequence of str
        Where it is stored, a file per run; a run that is not there has no rows.
    schema : mapping of str to polars.DataType
        Every column that some file may have; one that a file lacks is null in its rows.
    columns : sequence of str
        Those it gives, `RUN` among them where the key is wanted.
    """

    files: Sequence[str]
    schema: Mapping[str, pl.DataType]
    columns: Sequence[str]

    def __arrow_c_schema__(self) -> object:
        """Return the columns and their types, as Arrow describes them; no file is opened."""
        empty = pl.DataFrame(schema={name: pl.String() if name == RUN else self.schema[name] for name in self.columns})
        return empty.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the rows, in the order of the files, as Arrow's stream."""
        chosen = [_KEY if name == RUN else pl.col(name) for name in self.columns]
        return self._rows().select(chosen).collect_batches(lazy=True, chunk_size=_BATCH).__arrow_c_stream__(requested_schema)

    def damaged(self) -> ResultsError | None:
        """Return what is wrong with the first file that cannot be read; a stream does not say which one that is."""
        for path in self.files:
            try:
                pl.read_parquet(path, glob=False)
            except (OSError, pl.exceptions.PolarsError) as error:
                return ResultsError(Path(path), f"cannot be read: {words(error)}; remove its folder to have the run computed again")
        return None

    def _rows(self) -> pl.LazyFrame:
        if not self.files:
            return pl.LazyFrame(schema={**self.schema, _FILE: pl.String()})
        return pl.scan_parquet(
            list(self.files),
            schema=dict(self.schema),
            missing_columns="insert",
            extra_columns="ignore",
            include_file_paths=_FILE,
            glob=False,
            hive_partitioning=False,
        )


def scan(name: str, files: Sequence[str], named: Named) -> Scan:
    """Return a frame of some runs with those of its columns that a query may take.

    Parameters
    ----------
    name : str
        The frame, one of `windtunnel.records.FRAMES`.
    files : sequence of str
        Where it is stored.
    named : Named
        What the query names.

    Raises
    ------
    OSError, polars.exceptions.PolarsError
        When a file cannot be read.
    """
    whole = Scan(files, _schema(name, files, named), ())
    # A table has columns: rows are counted by the first where none is named.
    return replace(whole, columns=named.among([RUN, *whole.schema]) or [next(iter(whole.schema))])


def _schema(name: str, files: Sequence[str], named: Named) -> dict[str, pl.DataType]:
    """Return the columns of a frame, the algorithms' own among them where a query may take one: the files alone know those."""
    known = dict(FRAMES[name])
    if name not in OPEN_FRAMES or not (named.columns is None or named.columns - {RUN, *known}):
        return known
    own = {column: dtype for path in files for column, dtype in pl.read_parquet_schema(path).items() if column not in known}
    return known | own
