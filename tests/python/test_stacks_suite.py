"""The study of whole stacks: what it declares, what it says where a stack is not built, and one small experiment of it."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from windtunnel.backends import backend
from windtunnel.claims import packaged_register
from windtunnel.cli import main
from windtunnel.foreign import ForeignError, stacks
from windtunnel.metrics import MEASURES
from windtunnel.metrics.view import FlowSeries
from windtunnel.plots.declared import Matrix, from_json, to_json
from windtunnel.plots.drawing import draw, remarks
from windtunnel.plots.matrix import cells_of
from windtunnel.plots.style import look
from windtunnel.scenario import Scenario
from windtunnel.store import open_results
from windtunnel.suites import default_suites, suite
from windtunnel.suites.stacks import ORDER, laws
from windtunnel.suites.stacks.epochs import epochs
from windtunnel.suites.stacks.subjects import EVERY, STACKS, kind


@pytest.fixture
def quinn() -> stacks.Stack:
    found = [one for one in stacks.built() if one.name == "quinn"]
    if not found:
        pytest.skip("quinn is not built: windtunnel stacks build quinn")
    return found[0]


@pytest.fixture
def nothing_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


# Declarations.


def test_every_experiment_is_declared_in_the_register_with_what_it_measures() -> None:
    register, own = packaged_register("stacks"), suite("stacks").experiments
    assert [one.id for one in own] == list(ORDER) == list(register.experiments)
    for one in own:
        said = register.experiments[one.id]
        assert set(said.measures) >= {measure.metric for measure in one.measures}
        assert all(measure.metric in MEASURES for measure in one.measures if measure.function is None)
        assert set(said.points["alg"]) <= set(EVERY)
        assert one.question.endswith("?") and len(one.parameters) >= 3
        assert [from_json(json.loads(json.dumps(to_json(figure)))) for figure in one.figures] == list(one.figures)


def test_every_figure_shows_a_metric_of_its_experiment() -> None:
    for one in suite("stacks").experiments:
        measured = {measure.metric for measure in one.measures}
        assert {figure.metric for figure in one.figures if hasattr(figure, "metric")} <= measured


def test_every_controller_of_every_stack_meets_an_expectation() -> None:
    claims = packaged_register("stacks").claims
    for name in EVERY:
        assert any(f"'{name}'" in claim.predicate for claim in claims), name
    assert all("RFC" in claim.section for claim in claims)
    assert {kind(name) for name in EVERY} == {"cubic", "reno", "bbr"}


def test_only_who_names_the_study_gets_it() -> None:
    assert "stacks" not in default_suites() and "li07" in default_suites()


def test_a_stack_has_one_look_and_laws_of_one_kind_are_told_apart() -> None:
    for law in ("cubic", "reno", "bbr"):
        looks = [look(name) for name in EVERY if kind(name) == law]
        assert len({colour for colour, _ in looks}) == len(looks)
    assert look("cubic@quinn") == look("bbr@quinn")


# Without stacks.


@pytest.mark.usefixtures("nothing_built")
def test_without_any_stack_one_line_says_what_to_build(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suite", "run", "stacks", "--quick", "--out", str(tmp_path / "results")]) == 2
    out = capsys.readouterr()
    assert "no stack is built; run: windtunnel stacks build quinn" in out.err and out.err.count("\n") == 1 and not out.out
    assert not (tmp_path / "results").exists()


@pytest.mark.usefixtures("nothing_built")
def test_a_controller_of_a_stack_that_is_not_built_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suite", "run", "li07.fig4", "--alg", "cubic@quinn"]) == 2
    assert "is not built; run: windtunnel stacks build quinn" in capsys.readouterr().err


def test_each_stack_that_is_not_built_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stacks, "built", lambda: [SimpleNamespace(name="quinn")])
    own = suite("stacks")
    assert [line.partition(" ")[0] for line in own.skipped()] == [name for name in STACKS if name != "quinn"]
    assert all(line.endswith(f"run: windtunnel stacks build {line.partition(' ')[0]}") for line in own.skipped())
    assert {name.partition("@")[2] for one in own.experiments for name in one.points["alg"]} == {"", "quinn"}


# The laws, on windows that are known.


def window(cwnd: Any, t_s: Any, *, alg: str = "cubic", srtt_s: float = 0.1) -> Any:
    """A run whose only flow has this window."""
    ones = np.ones_like(t_s)
    series = FlowSeries(t_s, cwnd, ones, srtt_s * ones, ones, 0 * ones)
    return SimpleNamespace(series=lambda _: series, scenario={"warmup_s": 0.0}, point={"alg": alg})


def saw(*, c: float, keep: float, plateau: float) -> tuple[Any, Any]:
    """Twelve seconds up to 300 packets, then three epochs of RFC 9438's W_cubic (4.2, equations 1 and 2) between 300 and `keep` of it."""
    low, top = keep * 300, plateau * 300
    k_s = ((top - low) / c) ** (1 / 3)
    end_s = k_s + ((300 - top) / c) ** (1 / 3) if top < 300 else k_s
    t_s = np.arange(0, end_s, 0.01)
    epoch = c * (t_s - k_s) ** 3 + top
    whole = np.concatenate((np.linspace(10, 300, 1200), epoch, epoch, epoch))
    return whole, 0.01 * np.arange(whole.size)


def test_w_cubic_is_found_in_a_window_that_follows_it() -> None:
    run = window(*saw(c=0.4, keep=0.7, plateau=0.85))
    assert len(epochs(run, 0.0)) == 3
    assert laws.kept_share(run) == pytest.approx(0.7, abs=0.005)
    assert laws.cubic_c(run) == pytest.approx(0.4, abs=0.005) and laws.plateau(run) == pytest.approx(0.85, abs=0.005)
    assert laws.undone(run) == 0
    # Half the constant is another law's: the measure sees it.
    assert laws.cubic_c(window(*saw(c=0.2, keep=0.7, plateau=0.85))) == pytest.approx(0.2, abs=0.005)


def test_one_side_of_the_turning_point_determines_no_c() -> None:
    run = window(*saw(c=0.4, keep=0.7, plateau=1.0))
    assert laws.cubic_c(run) is None and laws.kept_share(run) == pytest.approx(0.7, abs=0.005)


def test_a_line_of_one_packet_per_round_trip_has_that_slope() -> None:
    t_s = np.arange(0, 60, 0.01)
    cwnd = 50 + (t_s % 5.0) / 0.1
    run = window(cwnd, t_s, alg="reno")
    assert laws.per_round(run) == pytest.approx(1.0, abs=0.01) and laws.kept_share(run) == pytest.approx(0.5, abs=0.01)


def test_a_reduction_that_is_taken_back_is_seen() -> None:
    t_s = np.arange(0, 20, 0.01)
    cwnd = np.where((t_s % 5.0) < 0.3, 70.0, 100.0)
    assert laws.undone(window(cwnd, t_s)) == 1.0


def test_a_bbr_has_no_law_of_losses() -> None:
    run = window(*saw(c=0.4, keep=0.7, plateau=0.85), alg="bbr2@quiche")
    assert [laws.kept_share(run), laws.cubic_c(run), laws.undone(run), laws.reductions(run)] == [None] * 4


# The matrix.


def test_a_matrix_mirrors_a_pair_that_was_run_in_one_order() -> None:
    rows = [("a", "a", 0.5), ("a", "b", 0.8), ("a", "b", 0.6), ("b", "b", 0.5)]
    table = pl.DataFrame([{"alg": a, "opponent": b, "metric": "share", "seed": 1, "value": v} for a, b, v in rows])
    figure = Matrix("m", "t", metric="share", x="opponent", y="alg", centre=0.5, y_limits=(0.0, 1.0), mirrored=1.0)
    assert cells_of(figure, table)["a", "b"] == pytest.approx(0.7) and cells_of(figure, table)["b", "a"] == pytest.approx(0.3)
    texts = [text.get_text() for text in draw(figure, measures=table).axes[0].texts]
    assert texts == ["0.50", "0.70", "0.30", "0.50"]
    assert remarks(figure, measures=table)[0] == "Numbers are means of 1 to 2 repeats."
    with pytest.raises(ValueError, match="no row of share"):
        draw(figure, measures=table.filter(pl.col("metric") == "x"))


# With quinn.


def test_the_small_path_with_quinn_is_run_judged_and_says_its_build(quinn: stacks.Stack, tmp_path: Path) -> None:
    out = tmp_path / "results"
    command = ["suite", "run", "stacks.friendly", "--quick", "--alg", "cubic,cubic@quinn", "--jobs", "1", "--out", str(out)]
    assert main(command) == 0
    results = open_results(out)
    kept = {row["alg"]: row["value"] for row in results.measures("stacks.friendly").filter(pl.col("metric") == "beta_step").to_dicts()}
    # RFC 9438, 4.6: 0.7; a window of 33 packets is reduced to whole ones.
    assert set(kept) == {"cubic", "cubic@quinn"} and all(abs(value - 0.7) < 0.03 for value in kept.values())
    declared = results.declaration("stacks.friendly")
    assert ["build of quinn", f"version {quinn.version}, key {quinn.key}"] in declared["parameters"]
    assert declared["command"].startswith("windtunnel suite run stacks.friendly --quick --alg cubic,cubic@quinn")
    assert main(["report", str(out), "--jobs", "1"]) == 0
    page = (out / "report/experiments/stacks.friendly.html").read_text(encoding="utf-8")
    assert quinn.key in page and "cubic@quinn" in page


def test_a_stack_that_fails_ends_its_own_run_and_no_others(quinn: stacks.Stack) -> None:
    """A slow start over six BDP of queue loses every other packet of some thousands: quinn's receiver keeps 1024 pieces at most."""
    scenario = Scenario.model_validate(
        {
            "bottleneck": {"rate": "100Mbit", "queue": "600%bdp"},
            "rtt": "40ms",
            "duration": "2s",
            "flows": ["cubic,stack=quinn"],
        }
    )
    with pytest.raises(ForeignError, match=f"quinn-{quinn.version}: connection lost: .*too many gaps"):
        backend("sim").run(scenario)


def test_all_stacks_fit_into_one_process() -> None:
    found = list({one.name: one for one in stacks.built()})
    if len(found) < 3:
        pytest.skip("fewer than three stacks are built: windtunnel stacks build")
    flows = [f"cubic,stack={name}" for name in found]
    path = {"bottleneck": {"rate": "10Mbit", "queue": "100%bdp"}, "rtt": "40ms", "duration": "1s", "flows": flows}
    made = backend("sim").run(Scenario.model_validate(path))
    assert made.flows["algorithm"].to_list() == [f"cubic@{name}" for name in found] and made.flows["delivered_bytes"].min() > 0
