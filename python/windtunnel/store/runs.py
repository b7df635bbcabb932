"""Runs on disk: each once, under a key made of what determines it, written whole or not at all."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import polars as pl

from windtunnel import records
from windtunnel.records import FRAMES, Records
from windtunnel.store import merging, packs
from windtunnel.store.errors import ResultsError
from windtunnel.store.packing import PACK_AT, pack

KEPT: Mapping[str, Mapping[str, Sequence[str]]] = {
    "all": {},
    "queues": {"flow_samples": ("t_s", "flow", "delivered_bytes")},
    "rates": {"flow_samples": ("t_s", "flow", "delivered_bytes"), "link_samples": ()},
    "totals": {"flow_samples": (), "link_samples": ()},
}
"""What of a run's samples is stored, from most to least; see `Records.thinned`. Flows and links are always stored whole."""

_AGAIN = "run what needs it again, or remove the folder to have it computed again"

COMMON_EVENT = "slow_start_exit"
"""Stored with `all` only: rate halving ends below ssthresh, so that every loss episode brings one, and no metric reads it."""


def run_key(digest: str, backend: str, version: int) -> str:
    """Return the name a run is stored under.

    Parameters
    ----------
    digest : str
        The scenario's digest.
    backend : str
        The backend's name.
    version : int
        The version of the backend's results; raised by hand, so that a change of documentation invalidates nothing.

    Returns
    -------
    str
        32 hexadecimal digits.
    """
    return hashlib.sha256(f"{digest}/{backend}/{version}".encode()).hexdigest()[:32]


def _thinned(run: Records, kept: str) -> Records:
    thin = run.thinned(KEPT[kept])
    return thin if kept == "all" else replace(thin, events=thin.events.filter(pl.col("kind") != COMMON_EVENT))


class Stored(NamedTuple):
    """Where a frame of all runs is: files of one run each, and files of many, with the keys of those that are read from elsewhere."""

    files: list[Path]
    packed: list[tuple[Path, list[str]]]


@dataclass(frozen=True)
class RunStore:
    """The stored runs of a results folder.

    Parameters
    ----------
    folder : Path
        Holds one folder per run, named by its key and by what was kept (``KEY.rates``), and `packs` of many.
    """

    folder: Path

    def find(self, key: str, kept: str) -> Path | None:
        """Return the folder of a run stored with at least `kept`, None when there is none.

        Parameters
        ----------
        key : str
            From `run_key`.
        kept : str
            A name of `KEPT`.
        """
        names = list(KEPT)
        packed = packs.places(self.folder)
        for name in names[: names.index(kept) + 1]:
            path = self.folder / f"{key}.{name}"
            if path.is_dir():
                return path
            if path.name in packed:
                return self.folder / packed[path.name]
        return None

    def damage(self, path: Path) -> ResultsError | None:
        """Return what is wrong with a stored run, as far as its checksums tell; None of a sound one, and of one without."""
        try:
            pack = packs.pack_of(path)
            if pack is not None:
                return pack.damage()
            records.stored_frames(path, list(FRAMES))
        except ResultsError as error:
            return error
        except records.FolderError as error:
            return ResultsError(error.path, f"{error.problem}; {_AGAIN}")
        return None

    def remove(self, path: Path) -> None:
        """Remove a stored run, and those that are in one pack with it. Only the holder of the results folder's lock may do so.

        Raises
        ------
        ResultsError
            When it cannot be removed.
        """
        try:
            if packs.is_packed(path):
                packs.remove(path.parent)
            else:
                shutil.rmtree(path)
        except OSError as error:
            raise not_written(path, error) from None

    def pack(self, on_step: Callable[[int, int], None] | None = None, *, large: bool = False, lasting: bool = True) -> list[Path]:
        """Put all runs that have folders of their own into packs, `large` ones only if asked, and many small packs into larger ones.

        Only the holder of the lock may do so. What need not be `lasting` is not waited for until it is on its disk.

        Raises
        ------
        ResultsError
            When they cannot be written.
        """
        names = packs.most_kept(self._loose_rows(), list(KEPT)).select(packs.NAME)["name"].to_list()
        made = pack(self.folder, names, on_step, large=large, lasting=lasting)
        chosen = self.names()
        for name in self.loose():
            if "/" in chosen[name.partition(".")[0]]:  # With less than what a pack has of it.
                self.remove(self.folder / name)
        if merging.small(self.folder):
            packed = packs.table(self.folder)
            read = packs.most_kept(pl.concat([self._loose_rows(), packed]), list(KEPT))
            made += merging.merge(self.folder, _elsewhere(packed, read))
        return made

    def is_to_pack(self) -> bool:
        """Return whether so many runs have folders of their own, or are in small packs, that they are better packed."""
        return len(self.loose()) >= PACK_AT or bool(merging.small(self.folder))

    def checked_frames(self, names: Sequence[str]) -> dict[str, Stored]:
        """Return where some frames of all runs are, by frame, no file of them damaged.

        Raises
        ------
        ResultsError
            When one is.
        """
        found: dict[str, Stored] = {name: Stored([], []) for name in names}
        if not names:
            return found
        packed = packs.table(self.folder)
        chosen = packs.most_kept(pl.concat([self._loose_rows(), packed]), list(KEPT))
        folders = [self.folder / name for name in chosen.filter(pl.col(packs.PLACE) == "").select(packs.NAME)["name"]]
        with ThreadPoolExecutor(4) as readers:  # Reading and hashing hold no lock of the interpreter.
            for frames in readers.map(lambda path: _frames(path, names), folders):
                if isinstance(frames, records.FolderError):
                    raise ResultsError(frames.path, f"{frames.problem}; {_AGAIN}")
                for name, file in frames.items():
                    found[name].files.append(file)
            elsewhere = _elsewhere(packed, chosen)
            asked = [(pack, name) for pack in packs.packs(self.folder) for name in names]
            for (pack, name), path in zip(asked, readers.map(lambda one: one[0].checked(one[1]), asked), strict=True):
                if path is not None:
                    found[name].packed.append((path, elsewhere.get(f"{packs.PACKS}/{pack.folder.name}", [])))
        return found

    def _loose_rows(self) -> pl.DataFrame:
        """Return rows as of a table of packs, of the runs with folders of their own, with what their names say."""
        names = sorted(self.loose())
        rows = {packs.RUN: [name.partition(".")[0] for name in names], "kept": [name.partition(".")[2] for name in names]}
        return pl.DataFrame(rows, schema={packs.RUN: pl.String(), "kept": pl.String()}).select(
            pl.col(name) if name in rows else pl.lit("" if name == packs.PLACE else None, dtype).alias(name)
            for name, dtype in packs.TABLE_SCHEMA.items()
        )

    def write(self, key: str, run: Records, kept: str) -> Path:
        """Store a run as `keep` does, and return its folder."""
        self.keep(key, run, kept)
        return self.folder / f"{key}.{kept}"

    def keep(self, key: str, run: Records, kept: str) -> Records:
        """Store a run, whole or not at all, and return what is stored of it: the records that `read` would give.

        Raises
        ------
        ResultsError
            When the folder cannot be written, as on a full disk.
        """
        target = self.folder / f"{key}.{kept}"
        thin = _thinned(run, kept)
        try:
            with records.staged(target, within=self.folder.parent) as temporary:
                records.write(thin, temporary)
        except records.FolderError as error:
            raise ResultsError(target, str(error).removeprefix(f"{error.path}: ")) from None
        except pl.exceptions.PolarsError as error:  # What polars makes of a full disk.
            raise not_written(target, error) from None
        return thin

    def contents(self) -> dict[str, dict[str, bytes]]:
        """Return the files of every run with a folder of its own and of every pack, by name, for `take`; by their places."""
        places = [*sorted(self.loose()), *(f"{packs.PACKS}/{pack.folder.name}" for pack in packs.packs(self.folder))]
        return {place: {path.name: path.read_bytes() for path in sorted((self.folder / place).iterdir())} for place in places}

    def take(self, place: str, files: Mapping[str, bytes]) -> None:
        """Store a run or a pack that another store gave by `contents`, whole or not at all.

        Raises
        ------
        ResultsError
            When the folder cannot be written.
        """
        target = self.folder / place
        try:
            with records.staged(target, within=self.folder.parent) as temporary:
                for name, content in files.items():
                    (temporary / name).write_bytes(content)
        except records.FolderError as error:
            raise ResultsError(target, str(error).removeprefix(f"{error.path}: ")) from None
        if target.parent.name == packs.PACKS:
            packs.forget()

    def read(self, path: Path) -> Records:
        """Read a stored run back.

        Raises
        ------
        ResultsError
            When it is damaged; the next suite run that needs it computes it again.
        """
        try:
            return packs.read(path)
        except records.FolderError as error:
            raise ResultsError(path, f"{str(error).removeprefix(f'{path}: ')}; {_AGAIN}") from None

    def stored(self) -> dict[str, Path]:
        """Return the place of every stored run by its key, the one with the most kept where there are several, sorted by key.

        That is the folder of one that has its own; see `packs` for the others.
        """
        return {key: self.folder / name for key, name in self.names().items()}

    def names(self) -> dict[str, str]:
        """Return the places that `stored` returns, from the folder of the runs."""
        chosen = packs.most_kept(pl.concat([self._loose_rows(), packs.table(self.folder)]), list(KEPT))
        place = pl.when(pl.col(packs.PLACE) == "").then(packs.NAME).otherwise(pl.format("{}/{}", packs.PLACE, packs.NAME))
        rows = chosen.select(packs.RUN, place.alias("whole"))
        return dict(zip(rows[packs.RUN], rows["whole"], strict=True))

    def loose(self) -> dict[str, str]:
        """Return the names of the runs that have folders of their own, each by itself."""
        if not self.folder.is_dir():
            return {}
        with os.scandir(self.folder) as entries:
            found = (entry.name for entry in entries if not entry.name.startswith(".") and entry.is_dir())
            return {name: name for name in found if name.partition(".")[2] in KEPT}

    def listing(self) -> pl.DataFrame:
        """Return a row for each run, sorted by key: what it is, how much of it is kept and where.

        Returns
        -------
        polars.DataFrame
            `run` (its key), `kept`, `backend`, `engine_version`, `scenario` (its digest), `seed`, `records_digest` and `place`, from the
            results folder.

        Raises
        ------
        ResultsError
            When what says so is damaged.
        """
        rows = packs.most_kept(pl.concat([self._loose_rows(), packs.table(self.folder)]), list(KEPT))
        loose = rows.filter(pl.col(packs.PLACE) == "").select(packs.NAME)["name"].to_list()
        if loose:
            said = packs.listed((name, self._document(name)) for name in loose)
            own = said.with_columns(pl.format("{}.{}", packs.RUN, "kept").alias(packs.PLACE))
            rows = pl.concat([own, rows.filter(pl.col(packs.PLACE) != "")]).sort(packs.RUN)
        return rows.with_columns(pl.format(f"{self.folder.name}/{{}}", packs.PLACE).alias(packs.PLACE))

    def _document(self, name: str) -> bytes:
        try:
            records.stored_frames(self.folder / name, [])
            return (self.folder / name / records.RUN_FILE).read_bytes()
        except records.FolderError as error:
            raise ResultsError(error.path, f"{error.problem}; {_AGAIN}") from None
        except OSError as error:
            raise ResultsError(self.folder / name, f"cannot be read: {error.strerror}; {_AGAIN}") from None

    def sweep(self) -> None:
        """Remove what interrupted writers left. Only the holder of the results folder's lock may do so."""
        sweep(self.folder)
        sweep(self.folder / packs.PACKS)

    def drop_unreadable(self) -> list[ResultsError]:
        """Remove packs that do not tell what they hold, and return what is wrong with each. Only the holder of the lock may do so."""
        found = []
        while (damage := self._unreadable()) is not None:
            found.append(damage)
            self.remove(self.folder / packs.PACKS / Path(damage.path).parent.name / "all")
        return found

    def _unreadable(self) -> ResultsError | None:
        try:
            for pack in packs.packs(self.folder):
                pack.names()
        except ResultsError as error:
            return error
        return None


def _elsewhere(packed: pl.DataFrame, chosen: pl.DataFrame) -> dict[str, list[str]]:
    """Return, by pack, the keys of its runs that are read from elsewhere."""
    if packed.height == chosen.filter(pl.col(packs.PLACE) != "").height:
        return {}
    left = packed.join(chosen, on=[packs.RUN, "kept", packs.PLACE], how="anti")
    return {str(place): rows[packs.RUN].to_list() for (place,), rows in left.group_by(packs.PLACE)}


def _frames(path: Path, names: Sequence[str]) -> dict[str, Path] | records.FolderError:
    try:
        return records.stored_frames(path, names)
    except records.FolderError as error:
        return error


def sweep(folder: Path) -> None:
    """Remove what interrupted writers left in a folder, if there is one."""
    if not folder.is_dir():
        return
    for path in [path for path in folder.iterdir() if path.name.startswith(".") and path.suffix in (".partial", ".replaced")]:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def not_written(path: Path, error: Exception) -> ResultsError:
    """Return the error for something that could not be written."""
    reason = getattr(error, "strerror", None) or " ".join(str(error).split())[:120]
    return ResultsError(path, f"cannot be written: {reason}; allowed: a writable folder with room")
