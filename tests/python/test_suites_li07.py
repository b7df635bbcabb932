"""The li07 suite against the register of the paper's experiments and claims: what is asked is declared, legal and measured."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Any

import polars as pl
import pytest
import yaml

from windtunnel.backends import backend
from windtunnel.claims import judge, packaged_register
from windtunnel.claims.query import snapped
from windtunnel.experiment import Draws, Experiment, Measure, Plan, Scale, plan
from windtunnel.experiment.measuring import MEASURE_COLUMNS
from windtunnel.metrics import MEASURES, View, measure
from windtunnel.plots.declared import Curves, Histories, from_json, to_json
from windtunnel.scenario import Scenario
from windtunnel.store import KEPT
from windtunnel.suites import chosen, suite
from windtunnel.theory.overlays import OVERLAYS

SUITE = {one.id: one for one in suite("li07").experiments}
REGISTER = packaged_register("li07")
WITHOUT_A_CLAIM_OF_THE_SIMULATOR = {"li07.fig15"}  # Declared for its figure; its claim waits for host models.
BOTH = pytest.mark.parametrize("scale", [Scale(), Scale(quick=True)], ids=["paper", "quick"])
EACH = pytest.mark.parametrize("experiment", list(SUITE.values()), ids=list(SUITE))
DEFAULT_START_S = (50.0, 150.0)


def written() -> dict[str, Any]:
    """The register's experiments as the file has them, with what the claims do not need."""
    text = (resources.files("windtunnel.claims") / "data" / "li07.yaml").read_text(encoding="utf-8")
    return {row["id"]: row for row in yaml.safe_load(text)["experiments"]}


@pytest.fixture(scope="module")
def whole() -> Plan:
    """All of it at the paper's scale; a scenario that is not legal, or that the engine refuses, ends here."""
    return plan(list(SUITE.values()), Scale())


# Declarations.


def test_every_experiment_that_the_simulator_reproduces_is_declared_and_no_other() -> None:
    reproducible = {id for id, row in written().items() if row["reproducible"] == "sim"}
    assert set(SUITE) == reproducible | WITHOUT_A_CLAIM_OF_THE_SIMULATOR
    assert all(written()[id]["reproducible"] == "needs-host-model" for id in WITHOUT_A_CLAIM_OF_THE_SIMULATOR)
    assert all("host models" in " ".join(SUITE[id].notes) for id in WITHOUT_A_CLAIM_OF_THE_SIMULATOR)


@EACH
def test_a_reader_is_told_what_is_asked_and_where_it_comes_from(experiment: Experiment) -> None:
    assert experiment.title and experiment.source
    assert experiment.question.endswith("?") and experiment.question[0].isupper() and len(experiment.question) < 200
    assert len(experiment.parameters) >= 3 and all(name and value for name, value in experiment.parameters)
    assert all(note.endswith(".") for note in experiment.notes)
    assert experiment.figures


def test_titles_are_told_apart() -> None:
    assert len({one.title for one in SUITE.values()}) == len(SUITE)


def test_a_name_asks_for_one_experiment_and_the_suite_for_all_in_the_papers_order() -> None:
    ((_, all_of_it),) = chosen(["li07.fig4", "li07", "li07.fig4"])
    assert [one.id for one in all_of_it] == list(SUITE)
    ((_, some),) = chosen(["li07.fig11", "li07.fig4", "li07.fig11"])
    assert [one.id for one in some] == ["li07.fig4", "li07.fig11"]
    numbers = [int(id.removeprefix("li07.fig").removesuffix("q100")) for id in SUITE if "fig" in id]
    assert numbers == sorted(numbers)


@EACH
def test_the_points_of_the_paper_are_covered(experiment: Experiment) -> None:
    declared = Scale().points(experiment)
    for name, values in REGISTER.experiments[experiment.id].points.items():
        if name not in declared:
            assert len(values) == 1, f"{name} is fixed, the register has {values}"
            continue
        for value in values:
            assert snapped(value, declared[name]) is not None, f"{name}={value} is not within 10 % of a point of {declared[name]}"


@EACH
def test_repeats_are_at_least_the_papers(experiment: Experiment) -> None:
    asked = REGISTER.experiments[experiment.id].repeats
    assert experiment.repeats >= asked and (experiment.repeats == 0) == (asked == 0)


@EACH
def test_the_quick_scale_asks_less_and_still_repeats(experiment: Experiment) -> None:
    if experiment.quick is None:
        assert experiment.id in ("li07.fig4q100", "li07.fig5q100", "li07.grid")
        return
    paper, quick = Scale().points(experiment), Scale(quick=True).points(experiment)
    assert list(quick) == list(paper)
    assert all(quick[name] and set(quick[name]) <= set(values) for name, values in paper.items())
    assert quick.get("alg") == paper.get("alg"), "no protocol is left out"
    if experiment.repeats >= 5:
        assert 3 <= experiment.quick.repeats < experiment.repeats
    assert len(list(Scale(quick=True).grid(experiment))) <= len(list(Scale().grid(experiment)))


@EACH
def test_every_measure_is_a_known_metric_and_comes_once(experiment: Experiment) -> None:
    keys = [(one.metric, one.flow, one.state, one.t0, one.t1) for one in experiment.measures]
    assert len(set(keys)) == len(keys)
    for one in experiment.measures:
        assert one.metric in MEASURES or (one.function is not None and one.metric in REGISTER.metrics)


def made_up(experiment: Experiment) -> pl.DataFrame:
    """The experiment's table at the paper's scale with a value for everything it measures."""
    points = Scale().points(experiment)
    rows = [
        {**point, "seed": seed, "metric": one.metric, "flow": one.flow, "state": one.state, "t0": one.t0, "t1": one.t1, "value": value}
        | {"run": f"{experiment.id}/{point}/{seed}", "digest": f"{point}/{seed}"}
        for number, (point, seed) in enumerate(Scale().grid(experiment))
        for one in experiment.measures
        for value in [0.5 + 0.001 * (number % 400)]
    ]
    schema = {name: pl.String() if isinstance(values[0], str) else pl.Float64() for name, values in points.items()}
    floats = [{name: float(value) if isinstance(value, int) and name in points else value for name, value in row.items()} for row in rows]
    return pl.DataFrame(floats, schema=schema | dict(MEASURE_COLUMNS))


def test_every_claim_that_the_simulator_can_judge_finds_what_it_reads() -> None:
    verdicts = judge(REGISTER, {id: made_up(experiment) for id, experiment in SUITE.items()})
    unread = {one.id: one.reason for one in verdicts if one.judge == "sim" and one.verdict == "not_run"}
    assert unread == {}
    assert {one.id for one in verdicts if one.verdict != "not_run"} >= {claim.id for claim in REGISTER.claims if claim.judge == "sim"}


# Scenarios.


def test_the_whole_suite_is_legal_and_shares_the_runs_of_figures_4_9_and_11(whole: Plan) -> None:
    assert {experiment.id for experiment in whole.experiments} == set(SUITE)
    keys = {id: [cell.key for cell in cells] for id, cells in whole.cells.items()}
    assert keys["li07.fig9"] == keys["li07.fig4"]
    assert keys["li07.fig11"] == keys["li07.fig4"]
    assert keys["li07.fig7"] == keys["li07.fig8"]
    assert len(whole.jobs) < sum(len(own) for own in keys.values())


def test_the_quick_suite_is_legal_and_shorter(whole: Plan) -> None:
    quick = plan([one for one in SUITE.values() if one.quick is not None], Scale(quick=True))
    assert sum(job.weight for job in quick.jobs.values()) < 0.5 * sum(job.weight for job in whole.jobs.values())


def test_no_queue_holds_less_than_two_packets_and_all_hold_what_is_asked(whole: Plan) -> None:
    for id, cells in whole.cells.items():
        for cell in cells:
            link = whole.jobs[cell.key].scenario.bottleneck
            assert link.queue_packets is not None and link.queue_packets >= 2, (id, cell)
            if {"q", "rate", "rtt"} <= set(cell.point) and not id.startswith("li07.fig5"):
                # BDP in 1500-byte packets.
                asked = cell.point["q"] * cell.point["rate"] * 1e6 * cell.point["rtt"] * 1e-3 / 12_000
                assert link.queue_packets == 2 or abs(link.queue_packets - asked) <= 0.5, (id, cell)


def test_rates_round_trips_and_protocols_are_the_points(whole: Plan) -> None:
    for id, cells in whole.cells.items():
        for cell in cells:
            scenario = whole.jobs[cell.key].scenario
            assert scenario.seed == max(cell.seed, 1)
            if "rate" in cell.point:
                assert scenario.bottleneck.rate_bps == cell.point["rate"] * 1e6
            assert cell.point["alg"] in {flow.algorithm for flow in scenario.flows}, (id, cell)
            if "rtt" in cell.point:
                # Each repeat has a path of its own, at most half a packet time or a twentieth of the round trip off the nominal one.
                nominal = cell.point["rtt"] * 1e-3
                assert abs((scenario.flows[-1].rtt_s or 0) - nominal) <= min(6_000 / scenario.bottleneck.rate_bps, 0.05 * nominal) + 1e-9


def starts(cells: list[tuple[dict[str, Any], int, Scenario]]) -> Iterator[tuple[tuple[Any, ...], str, Scenario]]:
    for point, seed, scenario in cells:
        others = tuple(value for name, value in point.items() if name != "alg")
        yield (*others, seed), point["alg"], scenario


def test_protocols_meet_the_same_start_and_path_in_the_same_repeat(whole: Plan) -> None:
    compared = 0
    for id, cells in whole.cells.items():
        pairs = [(cell.point, cell.seed, whole.jobs[cell.key].scenario) for cell in cells]
        if len(pairs[0][2].flows) != 2:
            continue
        met: dict[tuple[Any, ...], dict[str, Scenario]] = {}
        for place, alg, scenario in starts(pairs):
            met.setdefault(place, {})[alg] = scenario
        for place, by_alg in met.items():
            assert len({tuple(flow.rtt_s for flow in scenario.flows) for scenario in by_alg.values()}) == 1, (id, place)
            assert len({(one.jitter_s, one.bottleneck.model_dump_json(), one.profile) for one in by_alg.values()}) == 1, (id, place)
            usual = {one.flows[1].start_s for alg, one in by_alg.items() if alg != "reno"}
            assert len(usual) <= 1, (id, place)
            if usual and "reno" in by_alg:
                start_s = by_alg["reno"].flows[1].start_s
                is_long = by_alg["reno"].duration_s > 600
                assert start_s in usual or (is_long and start_s > min(usual)), (id, place)
                compared += 1
    assert compared > 500


def test_starts_differ_between_repeats_and_lie_within_their_span(whole: Plan) -> None:
    by_seed: dict[int, set[float]] = {}
    for cell in whole.cells["li07.fig4"]:
        scenario = whole.jobs[cell.key].scenario
        assert scenario.flows[0].start_s == 0.0
        if cell.point["alg"] != "reno":
            by_seed.setdefault(cell.seed, set()).add(scenario.flows[1].start_s)
        else:
            assert 50 <= scenario.flows[1].start_s <= 50 + 1800
    assert sorted(by_seed) == [1, 2, 3, 4, 5] and all(len(values) == 1 for values in by_seed.values())
    found = [value for (value,) in by_seed.values()]
    assert len(set(found)) == 5 and all(DEFAULT_START_S[0] <= value <= DEFAULT_START_S[1] for value in found)


def test_runs_last_as_long_as_the_paper_says_or_an_hour_where_chance_needs_it(whole: Plan) -> None:
    for id, cells in whole.cells.items():
        asked = REGISTER.experiments[id].duration_s
        for cell in cells:
            scenario = whole.jobs[cell.key].scenario
            last = max(flow.start_s for flow in scenario.flows)
            if scenario.duration_s > asked > 0 and id != "li07.fig1":
                assert scenario.duration_s == pytest.approx(last + 3600) and cell.point["alg"] in ("reno", "fast"), (id, cell)
            elif asked > 0:
                assert scenario.duration_s >= asked, (id, cell)
            if id not in ("li07.tab", "li07.fig1"):
                # The default window: from 10 s after the last start.
                assert scenario.warmup_s == pytest.approx(last + 10), (id, cell)


def test_a_reno_flow_that_is_run_for_an_hour_has_long_epochs(whole: Plan) -> None:
    # From half a full pipe of N packets, one per round trip, to a full one takes N^2 / 2 / (packets/s). N is 1.2 BDP:
    # 10 Mbit/s, 833 packets/s: 162 packets and 15.7 s at 162 ms, but 82 and 4.0 s at 82 ms;
    # 250 Mbit/s, 20833 packets/s: 1050 packets and 26 s at 42 ms, but 550 and 7.3 s at 22 ms.
    hours = {
        (cell.point["rate"], cell.point["rtt"])
        for cell in whole.cells["li07.fig4"]
        if cell.point["alg"] == "reno" and whole.jobs[cell.key].scenario.duration_s > 3600
    }
    assert hours == {(10, 162), (10, 324), (250, 42), (250, 82), (250, 162), (250, 324)}


# Figures.


@EACH
def test_figures_survive_json(experiment: Experiment) -> None:
    for figure in experiment.figures:
        text = json.dumps(to_json(figure), allow_nan=False)
        assert to_json(from_json(json.loads(text))) == json.loads(text)
        assert type(from_json(json.loads(text))) is type(figure)
    assert len({figure.name for figure in experiment.figures}) == len(experiment.figures)


@EACH
def test_figures_show_what_is_measured_over_what_is_swept(experiment: Experiment) -> None:
    points = Scale().points(experiment)
    measured = {(one.metric, one.flow) for one in experiment.measures}
    for figure in experiment.figures:
        assert figure.panels is None or len(points[figure.panels]) > 1
        if isinstance(figure, Histories):
            assert experiment.kept == "all", "windows over time need all samples"
            continue
        assert isinstance(figure, Curves)
        assert (figure.metric, figure.fixed.get("flow")) in measured
        assert len(points[figure.x]) > 1
        assert all(value in points[name] for name, value in figure.fixed.items() if name != "flow")
        swept = {name for name, values in points.items() if len(values) > 1}
        assert swept <= {figure.x, figure.panels, "alg", *figure.fixed}, "another dimension would be averaged over"
        for overlay in figure.theory:
            assert overlay.alg is None or overlay.alg in points["alg"]
            if overlay.metric is not None:
                assert (overlay.metric, None) in measured
            else:
                lines = OVERLAYS[overlay.function or ""]
                values = lines(pl.Series([float(x) for x in points[figure.x]]).to_numpy(), **overlay.arguments)
                assert any(math.isfinite(value) for value in values)


# What is kept of a run is enough for what is measured on it.


def cheapest(experiment: Experiment) -> tuple[Mapping[str, Any], Scenario]:
    points = [point for point, seed in Scale().grid(experiment) if seed <= 1]
    laid = [(point, Scale().scenario(experiment)(point, Draws(1))) for point in points]
    return min(laid, key=lambda pair: pair[1].bottleneck.rate_bps * pair[1].duration_s)


@pytest.mark.parametrize("kept", ["totals", "rates"])
def test_what_is_stored_of_a_run_gives_the_same_measures_as_all_of_it(kept: str) -> None:
    asked: dict[str, tuple[Mapping[str, Any], Scenario, dict[Measure, None]]] = {}
    for experiment in SUITE.values():
        if experiment.kept == kept:
            point, scenario = cheapest(experiment)
            own = asked.setdefault(scenario.model_dump_json(), (point, scenario, {}))[2]
            own.update(dict.fromkeys(one for one in experiment.measures if one.function is None))
    assert asked
    for point, scenario, measures in asked.values():
        records = backend("sim").run(scenario)
        views = [View(some, dict(point)) for some in (records, records.thinned(KEPT[kept]))]
        found = {}
        for one in measures:
            full, thin = (measure(one.metric, view, flow=one.flow, t0=one.t0, t1=one.t1) for view in views)
            assert full == thin, (one, point)
            found[one.metric] = full
        assert sum(value is not None for value in found.values()) >= len(found) - 1, found


@BOTH
def test_a_unit_check_is_run_once(scale: Scale) -> None:
    assert scale.seeds(SUITE["li07.tab"]) == (0,)
    assert {len(scale.seeds(SUITE[id])) for id in ("li07.fig1", "li07.fig12", "li07.fig18")} == {1}
