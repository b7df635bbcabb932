"""Dask clusters of processes that can be killed one by one."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from forked import Forked, Forks

from windtunnel.store import open_results

# What a worker does before it starts; then it is the worker of Dask's own command line.
WORKER = """
import sys

{before}
from distributed.cli.dask_worker import main

main(sys.argv[1:])
"""
SCHEDULER = """
import sys

from distributed.cli.dask_scheduler import main

main(sys.argv[1:])
"""
# The first line is for a process that was forked of one that has loaded it.
WITHOUT_CORE = """
for name in [name for name in sys.modules if name.partition(".")[0] == "windtunnel"]:
    del sys.modules[name]

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "windtunnel":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
"""
OTHER_ENGINE = """
from windtunnel.backends.sim import Simulator

Simulator.version = lambda self: 1
"""
LONG_S = 90.0
"""A machine may be busy; what is waited for in vain is an error."""


def wait_for(is_reached: object, what: str, limit_s: float = LONG_S) -> None:
    until = time.monotonic() + limit_s
    while not is_reached():  # type: ignore[operator]
        assert time.monotonic() < until, what
        time.sleep(0.01)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


Process = subprocess.Popen[bytes] | Forked


class Cluster:
    """A scheduler and workers, each a process of its own; with `forks` one that is forked."""

    def __init__(self, forks: Forks | None = None) -> None:
        self.forks = forks
        self.port = free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.processes: list[Process] = []
        self.scheduler = self.start_scheduler()

    def _start(self, code: str, *arguments: str) -> Process:
        if self.forks is not None:
            self.processes.append(self.forks.start(code, ["dask", *arguments]))
            return self.processes[-1]
        # Nothing of the machine's own settings, and no waiting for what does not answer.
        environment = os.environ | {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s"}
        command = [sys.executable, "-c", code, *arguments]
        self.processes.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment))
        return self.processes[-1]

    def start_scheduler(self) -> Process:
        process = self._start(SCHEDULER, "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")

        def is_there() -> bool:
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", self.port)) == 0

        wait_for(is_there, "the scheduler does not start")
        return process

    def start_worker(self, before: str = "", name: str = "") -> Process:
        given = [self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "60"]
        given += ["--name", name] if name else []
        return self._start(WORKER.format(before=before), *given)

    def close(self) -> None:
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()


@contextlib.contextmanager
def cluster(forks: Forks | None = None) -> Iterator[Cluster]:
    found = Cluster(forks)
    try:
        yield found
    finally:
        found.close()


def assert_same_results(folder: Path, expected: Path, *, runs: int) -> None:
    """The same table ``pairs`` in every column, the same records of every run, so many of them, and nothing else."""
    ours, theirs = open_results(folder), open_results(expected)
    assert ours.measures("pairs").equals(theirs.measures("pairs"))
    found, wanted = ours.runs.stored(), theirs.runs.stored()
    assert list(found) == list(wanted) and len(found) == runs
    assert [ours.runs.read(found[key]).digest() for key in found] == [theirs.runs.read(wanted[key]).digest() for key in wanted]
    assert sorted(os.listdir(folder / "runs")) == sorted(os.listdir(expected / "runs"))
