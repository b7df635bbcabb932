"""Is a built kernel fit for measuring: it boots, its clock and virtual time are right, entropy obeys the seed, two runs are identical."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from windtunnel.backends.linux.config import HZ
from windtunnel.backends.linux.errors import GuestFailed, KernelError
from windtunnel.backends.linux.guest import EPOCH_S, Limits, guest

FIRST_PACKET_S_MAX = 0.5
"""The aim for the wall time from start to the first segment of data, in seconds; a loaded machine may miss it, which is no failure."""

ROUND_TRIP_S = 0.01
"""Of the probe's transfer: 5 ms of netem each way."""

_LIMITS = Limits(wall_s=60.0, memory_bytes=256 << 20)


@dataclass(frozen=True)
class Check:
    """One question of the self-test, and its answer."""

    check: str
    ok: bool
    detail: str


@dataclass(frozen=True)
class SelfTest:
    """The answers, and what was learnt on the way.

    Parameters
    ----------
    checks : tuple of Check
        In order.
    algorithms : tuple of str
        Congestion controls of the kernel.
    first_packet_s : float or None
        Wall time from the start to the first segment of data, the shortest of the runs.
    """

    checks: tuple[Check, ...]
    algorithms: tuple[str, ...] = ()
    first_packet_s: float | None = None

    @property
    def ok(self) -> bool:
        """Whether every check passed."""
        return all(check.ok for check in self.checks)


@dataclass(frozen=True)
class _Probed:
    records: str
    first_packet_s: float | None

    def value(self, key: str) -> str:
        """Return the value of a key that occurs once, an empty string when it is absent."""
        lines = [line for line in self.records.splitlines() if line.startswith(f"{key} ")]
        return lines[0].removeprefix(f"{key} ") if lines else ""


def self_test(kernel: Path) -> SelfTest:
    """Boot a kernel three times, twice with the same seed, and judge what the guests say.

    Parameters
    ----------
    kernel : Path
        The binary.

    Returns
    -------
    SelfTest
        One check after the other; only the boot when that fails.

    Raises
    ------
    KernelError
        When the guests cannot be started at all: no C compiler, no room.
    """
    with tempfile.TemporaryDirectory(prefix="windtunnel-probe-") as folder:
        program = _compiled(Path(folder))
        try:
            first, again, other = (_probe(kernel, program, seed) for seed in (1, 1, 2))
        except GuestFailed as error:
            return SelfTest((Check("boot", False, str(error)),))
    return _judged(first, again, other)


def _compiled(folder: Path) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise KernelError("no C compiler is installed; the self-test needs one (Debian: apt-get install build-essential)")
    program = folder / "probe"
    with as_file(files("windtunnel.backends.linux") / "probe.c") as source:
        done = subprocess.run([compiler, "-O2", "-static", "-o", str(program), str(source)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise KernelError(f"the self-test's guest program cannot be compiled: {said[-1] if said else 'the compiler said nothing'}")
    return program


def _probe(kernel: Path, program: Path, seed: int) -> _Probed:
    began = time.time()
    with guest(kernel, program, {}, seed=seed, limits=_LIMITS) as ended:
        records, mark = ended.folder / "records", ended.folder / "first"
        text = records.read_text(encoding="utf-8", errors="replace") if records.exists() else ""
        first_packet_s = os.stat(mark).st_mtime - began if mark.exists() else None
        return _Probed(text, first_packet_s)


def _judged(first: _Probed, again: _Probed, other: _Probed) -> SelfTest:
    failed = first.value("failed")
    booted = bool(first.value("end"))
    checks = [Check("boot", booted, f"Linux {first.value('release')}" if booted else failed or "the guest halted and recorded nothing")]
    algorithms = tuple(first.value("algorithms").split())
    if booted:
        checks += [_algorithms(algorithms), _clock(first), _virtual_time(first), _seeded(first, other), _identical(first, again)]
    times = [probed.first_packet_s for probed in (first, again, other) if probed.first_packet_s is not None]
    if times:
        missed = "" if min(times) < FIRST_PACKET_S_MAX else f", the aim is {FIRST_PACKET_S_MAX} s"
        checks.append(Check("first packet", True, f"{min(times):.2f} s of wall time after the start{missed}"))
    return SelfTest(tuple(checks), algorithms, min(times, default=None))


def _algorithms(names: tuple[str, ...]) -> Check:
    return Check("algorithms", {"reno", "cubic"} <= set(names), f"{len(names)}: {' '.join(names)}")


def _clock(probed: _Probed) -> Check:
    tick = probed.value("tick_ns")
    # The kernel rounds a tick to what its clock can express, a few nanoseconds.
    right = tick.isdigit() and abs(int(tick) - 1_000_000_000 // HZ) < 1000
    began = probed.value("start").split(".")[0] == str(EPOCH_S)
    return Check("clock", right and began, f"a tick of {tick} ns, started at {probed.value('start')} s")


def _virtual_time(probed: _Probed) -> Check:
    shortest = probed.value("min_rtt_us")
    # A guest's clock has grains of 256 ns, and reading it costs one.
    right = shortest.isdigit() and 0 <= int(shortest) - ROUND_TRIP_S * 1e6 <= 10
    return Check("virtual time", right, f"a round trip of {ROUND_TRIP_S * 1e3:g} ms was measured as {shortest} us")


def _seeded(first: _Probed, other: _Probed) -> Check:
    differ = bool(first.value("random")) and first.value("random") != other.value("random")
    return Check("seed", differ, "another seed gives other entropy" if differ else "another seed gives the same entropy")


def _identical(first: _Probed, again: _Probed) -> Check:
    if first.records == again.records:
        return Check("determinism", True, f"two transfers of {first.value('transferred')} bytes agree to the byte")
    pairs = zip(first.records.splitlines(), again.records.splitlines(), strict=False)
    differing = next((f"{one!r} and {two!r}" for one, two in pairs if one != two), "one is shorter")
    return Check("determinism", False, f"two runs of one seed differ: {differing}")
