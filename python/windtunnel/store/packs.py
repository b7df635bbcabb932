"""Packs: many runs in one folder, a Parquet file for each frame, in place of a folder for each run.

A pack never changes once it is there. The place of a run in it is a path that no file has, ``packs/PACK/KEY.kept``: the same name as that
of a run with a folder of its own.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import polars as pl

from windtunnel import records
from windtunnel.records import FRAMES, FolderError, Records, from_document
from windtunnel.records.checksums import DAMAGED, FILES, Damaged, check_file, checksum, unsealed
from windtunnel.store.errors import ResultsError
from windtunnel.store.objects import Objects

PACKS = "packs"
"""Folder of the packs, among those of the runs."""
PACK_FILE = "pack.json"
"""What a pack holds: the format, how many runs, and the checksum of every other file."""
ORIGIN = ".origin"
"""Of a mirror of an object store: its address, from which a pack's files come when they are asked for."""
PATIENCE_S = 30.0
"""How long a reader waits for an object store that does not answer, seconds."""
INDEX = "index"
"""The file with a row for each run: what it is and how much of it is kept."""
DOCUMENTS = "documents"
"""The file with the ``run.json`` of each run."""
INDEX_FILE = f"{INDEX}.parquet"
RUN = "run"
"""The column with the key of a run."""
FORMAT = 1
TOGETHER = 100
"""Runs of a pack that are in memory at a time, at most: a pack itself is no larger than what fits there."""
AGAIN = "run what needs it again, or remove the pack's folder to have its runs computed again"
INDEX_SCHEMA: Mapping[str, pl.DataType] = {
    RUN: pl.String(),
    "kept": pl.String(),
    "backend": pl.String(),
    "engine_version": pl.Int64(),
    "scenario": pl.String(),
    "seed": pl.Int64(),
    "records_digest": pl.String(),
}
PLACE = "place"
TABLE_SCHEMA: Mapping[str, pl.DataType] = {**INDEX_SCHEMA, PLACE: pl.String()}
NAME = pl.format("{}.{}", RUN, "kept").alias("name")
"""What a run is called where it is."""
OWN = "own"
"""Column of an index: variables of the algorithms that a run has, by frame, as JSON."""


@dataclass(frozen=True)
class Pack:
    """A pack.

    Parameters
    ----------
    folder : Path
        Where it is.
    files : mapping of str to str
        Checksum of each of its files, by name.
    """

    folder: Path
    files: Mapping[str, str]

    def checked(self, name: str) -> Path | None:
        """Return the file of a frame, or of `INDEX` or `DOCUMENTS`, after a look at its checksum; None where no run has such a frame.

        Raises
        ------
        ResultsError
            When it is missing or damaged.
        """
        file = f"{name}.parquet"
        if file not in self.files:
            return None
        try:
            path = self.folder / file
            self._bring(file)
            try:
                check_file(path, self.files)
            except Damaged:
                if self._origin() is None:
                    raise
                path.unlink()  # A mirror's file is damaged; the object may not be.
                self._bring(file)
        except Damaged as error:
            raise ResultsError(path, f"{error}; {AGAIN}") from None
        except OSError as error:
            raise ResultsError(path, f"cannot be read: {error.strerror}; {AGAIN}") from None
        return path

    def _bring(self, file: str) -> None:
        """Bring a file from the object store unless it is here."""
        path = self.folder / file
        origin = None if path.is_file() else self._origin()
        if origin is None:
            return
        name = f"{PACKS}/{self.folder.name}/{file}"
        content = Objects(origin, PATIENCE_S).read(name)
        if checksum(content) != self.files[file]:
            raise ResultsError(f"{origin}/{name}", f"{DAMAGED}; {AGAIN}")
        with tempfile.NamedTemporaryFile(dir=self.folder, prefix=f".{file}.", suffix=".partial", delete=False) as temporary:
            temporary.write(content)
        os.replace(temporary.name, path)

    def _origin(self) -> str | None:
        return origin_of(self.folder.parent)

    def damage(self) -> ResultsError | None:
        """Return what is wrong with it, as far as checksums tell; what of it is in an object store alone is looked at when it is read."""
        try:
            for file in self.files:
                if self._origin() is None or (self.folder / file).is_file():
                    self.checked(file.removesuffix(".parquet"))
        except ResultsError as error:
            return error
        return None

    def names(self) -> list[str]:
        """Return the name of every run, with how much of it is kept, sorted."""
        return _index(self)["name"].to_list()

    def index(self) -> pl.DataFrame:
        """Return a row for each run: its key, how much is kept, backend, version, digest of the scenario, seed, digest of the records."""
        return _index(self).drop(OWN, "name")

    def read(self, names: Sequence[str]) -> dict[Path, Records]:
        """Read runs back by their places, with a look at the digest of each one's records, not at the checksum of the pack's files.

        Raises
        ------
        FolderError
            When one is damaged.
        """
        keys = [name.partition(".")[0] for name in names]
        own = dict(_index(self).filter(pl.col("name").is_in(names)).select("name", OWN).iter_rows())
        frames = {frame: self._rows(frame, keys) for frame in FRAMES if f"{frame}.parquet" in self.files}
        documents = self._rows(DOCUMENTS, keys)
        found = {}
        for name, key in zip(names, keys, strict=True):
            [document] = documents[key]["document"]
            found[self.folder / name] = from_document(self.folder / name, document.encode(), _stored(frames, key, json.loads(own[name])))
        return found

    def _rows(self, file: str, keys: Sequence[str]) -> dict[str, pl.DataFrame]:
        """Return the rows of a few runs by their keys, without the column of keys."""
        path = self.folder / f"{file}.parquet"
        wanted = pl.col(RUN) == keys[0] if len(keys) == 1 else pl.col(RUN).is_in(keys)
        try:
            self._bring(path.name)
            rows = pl.scan_parquet(path, glob=False, hive_partitioning=False).filter(wanted).collect()
            own = rows.partition_by(RUN, as_dict=True, include_key=False, maintain_order=True)
            return {key: own[key,] if (key,) in own else rows.clear().drop(RUN) for key in keys}
        except ResultsError as error:
            raise FolderError(error.path, error.problem) from None
        except (OSError, pl.exceptions.PolarsError) as error:
            raise FolderError(path, f"cannot be read: {' '.join(str(error).split())[:120]}") from None


def _unmeasured(name: str, rows: int) -> pl.Series:
    """Return a variable of an algorithm that no run of a pack measured: a pack has no column of it."""
    return pl.repeat(None, rows, dtype=pl.Float64(), eager=True).alias(name)


def _stored(frames: Mapping[str, Mapping[str, pl.DataFrame]], key: str, own: Mapping[str, Sequence[str]]) -> Callable[[str], pl.DataFrame]:
    """Return what gives the frames of a run of a pack: its own variables in its own order, which its digest covers, none of other runs'."""

    def stored(frame: str) -> pl.DataFrame:
        rows = frames[frame][key]
        # Columns are taken, not asked for by an expression, which takes a hundred times as long.
        taken = {name: rows[name] for name in rows.columns if name in FRAMES[frame]}
        taken |= {name: rows[name] if name in rows.columns else _unmeasured(name, rows.height) for name in own.get(frame, ())}
        return pl.DataFrame(list(taken.values()))

    return stored


def listed(documents: Iterable[tuple[str, bytes]]) -> pl.DataFrame:
    """Return what an index says of runs, from their names and their ``run.json``."""
    rows = []
    for name, document in documents:
        facts = json.loads(document)
        key, _, kept = name.partition(".")
        said = {"scenario": facts.get("digest"), **{key: facts.get(key) for key in ("backend", "engine_version", "seed", "records_digest")}}
        rows.append({RUN: key, "kept": kept, **said})
    return pl.DataFrame(rows, schema=INDEX_SCHEMA)


def _stamp(folder: Path) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except FileNotFoundError:
        return 0


def opened(folder: Path) -> Pack:
    """Return the pack in a folder.

    Raises
    ------
    ResultsError
        When it is none, or is damaged.
    """
    path = folder / PACK_FILE
    try:
        data = unsealed(path.read_bytes())
    except Damaged as error:
        raise ResultsError(path, f"{error}; {AGAIN}") from None
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or "it is not JSON"
        raise ResultsError(path, f"cannot be read: {reason}; {AGAIN}") from None
    if not isinstance(data, dict) or not isinstance(data.get(FILES), dict):
        raise ResultsError(path, f"is not the {PACK_FILE} of a pack; {AGAIN}")
    if data.get("format") != FORMAT:
        raise ResultsError(path, f"has format {data.get('format')!r}; allowed: {FORMAT}")
    return Pack(folder, data[FILES])


def _index(pack: Pack) -> pl.DataFrame:
    return _read_index(pack.folder, pack.files[INDEX_FILE], _stamp(pack.folder / INDEX_FILE))


@lru_cache(maxsize=1024)
def _read_index(folder: Path, checksum: str, _stamp: int) -> pl.DataFrame:
    path = Pack(folder, {INDEX_FILE: checksum}).checked(INDEX)
    if path is None:
        raise ResultsError(folder / PACK_FILE, f"names no {INDEX}.parquet; {AGAIN}")
    try:
        frame = pl.read_parquet(path, glob=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise ResultsError(path, f"cannot be read: {' '.join(str(error).split())[:120]}; {AGAIN}") from None
    return frame.with_columns(NAME)


def packs(runs: Path) -> list[Pack]:
    """Return all packs of a folder of runs, by name.

    Raises
    ------
    ResultsError
        When one is damaged, as far as its list of files tells.
    """
    try:
        with os.scandir(runs / PACKS) as entries:
            names = sorted(entry.name for entry in entries if not entry.name.startswith(".") and entry.is_dir())
    except FileNotFoundError:
        return []
    return [opened(runs / PACKS / name) for name in names]


def table(runs: Path) -> pl.DataFrame:
    """Return a row for each run in a pack: the columns of an index, and `place`, the pack from the folder of the runs.

    Raises
    ------
    ResultsError
        When a pack is damaged.
    """
    frames = [pack.index().with_columns(pl.lit(f"{PACKS}/{pack.folder.name}").alias(PLACE)) for pack in packs(runs)]
    return pl.concat(frames) if frames else pl.DataFrame(schema=TABLE_SCHEMA)


def most_kept(rows: pl.DataFrame, levels: Sequence[str]) -> pl.DataFrame:
    """Return the rows of a `table` sorted by key; of a run with several the one with the most kept, of those the first.

    Parameters
    ----------
    rows : polars.DataFrame
        The rows.
    levels : sequence of str
        How much may be kept, from most to least.
    """
    if rows[RUN].n_unique() < rows.height:
        rank = pl.col("kept").replace_strict(list(levels), list(range(len(levels))), return_dtype=pl.Int64)
        rows = rows.sort(rank, maintain_order=True).unique(RUN, keep="first", maintain_order=True)
    return rows.sort(RUN)


def places(runs: Path) -> Mapping[str, str]:
    """Return the place of every packed run, ``packs/PACK/KEY.kept``, by its name; of a run in several packs that in the first.

    Raises
    ------
    ResultsError
        When a pack is damaged.
    """
    return _places(runs, _stamp(runs / PACKS))


@lru_cache(maxsize=8)
def _places(runs: Path, _stamp: int) -> Mapping[str, str]:
    rows = table(runs).reverse().select(NAME, pl.format("{}/{}", PLACE, NAME).alias("whole"))
    return dict(zip(rows["name"], rows["whole"], strict=True))


def is_packed(place: Path) -> bool:
    """Return whether a run's place is in a pack."""
    return place.parent.name != PACKS and place.parent.parent.name == PACKS


def pack_of(place: Path) -> Pack | None:
    """Return the pack that a run's place is in, None of a run with a folder of its own.

    Raises
    ------
    ResultsError
        When the pack is damaged.
    """
    return opened(place.parent) if is_packed(place) else None


def read(place: Path) -> Records:
    """Read a run back from its place, a folder or one in a pack.

    Raises
    ------
    FolderError
        When it is damaged.
    """
    [run] = read_several([place])
    return run


def read_several(places: Sequence[Path]) -> Iterator[Records]:
    """Read runs back from their places, in that order: those of one pack that follow each other are looked for together.

    Looking for a hundred takes as long as looking for one.

    Raises
    ------
    FolderError
        When one is damaged.
    """
    for folder, own in itertools.groupby(places, lambda place: place.parent if is_packed(place) else None):
        if folder is None:
            yield from map(records.read, own)
            continue
        while group := list(itertools.islice(own, TOGETHER)):
            try:
                packed = opened(folder).read([place.name for place in group])
            except ResultsError as error:
                raise FolderError(error.path, error.problem) from None
            for place in group:
                yield packed.pop(place)


def origin_of(folder: Path) -> str | None:
    """Return the address of the object store that a folder of packs is the mirror of, None where it is the packs' own."""
    try:
        return (folder / ORIGIN).read_text(encoding="utf-8")
    except OSError:
        return None


def remove(folder: Path) -> None:
    """Remove a pack, from its object store too.

    Raises
    ------
    OSError
        When it cannot be removed.
    ResultsError
        When it cannot be removed from its object store.
    """
    origin = origin_of(folder.parent)
    if origin is not None:
        objects = Objects(origin, PATIENCE_S)
        objects.remove(sorted(objects.names(f"{PACKS}/{folder.name}"), key=lambda name: not name.endswith(PACK_FILE)))
    shutil.rmtree(folder)
    forget()


def forget() -> None:
    """Look again which packs there are: one was written or removed within the clock's grain of the file system."""
    _places.cache_clear()
