"""Shared fixtures: the command line in this process, and a small scenario."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest

from windtunnel import pool
from windtunnel.cli import main
from windtunnel.experiment import runner
from windtunnel.progress import Progress

QUICK = ["--rate", "20Mbit", "--rtt", "20ms", "--queue", "50%bdp", "--duration", "3s", "--flow", "reno"]


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a busy machine print no line of progress where a test reads what a command says."""
    monkeypatch.setitem(Progress.__init__.__kwdefaults__, "every_s", 3600.0)


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Forget the modules that a test imported from its own folder: another test's may have their names."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if "pytest-of-" in str(getattr(sys.modules[name], "__file__", None)):
            del sys.modules[name]


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    def call(*arguments: str) -> Outcome:
        code = main(list(arguments))
        out, err = capfd.readouterr()
        return Outcome(code, out, err)

    return call


@pytest.fixture
def quick() -> list[str]:
    return list(QUICK)


@pytest.fixture
def document() -> dict[str, Any]:
    return {
        "rtt": "20ms",
        "duration": "3s",
        "bottleneck": {"rate": "20Mbit", "queue": "50%bdp"},
        "flows": ["reno", {"algorithm": "cubic", "start": "1s"}],
    }


@pytest.fixture
def in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make runs in threads: starting processes would take longer."""

    @contextlib.contextmanager
    def threads(_: int) -> Iterator[ThreadPoolExecutor]:
        with ThreadPoolExecutor(2) as found:
            yield found

    monkeypatch.setattr(runner, "workers", threads)
    monkeypatch.setattr(pool, "kept", threads)
