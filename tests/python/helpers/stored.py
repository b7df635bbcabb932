"""A results folder to test on, and how its refusals are read."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from windtunnel.backends import backend
from windtunnel.records import Records
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.store import writing_results

KEY = "0" * 32
DECLARATION: dict[str, Any] = {
    "title": "T",
    "question": "Q?",
    "source": "S",
    "command": "C",
    "scale": "paper",
    "backend": "sim",
    "backend_version": 1,
    "repeats": 1,
    "parameters": [["rate", "10 Mbit/s"]],
    "points": {"alg": ["reno"]},
    "figures": [],
    "notes": [],
}
MEASURES = pl.DataFrame({"alg": ["reno", "reno"], "seed": [1, 2], "metric": ["util", "util"], "value": [0.5, None], "run": [KEY, "1" * 32]})


@pytest.fixture(scope="module")
def run() -> Records:
    flows = (Flow(algorithm="reno", rtt_s=0.02), Flow(algorithm="htcp", rtt_s=0.02, start_s=0.5))
    return backend("sim").run(Scenario(bottleneck=Bottleneck(rate_bps=10e6, queue_packets=10), flows=flows, duration_s=2.0, sample_s=0.1))


@pytest.fixture(scope="module")
def stored_folder(tmp_path_factory: pytest.TempPathFactory, run: Records) -> Path:
    path = tmp_path_factory.mktemp("written") / "results"
    with writing_results(path) as results:
        results.runs.write(KEY, run, "rates")
        results.store_experiment("t.one", DECLARATION, MEASURES)
        results.store_facts({"suites": ["t"], "order": ["t.one"], "facts": [["version", "1"]], "findings": []})
    return path


@pytest.fixture
def folder(tmp_path: Path, stored_folder: Path) -> Path:
    """A results folder with one experiment of two rows and one run."""
    return Path(shutil.copytree(stored_folder, tmp_path / "results"))


def one_line(caught: pytest.ExceptionInfo[Exception], *parts: object) -> None:
    text = str(caught.value)
    assert "\n" not in text and len(text) < 500, text
    for part in parts:
        assert str(part) in text, text


def tree(path: Path) -> dict[str, bytes]:
    return {str(entry.relative_to(path)): entry.read_bytes() for entry in sorted(path.rglob("*")) if entry.is_file()}
