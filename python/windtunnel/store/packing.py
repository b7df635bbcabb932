"""Put many small runs with a folder each into packs."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from windtunnel import records
from windtunnel.records import FRAMES, OPEN_FRAMES, RUN_FILE
from windtunnel.records.checksums import FILES, checksum, of_files, sealed
from windtunnel.store.errors import ResultsError, one_line
from windtunnel.store.packs import DOCUMENTS, FORMAT, INDEX, OWN, PACK_FILE, PACKS, RUN, forget, listed, places
from windtunnel.store.scans import Scan

MOST_RUNS = 2000
"""Runs of a pack."""
PACK_AT = 1000
"""So many runs with folders of their own are packed by a command that makes runs; of fewer the folders are handier."""
MOST_BYTES = 32 << 20
"""Bytes of the files that go into a pack: it is made in memory, where they take some ten times as much."""
LARGE_BYTES = 4 << 20
"""A run with more stays in a folder of its own: nothing is gained by packing it."""
DOCUMENTS_TOGETHER = 256
ROWS_TOGETHER = 16_384
"""Rows of a row group: one run is read without the others."""


@dataclass(frozen=True)
class _Loose:
    """A run in a folder of its own, sound as far as checksums tell."""

    folder: Path
    document: bytes
    frames: dict[str, Path]
    size_bytes: int

    @cached_property
    def facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = json.loads(self.document)
        return facts

    @property
    def key(self) -> str:
        return self.folder.name.partition(".")[0]


def pack(
    runs: Path,
    names: Sequence[str],
    on_step: Callable[[int, int], None] | None = None,
    *,
    large: bool = False,
    lasting: bool = True,
) -> list[Path]:
    """Put runs into packs, and remove their folders when they are there.

    A kill at any moment leaves runs in both forms, which readers count once, and a pack that is not finished, which `sweep` removes.
    Damaged runs stay where they are, as do large ones and those of a version without checksums.

    Parameters
    ----------
    runs : Path
        The folder of runs. Only the holder of the results folder's lock may do so.
    names : sequence of str
        Names of the runs' folders, ``KEY.kept``.
    on_step : callable, optional
        Is told how many runs are done, of how many.
    large : bool
        Whether runs of more than `LARGE_BYTES` are packed too.
    lasting : bool
        Whether to wait until packs are on their disk before the folders are removed.

    Returns
    -------
    list of Path
        The packs that were made.

    Raises
    ------
    ResultsError
        When they cannot be written.
    """
    packed = places(runs)
    made = []
    done = 0
    for group in _groups([runs / name for name in sorted(names)], large=large):
        fresh = [one for one in group if one.folder.name not in packed]
        if fresh:
            made.append(_write(runs / PACKS, fresh, lasting=lasting))
        for one in group:
            shutil.rmtree(one.folder, ignore_errors=True)
        done += len(group)
        if on_step is not None:
            on_step(done, len(names))
    forget()
    return made


def _groups(folders: Sequence[Path], *, large: bool) -> Iterator[list[_Loose]]:
    group: list[_Loose] = []
    size = 0
    with ThreadPoolExecutor(4) as readers:  # Reading and hashing hold no lock of the interpreter.
        for at in range(0, len(folders), MOST_RUNS):
            for one in filter(None, readers.map(_loose, folders[at : at + MOST_RUNS])):
                if one.size_bytes > LARGE_BYTES and not large:
                    continue
                if group and (len(group) == MOST_RUNS or size + one.size_bytes > MOST_BYTES):
                    yield group
                    group, size = [], 0
                group.append(one)
                size += one.size_bytes
    if group:
        yield group


def _loose(folder: Path) -> _Loose | None:
    try:
        frames = records.stored_frames(folder, list(FRAMES))
        document = (folder / RUN_FILE).read_bytes()
        one = _Loose(folder, document, frames, sum(path.stat().st_size for path in frames.values()))
    except (records.FolderError, OSError):
        return None
    return one if FILES in one.facts and "frames" in one.facts else None


def _write(folder: Path, group: Sequence[_Loose], *, lasting: bool) -> Path:
    own: dict[str, dict[str, list[str]]] = {one.key: {} for one in group}
    texts = [(one.key, one.document.decode()) for one in group]

    def index() -> pl.DataFrame:
        rows = listed((one.folder.name, one.document) for one in group)
        return rows.with_columns(pl.Series(OWN, [json.dumps(own[one.key]) for one in group], pl.String()))

    documents = pl.DataFrame(texts, schema={RUN: pl.String(), "document": pl.String()}, orient="row")
    return write(folder, documents, lambda name: _frame(name, group, own), index, lasting=lasting)


def write(
    folder: Path,
    documents: pl.DataFrame,
    frame_of: Callable[[str], pl.DataFrame | None],
    index: Callable[[], pl.DataFrame],
    *,
    lasting: bool = True,
) -> Path:
    """Write a pack, whole or not at all; its name is of its content.

    Parameters
    ----------
    folder : Path
        Of the packs.
    documents : polars.DataFrame
        The ``run.json`` of each run, in the order of their keys.
    frame_of : callable
        From a frame's name to its rows, with the column `RUN`; None where no run has it.
    index : callable
        Called after those; the rows of the index.
    lasting : bool
        Whether to wait until it is on its disk.

    Raises
    ------
    ResultsError
        When it cannot be written.
    """
    # A document has the checksums of its run's files.
    target = folder / checksum(b"".join(checksum(text.encode()).encode() for text in documents["document"]))
    try:
        with records.staged(target, within=folder.parent.parent) as temporary:
            for name in FRAMES:
                rows = frame_of(name)
                if rows is not None:
                    measured = rows.select(column for column in rows if column.name == RUN or column.null_count() < max(rows.height, 1))
                    path = temporary / f"{name}.parquet"
                    measured.write_parquet(path, compression="zstd", statistics=True, row_group_size=ROWS_TOGETHER)
            for name, frame, together in ((INDEX, index(), None), (DOCUMENTS, documents, DOCUMENTS_TOGETHER)):
                frame.write_parquet(temporary / f"{name}.parquet", compression="zstd", row_group_size=together)
            text = sealed({"format": FORMAT, "runs": documents.height, FILES: of_files(temporary)}, indent=1)
            (temporary / PACK_FILE).write_text(text, encoding="utf-8")
            for path in temporary.iterdir() if lasting else ():
                _settle(path)
    except records.FolderError as error:
        raise ResultsError(folder, error.problem) from None
    except pl.exceptions.PolarsError as error:  # What polars makes of a full disk.
        raise ResultsError(folder, f"cannot be written: {one_line(str(error))[:120]}; allowed: a writable folder with room") from None
    return target


def _settle(path: Path) -> None:
    """Wait until a file is on its disk: the runs' own folders are removed after that."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _frame(name: str, group: Sequence[_Loose], own: dict[str, dict[str, list[str]]]) -> pl.DataFrame | None:
    files = [str(one.frames[name]) for one in group if name in one.frames]
    if not files:
        return None
    schema = dict(FRAMES[name])
    if name in OPEN_FRAMES:
        for one in group:
            if name in one.frames:
                found = {key: kind for key, kind in pl.read_parquet_schema(one.frames[name]).items() if key not in FRAMES[name]}
                if found:
                    own[one.key][name] = list(found)
                schema |= found
    return Scan(files, schema, [RUN, *schema]).frame()
