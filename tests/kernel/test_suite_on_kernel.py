"""A suite's experiment on a built kernel and in the simulator, into one results folder."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from windtunnel import experiment
from windtunnel.backends.linux import store
from windtunnel.experiment import Draws, Experiment, Measure, Point, Scale, runner
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.store import Results, writing_results

PACKETS_S = 10e6 / 12_000


def alone(point: Point, draws: Draws) -> Scenario:
    """One flow for 30 s with a queue of two BDP, on the stack of 2007."""
    start_s = round(0.1 * draws.uniform("start"), 6)
    return Scenario(
        bottleneck=Bottleneck(rate_bps=10e6, queue_packets=70),
        flows=(Flow(algorithm=point["alg"], rtt_s=0.042, start_s=start_s),),
        duration_s=30.0,
        warmup_s=start_s + 10,
        sample_s=0.1,
        profile="altaimd-2.6.6",
    )


EXPERIMENT = Experiment(
    id="t.alone",
    title="Alone",
    question="Does a flow fill the link?",
    source="none",
    points={"alg": ("reno", "fast")},
    scenario=alone,
    measures=(Measure("util"),),
    repeats=2,
)


@contextlib.contextmanager
def here(_: int) -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def execute(results: Results, backend: str) -> experiment.Plan:
    made = experiment.plan([EXPERIMENT], Scale(), backend=backend)
    experiment.execute(made, results, jobs=1, command="t {id}", on_step=lambda _: None)
    return made


def test_an_experiment_is_run_on_both_into_one_folder(kernel: store.Kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "workers", here)
    with writing_results(tmp_path / "results") as results:
        execute(results, "sim")
        made = execute(results, "linux")
        assert made.backend == f"linux:{kernel.digest}"
        assert [(one.where, one.reason) for one in made.left_out["t.alone"]] == [("alg=fast", "no Linux kernel has fast")]
        sim, linux = (results.measures("t.alone", name) for name in ("sim", "linux"))
        assert sim["alg"].to_list() == ["reno", "reno", "fast", "fast"] and linux["alg"].to_list() == ["reno", "reno"]
        # Half of a full pipe of three BDP is more than one: the queue is never empty. The window's ends round off a packet or two.
        assert all(value > 1 - 2 / (19.9 * PACKETS_S) for value in linux["value"])
        assert linux["digest"].n_unique() == 2  # Another start, another run.
        before = {path: path.stat().st_mtime_ns for path in (tmp_path / "results" / "runs").rglob("*")}
        assert len(results.runs.stored()) == 6
        execute(results, "linux")
        assert {path: path.stat().st_mtime_ns for path in (tmp_path / "results" / "runs").rglob("*")} == before
        declared = results.declaration("t.alone", "linux")
        assert declared["backend_title"].startswith(f"Linux {kernel.version}")
        assert declared["left_out"] == [{"at": {"alg": ["fast"]}, "reason": "no Linux kernel has fast"}]
