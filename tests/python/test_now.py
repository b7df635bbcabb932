"""The benchmark as of today: its plan and what that costs, its points, and the page of rankings on measures that are known."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import polars as pl
import pytest

from windtunnel.cli import main
from windtunnel.experiment import Scale, plan
from windtunnel.store import Results, ResultsError, open_results
from windtunnel.suites import default_suites, suite
from windtunnel.suites.everyone import SUBJECTS
from windtunnel.suites.now.asked import QUESTIONS, number
from windtunnel.suites.now.beside import beside_lines
from windtunnel.suites.now.grids import FRACTION, RATES, WHOLE, cost_s
from windtunnel.suites.now.page import in_short, page, ranking, table
from windtunnel.suites.now.questions import is_of_epochs

NOW = suite("now")


def spent(scale: Scale) -> Mapping[int, float]:
    found: dict[int, float] = dict.fromkeys(RATES, 0.0)
    for job in plan(NOW.experiments, scale).jobs.values():
        if not any(flow.stack for flow in job.scenario.flows):
            found[round(job.scenario.bottleneck.rate_bps / 1e6)] += cost_s(job)
    return found


@pytest.fixture(scope="module")
def fraction() -> Mapping[int, float]:
    return spent(Scale())


def test_the_fraction_takes_an_hour_of_two_cores_and_10_gbit_at_most_a_third(fraction: Mapping[int, float]) -> None:
    assert sum(fraction.values()) <= 2 * 3600
    assert 0 < fraction[10000] <= sum(fraction.values()) / 3
    # Two round trips, three queues, two seeds, 120 s.
    grid = FRACTION["same", 10000]
    assert (len(grid.rtts), len(grid.queues) + len(grid.managed), grid.repeats, grid.duration_s) == (2, 3, 2, 120.0)


def test_every_algorithm_is_in_every_question_and_the_whole_grid_holds_the_fraction_s_kind(fraction: Mapping[int, float]) -> None:
    assert "now" not in default_suites()
    for one in NOW.experiments:
        assert set(SUBJECTS) <= set(one.points["alg"])
    assert [one.id for one in NOW.experiments] == [f"now.{question}-{rate}" for question, rate in FRACTION] and set(FRACTION) == set(WHOLE)
    queues = {q for grid in FRACTION.values() for q in (*grid.queues, *grid.managed)}
    assert {0.05, 2.0} <= queues and max(WHOLE["same", 10].managed) == 2.0
    some = next(one for one in NOW.experiments if one.id == "now.same-10")
    points = [point for point, _ in Scale(algorithms=["cubic"], repeats=1).grid(some)]
    assert {(point["q"], point["queue"]) for point in points} == {*((q, "drop-tail") for q in (0.05, 0.2, 1.0, 2.0)), (1.0, "fq-codel")}


def test_the_plan_says_what_it_costs_and_where_it_is_shorter_than_an_epoch() -> None:
    lines = NOW.planned(plan(NOW.experiments, Scale(algorithms=["reno"], repeats=1)))
    assert [line.partition(":")[0] for line in lines[:-1]] == [f"{rate} Mbit/s" for rate in RATES]
    assert all(re.search(r"about \d+ core-seconds, \d+% of all", line) for line in lines[:-1])
    # ((1 + q) BDP)^2 / (2 C) at 10 Gbit/s, 100 ms, 1 BDP: (2 x 83333)^2 packets over twice 833333 a second are 16667 s.
    assert "too short for an epoch of Reno of up to 278 min" in lines[3] and "too short" not in lines[0]


def test_full_is_refused_where_an_experiment_is_whole_as_declared(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suite", "run", "li07.fig4", "--full"]) == 2
    assert "whole as declared" in capsys.readouterr().err
    assert main(["suite", "run", "now", "--full", "--quick"]) == 2
    grid = list(Scale(full=True, algorithms=["cubic"]).grid(next(one for one in NOW.experiments if one.id == "now.same-10")))
    # Six round trips, six queues, two disciplines, ten seeds.
    assert len(grid) == 6 * 6 * 2 * 10


def measured(values: Mapping[str, list[float]], metric: str, **point: Any) -> pl.DataFrame:
    """Measures of some algorithms, a value a repeat, at one point."""
    rows = [
        {"alg": name, **point, "seed": seed, "metric": metric, "flow": None, "value": value, "run": f"{name}{seed}"}
        for name, own in values.items()
        for seed, value in enumerate(own, 1)
    ]
    return pl.DataFrame(rows, schema_overrides={"flow": pl.String, "value": pl.Float64})


def test_ranks_are_ranges_where_intervals_overlap() -> None:
    fair = QUESTIONS[0]
    frame = measured({"cubic": [0.9, 0.9, 0.9], "bbr": [0.4, 0.7, 0.6], "reno": [0.5, 0.6, 0.65]}, "fair_minmax", rtt=42.0, q=0.2)
    places = ranking(frame, fair, duration_s=600.0)
    assert next(iter(places)) == "cubic" and places["cubic"].ranks == (1, 1) and places["bbr"].ranks == places["reno"].ranks == (2, 3)
    assert places["bbr"].value == pytest.approx(1.7 / 3) and places["bbr"].low < places["bbr"].value < places["bbr"].high
    assert table(fair, {10: places})[2] == "| cubic | 1 | 0.90 (0.90 to 0.90) |"


def test_ratios_count_how_far_apart_in_either_direction_and_an_endless_time_as_the_run() -> None:
    beside = next(one for one in QUESTIONS if one.title == "Beside Reno")
    frame = measured({"scalable": [4.0, 4.0], "vegas": [0.25, 0.25], "htcp": [2.0, 0.5]}, "over_other", rtt=42.0, q=0.2, opponent="reno")
    places = ranking(frame, beside, duration_s=600.0)
    assert places["scalable"].value == pytest.approx(places["vegas"].value) == pytest.approx(4.0) and places["htcp"].value == pytest.approx(
        2.0
    )
    assert places["scalable"].takes and not places["vegas"].takes
    slow = measured({"reno": [float("inf"), 200.0]}, "conv80_s", rtt=42.0, q=0.2)
    assert ranking(slow, QUESTIONS[-1], duration_s=600.0)["reno"].value == pytest.approx(400.0)


def test_a_run_without_a_whole_epoch_is_marked_for_laws_of_epochs_alone() -> None:
    assert is_of_epochs("reno") and is_of_epochs("cubic@quinn") and not is_of_epochs("bbr")
    frame = pl.concat(
        [
            measured({"reno": [0.9, 0.8], "bbr": [0.9, 0.8]}, "fair_minmax", rtt=42.0, q=0.2),
            measured({"reno": [0.0, 0.0], "bbr": [0.0, 0.0]}, "epochs", rtt=42.0, q=0.2),
        ]
    )
    places = ranking(frame, QUESTIONS[0], duration_s=600.0)
    assert places["reno"].unfinished == 1 and places["bbr"].unfinished == 0
    assert "†1" in "".join(table(QUESTIONS[0], {10: places}))


def test_the_page_of_a_folder_has_a_date_a_version_and_every_question(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "results"
    assert main(["suite", "run", "now.loss-10", "--alg", "reno,scalable", "--seeds", "1", "--quick", "--out", str(out)]) == 0
    assert "core-seconds" in capsys.readouterr().err
    text = page(open_results(out), tmp_path, today=datetime.date(2026, 11, 24))
    assert "Generated 2026-11-24 with Windtunnel" in text and "Not run for this page: 250 Mbit/s" in text
    assert all(f"## {one.title}\n" in text for one in QUESTIONS) and "| reno |" in text
    assert (tmp_path / "figures" / "now-response-function.svg").is_file()


def test_the_first_table_names_all_that_may_be_first_and_all_that_may_be_last() -> None:
    # Two that the intervals do not distinguish, then one that is worse than both.
    values = {"reno": [0.90, 0.94], "cubic": [0.91, 0.93], "bbr": [0.5, 0.5]}
    places = ranking(measured(values, "fair_minmax", rtt=42.0, q=0.2), QUESTIONS[0], duration_s=600.0)
    text = "\n".join(in_short([(QUESTIONS[0], {10: places})], [10]))
    assert "last: bbr" in text and text.partition("first: ")[2].partition(";")[0].split(", ") in (["reno", "cubic"], ["cubic", "reno"])


class Folder:
    """A results folder of two experiments' frames: a simulator's with a stack, a kernel's of one run."""

    def __init__(self) -> None:
        two = {"reno": [0.90, 0.94], "reno@quinn": [0.5, 0.7], "vegas": [0.1, 0.1]}
        self.frames = {"sim": measured(two, "util", rtt=42.0, q=0.2), "linux": measured({"reno": [0.9]}, "util", rtt=42.0, q=0.2)}

    def experiments(self, _: str) -> list[str]:
        return ["now.same-10"]

    def measures(self, _: str, backend: str) -> pl.DataFrame:
        return self.frames[backend]

    def declaration(self, _: str, __: str) -> dict[str, str]:
        return {"backend_title": "Linux 6.1.192 (31e2566f92c4)"}


def test_what_ran_elsewhere_stands_beside_the_simulators_with_the_range_of_its_repeats() -> None:
    (row,) = (line for line in beside_lines(cast("Results", Folder())) if line.startswith("| Efficiency"))
    assert [cell.strip() for cell in row.split("|")[2:-1]] == ["reno", "0.920 (0.900 to 0.940)", "0.900", "0.600 (0.500 to 0.700)"]


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0.00"), (0.004, "0.004"), (0.00031, "0.0003"), (0.05, "0.05"), (2.981, "2.98"), (2e-7, "0.0000002")]
)
def test_a_small_number_is_not_written_as_nothing(value: float, text: str) -> None:
    assert number(value, 2) == text


def test_a_folder_without_it_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "results"
    assert main(["suite", "run", "bbr-draft.case-14", "--alg", "bbr3", "--seeds", "1", "--out", str(out)]) == 0
    with pytest.raises(ResultsError, match="holds nothing of the suite now"):
        page(open_results(out), tmp_path, today=datetime.date(2026, 11, 24))
