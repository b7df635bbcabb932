"""Processes forked from one that has loaded everything: to start a Dask worker anew takes two seconds of a processor, a fork hundredths."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

# Each line asks for a process, or for the exit code of one. Who ends stays until it is asked for, so that its number is no other's.
PROGRAM = """
import json, os, sys

import distributed.cli.dask_scheduler, distributed.cli.dask_worker
import pytest
import windtunnel, windtunnel.campaign.fitness, windtunnel.experiment.away, windtunnel.experiment.runner, windtunnel.sweeps

def begin(code, arguments):
    sys.argv = arguments
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nowhere, number)
    ended = 1
    try:
        exec(code, {"__name__": "__main__"})
        ended = 0
    except SystemExit as end:
        ended = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        os._exit(ended)

for line in sys.stdin:
    asked = json.loads(line)
    if "code" in asked:
        answer = os.fork()
        if answer == 0:
            begin(asked["code"], asked["arguments"])
    else:
        found, status = os.waitpid(asked["ended"], os.WNOHANG)
        answer = os.waitstatus_to_exitcode(status) if found else None
    print(json.dumps(answer), flush=True)
"""


class Forks:
    """The process that is forked; those forked of it outlive it."""

    def __init__(self) -> None:
        # Nothing of the machine's own settings, and no waiting for what does not answer.
        environment = os.environ | {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s", "PYTHONPATH": str(Path(__file__).parent)}
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self._one_at_a_time = threading.Lock()

    def ask(self, **asked: Any) -> Any:
        with self._one_at_a_time:
            assert self._process.stdin is not None and self._process.stdout is not None
            self._process.stdin.write(json.dumps(asked) + "\n")
            self._process.stdin.flush()
            return json.loads(self._process.stdout.readline())

    def start(self, code: str, arguments: list[str]) -> Forked:
        """Execute code in a process of its own, as a program with these arguments; the first is its name."""
        return Forked(self, self.ask(code=code, arguments=arguments))

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


class Forked:
    """What is used of `subprocess.Popen`, of a process that another has forked."""

    def __init__(self, forks: Forks, pid: int) -> None:
        self._forks = forks
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        if self.returncode is None:
            self.returncode = self._forks.ask(ended=self.pid)
        return self.returncode

    def kill(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self, timeout: float = 60.0) -> int:
        until = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout)
            time.sleep(0.01)
        return code
