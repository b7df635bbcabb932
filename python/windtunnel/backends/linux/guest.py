"""One guest: a kernel started on a folder of its own, within limits, gone without a trace afterwards."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from windtunnel.backends.linux.entropy import SEED_VARIABLE
from windtunnel.backends.linux.errors import GuestFailed, KernelError
from windtunnel.backends.linux.kept import Command, Report, kept

EPOCH_S = 1_700_000_000
"""The guest's wall clock at its start, in seconds since 1970."""

_SHOWN_LINES = 12
_KEPT_LINES = 200
_MOUNT_POINTS = ("dev", "proc", "sys")


@dataclass(frozen=True)
class Limits:
    """What a guest may use.

    Parameters
    ----------
    wall_s : float
        Seconds of wall time; then it is killed. A guest in which everything waits runs on to the end of time.
    memory_bytes : int
        The guest's whole memory.
    """

    wall_s: float = 60.0
    memory_bytes: int = 512 << 20


@dataclass(frozen=True)
class Ended:
    """A guest that ended by itself.

    Parameters
    ----------
    folder : Path
        Its root folder with what it wrote, there until the block is left.
    lines : tuple of str
        The last lines it printed.
    report : Report
        Its cost.
    """

    folder: Path
    lines: tuple[str, ...]
    report: Report


def arguments(limits: Limits, extra: Sequence[str] = ()) -> list[str]:
    """Return the kernel's command line.

    The kernel mixes this line into its generator of random numbers: it names neither user nor place, and all that a run is about goes
    into files. `extra` holds parameters of the kernel's modules, some of which can be set at boot only; they change the random numbers.
    """
    return [
        "linux",
        f"mem={limits.memory_bytes >> 20}M",
        "root=none",
        "rootfstype=hostfs",
        "hostfs=.",
        "rootflags=/",
        "rw",
        "con=null",
        "con0=null,fd:1",
        "ssl=null",
        "panic=-1",
        "time-travel=inf-cpu",
        f"time-travel-start={EPOCH_S}000000000",
        *extra,
        "init=/init",
    ]


@contextlib.contextmanager
def guest(
    kernel: Path, init: Path, contents: Mapping[str, bytes], *, seed: int, limits: Limits | None = None, extra: Sequence[str] = ()
) -> Iterator[Ended]:
    """Run a guest to its end and give the folder it left.

    Its root is a new folder that holds ``init``, the files given and empty mount points; it sees nothing else of the host.

    Parameters
    ----------
    kernel : Path
        A kernel built by ours.
    init : Path
        A static program, the guest's only one.
    contents : mapping of str to bytes
        Files of the root folder, by name.
    seed : int
        Of the guest's entropy, 0 to 2^64 - 1.
    limits : Limits, optional
        Wall time and memory.
    extra : sequence of str, optional
        Further arguments of the kernel, see `arguments`.

    Yields
    ------
    Ended
        The folder and the last lines.

    Raises
    ------
    KernelError
        When the folder cannot be made: a full disk, no permission.
    GuestFailed
        When it panicked, died, or had to be killed; with its last lines.
    """
    limits = limits or Limits()
    with _root() as folder:
        try:
            for name in _MOUNT_POINTS:
                (folder / name).mkdir()
            for name, content in contents.items():
                (folder / name).write_bytes(content)
            shutil.copyfile(init, folder / "init")
            (folder / "init").chmod(0o755)
        except OSError as error:
            raise KernelError(f"{folder}: a guest's folder cannot be written: {error.strerror}") from None
        command = Command(
            program=str(kernel),
            arguments=arguments(limits, extra),
            # Without a home of its own the kernel leaves a folder in the user's.
            environment={SEED_VARIABLE: str(seed), "HOME": ".", "TMPDIR": _memory_folder(limits.memory_bytes)},
            cwd=str(folder),
            wall_s=limits.wall_s,
            fixed_addresses=True,
            powerless=True,
            remove=str(folder),
        )
        last: deque[str] = deque(maxlen=_KEPT_LINES)
        with kept(command) as running:
            for line in running.lines():
                last.append(line[:400])
            report = running.report()
        _judge(report, tuple(last), limits)
        yield Ended(folder, tuple(last), report)


@contextlib.contextmanager
def _root() -> Iterator[Path]:
    try:
        folder = Path(tempfile.mkdtemp(prefix="windtunnel-guest-"))
    except OSError as error:
        raise KernelError(f"{tempfile.gettempdir()}: a guest's folder cannot be made: {error.strerror}") from None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _memory_folder(memory_bytes: int) -> str:
    """Return where the guest's memory lies: shared memory, or its own folder where that is too small, as in many containers."""
    try:
        shared = os.statvfs("/dev/shm")
    except OSError:
        return "."
    roomy = shared.f_bavail * shared.f_frsize >= memory_bytes
    return "/dev/shm" if roomy and not shared.f_flag & os.ST_NOEXEC and os.access("/dev/shm", os.W_OK) else "."


def _judge(report: Report, lines: tuple[str, ...], limits: Limits) -> None:
    """Raise `GuestFailed` unless the guest halted, or ended by itself without an error."""
    shown = lines[-_SHOWN_LINES:]
    panic = next((index for index, line in enumerate(lines) if "Kernel panic" in line), None)
    if panic is not None:
        # What comes after a panic is registers.
        raise GuestFailed("the guest panicked", lines[max(0, panic - 4) : panic + 1])
    if report.why == "late":
        raise GuestFailed(f"the guest was killed: it had not ended after {limits.wall_s:g} s of wall time", shown)
    # A kernel that has halted has written everything; its process was once seen to abort after that.
    halted = any("reboot: System halted" in line for line in lines)
    if report.code != 0 and not (halted and report.code == -signal.SIGABRT):
        how = f"was killed by signal {-report.code}" if report.code < 0 else f"ended with exit code {report.code}"
        raise GuestFailed(f"the guest {how}", shown)
