"""The user's cache folder of ours: what can be made again lies there."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


def cache() -> Path:
    """Return the user's cache folder of ours: ``$XDG_CACHE_HOME/windtunnel`` or ``~/.cache/windtunnel``."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "windtunnel"


KINDS = {"controllers": "controller", "init": "guest program", "kernels": "kernel", "logs": "build log", "stacks": "stack"}
"""What lies in each folder of the cache."""
TARGET = ".target"
"""What cargo keeps between two builds of stacks, in their folder."""


@dataclass(frozen=True)
class Entry:
    """Something in the cache.

    Parameters
    ----------
    kind : str
        ``controller`` (compiled from a file, or a copy of a library), ``headers`` (what all of those are compiled against),
        ``guest program``, ``kernel``, ``build log``, ``stack``, ``stack build`` (what cargo keeps for the next build of a stack).
    name : str
        What it is called.
    paths : tuple of Path
        Its files or folders.
    size_bytes : int
        What they take.
    used_s : float
        When it was last used, in seconds since 1970.
    """

    kind: str
    name: str
    paths: tuple[Path, ...]
    size_bytes: int
    used_s: float


def entries() -> list[Entry]:
    """Return what is in the cache, by kind, the last used first."""
    found = []
    for folder, kind in KINDS.items():
        own: dict[str, list[Path]] = {}
        for path in _children(cache() / folder):
            # What is half done belongs to the process that makes it; a controller is a library with its row.
            if not path.name.startswith("."):
                own.setdefault(path.name.partition(".")[0] if kind == "controller" else path.name, []).append(path)
        found += [_entry(kind, name, paths) for name, paths in own.items()]
    target = cache() / "stacks" / TARGET
    if target.is_dir() and not _is_building(target):
        found.append(_entry("stack build", "cargo", [target]))
    order = {kind: number for number, kind in enumerate([*KINDS.values(), "stack build", "headers"])}
    return sorted(found, key=lambda entry: (order[entry.kind], -entry.used_s, entry.name))


def remove(chosen: Iterable[Entry]) -> None:
    """Remove entries; what another process removed meanwhile is gone already.

    Raises
    ------
    OSError
        When one cannot be removed.
    """
    import shutil

    for entry in chosen:
        for path in entry.paths:
            with contextlib.suppress(FileNotFoundError):
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def _is_building(target: Path) -> bool:
    """Return whether a cargo holds its lock on a folder that it builds in."""
    import fcntl

    try:
        with (target / "release" / ".cargo-lock").open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def _children(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []


def _entry(kind: str, name: str, paths: list[Path]) -> Entry:
    if kind == "controller":
        kind, name = ("headers", name) if name.startswith(("headers-", "shim-")) else (kind, _named(name, paths))
    size_bytes, used_s = 0, 0.0
    for file in (inner for path in paths for inner in (path, *path.rglob("*"))):
        with contextlib.suppress(OSError):
            facts = file.lstat()
            used_s = max(used_s, facts.st_mtime)
            size_bytes += 0 if file.is_dir() else facts.st_size
    return Entry(kind, name, tuple(paths), size_bytes, used_s)


def _named(key: str, paths: list[Path]) -> str:
    """Return the name under which scenarios know a controller; its key where it has no row."""
    for path in paths:
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
            if path.suffix == ".json":
                return str(json.loads(path.read_text(encoding="utf-8"))["name"])
    return key
