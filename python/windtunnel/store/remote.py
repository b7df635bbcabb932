"""A results folder in an object store, and its mirror in the user's cache, where everything else reads and writes.

An object never changes under its name: packs are as they are in a folder, documents are named by their checksum, and which document
is which file of the folder is said by a list with a number, of which the highest counts. A writer adds the next number only if it
is not there, so that of two writers neither loses what the other wrote.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windtunnel import records
from windtunnel.records.checksums import Damaged, checksum, sealed, unsealed
from windtunnel.remarks import say
from windtunnel.store import packs
from windtunnel.store.errors import ResultsError
from windtunnel.store.objects import Objects, Unreachable
from windtunnel.usercache import cache

PATIENCE_S = 300.0
"""How long a command waits for a store that does not answer, before it ends, seconds."""
KEPT_LISTS = 3
"""Lists of files that stay, for readers that have just looked which is the last."""
_FOLDERS = ("experiments", "choices", "registers")
BUSY = "is being written by another process; wait for it, or choose another --out"
_FORMAT = 1


@dataclass(frozen=True)
class Remote:
    """A results folder in an object store.

    Parameters
    ----------
    address : str
        ``s3://BUCKET/NAME``.
    """

    address: str

    @property
    def mirror(self) -> Path:
        """Its mirror: a results folder in the user's cache, whose packs may lack files that were not asked for."""
        return cache() / "results" / checksum(self.address.encode()) / "folder"

    @property
    def _base_file(self) -> Path:
        return self.mirror.with_name("base.json")

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other writers of this machine out.

        Raises
        ------
        ResultsError
            When there is one.
        """
        self.mirror.mkdir(parents=True, exist_ok=True)
        with self.mirror.with_name("lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ResultsError(self.address, BUSY) from None
            yield

    def objects(self, *, patience_s: float = 0.0) -> Objects:
        """Return its objects."""
        return Objects(self.address, patience_s)

    def pull(self, *, patience_s: float = 0.0, mend: bool = False) -> None:
        """Bring the mirror to what the store holds: documents, and of packs what says what is in them.

        What the mirror alone holds stays: finished runs and packs that could not be sent.

        Parameters
        ----------
        patience_s : float
            How long to wait for a store that does not answer, seconds.
        mend : bool
            Whether what is damaged is named and left out, so that a writer makes it again.

        Raises
        ------
        ResultsError
            When the store cannot be read, or something in it is damaged.
        """
        objects = self.objects(patience_s=patience_s)
        objects.check()
        self.mirror.mkdir(parents=True, exist_ok=True)
        number, files = _last(objects, mend=mend)
        left_out = self._pull_documents(objects, files, mend=mend)
        files = {name: mark for name, mark in files.items() if name not in left_out}
        _write(self._base_file, json.dumps({"number": number, "files": files}).encode())
        self._pull_packs(objects, mend=mend)

    def _pull_documents(self, objects: Objects, files: Mapping[str, str], *, mend: bool) -> set[str]:
        left_out: set[str] = set()
        groups: dict[str, dict[str, str]] = {}
        for name, mark in files.items():
            groups.setdefault(str(Path(name).parent), {})[Path(name).name] = mark
        for folder, own in groups.items():
            place = self.mirror / folder
            if all(_mark(place / name) == mark for name, mark in own.items()):
                continue
            try:
                contents = {name: _document(objects, mark) for name, mark in own.items()}
            except ResultsError as error:
                _mended(error, mend=mend)
                left_out |= {str(Path(folder) / name) for name in own}
                continue
            if Path(folder).parts[-1:] and "experiments" in Path(folder).parts:  # Both files of an experiment, or neither.
                with records.staged(place) as temporary:
                    for name, content in contents.items():
                        (temporary / name).write_bytes(content)
            else:
                for name, content in contents.items():
                    _write(place / name, content)
        for name in set(_documents(self.mirror)) & set(self._base()["files"]) - set(files):
            (self.mirror / name).unlink(missing_ok=True)
        return left_out

    def _pull_packs(self, objects: Objects, *, mend: bool) -> None:
        place = self.mirror / "runs" / packs.PACKS
        place.mkdir(parents=True, exist_ok=True)
        _write(place / packs.ORIGIN, self.address.encode())
        there = {name.split("/")[1] for name in objects.names("packs") if name.endswith(f"/{packs.PACK_FILE}")}
        here = {path.name for path in place.iterdir() if not path.name.startswith(".")}
        for id in sorted(there - here):
            try:
                pull_pack(objects, place / id)
            except ResultsError as error:
                _mended(error, mend=mend)
                objects.remove(sorted(objects.names(f"packs/{id}"), key=lambda name: not name.endswith(packs.PACK_FILE)))
        for id in here - there:
            pack = packs.opened(place / id)
            if not all((place / id / file).is_file() for file in pack.files):
                shutil.rmtree(place / id)  # Removed from the store by another writer, because it was damaged.
        packs.forget()

    def push(self, *, patience_s: float = 0.0) -> None:
        """Send what the mirror has more: packs first, then documents.

        Raises
        ------
        Unreachable
            When the store does not answer for so long.
        ResultsError
            When it cannot be written.
        """
        objects = self.objects(patience_s=patience_s)
        self._push_packs(objects)
        self._push_documents(objects)

    def _push_packs(self, objects: Objects) -> None:
        place = self.mirror / "runs" / packs.PACKS
        here = sorted(path.name for path in place.iterdir() if not path.name.startswith(".")) if place.is_dir() else []
        sent = {name.split("/")[1] for name in objects.names("packs") if name.endswith(f"/{packs.PACK_FILE}")}
        for id in here:
            if id in sent:
                continue
            for path in sorted((place / id).iterdir(), key=lambda path: path.name == packs.PACK_FILE):  # Its list of files comes last.
                objects.write(f"packs/{id}/{path.name}", path.read_bytes())

    def _push_documents(self, objects: Objects) -> None:
        base = self._base()
        own = {name: str(_mark(self.mirror / name)) for name in _documents(self.mirror)}
        changed = {name: mark for name, mark in own.items() if base["files"].get(name) != mark}
        gone = set(base["files"]) - set(own)
        if not changed and not gone:
            return
        for name, mark in changed.items():
            objects.write(f"documents/{mark}", (self.mirror / name).read_bytes())
        while True:
            number, files = _last(objects, mend=True)
            merged = {name: mark for name, mark in files.items() if name not in gone} | changed
            if number != base["number"]:
                merged |= self._merged_facts(objects, files, changed)
            text = sealed({"format": _FORMAT, "documents": merged}, indent=1)
            if objects.create(_list_name(number + 1), text.encode()):
                break
        _write(self._base_file, json.dumps({"number": number + 1, "files": merged}).encode())
        objects.remove([name for name in objects.names("lists") if name < _list_name(number + 2 - KEPT_LISTS)])

    def _merged_facts(self, objects: Objects, theirs: Mapping[str, str], changed: Mapping[str, str]) -> dict[str, str]:
        """Return ``results.json`` with what another writer has put there since it was read: what both say is joined."""
        name = "results.json"
        if name not in changed or name not in theirs or theirs[name] == self._base()["files"].get(name):
            return {}
        facts = joined(unsealed(_document(objects, theirs[name])), unsealed((self.mirror / name).read_bytes()))
        content = sealed(facts, indent=1).encode()
        mark = checksum(content)
        objects.write(f"documents/{mark}", content)
        _write(self.mirror / name, content)
        return {name: mark}

    def _base(self) -> dict[str, Any]:
        try:
            base: dict[str, Any] = json.loads((self._base_file).read_bytes())
            return {"number": int(base["number"]), "files": dict(base["files"])}
        except (OSError, ValueError, KeyError, TypeError):
            return {"number": 0, "files": {}}


def joined(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return what two documents say: lists one after the other without what is there twice, tables joined, else what the second says."""
    found = dict(first)
    for name, value in second.items():
        other = found.get(name)
        if isinstance(value, list) and isinstance(other, list):
            found[name] = other + [one for one in value if one not in other]
        elif isinstance(value, dict) and isinstance(other, dict):
            found[name] = {**other, **value}
        else:
            found[name] = value
    return found


def pull_pack(objects: Objects, place: Path) -> None:
    """Bring what says what is in a pack; the frames come when they are asked for."""
    with records.staged(place) as temporary:
        (temporary / packs.PACK_FILE).write_bytes(objects.read(f"packs/{place.name}/{packs.PACK_FILE}"))
        pack = packs.opened(temporary)
        (temporary / packs.INDEX_FILE).write_bytes(_file(objects, place.name, packs.INDEX_FILE, pack.files[packs.INDEX_FILE]))


def _file(objects: Objects, id: str, file: str, mark: str) -> bytes:
    name = f"packs/{id}/{file}"
    content = objects.read(name)
    if checksum(content) != mark:
        raise ResultsError(f"{objects.address}/{name}", f"is damaged: its checksum differs; {packs.AGAIN}")
    return content


def _last(objects: Objects, *, mend: bool) -> tuple[int, dict[str, str]]:
    """Return the number and the content of the last list of documents; with `mend` the content of the last one that is sound."""
    names = objects.names("lists")
    for name in reversed(names):
        try:
            data = unsealed(objects.read(name))
        except Unreachable:
            raise
        except (Damaged, ValueError, RecursionError):  # Errors of results are values' errors too.
            _mended(ResultsError(f"{objects.address}/{name}", "is damaged: its checksum differs; run the suite again"), mend=mend)
            continue
        if data.get("format") != _FORMAT:
            raise ResultsError(f"{objects.address}/{name}", f"has format {data.get('format')!r}; allowed: {_FORMAT}")
        return int(Path(names[-1]).stem), dict(data["documents"])
    return (int(Path(names[-1]).stem) if names else 0), {}


def _mended(error: ResultsError, *, mend: bool) -> None:
    """Name what is damaged, where it is made again; raise the error where it is not."""
    if not mend or isinstance(error, Unreachable):
        raise error
    say(f"{str(error).partition(';')[0]}; what it held is made again")


def _list_name(number: int) -> str:
    return f"lists/{max(number, 0):012d}.json"


def _document(objects: Objects, mark: str) -> bytes:
    content = objects.read(f"documents/{mark}")
    if checksum(content) != mark:
        raise ResultsError(f"{objects.address}/documents/{mark}", "is damaged: its checksum differs; run the suite again")
    return content


def _documents(folder: Path) -> Iterator[str]:
    """Yield the files of a results folder that are documents: all but runs and what is made of them, with their folder's name."""
    if (folder / "results.json").is_file():
        yield "results.json"
    for name in _FOLDERS:
        for path in sorted((folder / name).rglob("*")):
            parts = path.relative_to(folder).parts
            if path.is_file() and not any(part.startswith(".") for part in parts):
                yield "/".join(parts)


def _mark(path: Path) -> str | None:
    try:
        return checksum(path.read_bytes())
    except OSError:
        return None


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.partial")
    temporary.write_bytes(content)
    os.replace(temporary, path)
