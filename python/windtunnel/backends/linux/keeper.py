"""Keep one command: its limits, its group of processes, its end. A program of its own, started by `kept`, of the standard library.

It reads its orders from the first line of its standard input and stays until the command ends, the time is over, or the input closes
because the parent is gone, however that died. Then it kills the command's whole group at once and removes what it was told to. A guest's
processes must never outlive their kernel: they would go on as processes of the host.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import sys
import time

_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 24, 38
_ADDR_NO_RANDOMIZE = 0x0040000
# Reading and searching folders of others, so that root can use a user's cache; nothing else of root's powers reaches the command.
_KEPT_CAPABILITIES = (1, 2)


def _contain(orders: dict[str, object], libc: ctypes.CDLL) -> None:
    """Set the limits of the process that becomes the command."""
    os.setsid()
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if orders.get("fixed_addresses"):
        libc.personality(_ADDR_NO_RANDOMIZE)
    if orders.get("powerless"):
        for capability in range(64):
            if capability not in _KEPT_CAPABILITIES:
                libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _start(orders: dict[str, object], libc: ctypes.CDLL) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        _contain(orders, libc)
        os.chdir(str(orders["cwd"]))
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        os.execve(str(orders["program"]), list(orders["arguments"]), dict(orders["environment"]))  # type: ignore[call-overload]
    except BaseException as error:
        os.write(2, f"cannot start {orders['program']}: {error}\n".encode())
    os._exit(127)


def _kill_group(pid: int) -> None:
    # The group first, and at once; the process alone is for the moment before it has made its group.
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)


def _watch(pid: int, wall_s: float) -> str:
    """Wait, and return why the waiting ended: ``ended``, ``late`` or ``abandoned``."""
    poll = select.poll()
    process = os.pidfd_open(pid)
    poll.register(process, select.POLLIN)
    poll.register(0, select.POLLIN | select.POLLHUP)
    deadline = time.monotonic() + wall_s
    while True:
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            return "late"
        for descriptor, _ in poll.poll(min(left_s, 3600.0) * 1000):
            if descriptor == process:
                return "ended"
            if not os.read(0, 4096):
                return "abandoned"


def main() -> None:
    """Do what the first line of the input says."""
    # A terminal's signals reach the parent too, and the end of the input decides.
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    line = b""
    while not line.endswith(b"\n"):
        part = os.read(0, 65536)
        if not part:
            return
        line += part
    orders = json.loads(line)
    began = time.monotonic()
    pid = _start(orders, ctypes.CDLL(None, use_errno=True))
    try:
        why = _watch(pid, float(orders["wall_s"]))
    finally:
        _kill_group(pid)
    _, status, usage = os.wait4(pid, 0)
    report = {
        "why": why,
        "code": os.waitstatus_to_exitcode(status),
        "wall_s": time.monotonic() - began,
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "peak_bytes": usage.ru_maxrss * 1024,
    }
    if why == "abandoned" and orders.get("remove"):
        import shutil

        shutil.rmtree(str(orders["remove"]), ignore_errors=True)
    with contextlib.suppress(OSError):
        os.write(int(sys.argv[1]), json.dumps(report).encode())


if __name__ == "__main__":
    main()
