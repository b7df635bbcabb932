"""Samples that go to disk while a run is made: the folder of a run that memory does not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from windtunnel import native
from windtunnel.frames import pl
from windtunnel.records.folder import write_run_file
from windtunnel.records.model import Records, frame_of, hashed
from windtunnel.records.schema import FRAMES, OPTIONAL_FRAMES

STREAMED = ("flow_samples", "link_samples")
"""The frames that come in parts; all others come at the end of the run."""
PART_ROWS = 1 << 18
"""Rows of a part, about."""
GROUP_ROWS = 1 << 18
"""Rows of a row group in the file that is made of the parts."""
PARTS = ".parts"


class Streaming:
    """Takes samples as they come, and writes the run's folder when it has ended.

    Parameters
    ----------
    folder : Path
        An existing, empty folder, normally one given by `staged`; parts are kept there until they are one file.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._parts: dict[str, list[Path]] = {name: [] for name in STREAMED}
        self._rows = dict.fromkeys(STREAMED, 0)
        self._absent: dict[str, dict[str, int]] = {name: {} for name in STREAMED}

    def take(self, tables: Mapping[str, Mapping[str, Any]]) -> None:
        """Take rows that come after those before.

        Parameters
        ----------
        tables : mapping of str to mapping
            Frame name to columns, as a backend gives them.
        """
        for name, columns in tables.items():
            self._keep(name, frame_of(name, columns))

    def _keep(self, name: str, frame: pl.DataFrame) -> None:
        if not frame.height:
            return
        (self._folder / PARTS).mkdir(exist_ok=True)
        path = self._folder / PARTS / f"{name}.{len(self._parts[name]):06d}.parquet"
        frame.write_parquet(path, compression="lz4", statistics=False)
        self._parts[name].append(path)
        self._rows[name] += frame.height
        known = self._absent[name]
        for column in frame:
            known[column.name] = known.get(column.name, 0) + column.null_count()

    def write(self, records: Records) -> Records:
        """Write the run's folder: the same files as `windtunnel.records.write`, and the same digest in run.json.

        Parameters
        ----------
        records : Records
            Of the run; samples that were taken are not among its rows.

        Returns
        -------
        Records
            The same without rows of samples, with the digest of all of them.
        """
        rest = records.frames()
        for name in STREAMED:
            self._keep(name, rest.pop(name))
        written = {name: frame for name, frame in rest.items() if frame.height or name in OPTIONAL_FRAMES}
        for name, frame in written.items():
            _measured(frame, name).write_parquet(self._folder / f"{name}.parquet", compression="zstd", statistics=False)
        digest = self._digest(rest)
        for name in STREAMED:
            if self._parts[name]:
                self._merge(name)
        named = [name for name in FRAMES if name in written or (name in STREAMED and self._rows[name])]
        write_run_file(records.facts, named, digest, self._folder)
        empty: dict[str, Any] = {name: frame_of(name, {}) for name in STREAMED}
        return replace(records, **empty, given_digest=digest)

    def _merge(self, name: str) -> None:
        """Make one file of a frame's parts, a row group at a time; columns of the schema in which nothing was measured are left out."""
        rows = self._rows[name]
        kept = [column for column, absent in self._absent[name].items() if column not in FRAMES[name] or absent < rows]
        pl.scan_parquet(self._parts[name], glob=False).select(kept).sink_parquet(
            self._folder / f"{name}.parquet", compression="zstd", statistics=False, row_group_size=GROUP_ROWS, maintain_order=True
        )
        for part in self._parts[name]:
            part.unlink()
        if not any((self._folder / PARTS).iterdir()):
            (self._folder / PARTS).rmdir()

    def _digest(self, whole: Mapping[str, pl.DataFrame]) -> str:
        """Return what `Records.digest` would: parts are read once for where a column is null, and once for its values."""
        hashing = native.RecordsHash()
        for name in FRAMES:
            if name in whole:
                frame = whole[name]
                hashing.frame(name, frame.height)
                for series in frame.iter_columns():
                    _add(hashing, partial(iter, [series]), series.null_count(), frame.height, str(series.dtype), series.name)
            elif name in STREAMED:
                hashing.frame(name, self._rows[name])
                columns = self._absent[name] or dict.fromkeys(FRAMES[name], 0)
                for column, absent in columns.items():
                    dtype = str(FRAMES[name].get(column, pl.Float64()))
                    _add(hashing, partial(self._column, name, column), absent, self._rows[name], dtype, column)
        return str(hashing.digest())

    def _column(self, name: str, column: str) -> Iterator[pl.Series]:
        for part in self._parts[name]:
            yield pl.read_parquet(part, columns=[column])[column]


def _measured(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    known = FRAMES[name]
    return frame.select(column for column in frame if column.name not in known or column.null_count() < max(frame.height, 1))


def _add(hashing: Any, pieces: Callable[[], Iterator[pl.Series]], absent: int, rows: int, dtype: str, name: str) -> None:
    """Add a column: all of where it is null comes before all of its values."""
    if not hashing.column(name, dtype, absent == rows):
        return
    for piece in pieces():
        _, _, nulls, _ = hashed(piece)
        hashing.nulls(piece.len(), nulls)
    for piece in pieces():
        _, _, _, values = hashed(piece)
        hashing.values(values)
