"""What breaks during a run of the backend `live`: one line, and nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hosts import path
from leftover import left_behind, soon

from windtunnel.backends.live import backend as live
from windtunnel.backends.live import orders
from windtunnel.backends.live.errors import LiveError

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


def labs() -> list[int]:
    """Processes of live runs, the ones that were started first first."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[1:3] == [b"-m", b"windtunnel.live.lab"]:
            found.append(int(process.name))
    return sorted(found)


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
    assert soon(before) == before


def test_a_router_that_dies_ends_the_run_with_one_line() -> None:
    before = left_behind()
    thread, said, processes = running()
    # The router was forked by the process of the run.
    os.kill(processes[-1], signal.SIGKILL)
    thread.join(timeout=10)
    assert said == ["live: the router's process ended"]
    assert soon(before) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a small disk")
def test_a_full_disk_is_one_line_and_nothing_is_written(tmp_path: Path) -> None:
    before = left_behind()
    ended = subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=False)
    assert ended.returncode == 2, ended
    assert "No space left on device" in ended.stderr.splitlines()[-1]
    assert "Traceback" not in ended.stderr
    assert soon(before) == before
