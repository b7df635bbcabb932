"""A run is measured for several experiments at once: the numbers that each would get by itself, and nothing is computed twice."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import windtunnel as wt
from windtunnel.experiment import Measure, measuring
from windtunnel.experiment.measuring import MeasuredRun
from windtunnel.experiment.plan import PointRepeat
from windtunnel.metrics import View, measured
from windtunnel.records import Records
from windtunnel.scenario import parse

MEASURES = (Measure("thr_mbps"), Measure("thr_mbps", t0=1.0, t1=2.0), Measure("thr_mbps", flow="2"), Measure("util"))


@pytest.fixture(scope="module")
def records() -> Records:
    flows = ["reno,rtt=20ms", "cubic,rtt=80ms"]
    return wt.run(parse({"bottleneck": {"rate": "10Mbit", "queue": 20}, "flows": flows, "duration": "4s", "warmup": "1s"})).records


def test_experiments_with_other_points_get_the_numbers_of_their_own_point(records: Records) -> None:
    run = MeasuredRun(records)
    # Two points of one protocol, and one of the other: the throughput is of the flows under test.
    points: list[dict[str, Any]] = [{"alg": "reno", "rtt": 20}, {"alg": "cubic", "rtt": 20}, {"alg": "reno", "rtt": 80}, {"rtt": 20}]
    rows = [run.rows(PointRepeat(point, 1, "key"), MEASURES) for point in points]
    for point, own in zip(points, rows, strict=True):
        alone = [measured(one.metric, View(records, point), flow=one.flow, t0=one.t0, t1=one.t1) for one in MEASURES]
        assert [row["value"] for row in own] == alone
    assert rows[0][1]["value"] != rows[1][1]["value"] and rows[0][1]["value"] != rows[3][1]["value"]


def test_what_two_experiments_ask_is_computed_once(records: Records, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[Any] = Counter()

    def counted(name: str, view: View, **selected: Any) -> Any:
        asked[(name, *selected.values())] += 1
        return measured(name, view, **selected)

    monkeypatch.setattr(measuring, "measured", counted)
    run = MeasuredRun(records)
    first, second = (run.rows(PointRepeat({"alg": "reno", "rtt": rtt}, 1, "key"), MEASURES) for rtt in (20, 80))
    assert first == second and set(asked.values()) == {1} and len(asked) == len(MEASURES)
    run.rows(PointRepeat({"alg": "cubic", "rtt": 20}, 1, "key"), MEASURES)
    assert set(asked.values()) == {2}


def test_functions_of_users_see_their_own_point(records: Records) -> None:
    own = (Measure("mine", function=lambda view: float(view.point["rtt"])),)
    run = MeasuredRun(records)
    assert [run.rows(PointRepeat({"alg": "reno", "rtt": rtt}, 1, "key"), own)[0]["value"] for rtt in (20, 80)] == [20.0, 80.0]
