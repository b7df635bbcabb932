"""Dask clusters of processes that can be killed one by one."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from windtunnel.store import open_results

# What a worker does before it starts; then it is the worker of Dask's own command line.
WORKER = """
import sys

{before}
from distributed.cli.dask_worker import main

main(sys.argv[1:])
"""
WITHOUT_CORE = """
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


class Cluster:
    """A scheduler and workers, each a process of its own."""

    def __init__(self) -> None:
        self.port = free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.processes: list[subprocess.Popen[bytes]] = []
        self.scheduler = self.start_scheduler()

    def _start(self, arguments: list[str]) -> subprocess.Popen[bytes]:
        # Nothing of the machine's own settings, and no waiting for what does not answer.
        environment = os.environ | {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s"}
        process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        self.processes.append(process)
        return process

    def start_scheduler(self) -> subprocess.Popen[bytes]:
        where = ["--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard"]
        process = self._start([sys.executable, "-m", "distributed.cli.dask_scheduler", *where])

        def is_there() -> bool:
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", self.port)) == 0

        wait_for(is_there, "the scheduler does not start")
        return process

    def start_worker(self, before: str = "", name: str = "") -> subprocess.Popen[bytes]:
        given = [self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "60"]
        given += ["--name", name] if name else []
        return self._start([sys.executable, "-c", WORKER.format(before=before), *given])

    def close(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
        for process in self.processes:
            process.wait()


@contextlib.contextmanager
def cluster() -> Iterator[Cluster]:
    found = Cluster()
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
