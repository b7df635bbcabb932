"""Experiments: every run once, every cell measured once, nothing lost that was finished."""

from __future__ import annotations

import contextlib
import json
import math
import multiprocessing
import os
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tries import raised

from windtunnel.backends.sim import Simulator
from windtunnel.experiment import Draws, Experiment, Measure, Plan, Point, Quick, Scale, Step, WorkerLost, execute, plan, runner
from windtunnel.metrics import View
from windtunnel.metrics.version import MEASURES_VERSION
from windtunnel.plots.declared import Curves, from_json
from windtunnel.pool import workers
from windtunnel.records import Records
from windtunnel.scenario import Bottleneck, Flow, Scenario, ScenarioError, digest
from windtunnel.store import KEPT, Results, ResultsError, RunStore, open_results, writing_results

COMMAND = "windtunnel suite run {id}"
TEXTS = dict.fromkeys(("metric", "flow", "state"), pl.String)
COLUMNS = {"seed": pl.Int64, **TEXTS, "t0": pl.Float64, "t1": pl.Float64, "value": pl.Float64, "text": pl.String, "run": pl.String}
COLUMNS["digest"] = pl.String


def pair(point: Point, draws: Draws) -> Scenario:
    """Two flows of the point's protocol over 10 Mbit/s for 2 s, the second from a random start within the first."""
    start_s = round(draws.uniform("start of flow 2"), 3)
    flows = (
        Flow(algorithm=point["alg"], rtt_s=point["rtt"] * 1e-3),
        Flow(algorithm=point["alg"], rtt_s=point["rtt"] * 1e-3, start_s=start_s),
    )
    return Scenario(bottleneck=Bottleneck(rate_bps=10e6, queue_packets=20), flows=flows, duration_s=2.0, warmup_s=1.5, sample_s=0.1)


def name_of_first_flow(view: View) -> float | None:
    return float(len(view.records.flows["algorithm"][0]))


def nothing(_: View) -> float | None:
    return None


def not_a_number(_: View) -> float | None:
    return math.nan


SECOND = Measure("thr_mbps", flow="2", t0=1.0, t1=2.0)
# The default window begins 10 s after flow 2, so in 2 s the throughput has no value; a flow that does not converge in time takes forever.
MEASURES = (SECOND, Measure("thr_mbps"), Measure("conv80_s"), Measure("drops_pkts"))
FIGURE = Curves("f", "F", metric="thr_mbps", x="rtt", x_label="RTT (ms)", y_label="Throughput (Mbit/s)")


def made(id: str = "t.pair", **changed: Any) -> Experiment:
    default: dict[str, Any] = {
        "title": "Pairs",
        "question": "Who wins?",
        "source": "Fig. 0",
        "points": {"alg": ("reno", "htcp"), "rtt": (10, 20)},
        "scenario": pair,
        "measures": MEASURES,
        "figures": (FIGURE,),
        "repeats": 2,
        "kept": "rates",
    }
    return Experiment(id=id, **{**default, **changed})


class Bench:
    """A results folder, what was run into it, and what progress was told."""

    def __init__(self, folder: Path, ran: list[Scenario]) -> None:
        self.folder = folder
        self.ran = ran
        self.steps: list[Step] = []

    def __call__(self, *experiments: Experiment, scale: Scale | None = None, jobs: int = 1) -> Results:
        self.ran.clear()
        self.steps.clear()
        with writing_results(self.folder) as results:
            execute(plan(experiments, scale or Scale()), results, jobs=jobs, command=COMMAND, on_step=self.steps.append)
        return open_results(self.folder)

    @property
    def runs(self) -> list[str]:
        return sorted(path.name for path in (self.folder / "runs").iterdir())

    def times(self) -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in (self.folder / "runs").rglob("*")}


@contextlib.contextmanager
def here(_: int) -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Runs in this process, in order, and counts; the pool of processes has tests of its own."""
    ran: list[Scenario] = []
    run = Simulator.run

    def counting(self: Simulator, scenario: Scenario) -> Records:
        ran.append(scenario)
        return run(self, scenario)

    monkeypatch.setattr(Simulator, "run", counting)
    monkeypatch.setattr(runner, "workers", here)
    return Bench(tmp_path / "results", ran)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(runner, "workers", here)
        once = Bench(tmp_path_factory.mktemp("written") / "results", [])
        once(made())
    return once.folder


@pytest.fixture
def first(bench: Bench, written: Path) -> pl.DataFrame:
    """The table of `made()`, run into the bench's folder before."""
    shutil.copytree(written, bench.folder)
    return open_results(bench.folder).measures("t.pair")


def cells(experiment: Experiment, scale: Scale | None = None) -> list[tuple[tuple[Any, ...], int]]:
    return [(tuple(point.values()), seed) for point, seed in (scale or Scale()).grid(experiment)]


# The grid.


def test_the_grid_runs_through_the_last_dimension_first_and_repeats_before_points() -> None:
    assert cells(made(points={"alg": ("reno", "htcp"), "rtt": (20, 10)})) == [
        (("reno", 20), 1),
        (("reno", 20), 2),
        (("reno", 10), 1),
        (("reno", 10), 2),
        (("htcp", 20), 1),
        (("htcp", 20), 2),
        (("htcp", 10), 1),
        (("htcp", 10), 2),
    ]


def test_a_scale_takes_some_protocols_fewer_points_and_other_repeats() -> None:
    experiment = made(quick=Quick(points={"rtt": (20,)}, repeats=1))
    assert cells(experiment, Scale(quick=True)) == [(("reno", 20), 1), (("htcp", 20), 1)]
    assert cells(experiment, Scale(quick=True, repeats=2, algorithms=("htcp",))) == [(("htcp", 20), 1), (("htcp", 20), 2)]
    assert cells(experiment, Scale(algorithms=("bic",))) == []
    assert cells(replace(experiment, quick=None), Scale(quick=True)) == cells(experiment)
    assert [seed for _, seed in cells(made(repeats=0), Scale(repeats=7))] == [0] * 4


def test_a_file_joins_protocols_that_are_compared_and_no_experiment_of_one_protocol() -> None:
    scale = Scale(algorithms=("reno", "mine.c:0123456789abcdef"), repeats=1)
    assert [point[0] for point, _ in cells(made(points={"alg": ("reno", "htcp")}), scale)] == list(scale.algorithms or ())
    assert cells(made(points={"alg": ("htcp",)}), scale) == []  # Its claims are about H-TCP alone.


def test_experiments_without_points_at_a_scale_are_left_out() -> None:
    planned = plan([made("t.a"), made("t.b", points={"alg": ("bic",), "rtt": (10,)})], Scale(algorithms=("bic",)))
    assert [one.id for one in planned.experiments] == ["t.b"] and list(planned.cells) == ["t.b"]
    assert len(planned.jobs) == 2


# Draws.


def test_protocols_meet_the_same_draws_and_repeats_others() -> None:
    starts: dict[int, set[float]] = {1: set(), 2: set()}
    for cell in plan([made(points={"alg": ("reno", "htcp", "cubic"), "rtt": (10, 20)})], Scale()).jobs.values():
        assert cell.scenario.seed in starts
        starts[cell.scenario.seed].add(cell.scenario.flows[1].start_s)
    assert [len(values) for values in starts.values()] == [1, 1]
    assert starts[1] != starts[2]


# The plan.


def test_a_scenario_that_cannot_be_run_is_refused_before_anything_runs(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Simulator, scenario: Scenario) -> None:
        if scenario.flows[0].algorithm == "htcp":
            raise ScenarioError("flows[0]", "cannot be run")

    monkeypatch.setattr(Simulator, "check", refuse)
    with pytest.raises(ScenarioError, match=r"flows\[0\]: cannot be run"):
        bench(made())
    assert bench.ran == [] and bench.runs == []


def test_the_longest_runs_come_first(bench: Bench) -> None:
    def lasting(point: Point, draws: Draws) -> Scenario:
        return pair({"alg": "reno", "rtt": 10}, draws).model_copy(update={"duration_s": point["q"]})

    bench(made(points={"q": (1.6, 2.0, 1.8)}, scenario=lasting, repeats=1, figures=(), measures=(Measure("drops_pkts"),)))
    assert [scenario.duration_s for scenario in bench.ran] == [2.0, 1.8, 1.6]
    runs = [step for step in bench.steps if step.what == "runs"]
    assert [(step.done, step.total) for step in runs] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    # 10 Mbit/s carry 10e6 / 12000 packets of 1500 bytes a second.
    assert [step.weight_done for step in runs] == pytest.approx([0, 2.0e7 / 12e3, 3.8e7 / 12e3, 5.4e7 / 12e3])
    assert {step.weight_total for step in runs} == {runs[-1].weight_done}


@pytest.mark.parametrize("order", [("rates", "totals"), ("totals", "rates")])
def test_experiments_share_runs_and_the_larger_part_is_kept(bench: Bench, order: tuple[str, str]) -> None:
    large, small = made("t.large", kept="rates"), made("t.small", points={"alg": ("htcp", "bic"), "rtt": (20,)}, kept="totals")
    small = replace(small, measures=(Measure("drops_pkts"),))
    both = {"rates": large, "totals": small}
    results = bench(*(both[kept] for kept in order))
    shared = {digest(job.scenario) for job in plan([large], Scale()).jobs.values()} & {
        digest(job.scenario) for job in plan([small], Scale()).jobs.values()
    }
    assert len(shared) == 2  # H-TCP at 20 ms, twice.
    assert len(bench.ran) == len(bench.runs) == 8 + 4 - 2
    assert [name.partition(".")[2] for name in bench.runs].count("rates") == 8
    assert results.declaration("t.small")["shared_runs"] == results.declaration("t.large")["shared_runs"] == 2
    taken = {id: results.measures(id).filter((pl.col("alg") == "htcp") & (pl.col("rtt") == 20)) for id in results.experiments()}
    assert set(taken["t.small"]["run"]) == set(taken["t.large"]["run"])
    assert set(taken["t.small"]["digest"]) == set(taken["t.large"]["digest"])


def test_a_run_stored_with_less_than_is_wanted_is_made_again(bench: Bench) -> None:
    little = replace(made(), kept="totals", measures=(Measure("drops_pkts"),))
    bench(little)
    results = bench(made("t.more"))
    assert len(bench.ran) == 8
    assert results.measures("t.more").filter(pl.col("flow") == "2")["value"].null_count() == 0
    bench(little)
    assert bench.ran == []


# The table.


def test_the_table_has_the_dimensions_then_the_common_columns_in_the_order_of_the_grid(first: pl.DataFrame) -> None:
    frame = first
    assert dict(frame.schema) == {"alg": pl.String, "rtt": pl.Float64, **COLUMNS}
    assert frame.height == 2 * 2 * 2 * len(MEASURES)
    rows = frame.select("alg", "rtt", "seed", "metric", "flow", "t0", "t1").rows()
    assert rows == [
        (alg, float(rtt), seed, one.metric, one.flow, one.t0, one.t1)
        for alg in ("reno", "htcp")
        for rtt in (10, 20)
        for seed in (1, 2)
        for one in MEASURES
    ]


def test_values_are_those_of_the_run_they_name(bench: Bench, first: pl.DataFrame) -> None:
    results = open_results(bench.folder)
    for row in first.filter(pl.col("flow") == "2").iter_rows(named=True):
        path = results.runs.find(row["run"], "rates")
        assert path is not None
        records = results.runs.read(path)
        assert records.digest() == row["digest"]
        assert records.facts.scenario["seed"] == row["seed"]
        assert records.flows["algorithm"].to_list() == [row["alg"]] * 2
        # In-order payload of 1448 bytes stands for a packet of 1500; 1 s is the window.
        samples = records.flow_samples.filter(pl.col("flow") == 1)
        at = dict(zip(samples["t_s"].round(6), samples["delivered_bytes"], strict=True))
        last = records.flows["delivered_bytes"][1]
        assert row["value"] == pytest.approx((last - at[1.0]) * 1500 / 1448 * 8e-6, rel=0.02)


@pytest.mark.usefixtures("first")
def test_no_value_is_null_and_an_infinite_one_stays(bench: Bench) -> None:
    odd = (*MEASURES, Measure("x", function=nothing), Measure("y", function=not_a_number), Measure("z", function=name_of_first_flow))
    frame = bench(made(measures=odd)).measures("t.pair")
    values = {name: own["value"].to_list() for (name,), own in frame.filter(pl.col("flow").is_null()).group_by("metric")}
    assert values["thr_mbps"] == values["x"] == values["y"] == [None] * 8
    assert all(value is not None and value > 0 for value in values["conv80_s"])
    assert math.inf in values["conv80_s"] and len(set(values["conv80_s"])) > 1
    assert values["z"] == [4.0] * 8  # len("reno") == len("htcp").
    assert frame["value"].is_nan().sum() == 0


@pytest.mark.usefixtures("first")
def test_what_is_a_name_is_text(bench: Bench) -> None:
    frame = bench(made(measures=(Measure("shape", function=lambda _: "concave"),))).measures("t.pair")  # type: ignore[arg-type, return-value]
    assert set(frame["text"]) == {"concave"} and set(frame["value"]) == {None}


def test_unit_checks_have_seed_0_and_a_run_of_their_own(bench: Bench) -> None:
    frame = bench(made(repeats=0)).measures("t.pair")
    assert set(frame["seed"]) == {0} and len(bench.runs) == 4
    assert {scenario.seed for scenario in bench.ran} == {1}


def test_the_declaration_is_stored_beside_the_table(bench: Bench) -> None:
    experiment = made(notes=("A note.",), parameters=(("queue", "20 packets"),))
    stored = bench(experiment, scale=Scale(quick=True, algorithms=("htcp",))).declaration("t.pair")
    assert stored["command"] == "windtunnel suite run t.pair"
    assert (stored["title"], stored["question"], stored["source"]) == ("Pairs", "Who wins?", "Fig. 0")
    assert stored["points"] == {"alg": ["htcp"], "rtt": [10, 20]} and stored["repeats"] == 3 and stored["scale"] == "quick"
    assert (stored["notes"], stored["parameters"]) == (["A note."], [["queue", "20 packets"]])
    assert [from_json(figure) for figure in stored["figures"]] == [FIGURE]
    assert stored["measures"][0] == {"metric": "thr_mbps", "flow": "2", "t0": 1.0, "t1": 2.0}
    assert stored["backend"] == "sim" and isinstance(stored["backend_version"], int)


# Again.


def test_a_second_run_computes_nothing_and_reads_no_records(bench: Bench, first: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(_: RunStore, path: Path) -> Records:
        raise AssertionError(f"{path} was read")

    monkeypatch.setattr(RunStore, "read", opened)
    second = bench(made()).measures("t.pair")
    assert bench.ran == [] and second.equals(first)
    assert [(step.done, step.total) for step in bench.steps if step.what == "runs"] == [(0, 0)]
    assert [(step.done, step.total) for step in bench.steps if step.what == "measures"][-1] == (8, 8)


def test_another_repeat_computes_only_what_is_missing(bench: Bench, first: pl.DataFrame) -> None:
    times = bench.times()
    frame = bench(made(repeats=3)).measures("t.pair")
    assert sorted(scenario.seed for scenario in bench.ran) == [3] * 4
    assert len(bench.runs) == 12 and times.items() <= bench.times().items()
    assert frame.filter(pl.col("seed") < 3).equals(first)
    assert sorted(set(frame["seed"])) == [1, 2, 3] and frame.height == first.height * 3 // 2


def test_another_point_computes_only_what_is_missing(bench: Bench, first: pl.DataFrame) -> None:
    frame = bench(made(points={"alg": ("reno", "htcp"), "rtt": (10, 15, 20)})).measures("t.pair")
    assert len(bench.ran) == 4 and len(bench.runs) == 12
    assert frame.filter(pl.col("rtt") != 15).equals(first)


@pytest.mark.parametrize(
    "measures",
    [(SECOND, Measure("drops_pkts")), (replace(SECOND, t0=0.5),), (Measure("drops_pkts", function=name_of_first_flow),)],
    ids=["fewer", "another window", "another function"],
)
def test_other_measures_are_taken_from_the_stored_runs(bench: Bench, first: pl.DataFrame, measures: Sequence[Measure]) -> None:
    times = bench.times()
    frame = bench(made(measures=measures)).measures("t.pair")
    assert bench.ran == [] and bench.times() == times
    assert [(row["metric"], row["t0"]) for row in frame.rows(named=True)[: len(measures)]] == [(one.metric, one.t0) for one in measures]
    assert set(frame["digest"]) == set(first["digest"])
    if measures[0].t0 == 0.5:
        assert frame["value"].to_list() != first.filter(pl.col("flow") == "2")["value"].to_list()
    if measures[0].function is not None:
        assert frame["value"].to_list() == [4.0] * 8


def test_a_run_is_measured_where_it_is_made_and_a_stored_one_is_read_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    read = RunStore.read

    def noting(self: RunStore, path: Path) -> Records:
        asked.append(path.name)
        return read(self, path)

    monkeypatch.setattr(RunStore, "read", noting)
    both = (made(), made("t.drops", measures=(Measure("drops_pkts"),)))
    fresh = bench(*both)
    assert asked == []
    tables = {id: fresh.measures(id) for id in ("t.pair", "t.drops")}
    shutil.rmtree(bench.folder / "experiments")
    again = bench(*both)
    assert bench.ran == [] and sorted(asked) == bench.runs and len(asked) == 8
    assert all(again.measures(id).equals(table) for id, table in tables.items())


def test_metrics_of_another_version_are_taken_again(bench: Bench, first: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "MEASURES_VERSION", MEASURES_VERSION + 1)
    monkeypatch.setattr("windtunnel.experiment.measuring.measured", lambda *_, **__: 7.0)
    frame = bench(made()).measures("t.pair")
    assert bench.ran == [] and set(frame["value"]) == {7.0} and set(first["value"]) != {7.0}


def test_a_removed_run_is_made_again_alone_and_gives_the_same(bench: Bench, first: pl.DataFrame) -> None:
    removed = first.filter((pl.col("alg") == "htcp") & (pl.col("rtt") == 10) & (pl.col("seed") == 2))["run"][0]
    for path in (bench.folder / "runs" / f"{removed}.rates").iterdir():
        path.unlink()
    (bench.folder / "runs" / f"{removed}.rates").rmdir()
    for path in (bench.folder / "experiments" / "t.pair").iterdir():
        path.unlink()
    second = bench(made()).measures("t.pair")
    assert [(scenario.flows[0].algorithm, scenario.flows[0].rtt_s, scenario.seed) for scenario in bench.ran] == [("htcp", 0.01, 2)]
    assert second.equals(first)


@pytest.mark.parametrize("file", ["measures.parquet", "experiment.json"])
def test_a_damaged_table_is_measured_again_from_the_stored_runs(bench: Bench, first: pl.DataFrame, file: str) -> None:
    (bench.folder / "experiments" / "t.pair" / file).write_bytes(b"damaged")
    assert bench(made()).measures("t.pair").equals(first)
    assert bench.ran == []


def test_a_damaged_run_is_named_and_made_again_alone(bench: Bench, first: pl.DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    name = bench.runs[3]
    (bench.folder / "runs" / name / "flows.parquet").write_bytes(b"damaged")
    (bench.folder / "experiments" / "t.pair" / "measures.parquet").unlink()
    assert bench(made()).measures("t.pair").equals(first)
    assert len(bench.runs) == 8 and len(bench.ran) == 1
    assert f"{name}/flows.parquet: is damaged: its checksum differs; it is made again" in capsys.readouterr().err


def test_stopping_in_the_middle_keeps_what_is_finished(bench: Bench, first: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.folder = bench.folder.with_name("again")
    run = Simulator.run

    def stopping(self: Simulator, scenario: Scenario) -> Records:
        if len(bench.ran) == 3:
            raise KeyboardInterrupt
        return run(self, scenario)

    with monkeypatch.context() as patched:
        patched.setattr(Simulator, "run", stopping)
        with pytest.raises(KeyboardInterrupt):
            bench(made())
    assert len(bench.runs) == 3 and not (bench.folder / "experiments").exists()
    frame = bench(made()).measures("t.pair")
    assert len(bench.ran) == 5 and frame.equals(first)


# Processes.


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch, bench: Bench) -> Callable[..., Results]:
    """Real ones, whatever the bench does."""
    monkeypatch.setattr(runner, "workers", workers)

    def call(planned: Plan, on_step: Callable[[Step], None], *, jobs: int = 2, folder: Path = bench.folder) -> Results:
        with writing_results(folder) as results:
            execute(planned, results, jobs=jobs, command=COMMAND, on_step=on_step)
        return open_results(folder)

    return call


def test_a_killed_worker_is_said_and_finished_runs_are_kept(processes: Callable[..., Results], first: pl.DataFrame, bench: Bench) -> None:
    planned = plan([made()], Scale())
    runs = bench.folder.with_name("killed") / "runs"

    def kill_at(what: str, done: int | None) -> Callable[[Step], None]:
        def on_step(step: Step) -> None:
            if step.what == what and done in (step.done, None):
                os.kill(multiprocessing.active_children()[0].pid or 0, signal.SIGKILL)

        return on_step

    # What the first one left is measured, as stored, when the second has made the others.
    for moment, finished in ((("runs", 2), range(2, 9)), (("measures", None), [8])):
        gone = runs.parent if moment[0] == "runs" else runs.parent / "experiments"
        act = partial(processes, planned, kill_at(*moment), folder=runs.parent)
        caught = raised(WorkerLost, act, again=partial(shutil.rmtree, gone))
        assert "finished runs are kept" in str(caught) and "\n" not in str(caught) and multiprocessing.active_children() == []
        names = {path.name for path in runs.iterdir()}
        assert len(names) in finished and names <= set(bench.runs)
    results = processes(planned, lambda _: None, folder=runs.parent)
    # Any number of processes gives the table that one gave, in this process.
    assert results.measures("t.pair").equals(first)


def test_an_error_in_a_worker_reaches_the_user_in_its_own_words(processes: Callable[..., Results], tmp_path: Path) -> None:
    blocked: list[Path] = []

    def block(step: Step) -> None:
        if step.what == "runs" and step.done == 0:
            path = tmp_path / "results" / "runs"
            path.rmdir()
            path.write_text("a file where runs belong")
            blocked.append(path)

    with pytest.raises(ResultsError, match=r"cannot be written: .*; allowed: a writable folder"):
        processes(plan([made(repeats=1)], Scale()), block, jobs=1)
    assert blocked and blocked[0].read_text() == "a file where runs belong"
    assert multiprocessing.active_children() == []


def test_the_levels_of_the_store_are_in_order() -> None:
    # `kept` of a shared run is the one named first.
    assert list(KEPT) == ["all", "queues", "rates", "totals"]
    job = next(iter(plan([made(kept="totals"), made("t.b", kept="all"), made("t.c", kept="rates")], Scale()).jobs.values()))
    assert job.kept == "all"
    assert json.loads(json.dumps({name: dict(columns) for name, columns in KEPT.items()})) == {
        name: {frame: list(columns) for frame, columns in frames.items()} for name, frames in KEPT.items()
    }
