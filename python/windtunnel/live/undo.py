"""What a host was before: changes of a machine that lasts are undone by a process of its own, however the one that made them ends."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from typing import Any

from windtunnel.live import netlink


class Undo:
    """A process that undoes changes, the last first, when its starter says so or ends.

    Parameters
    ----------
    keep : int
        A descriptor that it keeps open.
    """

    def __init__(self, keep: int) -> None:
        read, self._write = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            try:
                os.close(self._write)
                _detach(read, keep)
                failed = _undone(read)
            except BaseException:  # Nothing of the starting process is to run here.
                failed = 1
            os._exit(min(failed, 100))
        os.close(read)

    def later(self, kind: str, *what: Any) -> None:
        """Note how a change is undone.

        Parameters
        ----------
        kind : str
            ``sysctl`` (path below /proc/sys, value), ``offload`` (device, name) to switch it on, ``run`` (words of a command).
        *what
            See `kind`.
        """
        os.write(self._write, json.dumps([kind, *what]).encode() + b"\n")

    def now(self) -> int:
        """Undo everything, and return how much of it failed."""
        os.close(self._write)
        _, status = os.waitpid(self._process, 0)
        return os.waitstatus_to_exitcode(status)


def _detach(read: int, keep: int) -> None:
    """Be no part of the connection by which the starter came: a session of its own, no signals, no descriptors."""
    os.setsid()
    for one in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(one, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
    for number in map(int, os.listdir("/proc/self/fd")):
        if number > 2 and number not in (read, keep):
            with contextlib.suppress(OSError):
                os.close(number)


def _undone(read: int) -> int:
    with open(read, "rb") as lines:
        steps = [json.loads(line) for line in lines]
    failed = 0
    for kind, *what in reversed(steps):
        try:
            if kind == "sysctl":
                with open(f"/proc/sys/{what[0]}", "w", encoding="ascii") as file:
                    file.write(what[1])
            elif kind == "offload":
                netlink.switch(what[0], what[1], on=True)
            else:
                subprocess.run(what[0], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            failed += 1
    return failed
