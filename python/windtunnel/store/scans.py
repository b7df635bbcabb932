"""One frame of many runs as one table that DuckDB reads: each file once, when it is asked for, and of it what is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from windtunnel.records import FRAMES
from windtunnel.records.schema import OPEN_FRAMES
from windtunnel.store.errors import ResultsError, words
from windtunnel.store.packs import RUN
from windtunnel.store.parts import Named

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
    packed : sequence of (str, sequence of str)
        Files with many runs, whose first column is `RUN`, each with the keys of those that are read from elsewhere.
    schema : mapping of str to polars.DataType
        Every column that some file may have; one that a file lacks is null in its rows.
    columns : sequence of str
        Those it gives, `RUN` among them where the key is wanted.
    """

    files: Sequence[str]
    schema: Mapping[str, pl.DataType]
    columns: Sequence[str]
    packed: Sequence[tuple[str, Sequence[str]]] = ()

    def __arrow_c_schema__(self) -> object:
        """Return the columns and their types, as Arrow describes them; no file is opened."""
        empty = pl.DataFrame(schema={name: pl.String() if name == RUN else self.schema[name] for name in self.columns})
        return empty.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the rows, in the order of the files, as Arrow's stream."""
        return self._rows().collect_batches(lazy=True, chunk_size=_BATCH).__arrow_c_stream__(requested_schema)

    def frame(self) -> pl.DataFrame:
        """Return all rows."""
        return self._rows().collect()

    def damaged(self) -> ResultsError | None:
        """Return what is wrong with the first file that cannot be read; a stream does not say which one that is."""
        for path in (*self.files, *(file for file, _ in self.packed)):
            try:
                pl.read_parquet(path, glob=False)
            except (OSError, pl.exceptions.PolarsError) as error:
                return ResultsError(Path(path), f"cannot be read: {words(error)}; remove its folder to have the run computed again")
        return None

    def _rows(self) -> pl.LazyFrame:
        wanted = [pl.col(name) for name in self.columns]
        parts = []
        if self.files:
            keyed = [_KEY if name == RUN else pl.col(name) for name in self.columns]
            parts.append(_scanned(self.files, self.schema).select(keyed))
        schema = {RUN: pl.String(), **self.schema}
        whole = [file for file, elsewhere in self.packed if not elsewhere]
        if whole:
            parts.append(_scanned(whole, schema).select(wanted))
        for file, elsewhere in self.packed:
            if elsewhere:
                parts.append(_scanned([file], schema).filter(~pl.col(RUN).is_in(list(elsewhere))).select(wanted))
        return pl.concat(parts) if parts else pl.LazyFrame(schema=schema).select(wanted)


@dataclass(frozen=True)
class Table:
    """A frame that is in memory, for DuckDB, by the same interface."""

    frame: pl.DataFrame

    def __arrow_c_schema__(self) -> object:
        """Return the columns and their types, as Arrow describes them."""
        return self.frame.clear().schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the rows as Arrow's stream."""
        return self.frame.__arrow_c_stream__(requested_schema)


def _scanned(files: Sequence[str], schema: Mapping[str, pl.DataType]) -> pl.LazyFrame:
    return pl.scan_parquet(
        list(files),
        schema=dict(schema),
        missing_columns="insert",
        extra_columns="ignore",
        include_file_paths=_FILE,
        glob=False,
        hive_partitioning=False,
    )


def scan(name: str, files: Sequence[str], named: Named, packed: Sequence[tuple[str, Sequence[str]]] = ()) -> Scan:
    """Return a frame of some runs with those of its columns that a query may take.

    Parameters
    ----------
    name : str
        The frame, one of `windtunnel.records.FRAMES`.
    files : sequence of str
        Where it is stored, a file per run.
    named : Named
        What the query names.
    packed : sequence of (str, sequence of str)
        Files with many runs, each with the keys of those that are read from elsewhere.

    Raises
    ------
    OSError, polars.exceptions.PolarsError
        When a file cannot be read.
    """
    whole = Scan(files, _schema(name, [*files, *(file for file, _ in packed)], named), (), packed)
    # A table has columns: rows are counted by the first where none is named.
    return replace(whole, columns=named.among([RUN, *whole.schema]) or [next(iter(whole.schema))])


def _schema(name: str, files: Sequence[str], named: Named) -> dict[str, pl.DataType]:
    """Return the columns of a frame, the algorithms' own among them where a query may take one: the files alone know those."""
    known = dict(FRAMES[name])
    if name not in OPEN_FRAMES or not (named.columns is None or named.columns - {RUN, *known}):
        return known
    own = {column: dtype for path in files for column, dtype in pl.read_parquet_schema(path).items() if column not in {RUN, *known}}
    return known | own
