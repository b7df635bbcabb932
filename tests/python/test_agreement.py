"""The comparison of the two backends, without a kernel: the simulator against itself, and against itself with a law changed."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from windtunnel import agreement, experiment
from windtunnel.agreement import Row, Study, grid
from windtunnel.agreement.compare import compare, measured_points, row_json, rows_of_point
from windtunnel.agreement.judging import judge, verdict_of
from windtunnel.agreement.quantities import QUANTITIES, Quantity
from windtunnel.agreement.starts import judge_starts
from windtunnel.agreement.trajectory import Distance, distance
from windtunnel.backends import backend
from windtunnel.backends.linux import store
from windtunnel.experiment import Draws, Experiment, Point, Scale
from windtunnel.scenario import Scenario, ScenarioError
from windtunnel.stats import difference, summarise
from windtunnel.store import Results, open_results, writing_results

SHARE, EPOCH = QUANTITIES["share"], QUANTITIES["epoch_s"]


def judged(ours: Sequence[float], theirs: Sequence[float], about: Quantity = SHARE, *, drawn: bool = True) -> Any:
    return judge(ours, theirs, about, drawn=drawn, longest_s=100.0)


def test_the_interval_of_a_difference_is_welch_s() -> None:
    # Both standard errors are 1: degrees of freedom (1 + 1)^2 / (1/1 + 1/1) = 2, whose 97.5 % t quantile is 4.302653.
    found = difference(summarise([4.0, 6.0]), summarise([0.0, 2.0]))
    assert found.estimate == 4
    assert found.high - found.estimate == pytest.approx(4.302653 * math.sqrt(2), abs=1e-5)
    assert found.estimate - found.low == pytest.approx(4.302653 * math.sqrt(2), abs=1e-5)


def test_one_value_has_no_interval() -> None:
    found = difference(summarise([4.0]), summarise([0.0, 2.0]))
    assert (found.low, found.high) == (-math.inf, math.inf)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (-0.05, 0.05, "agrees"),
        (0.01, 0.02, "agrees"),
        (0.04, 0.06, "inconclusive"),
        (-0.5, 0.5, "inconclusive"),
        (0.051, 0.2, "differs"),
        (-0.2, -0.051, "differs"),
    ],
)
def test_an_interval_is_judged_by_what_it_leaves_possible(low: float, high: float, verdict: str) -> None:
    assert verdict_of(low, high, 0.05) == verdict


def test_a_share_inside_the_kernel_s_interval_agrees_and_another_quantity_does_not() -> None:
    ours, theirs = [0.60, 0.62, 0.61], [0.2, 0.5, 0.8]
    assert judged(ours, theirs).verdict == "agrees"
    assert judged(ours, theirs, dataclasses.replace(SHARE, within_kernel=False)).verdict == "inconclusive"


def test_what_is_drawn_once_is_no_evidence_and_what_is_not_drawn_is() -> None:
    assert judged([0.5], [0.5]).verdict == "inconclusive"
    assert judged([0.5], [0.5], drawn=False).verdict == "agrees"
    assert judged([0.6], [0.5], drawn=False).verdict == "differs"


def test_a_relative_tolerance_is_of_the_kernel_s_value() -> None:
    # 107 of 100 is 7 %, 100 of 107 is less.
    assert judged([106.9], [100.0], EPOCH, drawn=False).verdict == "agrees"
    assert judged([107.1], [100.0], EPOCH, drawn=False).verdict == "differs"
    assert judged([100.0], [107.1], EPOCH, drawn=False).verdict == "agrees"


def test_what_the_shared_start_decides_is_compared_seed_by_seed() -> None:
    about = QUANTITIES["conv80_s"]
    ours, theirs = [11.0, 21.0, 41.0], [10.0, 20.0, 40.0]
    assert judged(ours, theirs, about).verdict == "agrees"
    assert judged(ours, theirs, dataclasses.replace(about, paired=False)).verdict == "inconclusive"
    # What is not reached counts as the run's 100 s: differences of 0, 60 and 60.
    assert judged([40.0, math.inf, 100.0], [40.0, 40.0, 40.0], about).difference == pytest.approx(40 / 40)


def test_never_on_both_sides_agrees_never_on_one_differs_and_sometimes_tells_nothing() -> None:
    never = [math.inf] * 3
    assert judged(never, never, EPOCH).verdict == "agrees"
    assert judged(never, [10.0, 11.0, 12.0], EPOCH).verdict == "differs"
    assert judged(never, [10.0, math.inf, math.inf], EPOCH).verdict == "inconclusive"


def test_what_one_side_did_not_measure_is_not_zero() -> None:
    assert judged([], []).verdict == "not_measured"
    assert judged([0.5], []).verdict == "inconclusive"
    assert judged([], [0.5]).note == "the simulator has no value"


@pytest.mark.parametrize(("sim", "kernel", "verdict"), [(4, 2, "inconclusive"), (40, 20, "differs"), (20, 20, "agrees")])
def test_a_few_packets_of_one_run_are_no_difference(sim: int, kernel: int, verdict: str) -> None:
    rows = compared_alone(sim, kernel)
    assert rows["loss_ovh"].verdict == verdict
    assert rows["util"].verdict == "agrees"


def compared_alone(*packets: int) -> dict[str, Row]:
    """One flow on both sides that sends a million packets and retransmits so many of them."""
    run_of = {"alg": "reno", "rate": 250.0, "rtt": 42.0, "q": 0.2, "seed": 0, "run": "0" * 32}
    tables = []
    for count in packets:
        values = {"util": 0.9, "loss_ovh": count * 1e-6, "retransmitted_packets": float(count)}
        tables.append(pl.DataFrame([{**run_of, "metric": name, "value": value} for name, value in values.items()]))
    sides = [measured_points(table) for table in tables]
    point = next(iter(sides[0]))
    return {row.quantity: row for row in rows_of_point(grid.ONE, point, sides[0][point], sides[1][point])}


def flow(cwnd: Callable[[Any], Any], *, losses: Sequence[float] = (), start_s: float = 0.0, end_s: float = 10.0, rtt_s: float = 0.1) -> Any:
    """A run of one flow that is sampled ten times per round trip."""
    t_s = np.arange(1, round(end_s / rtt_s * 10) + 1) * rtt_s / 10 + start_s
    return SimpleNamespace(
        sample_s=rtt_s / 10,
        base_rtt_s=lambda _: rtt_s,
        start_s=lambda _: start_s,
        series=lambda _: SimpleNamespace(t_s=t_s, cwnd_packets=np.asarray(cwnd(t_s - start_s), dtype=float)),
        backoffs=lambda _: SimpleNamespace(t_s=np.array(losses) + start_s),
    )


def test_a_trajectory_s_distance_is_its_largest_up_to_the_second_loss() -> None:
    kernel = flow(lambda t: 100 + 10 * t, losses=(1.0, 8.0))
    # Ten per cent apart between 3 and 4 s, and far apart after the simulator's second loss.
    sim = flow(lambda t: (100 + 10 * t) * np.where((t > 3) & (t < 4), 1.1, np.where(t > 6, 2.0, 1.0)), losses=(1.0, 6.0))
    found = distance(sim, kernel)
    assert found is not None
    assert found.largest == pytest.approx(0.1, abs=1e-9)
    assert 3 < found.at_s < 4
    assert found.until_s == pytest.approx(6.0, abs=0.02)
    assert found.losses_s == (pytest.approx(6.0), pytest.approx(8.0))


def test_one_packet_is_the_resolution_of_a_trajectory() -> None:
    near, far = (distance(flow(lambda t, more=more: 10 + more + 0 * t), flow(lambda t: 10 + 0 * t)) for more in (1, 2))
    assert near is not None and far is not None
    assert near.largest == 0
    assert far.largest == pytest.approx(0.2)


def test_trajectories_are_aligned_at_their_starts() -> None:
    found = distance(flow(lambda t: 100 + 10 * t, start_s=5.0), flow(lambda t: 100 + 10 * t))
    assert found is not None
    assert found.largest < 1e-9


def test_a_trajectory_without_samples_has_no_distance() -> None:
    assert distance(flow(lambda t: t, end_s=0.0), flow(lambda t: t)) is None


def of_starts(*largest: float) -> Any:
    """Distances of several starts, in any order."""
    found = [Distance(one, one / 2, 0.4, 100 * (1 + one), 100.0, 9.0, (9.0, None)) for one in largest]
    return judge_starts(found, 0.03)


def test_one_start_that_a_tie_decides_does_not_decide_the_trajectory() -> None:
    found = of_starts(0.30, 0.01, 0.02, 0.0, 0.02)
    assert (found.verdict, found.difference, found.low, found.high) == ("agrees", 0.02, 0.0, 0.30)
    assert found.sim.mean == 102 and found.linux.mean == 100
    assert "5 starts" in found.note and "0.00 % to 30.00 %" in found.note


def test_most_starts_that_differ_do_decide_it() -> None:
    assert of_starts(0.0, 0.30, 0.31, 0.29, 0.0).verdict == "differs"
    # Of an even number the median is the mean of the two in the middle: 0.02 and 0.06.
    assert of_starts(0.0, 0.02, 0.06, 0.3).difference == pytest.approx(0.04)
    assert of_starts(0.0, 0.02, 0.06, 0.3).verdict == "differs"


def test_a_start_without_samples_is_no_distance() -> None:
    assert judge_starts([None, None], 0.03).verdict == "not_measured"
    assert judge_starts([None, Distance(0.5, 0.5, 1.0, 3.0, 2.0, 9.0, (None, None))], 0.03).verdict == "differs"


Changed = Callable[[Scenario], Scenario]


def small(algorithm: str) -> tuple[Experiment, ...]:
    """The quick grid's arrangements for one protocol, at 10 Mbit/s only."""
    made = grid.experiments("quick", [algorithm])
    return tuple(dataclasses.replace(one, points={**one.points, "rate": (10,)}) for one in made)


def altered(one: Experiment, change: Changed) -> Experiment:
    scenario = one.scenario

    def changed(point: Point, draws: Draws) -> Scenario:
        return change(scenario(point, draws))

    return dataclasses.replace(one, scenario=changed)


def run(folder: Path, experiments: Sequence[Experiment]) -> Results:
    with writing_results(folder) as results:
        experiment.execute(experiment.plan(experiments, Scale()), results, jobs=1, command="test {id}", on_step=lambda _: None)
    return open_results(folder)


def rows_of(folder: Path, algorithm: str, change: Changed) -> dict[tuple[str, str], Row]:
    experiments = small(algorithm)
    sides = run(folder / "sim", experiments), run(folder / "linux", [altered(one, change) for one in experiments])
    return {(row.experiment, row.quantity): row for row in compare(*sides, [one.id for one in experiments], [algorithm])}


def with_parameters(values: Mapping[str, float]) -> Changed:
    def change(scenario: Scenario) -> Scenario:
        flows = tuple(one.model_copy(update={"parameters": dict(values)}) for one in scenario.flows)
        return scenario.model_copy(update={"flows": flows})

    return change


def test_the_simulator_agrees_with_itself(tmp_path: Path) -> None:
    # The experiments set the seed of a repeat after the change, so jitter has to be what differs.
    rows = rows_of(tmp_path, "reno", lambda one: one.model_copy(update={"jitter_s": 0.9 * one.jitter_s if one.jitter_s else 0.0}))
    assert {quantity for _, quantity in rows} == set(QUANTITIES)
    assert [row for row in rows.values() if row.verdict == "differs"] == []
    alone = [row for (id, _), row in rows.items() if id in (grid.ONE, grid.STARTS)]
    assert {row.verdict for row in alone} == {"agrees"}
    assert all(row.found.difference == 0 for row in alone)
    assert rows[grid.TWO, "util"].verdict == rows[grid.TWO, "backoff_factor"].verdict == "agrees"
    assert rows[grid.TWO, "util"].found.sim != rows[grid.TWO, "util"].found.linux


def test_a_changed_law_differs(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, "cubic", with_parameters({"beta": 0.5}))
    for id in (grid.ONE, grid.TWO):
        factor = rows[id, "backoff_factor"]
        assert factor.verdict == "differs"
        # 717/1024 against 512/1024; windows are whole packets, some 40 of them.
        assert factor.found.difference == pytest.approx(0.2, abs=0.03)
    assert rows[grid.STARTS, "trajectory"].verdict == "differs"
    assert rows[grid.ONE, "epoch_s"].verdict == "differs"
    json.dumps([row_json(row) for row in rows.values()], allow_nan=False)


def test_the_grids_are_those_asked_for() -> None:
    full = grid.experiments("full", grid.ALGORITHMS)
    assert sum(len(list(Scale().grid(one))) // (one.repeats or 1) for one in full) == 14 * 3 * 3 * 2 * 5
    quick = grid.experiments("quick", grid.ALGORITHMS)
    reference = {"rate": 250, "rtt": 42, "q": 0.2}
    scenario = next(one for one in quick if one.id == grid.TWO).scenario({"alg": "reno", **reference}, Draws(1))
    assert scenario.bottleneck.queue_packets == 175
    assert scenario.warmup_s < scenario.duration_s
    # The budget of 20 minutes on two cores, at the kernel's cost per virtual second.
    cost = {250: 0.15, 10: 0.02}
    runs = [(cost[point["rate"]], one.scenario(point | {"alg": "reno"}, Draws(seed))) for one in quick for point, seed in Scale().grid(one)]
    assert sum(each * one.duration_s for each, one in runs) / 2 < 20 * 60


def test_two_starts_are_drawn_and_one_flow_has_no_jitter() -> None:
    point = {"alg": "reno", "rate": 10, "rtt": 42, "q": 0.2}
    starts = {grid.equal(point, Draws(seed)).flows[1].start_s for seed in range(1, 6)}
    assert len(starts) == 5
    assert all(10 <= start <= 30 for start in starts)
    assert grid.alone(point, Draws(0)).jitter_s == 0


def test_one_flow_starts_at_five_places_between_the_steps_of_the_kernel_s_clock() -> None:
    point = {"alg": "reno", "rate": 10, "rtt": 42, "q": 0.2}
    found = [grid.started(point, Draws(seed)) for seed in range(1, 6)]
    starts = [one.flows[0].start_s for one in found]
    assert len({round(start * 1e9) % 256 for start in starts}) == 5 and all(0 < start < 1 for start in starts)
    assert {one.jitter_s for one in found} == {0.0}


def built(cache: Path, algorithms: Sequence[str], version: str = "6.1", name: str = "mine") -> None:
    """A kernel's folder with nothing in it that would run."""
    digest = "0123456789ab" if name == "mine" else "ba9876543210"
    folder = cache / "windtunnel" / "kernels" / f"{version}-{digest}"
    folder.mkdir(parents=True)
    (folder / "linux").touch()
    facts = {
        "version": version,
        "digest": digest + "0" * 52,
        "name": name,
        "algorithms": list(algorithms),
        "source": "",
        "changes": [],
    }
    (folder / "kernel.json").write_text(json.dumps({**facts, "compiler": "", "built": "2026", "build_s": 1.0}))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_without_a_kernel_the_command_says_how_to_build_one(cli: Any, cache: Path, tmp_path: Path) -> None:
    outcome = cli("agree", "--out", str(tmp_path / "out"))
    assert outcome.code == 2
    assert "windtunnel kernel build" in outcome.err
    assert not (tmp_path / "out").exists()


def test_three_kernels_are_too_many(cli: Any, cache: Path, tmp_path: Path) -> None:
    built(cache, ["reno"])
    outcome = cli("agree", *("--kernel", "mine") * 3, "--out", str(tmp_path / "out"))
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "3 of them" in outcome.err


@pytest.mark.parametrize("bad", [("--grid", "half"), ("--alg", "renoo"), ("--seeds", "0"), ("--jobs", "0"), ("--kernel", "theirs")])
def test_bad_input_is_refused_by_name(cli: Any, cache: Path, tmp_path: Path, bad: tuple[str, str]) -> None:
    built(cache, ["reno"])
    outcome = cli("agree", *bad, "--out", str(tmp_path / "out"))
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert bad[1] in outcome.err
    assert not (tmp_path / "out").exists()


def test_what_one_side_lacks_is_left_out_and_said(cache: Path) -> None:
    built(cache, ["reno", "cubic"])
    study = agreement.make("quick")
    assert study.algorithms == ("reno", "cubic")
    assert "htcp: the kernel has none" in study.left_out
    assert [side.backend for side in study.sides] == ["sim", f"linux:{store.find().digest}"]
    assert {one.scenario({"alg": "reno", "rate": 10, "rtt": 42, "q": 0.2}, Draws(1)).profile for one in study.experiments} == {"linux-6.1"}


def test_the_simulator_runs_the_profile_of_the_kernel_it_is_compared_with(cache: Path) -> None:
    built(cache, ["reno"], version="6.12.117", name="newer")
    study = agreement.make("quick", kernels=["newer"])
    scenarios = [one.scenario({"alg": "reno", "rate": 10, "rtt": 42, "q": 0.2}, Draws(1)) for one in study.experiments]
    assert {made.profile for made in scenarios} == {"linux-6.12"}
    assert backend("linux:newer").stack == "linux-6.12"
    # What names no profile is run too, and what names another is refused.
    assert backend("linux:newer").unsupported(scenarios[0].model_copy(update={"profile": "linux-6.1"})) == []
    assert backend("linux:newer").unsupported(scenarios[0].model_copy(update={"profile": "rfc"})) == [
        "flows[0].profile: rfc; the kernel is its own stack, linux-6.12"
    ]


def test_two_kernels_are_compared_without_the_simulator(cache: Path) -> None:
    built(cache, ["reno", "cubic"])
    built(cache, ["reno", "bbr"], version="6.12.117", name="newer")
    study = agreement.make("quick", kernels=["mine", "newer"])
    assert [side.name for side in study.sides] == ["Linux 6.1", "Linux 6.12.117"]
    assert [side.backend.partition(":")[0] for side in study.sides] == ["linux", "linux"]
    assert len({side.folder for side in study.sides}) == 2
    assert study.algorithms == ("reno",)
    assert "cubic: one of the kernels has none" in study.left_out
    with pytest.raises(store.KernelError, match="named twice"):
        agreement.make("quick", kernels=["mine", "mine"])


def test_a_newer_kernel_runs_no_older_one_s_profile_on_an_older_kernel(cache: Path) -> None:
    built(cache, ["reno"])
    made = Scenario(bottleneck={"rate": "10Mbit", "queue": 7}, flows=["reno"], rtt="42ms", duration="1s", profile="linux-6.12")
    assert backend("linux").unsupported(made) == ["flows[0].profile: linux-6.12; the kernel is its own stack, linux-6.1"]


def test_a_backend_s_kernel_is_chosen_by_name_and_the_simulator_has_none(cache: Path) -> None:
    built(cache, ["reno"])
    assert backend("linux:mine").version() == backend("linux").version()
    with pytest.raises(store.KernelError, match="theirs"):
        backend("linux:theirs").version()
    with pytest.raises(ScenarioError, match="sim:mine"):
        backend("sim:mine")


@pytest.fixture
def mirrored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the simulator stand in for the kernel too."""

    def make(grid: str, algorithms: Sequence[str] | None, *, kernels: Sequence[str], seeds: int | None, live: bool, files: Any) -> Study:
        assert not live
        mirror = agreement.Side("linux", "sim", "kernel", "a mirror")
        return Study(grid, small("reno"), ("reno",), (agreement.SIMULATOR, mirror), seeds, ("bbr: the mirror has none",))

    monkeypatch.setattr(agreement, "make", make)


def times(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for side in ("sim", "linux") for path in (folder / side / "runs").rglob("*")}


def test_the_command_compares_writes_pages_and_runs_nothing_twice(cli: Any, mirrored: None, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = cli("agree", "--out", str(out), "--seeds", "2", "--json")
    assert first.code == 0, first.err
    rows = first.json()
    assert {row["verdict"] for row in rows} <= {"agrees", "inconclusive", "not_measured"}
    assert {row["scenario"]["experiment"] for row in rows} == {"agree.one", "agree.starts", "agree.two"}
    assert next(row for row in rows if row["quantity"] == "share")["sim"]["n"] == 2
    index = (out / "report" / "index.html").read_text()
    page = (out / "report" / "algorithms" / "reno.html").read_text()
    assert "bbr: the mirror has none" in index
    assert page.count("<img") == len(list((out / "report" / "figures").glob("*.svg"))) == 3
    assert json.loads((out / "report" / "rows.json").read_text()) == rows
    before = times(out)
    again = cli("agree", "--out", str(out), "--seeds", "2")
    assert again.code == 0
    assert again.out.splitlines()[-1] == f"report: {out / 'report' / 'index.html'}"
    assert times(out) == before


def test_a_difference_is_exit_code_one(cli: Any, mirrored: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = agreement.carry_out

    def spoilt(*arguments: Any, **options: Any) -> list[Row]:
        rows = whole(*arguments, **options)
        return [dataclasses.replace(rows[0], found=judged([0.9], [0.5], QUANTITIES["util"], drawn=False)), *rows[1:]]

    monkeypatch.setattr(agreement, "carry_out", spoilt)
    outcome = cli("agree", "--out", str(tmp_path / "out"), "--seeds", "2")
    assert outcome.code == 1
    assert "What differs" in outcome.out
    assert "+0.40" in outcome.out
    assert "What differs" in (tmp_path / "out" / "report" / "index.html").read_text()


def test_the_live_kernel_is_a_side_with_two_flows_in_real_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("windtunnel.agreement.study.has", lambda name: name in ("reno", "cubic"))
    study = agreement.make("live", live=True)
    assert [side.backend for side in study.sides] == ["sim", "live"]
    assert [one.id for one in study.experiments] == [grid.TWO]
    assert study.algorithms == ("reno", "cubic")
    assert "bic: this kernel has none" in study.left_out
    assert sorted(study.experiments[0].points["rate"]) == [10, 100, 250]
    assert agreement.keys(study)[:2] == ("sim", "live")


def test_the_brief_live_grid_is_the_live_one_with_runs_of_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("windtunnel.agreement.study.has", lambda name: name == "reno")
    (brief,), (whole,) = (agreement.make(name, live=True).experiments for name in ("live-brief", "live"))
    assert brief.points == whole.points
    assert [(one.metric, one.flow) for one in brief.measures] == [(one.metric, one.flow) for one in whole.measures]
    point = {"alg": "reno", "rate": 100.0, "rtt": 42.0, "q": 0.2}
    drawn = [brief.scenario(point, Draws(seed)) for seed in range(20)]
    starts = {one.flows[1].start_s for one in drawn}
    assert len(starts) == 20
    assert 3.0 <= min(starts) < max(starts) <= 8.0
    assert {(one.duration_s, one.warmup_s) for one in drawn} == {(60.0, 20.0)}
    assert drawn[0].bottleneck == whole.scenario(point, Draws(0)).bottleneck


def test_the_page_has_three_columns_where_a_kernel_stands_beside_the_live_one(
    cli: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def make(grid: str, algorithms: Sequence[str] | None, *, kernels: Sequence[str], seeds: int | None, live: bool, files: Any) -> Study:
        assert live
        mirrors = [agreement.Side(name, "sim", name, f"a mirror, {name}") for name in ("live", "virtual")]
        return Study(grid, small("reno"), ("reno",), (agreement.SIMULATOR, mirrors[0]), seeds, (), mirrors[1])

    monkeypatch.setattr(agreement, "make", make)
    outcome = cli("agree", "--live", "--out", str(tmp_path / "out"), "--seeds", "2", "--json")
    assert outcome.code == 0, outcome.err
    # Both mirrors are simulators here, so neither is called the live kernel in JSON.
    shown = (tmp_path / "out" / "report" / "algorithms" / "reno.html").read_text()
    heads = [head.partition("<")[0] for head in shown.split('<th scope="col" class="number">')[1:4]]
    assert heads == ["Simulator", "Virtual", "Live"]
    study = make("live", None, kernels=(), seeds=2, live=True, files={})
    rows = agreement.with_beside(
        agreement.compare(*(open_results(tmp_path / "out" / name) for name in ("sim", "live")), [grid.TWO], ["reno"]),
        open_results(tmp_path / "out" / "virtual"),
    )
    assert all(row.beside == row.found.sim for row in rows if row.found.sim is not None)
    assert set(row_json(rows[0], ("sim", "live", "linux"))) >= {"sim", "live", "linux"}
    assert [side.name for side in study.shown] == ["simulator", "virtual", "live"]


@pytest.mark.parametrize(("ours", "theirs", "noted"), [((1.0, 1.1), (0.7, 1.3), True), ((1.0, 1.001), (1.0, 1.001), False)])
def test_noise_that_is_larger_than_the_difference_is_said(ours: tuple[float, ...], theirs: tuple[float, ...], noted: bool) -> None:
    from windtunnel.agreement.study import _noise

    about = QUANTITIES["util"]
    row = Row(grid.TWO, ("reno", 10.0, 42.0, 0.2), "util", judge(ours, theirs, about, drawn=True, longest_s=150.0))
    assert ("noise" in _noise(row).found.note) is noted


def test_two_built_kernels_beside_the_live_one_are_one_too_many(cli: Any, tmp_path: Path) -> None:
    outcome = cli("agree", "--live", "--kernel", "6.1", "--kernel", "6.12", "--out", str(tmp_path / "out"))
    assert (outcome.code, outcome.err) == (2, "error: kernel: 2 of them with --live; allowed: one, which is shown beside it\n")
