"""What a run's page gives away: its scenario and its Parquet files, each by itself or together in one archive."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from windtunnel.records import Records, write, write_frame, written_frames
from windtunnel.report.model import StoredRun
from windtunnel.store import is_packed

_SCENARIO = "the scenario, complete"
_FRAMES = {
    "flow_samples": "samples of every flow",
    "link_samples": "samples of every link",
    "events": "loss episodes, timeouts and other events",
    "flows": "totals of every flow",
    "links": "totals of every link",
    "acks": "the window at every ACK",
    "video": "frames of video: captured, encoded rate, delay to the receiver",
    "host_samples": "time at work of every host's processor",
}
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of everything in an archive, so that the same run is the same archive."""


@dataclass(frozen=True)
class RunFiles:
    """The files of a run, as its page lists them.

    Parameters
    ----------
    scenario : str
        Where the scenario is, from the report's root; the archive where it is in one.
    archive : str
        The archive, from the report's root; empty where each file is there by itself.
    listed : sequence of (str, str, str)
        Name of each file, where it is, from the report's root, and what it holds; no place for a file of the archive.
    """

    scenario: str
    archive: str
    listed: Sequence[tuple[str, str, str]]


def give(stored: StoredRun, run: Records, name: str, folder: Path) -> RunFiles:
    """Put the files of a run into a report.

    A run with its samples has large files: each is a link to the stored one where the file system can, and takes no room. There are
    thousands of the others, whose files are small: one archive holds those of a run.

    Parameters
    ----------
    stored : StoredRun
        Where the run is.
    run : Records
        The run.
    name : str
        What its files are named by.
    folder : Path
        The report's folder; ``files`` exists.

    Returns
    -------
    RunFiles
        What there is.
    """
    text = json.dumps(run.facts.scenario, indent=1, sort_keys=True) + "\n"
    if stored.kept != "all":
        return _archived(stored, run, text, name, folder)
    with _files(stored, run) as own:
        there = [(own / f"{frame}.parquet", what) for frame, what in _FRAMES.items()]
        return _apart([(path, what) for path, what in there if path.is_file()], text, name, folder)


@contextlib.contextmanager
def _files(stored: StoredRun, run: Records) -> Iterator[Path]:
    """Give a folder with the files of a run: that of one which is in a pack is there for as long as it is looked at."""
    if not is_packed(stored.folder):
        yield stored.folder
        return
    with tempfile.TemporaryDirectory(prefix="windtunnel-") as folder:
        write(run, Path(folder))
        yield Path(folder)


def _archived(stored: StoredRun, run: Records, text: str, name: str, folder: Path) -> RunFiles:
    contents = _packed_contents(run) if is_packed(stored.folder) else _own_contents(stored.folder)
    taken = [(f"{frame}.parquet", contents[frame], what) for frame, what in _FRAMES.items() if frame in contents]
    place = f"files/{name}.zip"
    with zipfile.ZipFile(folder / place, "w") as archive:  # What is in it is packed already.
        archive.writestr(zipfile.ZipInfo(f"{name}.json", _EPOCH), text)
        for file, content, _ in taken:
            archive.writestr(zipfile.ZipInfo(file, _EPOCH), content)
    return RunFiles(place, place, [(f"{name}.json", "", _SCENARIO), *((file, "", what) for file, _, what in taken)])


def _own_contents(folder: Path) -> dict[str, bytes]:
    paths = {frame: folder / f"{frame}.parquet" for frame in _FRAMES}
    return {frame: path.read_bytes() for frame, path in paths.items() if path.is_file()}


def _packed_contents(run: Records) -> dict[str, bytes]:
    """Return the files that a run of a pack would have in a folder of its own, made in memory: there are thousands of them."""
    contents = {}
    for frame, rows in written_frames(run).items():
        if frame in _FRAMES:
            write_frame(rows, buffer := io.BytesIO())
            contents[frame] = buffer.getvalue()
    return contents


def _apart(taken: Sequence[tuple[Path, str]], scenario: str, name: str, folder: Path) -> RunFiles:
    place = f"files/{name}"
    (folder / place).mkdir()
    (folder / place / f"{name}.json").write_text(scenario, encoding="utf-8")
    for path, _ in taken:
        _take(path, folder / place / path.name)
    listed = [("scenario.json", f"{place}/{name}.json", _SCENARIO), *((path.name, f"{place}/{path.name}", what) for path, what in taken)]
    return RunFiles(f"{place}/{name}.json", "", listed)


def _take(source: Path, target: Path) -> None:
    with contextlib.suppress(OSError):
        os.link(source, target)
        return
    shutil.copyfile(source, target)
