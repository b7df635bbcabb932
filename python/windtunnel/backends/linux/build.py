"""Build a kernel: copy, change, configure, compile, test, keep. Each step can fail, and then nothing is left but a log that says why."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Protocol, TextIO

from windtunnel.backends.linux import against, config, entropy, patch, selftest, source, store
from windtunnel.backends.linux.errors import BuildFailed, KernelError
from windtunnel.backends.linux.kept import Command, kept
from windtunnel.usercache import cache

PACKAGES = "build-essential flex bison bc xz-utils"
"""Debian's packages with the tools a build needs."""

ROOM_BYTES = 2 << 30
"""What a copy of the source and its objects take, with some to spare."""

_TOOLS = ("make", "cc", "gcc", "ld", "ar", "flex", "bison", "bc")
_WALL_S_MAX = 4 * 3600.0
_TELLING = re.compile(r"(\berror\b|\bundefined reference\b|No space left|No rule to make|not found|Killed)", re.IGNORECASE)


class Progress(Protocol):
    """What is called with how far a build is."""

    def step(self, name: str) -> None:
        """Say that a step begins."""
        ...

    def count(self, done: int) -> None:
        """Say how many files the step has handled."""
        ...

    def say(self, line: str) -> None:
        """Say something worth keeping."""
        ...


@dataclass(frozen=True)
class Built:
    """A kernel and whether it had to be built."""

    kernel: store.Kernel
    fresh: bool


def build(path: Path, *, name: str | None, jobs: int, progress: Progress) -> Built:
    """Build a kernel from a source tree or tarball and keep it in the user's cache.

    The source is copied as far as it is needed and only the copy is changed. A source that has been built before, to the byte, is not built
    again.

    Parameters
    ----------
    path : Path
        A tree or a tarball.
    name : str or None
        What to call it; version and digest when None.
    jobs : int
        Compilers at the same time.
    progress : Progress
        Told how far it is.

    Returns
    -------
    Built
        The kernel.

    Raises
    ------
    KernelError
        When the source, a tool or a place cannot be used.
    BuildFailed
        When a step fails; the log stays.
    """
    began = time.monotonic()
    if name is not None:
        store.check_name(name)
    with store.workplace() as place:
        ready = prepare(path, place, progress)
        known = store.by_digest(ready.digest)
        if known is not None:
            return Built(known if name in (None, known.name) else store.rename(known, str(name)), fresh=False)
        make = Make(ready.tree, store.identity(ready.version, ready.digest), jobs, progress)
        make.configure(ready.asked)
        make.compile("linux", "modules")
        tested = make.test()
        progress.step("keeping the kernel")
        kernel = store.Kernel(
            version=ready.version,
            digest=ready.digest,
            name=name or store.identity(ready.version, ready.digest),
            algorithms=tested.algorithms,
            source=ready.source,
            changes=ready.changes,
            compiler=_first_line(["cc", "--version"]),
            built=datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            build_s=round(time.monotonic() - began, 1),
            folder=place,
        )
        return Built(store.keep(kernel, make.results(place)), fresh=True)


@dataclass(frozen=True)
class Prepared:
    """A copy of a source, changed: what it is, and what it is to be configured with."""

    tree: Path
    version: str
    source: str
    changes: tuple[str, ...]
    asked: str
    digest: str


def prepare(
    path: Path, place: Path, progress: Progress, *, more: Sequence[patch.Change] = (), files: Mapping[str, bytes] | None = None
) -> Prepared:
    """Copy a source and change the copy.

    Parameters
    ----------
    path : Path
        A tree or a tarball.
    place : Path
        Where the copy goes, as ``source``.
    progress : Progress
        Told how far it is.
    more : sequence of patch.Change, optional
        Beside those that every kernel gets.
    files : mapping of str to bytes, optional
        Files that are added, by their place in the tree.

    Raises
    ------
    KernelError
        When the source, a tool or a place cannot be used.
    """
    origin = source.locate(path)
    _check_host()
    _check_room(place)
    tree = place / "source"
    tree.mkdir()
    progress.step("copying the source")
    version = source.copy(origin, tree, progress.count)
    progress.step("changing the copy")
    changes = patch.apply(tree, more)
    for done in changes:
        progress.say(f"{done.file}: {done.what} ({done.purpose})")
    for name, content in (files or {}).items():
        (tree / name).write_bytes(content)
    asked = config.wanted(tree, entropy.options(tree))
    made = tuple(f"{done.file}: {done.what}" for done in changes)
    return Prepared(tree, version, str(origin.path), made, asked, source.digest(tree, asked))


def _check_host() -> None:
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        raise KernelError(f"User-Mode Linux runs on Linux on x86-64; this is {platform.system()} on {platform.machine()}")
    absent = [tool for tool in _TOOLS if shutil.which(tool) is None]
    if absent:
        raise KernelError(f"a build needs {', '.join(absent)}; install them (Debian: apt-get install {PACKAGES})")


def _check_room(place: Path) -> None:
    free = shutil.disk_usage(place).free
    if free < ROOM_BYTES:
        raise KernelError(f"{place.parent} has {free / 2**30:.1f} GiB free; a build needs {ROOM_BYTES / 2**30:g} (XDG_CACHE_HOME moves it)")


def _first_line(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()[0] if done.stdout else ""


class Make:
    """The steps that run the kernel's own make, with one log."""

    def __init__(self, tree: Path, identity: str, jobs: int, progress: Progress) -> None:
        self.tree = tree
        self.jobs = jobs
        self.progress = progress
        self.log = cache() / "logs" / f"kernel-{identity}.log"
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.log.write_text("", encoding="utf-8")

    def configure(self, asked: str) -> None:
        """Make ``.config`` and see that it came true."""
        step = "configuring"
        self.progress.step(step)
        self._run(step, "tinyconfig")
        path = self.tree / ".config"
        with path.open("a", encoding="utf-8") as file:
            file.write(asked)
        self._run(step, "olddefconfig")
        absent = config.missing(asked, path.read_text(encoding="utf-8"))
        if absent:
            self.progress.say(f"this tree has no {', '.join(absent)}")

    def compile(self, *targets: str) -> None:
        """Compile and link these of make's targets, the kernel among them."""
        step = "compiling"
        self.progress.step(step)
        counted = 0

        def on_line(line: str) -> None:
            nonlocal counted
            if line.startswith(("  CC ", "  AS ")):
                counted += 1
                self.progress.count(counted)

        # With "modules" the table of what one may use is made, though there are none.
        self._run(step, *targets, on_line=on_line)
        if not (self.tree / "linux").is_file():
            raise BuildFailed(step, self.log, "make made no file `linux`")

    def test(self) -> selftest.SelfTest:
        """Boot what was built, three times."""
        step = "testing the kernel"
        self.progress.step(step)
        tested = selftest.self_test(self.tree / "linux")
        with self.log.open("a", encoding="utf-8") as log:
            log.writelines(f"{check.check}: {'ok' if check.ok else 'FAILED'}: {check.detail}\n" for check in tested.checks)
        bad = next((check for check in tested.checks if not check.ok), None)
        if bad is not None:
            raise BuildFailed(step, self.log, f"{bad.check}: {bad.detail}")
        return tested

    def results(self, place: Path) -> Path:
        """Gather what is kept: the binary, what its modules are compiled against, its configuration, the log."""
        kept_files = place / "kernel"
        kept_files.mkdir()
        against.gather(self.tree, kept_files / store.AGAINST)
        shutil.move(self.tree / "linux", kept_files / "linux")
        shutil.move(self.tree / ".config", kept_files / "config")
        shutil.move(self.log, kept_files / "build.log")
        with suppress(OSError):
            self.log.parent.rmdir()
        return kept_files

    def _run(self, step: str, *targets: str, on_line: Callable[[str], None] = lambda line: None) -> None:
        command = Command(
            program=str(shutil.which("make")),
            arguments=["make", "ARCH=um", f"-j{self.jobs}", *compiler(), *targets],
            environment=environment(),
            cwd=str(self.tree),
            wall_s=_WALL_S_MAX,
            remove=str(self.tree.parent),
        )
        with self.log.open("a", buffering=1, encoding="utf-8") as log, kept(command) as running:
            log.write(f"$ {' '.join(command.arguments)}\n")
            telling = _follow(running.lines(), log, on_line)
            report = running.report()
        if report.code != 0:
            raise BuildFailed(step, self.log, telling)


def _follow(lines: Iterator[str], log: TextIO, on_line: Callable[[str], None]) -> str:
    """Write lines to the log; return the one that says most about a failure: the first that names one, or the last before make ends."""
    telling = last = ""
    for line in lines:
        log.write(f"{line}\n")
        on_line(line)
        of_make = line.startswith("make") and " *** " in line
        telling = telling or (line if _TELLING.search(line) and not of_make and not line.startswith("  ") else last if of_make else "")
        last = line if line.strip() else last
    return (telling or last).strip()[:200]


def compiler() -> list[str]:
    """Return what make is told of the compiler: through ccache where that is installed, so that only what a patch changed is compiled."""
    return [] if shutil.which("ccache") is None else ["CC=ccache gcc"]


def environment() -> dict[str, str]:
    """Return what make sees: nothing of an outer make, and nothing that would make two builds of one source differ.

    The kernel mixes its version string into its generator of random numbers, so that a time of day in it would change every run.
    """
    inherited = {key: os.environ[key] for key in ("PATH", "HOME", "TMPDIR", "CCACHE_DIR") if key in os.environ}
    stamp = {
        "KBUILD_BUILD_TIMESTAMP": "1970-01-01",
        "KBUILD_BUILD_VERSION": "1",
        "KBUILD_BUILD_USER": "windtunnel",
        "KBUILD_BUILD_HOST": "windtunnel",
    }
    return {**inherited, **stamp, "LOCALVERSION": "", "LC_ALL": "C"}
