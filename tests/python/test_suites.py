"""Every suite against the register of its paper: what is asked is declared, legal and measured."""

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
from windtunnel.suites import default_suites, suite
from windtunnel.theory.overlays import OVERLAYS

PAPERS = [name for name in default_suites() if (resources.files("windtunnel.claims") / "data" / f"{name}.yaml").is_file()]
SUITES = {paper: {one.id: one for one in suite(paper).experiments} for paper in PAPERS}
EXPERIMENTS = {id: one for experiments in SUITES.values() for id, one in experiments.items()}
REGISTERS = {paper: packaged_register(paper) for paper in PAPERS}
REGISTERED = {id: one for register in REGISTERS.values() for id, one in register.experiments.items()}
SHOWN_ONLY = {
    *("li07.fig15", "fast04.fig10", "fast04.fig11", "fast04.fig14", "fast04.rwnd", "fast04.udp", "fast04.haystack"),
    *("li07.wan", "li07.ticks", "fast04.ticks", "slac03.udp"),
    *("slac03.fig3", "slac03.rtt", "slac03.cpu", "slac03.txq", "slac03.fig6", "slac03.fig7", "slac03.paix"),
    *("leith08.fig8a", "leith08.fig12", "leith08.fig13", "leith08.vista0", "leith08.hs400", "leith08.gig"),
}
"""Declared for their figures: their claims can be judged on an emulation, or not at all."""
WAITING: dict[str, str] = {}
"""Within reach of a simulator, and not declared: what each waits for."""
OUT_OF_REACH: dict[str, str] = {}
"""Claims of emulated experiments that no run can judge, and why."""
OUR_OWN = {"base_rtt_error_ms", "cwnd_level_pkts", "ks_iterated", "ks_own_law"}
"""Measured beside what the registers name."""
NAMES = {"shape_sign": "concave"}
"""Metrics whose value is a name, with one of them."""
NO_QUICK = {"li07.fig4q100", "li07.fig5q100", "li07.grid", "open08.fig4", "open08.fig5", "slac03.fig6"}
"""Left out of the quick scale."""
LONG = {"open08.fig4", "open08.fig5"}
"""Runs of minutes of processor time."""
SCALED = {"leith08.reno", "slac03.scale"}
"""Experiments whose runs last as many epochs of their point as the paper's do of the longest."""
AVERAGED = {"opponent"}
"""Dimensions that a figure of names averages over, as its paper's table does."""
EACH = pytest.mark.parametrize("experiment", list(EXPERIMENTS.values()), ids=list(EXPERIMENTS))
PAPER = pytest.mark.parametrize("paper", PAPERS)


def described(paper: str) -> set[str]:
    """The experiments of which the register says, for readers, how the source laid them out."""
    text = (resources.files("windtunnel.claims") / "data" / f"{paper}.yaml").read_text(encoding="utf-8")
    return set(yaml.safe_load(text)["setups"])


@pytest.fixture(scope="module")
def whole() -> dict[str, Plan]:
    """All of each suite at the paper's scale; a scenario that is not legal, or that the engine refuses, ends here."""
    return {paper: plan(list(experiments.values()), Scale()) for paper, experiments in SUITES.items()}


# Declarations.


@PAPER
def test_every_experiment_that_the_paper_describes_is_declared_and_no_other(paper: str) -> None:
    assert set(SUITES[paper]) == described(paper) - set(WAITING)
    shown = {id for id in SHOWN_ONLY if id in SUITES[paper]}
    assert all(SUITES[paper][id].emulates or "not judged" in " ".join(SUITES[paper][id].notes) for id in shown)


@EACH
def test_a_reader_is_told_what_is_asked_and_where_it_comes_from(experiment: Experiment) -> None:
    assert experiment.title and experiment.source
    assert experiment.question.endswith("?") and experiment.question[0].isupper() and len(experiment.question) < 200
    assert len(experiment.parameters) >= 3 and all(name and value for name, value in experiment.parameters)
    assert all(note.endswith(".") for note in experiment.notes)
    assert experiment.figures


@PAPER
def test_titles_are_told_apart(paper: str) -> None:
    assert len({one.title for one in SUITES[paper].values()}) == len(SUITES[paper])


@EACH
def test_the_points_of_the_paper_are_covered(experiment: Experiment) -> None:
    declared = Scale().points(experiment)
    for name, values in REGISTERED[experiment.id].points.items():
        if name == "flow" and name not in declared:
            wanted = {value if isinstance(value, str) else f"{value:g}" for value in values}
            assert wanted <= {one.flow for one in experiment.measures}
            continue
        if name not in declared:
            assert len(values) == 1 or name == "size", f"{name} is fixed, the register has {values}"
            continue
        for value in values:
            assert snapped(value, declared[name]) is not None, f"{name}={value} is not within 10 % of a point of {declared[name]}"


@EACH
def test_the_points_that_are_run_are_those_that_the_register_says_exist(experiment: Experiment) -> None:
    if experiment.only is not None:
        points = [point for point, _ in Scale().grid(experiment)]
        full = math.prod(len(values) for values in Scale().points(experiment).values())
        assert 0 < len(points) < full * len(Scale().seeds(experiment))
        assert all(REGISTERED[experiment.id].offers(point) for point in points)


@EACH
def test_repeats_are_at_least_the_papers(experiment: Experiment) -> None:
    asked = REGISTERED[experiment.id].repeats
    assert experiment.repeats >= asked and (experiment.repeats == 0) == (asked == 0)


@EACH
def test_the_quick_scale_asks_less_and_still_repeats(experiment: Experiment) -> None:
    if experiment.quick is None:
        assert experiment.id in NO_QUICK
        return
    paper, quick = Scale().points(experiment), Scale(quick=True).points(experiment)
    assert list(quick) == list(paper)
    assert all(quick[name] and set(quick[name]) <= set(values) for name, values in paper.items())
    assert quick.get("alg") == paper.get("alg"), "no protocol is left out"
    if experiment.repeats >= 5:
        assert 3 <= experiment.quick.repeats < experiment.repeats
    assert 0 < len(list(Scale(quick=True).grid(experiment))) <= len(list(Scale().grid(experiment)))


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


@PAPER
def test_every_claim_that_the_simulator_can_judge_finds_what_it_reads(paper: str) -> None:
    register = REGISTERS[paper]
    verdicts = judge(register, {id: made_up(experiment) for id, experiment in SUITES[paper].items()})
    unread = {one.id: one.reason for one in verdicts if one.judge == "sim" and one.verdict == "not_run" and one.experiment not in WAITING}
    assert unread == {}
    asked = {claim.id for claim in register.claims if claim.judge == "sim" and claim.experiment not in WAITING}
    assert asked and asked <= {one.id for one in verdicts if one.verdict != "not_run"}


@PAPER
def test_what_an_experiment_emulates_is_said_in_a_line_and_judges_the_claims_that_wait_for_it(paper: str) -> None:
    emulations = {id: experiment.emulates for id, experiment in SUITES[paper].items() if experiment.emulates}
    assert all(text == text.strip() and "\n" not in text and len(text) < 160 and not text.endswith(".") for text in emulations.values())
    register = REGISTERS[paper]
    waiting = {claim.id for claim in register.claims if claim.judge != "sim" and claim.experiment in emulations} - set(OUT_OF_REACH)
    assert {id for id in emulations} == {claim.experiment for claim in register.claims if claim.id in waiting}
    verdicts = judge(register, {id: made_up(experiment) for id, experiment in SUITES[paper].items()}, emulations=emulations)
    assert {one.id: one.reason for one in verdicts if one.id in waiting and one.verdict == "not_run"} == {}
    assert {one.id for one in verdicts if one.judged_on} == waiting


# Scenarios.


@PAPER
def test_the_whole_suite_is_legal(paper: str, whole: dict[str, Plan]) -> None:
    assert {experiment.id for experiment in whole[paper].experiments} == set(SUITES[paper])


@pytest.mark.parametrize("id", ["li07.ticks", "fast04.fig2", "slac03.tab2"])
def test_a_quick_scale_ends_runs_and_says_so(id: str) -> None:
    """Ten minutes, and twenty of slac03, are five."""
    experiment, quick = EXPERIMENTS[id], Scale(quick=True)
    point, seed = next(iter(quick.grid(experiment)))
    assert Scale().scenario(experiment)(point, Draws(seed)).duration_s >= 600.0
    assert quick.scenario(experiment)(point, Draws(seed)).duration_s == 300.0
    assert "At this quick scale no run is longer than 300 s." in set(quick.notes(experiment)) - set(Scale().notes(experiment))


@PAPER
def test_the_quick_suite_is_legal_and_shorter(paper: str, whole: dict[str, Plan]) -> None:
    quick = plan([one for one in SUITES[paper].values() if one.quick is not None], Scale(quick=True))
    assert sum(job.weight for job in quick.jobs.values()) < 0.5 * sum(job.weight for job in whole[paper].jobs.values())


@PAPER
def test_the_protocol_of_a_point_is_run_and_the_seed_is_the_repeats(paper: str, whole: dict[str, Plan]) -> None:
    for id, cells in whole[paper].cells.items():
        for cell in cells:
            scenario = whole[paper].jobs[cell.key].scenario
            assert scenario.seed == max(cell.seed, 1)
            named = {cell.point[name] for name in ("alg", "opponent") if name in cell.point}
            run = {name for flow in scenario.flows for name in (flow.algorithm, flow.algorithm.partition(":")[0])}
            assert named <= run | {source.kind for source in scenario.traffic}, (id, cell)


@PAPER
def test_runs_have_the_points_rate_and_last_as_long_as_the_paper_says(paper: str, whole: dict[str, Plan]) -> None:
    for id, cells in whole[paper].cells.items():
        asked = REGISTERED[id].duration_s
        for cell in cells:
            scenario = whole[paper].jobs[cell.key].scenario
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
        if figure.x == "flow":
            assert sum(metric == figure.metric and flow is not None for metric, flow in shown) > 1
            continue
        assert (figure.metric, figure.fixed.get("flow")) in shown
        assert figure.x == "alg" or len(points[figure.x]) > 1
        assert all(value in points[name] for name, value in figure.fixed.items() if name != "flow")
        # Another dimension would be averaged over unseen.
        swept = {name for name, values in points.items() if len(values) > 1}
        averaged = AVERAGED if isinstance(figure, Compared) else set()
        assert swept <= {figure.x, figure.panels, figure.series, "alg", *figure.fixed, *averaged}
        if isinstance(figure, Curves):
            check_theory(figure, points, shown)
        else:
            for mark in figure.published:
                assert all(name == "flow" or value in points[name] for name, value in mark.at.items()), mark


@pytest.mark.parametrize("id", sorted(id for id, one in REGISTERED.items() if any(table.cells for table in one.tables.values())))
def test_every_value_of_a_published_table_is_a_mark_in_a_figure(id: str) -> None:
    marks = [mark for figure in EXPERIMENTS[id].figures if isinstance(figure, Compared) for mark in figure.published]
    wanted = sorted(cell.value for table in REGISTERED[id].tables.values() for cell in table.cells)
    assert sorted(mark.value for mark in marks) == wanted


def check_theory(figure: Curves, points: Mapping[str, Any], shown: set[tuple[str, str | None]]) -> None:
    for overlay in figure.theory:
        assert overlay.alg is None or overlay.alg in points["alg"]
        if overlay.metric is not None:
            assert (overlay.metric, None) in shown
        else:
            lines = OVERLAYS[overlay.function or ""]
            values = lines(pl.Series([float(x) for x in points[figure.x]]).to_numpy(), **overlay.arguments)
            assert any(math.isfinite(value) for value in values)


# What is kept of a run is enough for what is measured on it.


def cheapest(experiment: Experiment) -> tuple[Mapping[str, Any], Scenario]:
    points = [point for point, seed in Scale().grid(experiment) if seed <= 1]
    laid = [(point, Scale().scenario(experiment)(point, Draws(1))) for point in points]
    return min(laid, key=lambda pair: pair[1].bottleneck.rate_bps * pair[1].duration_s)


@PAPER
@pytest.mark.parametrize("kept", ["totals", "rates"])
def test_what_is_stored_of_a_run_gives_the_same_measures_as_all_of_it(paper: str, kept: str) -> None:
    asked: dict[str, tuple[Mapping[str, Any], Scenario, dict[Measure, None]]] = {}
    for experiment in SUITES[paper].values():
        wanted = [one for one in experiment.measures if one.function is None]
        if experiment.kept == kept and wanted and experiment.id not in LONG:
            point, scenario = cheapest(experiment)
            asked.setdefault(scenario.model_dump_json(), (point, scenario, {}))[2].update(dict.fromkeys(wanted))
    for point, scenario, measures in asked.values():
        records = backend("sim").run(scenario)
        views = [View(some, dict(point)) for some in (records, records.thinned(KEPT[kept]))]
        found = {}
        for one in measures:
            full, thin = (measured(one.metric, view, flow=one.flow, t0=one.t0, t1=one.t1) for view in views)
            assert full == thin, (one, point)
            found[one.metric] = full
        assert sum(value is not None for value in found.values()) >= len(found) - 1, found
