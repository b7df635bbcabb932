"""What breaks during a run of the backend `live`: one line, and nothing left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hosts import path
from leftover import left_behind, new_since, ours

from windtunnel.backends.live import backend as live
from windtunnel.backends.live import orders
from windtunnel.backends.live.errors import LiveError
from windtunnel.live import proof
from windtunnel.live.namespaces import Host

RTM_DELLINK = 17
VANISH = f"""
import ctypes, os, socket, sys
from windtunnel.live.netlink import Netlink, _link
own = os.open(f"/proc/{{sys.argv[1]}}/ns/net", os.O_RDONLY)
assert ctypes.CDLL(None).setns(own, 0x40000000) == 0
Netlink()._ask({RTM_DELLINK}, _link(index=socket.if_nametoindex("host0")))
"""
FULL = """
import ctypes, os, sys
from windtunnel import cli
libc = ctypes.CDLL(None, use_errno=True)
assert libc.unshare(0x00020000) == 0
assert libc.mount(None, b"/", None, 0x44000, None) == 0  # private, all of it
assert libc.mount(b"tmpfs", sys.argv[1].encode(), b"tmpfs", 0, b"size=16k") == 0
from windtunnel.backends.live import validity
validity.PAUSED_MOST = validity.STEAL_MOST = 1.0
arguments = ["run", "--backend", "live", "--rate", "5Mbit", "--rtt", "20ms", "--flow", "cubic", "--duration", "2s"]
sys.exit(cli.main([*arguments, "--out", sys.argv[1] + "/run"]))
"""


STEPPING = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
/* The real-time clock as it would be read had somebody set it a second after the program began. */
int clock_gettime(clockid_t which, struct timespec *at)
{
	static int (*own)(clockid_t, struct timespec *);
	static struct timespec first;
	struct timespec now;
	int failed;

	if (!own)
		own = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	failed = own(which, at);
	own(CLOCK_MONOTONIC, &now);
	if (!first.tv_sec)
		first = now;
	if (which == CLOCK_REALTIME && now.tv_sec > first.tv_sec + 1)
		at->tv_sec += atoi(getenv("STEP_S"));
	return failed;
}
"""


def labs() -> list[int]:
    """Processes of our live runs, the ones that were started first first."""
    found = []
    for process in ours():
        try:
            words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[1:3] == [b"-m", b"windtunnel.live.lab"]:
            found.append(process)
    return found


def running(seconds: float = 30.0) -> tuple[threading.Thread, list[str], list[int]]:
    """A run in a thread, after its router was forked; with what it will have said, and its processes."""
    given, said, before = orders.make(path().model_copy(update={"duration_s": seconds}), proof=False), [], set(labs())

    def run() -> None:
        try:
            live._ran(given, seconds)
            said.append("no error")
        except LiveError as error:
            said.append(str(error))

    thread = threading.Thread(target=run)
    thread.start()
    until = time.monotonic() + 20
    while len(set(labs()) - before) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(1.0)
    return thread, said, sorted(set(labs()) - before)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root enters another process's namespace")
def test_a_device_that_vanishes_ends_the_run_with_one_line() -> None:
    before = left_behind()
    thread, said, processes = running()
    subprocess.run([sys.executable, "-c", VANISH, str(processes[0])], check=True)
    thread.join(timeout=10)
    assert not thread.is_alive()
    assert len(said) == 1
    assert said[0].startswith("live: ")
    assert "device" in said[0]
    assert "\n" not in said[0]
    assert new_since(before) == {}


def test_a_router_that_dies_ends_the_run_with_one_line() -> None:
    before = left_behind()
    thread, said, processes = running()
    # The router was forked by the process of the run.
    os.kill(processes[-1], signal.SIGKILL)
    thread.join(timeout=10)
    assert said == ["live: the router's process ended"]
    assert new_since(before) == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a small disk")
def test_a_full_disk_is_one_line_and_nothing_is_written(tmp_path: Path) -> None:
    before = left_behind()
    ended = subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=False)
    assert ended.returncode == 2, ended
    assert "No space left on device" in ended.stderr.splitlines()[-1]
    assert "Traceback" not in ended.stderr
    assert new_since(before) == {}


@pytest.mark.parametrize("step_s", [3600, -3600])
def test_a_run_goes_on_when_the_clock_is_set_during_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step_s: int) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    (tmp_path / "step.c").write_text(STEPPING)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(tmp_path / "step.so"), str(tmp_path / "step.c"), "-ldl"], check=True)
    given = path().model_copy(update={"duration_s": 4.0})
    monkeypatch.setenv("LD_PRELOAD", str(tmp_path / "step.so"))
    monkeypatch.setenv("STEP_S", str(step_s))
    answer, _ = live._ran(orders.make(given, proof=False), given.duration_s)
    monkeypatch.delenv("LD_PRELOAD")
    times_s = [row[0] * 1e-9 for row in answer["rows"]]
    assert times_s == sorted(times_s)
    assert 3.5 < times_s[-1] < 8.0
    assert answer["router"]["end_ns"] == pytest.approx(4e9, rel=0.01)
    (link, _) = answer["router"]["links"]
    assert link["utilisation"] > 0.8


def test_a_proof_during_which_the_clock_is_set_is_made_again_and_then_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = iter([0, 3_600_000_000_000, *[0] * 100])
    made: list[int] = []

    class Routed:
        def begin(self, spec: object, begin_ns: int) -> None:
            made.append(begin_ns)

        def stop(self) -> dict[str, object]:
            return {"stalls": [], "end_ns": 1, "late_us_p50": None}

    class Nothing:
        def __init__(self, host: object) -> None:
            pass

        def drain(self) -> list[object]:
            return []

        def close(self) -> None:
            pass

    ahead = [0]

    def real() -> int:
        ahead[0] += next(steps)
        return time.monotonic_ns() + ahead[0]

    monkeypatch.setattr(proof.time, "time_ns", real)
    monkeypatch.setattr(proof, "Receiver", Nothing)
    monkeypatch.setattr(proof, "send", lambda *_: None)
    host = Host(0, "10.77.0.1", 1, b"")
    spec = {"forward": {"rate_bps": 1e9}, "flows": [{"rtt_ns": 0}]}
    proof.prove(Routed(), (host, host), spec, 1000)  # type: ignore[arg-type]
    assert len(made) == 2
    steps = iter([0, 3_600_000_000_000] * 10)
    with pytest.raises(proof.ClockSet, match="the machine's clock was set during each of 3 proofs"):
        proof.prove(Routed(), (host, host), spec, 1000)  # type: ignore[arg-type]
