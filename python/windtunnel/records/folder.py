"""A run's folder: run.json and one Parquet file per frame, written whole or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from windtunnel.frames import pl
from windtunnel.records.checksums import FILES, Damaged, checked, of_files, sealed, unsealed
from windtunnel.records.model import Records, RunFacts, frame_of
from windtunnel.records.schema import FRAMES, OPTIONAL_FRAMES, READABLE_VERSIONS

RUN_FILE = "run.json"
_ALLOWED = "allowed: the run.json of a run"


class FolderError(ValueError):
    """A folder that cannot be read as a run or must not be written; its text is one line naming the folder."""

    def __init__(self, path: Path | str, problem: str) -> None:
        self.path = path
        self.problem = problem
        super().__init__(f"{path}: {problem}")

    def __reduce__(self) -> tuple[type[FolderError], tuple[Path | str, str]]:
        """Return how to make it again, in another process."""
        return type(self), (self.path, self.problem)


def previous_digest(target: Path) -> str | None:
    """Return the digest of the run a folder holds, None when the folder is absent or empty.

    Parameters
    ----------
    target : Path
        The folder.

    Returns
    -------
    str or None
        The scenario's digest.

    Raises
    ------
    FolderError
        When it is not a folder, or holds anything that is not a run.
    """
    try:
        if not target.exists():
            return None
        names = sorted(entry.name for entry in target.iterdir())
    except OSError as error:
        raise FolderError(target, f"cannot be used: {error.strerror}; allowed: a new or empty folder") from None
    if not names:
        return None
    known = {RUN_FILE, *(f"{name}.parquet" for name in FRAMES)}
    foreign = [name for name in names if name not in known]
    if foreign or RUN_FILE not in names:
        shown = foreign[0] if foreign else names[0]
        allowed = "a new or empty folder, or a previous run of the same scenario"
        raise FolderError(target, f"is not empty (it holds {shown}); allowed: {allowed}")
    return str(_read_run_file(target).get("digest"))


@contextlib.contextmanager
def staged(target: Path, *, within: Path | None = None) -> Iterator[Path]:
    """Give a temporary sibling folder and move it to `target` on success; leave nothing behind on failure.

    Parameters
    ----------
    target : Path
        Where the folder shall be; whatever run is there is replaced in one step.
    within : Path, optional
        A folder around it that is there and is not made again when it is gone: it may be on a share that is lost.

    Yields
    ------
    Path
        The folder to write into.

    Raises
    ------
    FolderError
        When the place cannot be written.
    """
    target = Path(os.path.abspath(target))
    made = _make_parents(target, None if within is None else Path(os.path.abspath(within)))
    try:
        temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".partial", dir=target.parent))
    except OSError as error:
        _remove_empty(made)
        raise FolderError(target, f"cannot be written: {error.strerror}; allowed: a writable folder") from None
    try:
        yield temporary
        _readable_to_others(temporary)
        _swap(temporary, target)
    except BaseException as error:
        shutil.rmtree(temporary, ignore_errors=True)
        _remove_empty(made)
        if isinstance(error, (OSError, pl.exceptions.ComputeError)):  # What polars makes of a full disk.
            reason = getattr(error, "strerror", None) or " ".join(str(error).split())[:120]
            raise FolderError(target, f"cannot be written: {reason}; allowed: a writable folder with room") from None
        raise


def _make_parents(target: Path, within: Path | None) -> list[Path]:
    missing: list[Path] = []
    parent = target.parent
    try:
        while not parent.exists() and parent != within:
            missing.append(parent)
            parent = parent.parent
        for folder in reversed(missing):
            folder.mkdir(exist_ok=True)
    except OSError as error:
        _remove_empty(missing)
        raise FolderError(target, f"cannot be written: {error.strerror}; allowed: a writable folder") from None
    return missing


def _remove_empty(folders: list[Path]) -> None:
    for folder in folders:
        with contextlib.suppress(OSError):
            folder.rmdir()


def _readable_to_others(folder: Path) -> None:
    mask = os.umask(0)
    os.umask(mask)
    folder.chmod(0o777 & ~mask)


def _swap(new: Path, target: Path) -> None:
    if not target.exists():
        new.rename(target)
        return
    old = new.with_suffix(".replaced")
    target.rename(old)
    try:
        new.rename(target)
    except OSError:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def write(records: Records, folder: Path) -> None:
    """Write run.json and the Parquet files into an existing, empty folder (normally one given by `staged`).

    Columns of the schema in which nothing was measured and frames without rows are left out; `read` gives them back as nulls and as empty
    frames. An algorithm's own variables stay: `read` cannot know of them.

    Parameters
    ----------
    records : Records
        What to write.
    folder : Path
        Where.
    """
    frames = written_frames(records)
    for name, frame in frames.items():
        write_frame(frame, folder / f"{name}.parquet")
    write_run_file(records.facts, list(frames), records.digest(), folder)


def written_frames(records: Records) -> dict[str, pl.DataFrame]:
    """Return what `write` writes of each frame, by name, without what is left out."""
    frames = {name: frame for name, frame in records.frames().items() if frame.height or name in OPTIONAL_FRAMES}
    return {
        name: frame[[one.name for one in frame if one.name not in FRAMES[name] or one.null_count() < max(frame.height, 1)]]
        for name, frame in frames.items()
    }


def write_frame(frame: pl.DataFrame, file: Path | io.BytesIO) -> None:
    """Write one of `written_frames` as Parquet."""
    frame.write_parquet(file, compression="zstd", statistics=False)


def write_run_file(facts: RunFacts, frames: list[str], digest: str, folder: Path) -> None:
    """Write run.json beside the Parquet files, whose checksums it names.

    Parameters
    ----------
    facts : RunFacts
        Of the run.
    frames : list of str
        The frames that have a file.
    digest : str
        Of the records.
    folder : Path
        Where the files are.
    """
    run = {
        **asdict(facts),
        FILES: of_files(folder),
        "notes": list(facts.notes),
        "seed": facts.scenario.get("seed"),
        "frames": frames,
        "records_digest": digest,
    }
    (folder / RUN_FILE).write_text(sealed(run, indent=2), encoding="utf-8")


def _read_run_file(folder: Path) -> dict[str, Any]:
    path = folder / RUN_FILE
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FolderError(path, f"cannot be read: {error.strerror}; {_ALLOWED}") from None
    return _document(path, content)


def _document(path: Path, content: bytes) -> dict[str, Any]:
    try:
        run = unsealed(content)
    except Damaged as error:
        raise FolderError(path, str(error)) from None
    except (ValueError, RecursionError):
        raise FolderError(path, f"cannot be read: it is not JSON; {_ALLOWED}") from None
    if not isinstance(run, dict) or not isinstance(run.get("digest"), str):
        raise FolderError(path, "is not the run.json of a run")
    return run


def stored_frames(folder: Path, names: Sequence[str]) -> dict[str, Path]:
    """Return the files of a stored run's frames, each checked; a frame of which nothing was recorded has none.

    Parameters
    ----------
    folder : Path
        A folder `write` made.
    names : sequence of str
        Frames, of `FRAMES`.

    Raises
    ------
    FolderError
        When one is missing or damaged; the message names the file. Folders without checksums are taken as they are.
    """
    files = _read_run_file(folder).get(FILES)
    found: dict[str, Path] = {}
    for name in names:
        path = folder / f"{name}.parquet"
        if path.name in files if files is not None else path.exists():
            try:
                if files is not None:
                    checked(path, files)
            except Damaged as error:
                raise FolderError(path, str(error)) from None
            except OSError as error:
                raise FolderError(path, f"cannot be read: {error.strerror}") from None
            found[name] = path
    return found


def read(folder: Path) -> Records:
    """Read a run's folder back.

    Parameters
    ----------
    folder : Path
        A folder `write` made.

    Returns
    -------
    Records
        Equal to the records written.

    Raises
    ------
    FolderError
        When a file is missing, damaged, or of another schema; the message names the file.
    """
    run = _read_run_file(folder)
    files = run.get(FILES)

    def stored(name: str) -> pl.DataFrame | None:
        path = folder / f"{name}.parquet"
        if name in OPTIONAL_FRAMES and (path.name not in files if files is not None else not path.exists()):
            return None
        return pl.read_parquet(io.BytesIO(checked(path, files)))

    return _records(folder, run, stored)


def from_document(place: Path, document: bytes, stored: Callable[[str], pl.DataFrame | None]) -> Records:
    """Read a run that is stored in another form than a folder of its own.

    Parameters
    ----------
    place : Path
        What errors name.
    document : bytes
        Its ``run.json``.
    stored : callable
        From a frame's name to what `write` wrote of it; None of an optional frame that it did not.

    Raises
    ------
    FolderError
        As for `read`.
    """
    return _records(place, _document(place / RUN_FILE, document), stored)


def _records(folder: Path, run: Mapping[str, Any], stored: Callable[[str], pl.DataFrame | None]) -> Records:
    if run.get("schema_version") not in READABLE_VERSIONS:
        allowed = ", ".join(map(str, READABLE_VERSIONS))
        raise FolderError(folder, f"has schema version {run.get('schema_version')}; allowed: {allowed}")
    frames: dict[str, Any] = {}
    written = run.get("frames", list(FRAMES))
    for name in FRAMES:
        path = folder / f"{name}.parquet"
        try:
            if name not in written:
                if name not in OPTIONAL_FRAMES:
                    frames[name] = frame_of(name, {})
                continue
            frame = stored(name)
            if frame is not None:
                frames[name] = frame_of(name, {column: frame[column] for column in frame.columns})
        except FolderError:
            raise
        except Damaged as error:
            raise FolderError(path, str(error)) from None
        except (OSError, ValueError, pl.exceptions.PolarsError) as error:
            raise FolderError(path, f"cannot be read: {' '.join(str(error).split())[:120]}") from None
    keys = ("scenario", "digest", "backend", "engine_version", "code_version", "counters", "host")
    try:
        facts = RunFacts(**{key: run[key] for key in keys}, notes=tuple(run["notes"]))
    except KeyError as error:
        raise FolderError(folder / RUN_FILE, f"lacks {error.args[0]}") from None
    records = Records(facts=facts, **frames)
    if records.digest() != run.get("records_digest"):
        raise FolderError(folder, "holds other records than its run.json names (records_digest differs)")
    return records
