"""A guest's life and its ends: it halts, panics, gets stuck, outgrows its memory, loses its parent. Nothing of it is ever left."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from windtunnel.backends.linux import store
from windtunnel.backends.linux.errors import GuestFailed
from windtunnel.backends.linux.guest import Limits, guest

HALT = "sync(); reboot(RB_POWER_OFF); return 0;"
Init = Callable[[str], Path]


def _stuck(escaped: Path) -> str:
    """A guest in which everything waits: virtual time runs on at full speed. Let loose on the host its process would leave a file."""
    touch = 'FILE *f = fopen("{}", "w"); if (f) {{ fputs("x", f); fclose(f); }}'
    return f"for (;;) {{ sleep(1); {{ {touch.format('/tick')} }} {{ {touch.format(escaped)} }} }}"


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    place = tmp_path / "guests"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    yield place
    assert not (tmp_path / "escaped").exists()


@pytest.fixture
def binary(kernel: store.Kernel, tmp_path: Path) -> Path:
    """The kernel under a name of the test's own, so that guests of others beside it are not taken for its guests."""
    own = tmp_path / "linux"
    try:
        os.link(kernel.binary, own)
    except OSError:  # The cache and the folder of the tests are on two disks.
        shutil.copy2(kernel.binary, own)
    return own


def _processes(binary: Path) -> list[int]:
    """Processes of this kernel: the kernel itself, and those of its guest, which share its binary."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.readlink(path / "exe") == str(binary):
                found.append(int(path.name))
    return found


def _await(condition: Callable[[], object], within_s: float = 30.0) -> None:
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_files_go_in_and_come_out(binary: Path, init: Init, _temporary: Path) -> None:
    program = init(f'char s[99] = ""; fgets(s, 99, fopen("/plan", "r")); FILE *f = fopen("/records", "w"); fputs(s, f); fclose(f); {HALT}')
    with guest(binary, program, {"plan": b"a plan\n"}, seed=1) as ended:
        assert (ended.folder / "records").read_bytes() == b"a plan\n"
        assert ended.report.code == 0 and ended.report.cpu_s > 0
    assert list(_temporary.iterdir()) == [] and _processes(binary) == []


def test_a_guest_sees_its_folder_and_nothing_else_of_the_host(binary: Path, init: Init) -> None:
    outside = Path(__file__).resolve()
    paths = f'"{outside}", "../{outside}", "/../../../../../../../..{outside}"'
    body = f'char *p[] = {{{paths}}}; struct stat s; FILE *f = fopen("/seen", "w");'
    body += 'for (int i = 0; i < 3; i++) fprintf(f, "%d", stat(p[i], &s));'
    with guest(binary, init(f"{body} fclose(f); {HALT}"), {}, seed=1) as ended:
        assert (ended.folder / "seen").read_text() == "-1-1-1"


def test_a_panic_shows_its_last_lines(binary: Path, init: Init, _temporary: Path) -> None:
    with pytest.raises(GuestFailed) as failed, guest(binary, init("return 3;"), {}, seed=1):
        pass
    assert failed.value.reason == "the guest panicked"
    assert "Attempted to kill init! exitcode=0x00000300" in failed.value.lines[-1]
    assert list(_temporary.iterdir()) == [] and _processes(binary) == []


def test_a_stuck_guest_is_killed_when_its_time_is_over(binary: Path, init: Init, _temporary: Path) -> None:
    began, program = time.monotonic(), init(_stuck(_temporary.parent / "escaped"))
    with pytest.raises(GuestFailed, match="had not ended after 1 s"), guest(binary, program, {}, seed=1, limits=Limits(1.0)):
        pass
    assert time.monotonic() - began < 20
    assert list(_temporary.iterdir()) == [] and _processes(binary) == []


def test_a_guest_that_outgrows_its_memory_fails(binary: Path, init: Init, _temporary: Path) -> None:
    program = init("for (;;) { char *p = malloc(1 << 20); if (!p) return 9; memset(p, 1, 1 << 20); }")
    with pytest.raises(GuestFailed, match="panicked"), guest(binary, program, {}, seed=1, limits=Limits(60.0, 64 << 20)):
        pass
    assert list(_temporary.iterdir()) == [] and _processes(binary) == []


def test_guests_run_side_by_side_without_seeing_each_other(binary: Path, init: Init) -> None:
    program = init(f'FILE *f = fopen("/records", "w"); fputs(getenv("none") ? "" : "mine", f); fclose(f); {HALT}')

    def one(seed: int) -> str:
        with guest(binary, program, {}, seed=seed) as ended:
            return (ended.folder / "records").read_text()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(one, range(8))) == ["mine"] * 8
    assert _processes(binary) == []


# A shell's background jobs begin with Ctrl-C ignored, and so would everything started from there.
PARENT = """
import signal, sys, tempfile
signal.signal(signal.SIGINT, signal.default_int_handler)
from pathlib import Path
from windtunnel.backends.linux.guest import Limits, guest
tempfile.tempdir = sys.argv[3]
with guest(Path(sys.argv[1]), Path(sys.argv[2]), {}, seed=1, limits=Limits(600.0)):
    pass
"""


@contextlib.contextmanager
def _parent(binary: Path, program: Path, place: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process whose guest runs."""
    command = [sys.executable, "-c", PARENT, str(binary), str(program), str(place)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as parent:
        try:
            _await(lambda: list(place.glob("*/tick")))
            yield parent
        finally:
            parent.kill()


def _children(pid: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(path.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(path.parent.name))
    return found


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_when_the_parent_is_killed(binary: Path, init: Init, _temporary: Path, number: signal.Signals) -> None:
    with _parent(binary, init(_stuck(_temporary.parent / "escaped")), _temporary) as parent:
        parent.send_signal(number)
        parent.wait(30)
    _await(lambda: not _processes(binary))
    _await(lambda: not list(_temporary.iterdir()))


def test_no_process_is_left_when_the_keeper_is_killed(binary: Path, init: Init, _temporary: Path) -> None:
    """The keeper's own violent end is the kernel's: its guest's processes must not go on as processes of the host."""
    with _parent(binary, init(_stuck(_temporary.parent / "escaped")), _temporary) as parent:
        (keeper,) = _children(parent.pid)
        os.kill(keeper, signal.SIGKILL)
        assert parent.wait(30) != 0
    _await(lambda: not _processes(binary))
    assert list(_temporary.iterdir()) == []
