"""The suites of the papers of 2008 against their registers: what is asked is declared, legal and measured."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
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
from windtunnel.metrics import MEASURES, View, measured
from windtunnel.plots.declared import Compared, Curves, Histories, from_json, to_json
from windtunnel.scenario import Scenario
from windtunnel.store import KEPT
from windtunnel.suites import Suite, suite
from windtunnel.theory.overlays import OVERLAYS

SUITES = {name: suite(name) for name in ("leith08", "open08")}
REGISTERS = {name: packaged_register(name) for name in SUITES}
EXPERIMENTS = {one.id: one for known in SUITES.values() for one in known.experiments}
WAITING_FOR_HOST_MODELS = {"leith08.fig8a", "leith08.fig12", "leith08.fig13"}
"""Declared for their figures; their claims wait for host models."""
NOT_DECLARED: dict[str, str] = {
    "leith08.fig1": "a burst of UDP",
    "leith08.fig2a": "a burst of UDP, and on-off traffic in reverse",
    "leith08.fig2b": "a burst of UDP, and on-off traffic in reverse",
    "leith08.fig7": "short flows in the background",
    "leith08.fig10": "short flows in the background",
    "leith08.tab1": "short flows in the background",
    "open08.fig6": "web traffic in the background",
    "open08.fig7": "web traffic in the background",
}
"""Experiments that the simulator is to reproduce and cannot yet, with what they wait for."""
EACH_SUITE = pytest.mark.parametrize("known", list(SUITES.values()), ids=list(SUITES))
EACH = pytest.mark.parametrize("experiment", list(EXPERIMENTS.values()), ids=list(EXPERIMENTS))
OUR_OWN = {"base_rtt_error_ms", "cwnd_level_pkts", "ks_iterated", "ks_own_law"}
"""Measured beside what the registers name."""
LONG = {"open08.fig4", "open08.fig5"}
"""Runs of minutes of processor time."""
SCALED = {"leith08.reno"}
"""Experiments whose runs last as many epochs of their rate as the paper's do of the highest."""
NAMES = {"shape_sign": "concave"}
"""Metrics whose value is a name."""


def register_of(experiment: Experiment) -> Any:
    """The register's entry of an experiment."""
    return REGISTERS[experiment.id.partition(".")[0]].experiments[experiment.id]


def written(name: str) -> dict[str, Any]:
    """The register's experiments as the file has them, with what the claims do not need."""
    text = (resources.files("windtunnel.claims") / "data" / f"{name}.yaml").read_text(encoding="utf-8")
    return {row["id"]: row for row in yaml.safe_load(text)["experiments"]}


@pytest.fixture(scope="module")
def whole() -> dict[str, Plan]:
    """All of every suite at the paper's scale; a scenario that is not legal, or that the engine refuses, ends here."""
    return {name: plan(known.experiments, Scale()) for name, known in SUITES.items()}


# Declarations.


@EACH_SUITE
def test_every_experiment_that_the_simulator_reproduces_is_declared_and_no_other(known: Suite) -> None:
    rows = written(known.name)
    declared = {one.id for one in known.experiments}
    waiting = {id for id in NOT_DECLARED if id.startswith(f"{known.name}.")}
    reproducible = {id for id, row in rows.items() if row["reproducible"] == "sim"}
    assert declared | waiting == reproducible | {id for id in WAITING_FOR_HOST_MODELS if id in rows}
    assert not declared & waiting and waiting <= reproducible


@pytest.mark.parametrize("id", sorted(WAITING_FOR_HOST_MODELS))
def test_what_waits_for_host_models_says_so(id: str) -> None:
    assert written(id.partition(".")[0])[id]["reproducible"] == "needs-host-model"
    assert "host models" in " ".join(EXPERIMENTS[id].notes)


@EACH_SUITE
def test_titles_are_told_apart(known: Suite) -> None:
    assert len({one.title for one in known.experiments}) == len(known.experiments)


@EACH
def test_a_reader_is_told_what_is_asked_and_where_it_comes_from(experiment: Experiment) -> None:
    assert experiment.title and experiment.source
    assert experiment.question.endswith("?") and experiment.question[0].isupper() and len(experiment.question) < 200
    assert len(experiment.parameters) >= 3 and all(name and value for name, value in experiment.parameters)
    assert all(note.endswith(".") for note in experiment.notes)
    assert experiment.figures


@EACH
def test_the_points_of_the_paper_are_covered(experiment: Experiment) -> None:
    declared = Scale().points(experiment)
    for name, values in register_of(experiment).points.items():
        if name == "flow":
            wanted = {value if isinstance(value, str) else f"{value:g}" for value in values}
            assert wanted <= {one.flow for one in experiment.measures}
            continue
        if name not in declared:
            assert len(values) == 1, f"{name} is fixed, the register has {values}"
            continue
        for value in values:
            assert snapped(value, declared[name]) is not None, f"{name}={value} is not within 10 % of a point of {declared[name]}"


@EACH
def test_repeats_are_at_least_the_papers(experiment: Experiment) -> None:
    asked = register_of(experiment).repeats
    assert experiment.repeats >= asked and (experiment.repeats == 0) == (asked == 0)


@EACH
def test_the_quick_scale_asks_less_and_still_repeats(experiment: Experiment) -> None:
    if experiment.quick is None:
        assert experiment.id in ("open08.fig4", "open08.fig5")
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
    known = REGISTERS[experiment.id.partition(".")[0]].metrics
    for one in experiment.measures:
        own = one.function is not None and (one.metric.partition("@")[0] in known or one.metric in OUR_OWN)
        assert one.metric in MEASURES or own


def made_up(experiment: Experiment) -> pl.DataFrame:
    """The experiment's table at the paper's scale with a value for everything it measures."""
    points = Scale().points(experiment)
    rows = [
        {**point, "seed": seed, "metric": one.metric, "flow": one.flow, "state": one.state, "t0": one.t0, "t1": one.t1}
        | {"value": None if one.metric in NAMES else 0.5 + 0.001 * (number % 400), "text": NAMES.get(one.metric)}
        | {"run": f"{experiment.id}/{point}/{seed}", "digest": f"{point}/{seed}"}
        for number, (point, seed) in enumerate(Scale().grid(experiment))
        for one in experiment.measures
    ]
    schema = {name: pl.String() if isinstance(values[0], str) else pl.Float64() for name, values in points.items()}
    floats = [{name: float(value) if isinstance(value, int) and name in points else value for name, value in row.items()} for row in rows]
    return pl.DataFrame(floats, schema=schema | dict(MEASURE_COLUMNS))


@EACH_SUITE
def test_every_claim_that_the_simulator_can_judge_finds_what_it_reads(known: Suite) -> None:
    register = REGISTERS[known.name]
    waiting = {claim.id for claim in register.claims if claim.experiment in NOT_DECLARED}
    verdicts = judge(register, {experiment.id: made_up(experiment) for experiment in known.experiments})
    unread = {one.id: one.reason for one in verdicts if one.judge == "sim" and one.verdict == "not_run" and one.id not in waiting}
    assert unread == {}
    assert {one.id for one in verdicts if one.verdict != "not_run"} == {c.id for c in register.claims if c.judge == "sim"} - waiting


# Scenarios.


@EACH_SUITE
def test_the_whole_suite_is_legal(known: Suite, whole: dict[str, Plan]) -> None:
    assert {experiment.id for experiment in whole[known.name].experiments} == {one.id for one in known.experiments}


@EACH_SUITE
def test_the_quick_suite_is_legal_and_shorter(known: Suite, whole: dict[str, Plan]) -> None:
    quick = plan([one for one in known.experiments if one.quick is not None], Scale(quick=True))
    assert sum(job.weight for job in quick.jobs.values()) < 0.5 * sum(job.weight for job in whole[known.name].jobs.values())


@EACH_SUITE
def test_runs_hold_the_points_rate_and_protocol_and_last_as_long_as_the_paper_says(known: Suite, whole: dict[str, Plan]) -> None:
    for id, cells in whole[known.name].cells.items():
        asked = REGISTERS[known.name].experiments[id].duration_s
        for cell in cells:
            scenario = whole[known.name].jobs[cell.key].scenario
            assert scenario.seed == max(cell.seed, 1)
            assert cell.point["alg"] in {name for flow in scenario.flows for name in (flow.algorithm, flow.algorithm.partition(":")[0])}
            if "rate" in cell.point:
                assert scenario.bottleneck.rate_bps == cell.point["rate"] * 1e6
            sized = any(flow.bytes is not None for flow in scenario.flows)
            assert scenario.duration_s >= asked or sized or id in SCALED, (id, cell)


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
    shown = {(one.metric, one.flow) for one in experiment.measures}
    for figure in experiment.figures:
        assert figure.panels is None or len(points[figure.panels]) > 1
        if isinstance(figure, Histories):
            assert experiment.kept == "all", "windows over time need all samples"
            continue
        assert isinstance(figure, Curves | Compared)
        if figure.x == "flow":
            assert sum(metric == figure.metric and flow is not None for metric, flow in shown) > 1
            continue
        assert (figure.metric, figure.fixed.get("flow")) in shown
        assert figure.x == "alg" or len(points[figure.x]) > 1
        assert all(value in points[name] for name, value in figure.fixed.items() if name != "flow")
        swept = {name for name, values in points.items() if len(values) > 1}
        assert swept <= {figure.x, figure.panels, "alg", *figure.fixed}, "another dimension would be averaged over"
        for overlay in figure.theory if isinstance(figure, Curves) else ():
            assert overlay.alg is None or overlay.alg in points["alg"]
            if overlay.metric is not None:
                assert (overlay.metric, None) in shown
            else:
                lines = OVERLAYS[overlay.function or ""]
                values = lines(pl.Series([float(x) for x in points[figure.x]]).to_numpy(), **overlay.arguments)
                assert any(math.isfinite(value) for value in values)


def cheapest(experiment: Experiment) -> tuple[Mapping[str, Any], Scenario]:
    points = [point for point, seed in Scale().grid(experiment) if seed <= 1]
    laid = [(point, Scale().scenario(experiment)(point, Draws(1))) for point in points]
    return min(laid, key=lambda pair: pair[1].bottleneck.rate_bps * pair[1].duration_s)


# What is kept of a run is enough for what is measured on it.


@pytest.mark.parametrize("kept", ["totals", "rates"])
@EACH_SUITE
def test_what_is_stored_of_a_run_gives_the_same_measures_as_all_of_it(kept: str, known: Suite) -> None:
    asked: dict[str, tuple[Mapping[str, Any], Scenario, dict[Measure, None]]] = {}
    for experiment in known.experiments:
        if experiment.kept == kept and experiment.id not in LONG:
            point, scenario = cheapest(experiment)
            own = asked.setdefault(scenario.model_dump_json(), (point, scenario, {}))[2]
            own.update(dict.fromkeys(one for one in experiment.measures if one.function is None))
    for point, scenario, measures in asked.values():
        records = backend("sim").run(scenario)
        views = [View(some, dict(point)) for some in (records, records.thinned(KEPT[kept]))]
        found = {}
        for one in measures:
            full, thin = (measured(one.metric, view, flow=one.flow, t0=one.t0, t1=one.t1) for view in views)
            assert full == thin, (one, point)
            found[one.metric] = full
        assert sum(value is not None for value in found.values()) >= len(found) - 1, found
