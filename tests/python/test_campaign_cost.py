"""The model of a campaign's cost against what bounds it, and the page that is made of it."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("campaign_bench", ROOT / "benches/campaign.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["campaign_bench"] = module
    spec.loader.exec_module(module)
    return module


def test_the_slower_of_command_and_scheduler_bounds_what_workers_can_do(bench: ModuleType) -> None:
    # A command of 4 ms a run, a scheduler of 2: 100 workers could make 1000 runs of 0.1 s a second, and 250 are stored.
    costs = {"command_task_s": 0.001, "command_run_s": 0.003, "scheduler_run_s": 0.0, "command_alone_s": 0.004}
    model = bench.Model(**costs, scheduler_task_s=0.002, scheduler_alone_s=0.002)
    assert model.efficiency(100, 0.1, 100) == pytest.approx(0.25, rel=0.02)
    # With a scheduler of 5 ms it is the scheduler: 200.
    slow = bench.Model(**costs, scheduler_task_s=0.005, scheduler_alone_s=0.005)
    assert slow.efficiency(100, 0.1, 100) == pytest.approx(0.2, rel=0.02)
    # Runs of ten seconds are bound by neither: what is lost is the ramp at both ends, 100 times some ms of 1000 s.
    assert 0.999 < model.efficiency(100, 10.0, 100) < 1.0
    # Twenty runs of a task share its cost: 3.05 ms each.
    assert model.efficiency(100, 0.1, 200, together=20) == pytest.approx(0.1 / 0.305, rel=0.05)


def test_the_model_puts_as_many_runs_into_a_task_as_a_campaign_does(bench: ModuleType) -> None:
    for workers, run_s in ((4, 0.1), (100, 0.1), (100, 1.0), (1000, 1.0), (1000, 10.0), (1000, 0.05)):
        tasks = [SimpleNamespace(job=SimpleNamespace(weight=run_s * bench.PACKETS_S))] * (workers * bench.EACH)
        assert bench.together(workers, run_s) == len(bench.away._batches(tasks, workers)[0]), (workers, run_s)


def test_the_page_is_of_what_was_measured_and_reaches_what_is_asked_for(bench: ModuleType) -> None:
    model = bench.Model(**json.loads(bench.KEPT.read_text(encoding="utf-8"))["costs"])
    assert bench.expected(model, 1000, 10.0) >= bench.LEAST_EFFICIENCY
    page = bench.PAGE.read_text(encoding="utf-8")
    assert f"| {model.command_task_s * 1e3:.2f} | {model.command_run_s * 1e3:.2f} |" in page
