"""Sessions of people who look at pages: scenarios with them, and what a run with them says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import windtunnel as wt
from windtunnel.backends.linux.expressible import unsupported
from windtunnel.scenario import Scenario, ScenarioError, canonical, digest, parse, resolve


def scenario(*sessions: Any, **more: Any) -> Scenario:
    return parse({"rtt": "20ms", "duration": "10s", "bottleneck": {"rate": "20Mbit"}, "sessions": list(sessions), **more})


def test_a_line_and_a_table_are_the_same_scenario() -> None:
    line = scenario("reno,count=25,think=exponential:2s,objects=pareto:4:1.2,sizes=fixed:30kB,rtt=30ms+60ms")
    table = {
        "algorithm": "reno",
        "count": 25,
        "think": {"law": "exponential", "mean": 2},
        "objects": {"law": "pareto", "mean": 4, "shape": 1.2},
        "sizes": {"law": "fixed", "mean": "30kB"},
        "rtts": [0.03, 0.06],
    }
    assert digest(line) == digest(scenario(table)) == digest(parse(canonical(line)))
    assert digest(line) != digest(scenario({**table, "count": 24}))


def test_the_defaults_are_those_of_ns_2s_web_example() -> None:
    session = resolve(scenario("reno,count=2"))["sessions"][0]
    assert session["objects"] == {"law": "fixed", "mean": 1.0} and session["think"] == {"law": "exponential", "mean": 1e9}
    assert session["sizes"] == {"law": "pareto", "mean": 14480.0, "shape": 1.2} and session["count"] == 2


def test_a_scenario_without_sessions_keeps_its_name() -> None:
    plain = {"rtt": "20ms", "bottleneck": {"rate": "20Mbit"}, "flows": ["reno"]}
    assert "sessions" not in canonical(parse(plain)) and digest(parse(plain)) == digest(parse({**plain, "sessions": []}))


@pytest.mark.parametrize(
    ("session", "parts"),
    [
        ("reno", ["sessions[0].count", "missing"]),
        ("reno,count=0", ["count", "'0'", "1 to 100000"]),
        ("reno,count=1,think=1s", ["think_s", "'1s'", "LAW:MEAN"]),
        ("reno,count=1,think=normal:1s", ["think_s.law", "'normal'", "fixed, exponential, pareto"]),
        ("reno,count=1,think=exponential:x", ["think_s", "'x'", "cannot be read"]),
        ("reno,count=1,think=fixed:0s", ["think_s", "'0s'", "out of range"]),
        ("reno,count=1,objects=fixed:0", ["objects", "'0'", "1 to"]),
        ("reno,count=1,sizes=pareto:9kB:1", ["size_bytes", "'1'", "above 1"]),
        ("reno,count=1,sizes=fixed:9kB:2", ["size_bytes.shape", "pareto only"]),
        ({"algorithm": "reno", "count": 1, "objects": {"law": "fixed"}}, ["objects.mean", "missing"]),
        ({"algorithm": "reno", "count": 1, "objects": {"law": "fixed", "mean": 1, "most": 2}}, ["objects.most", "not a known key"]),
        ({"algorithm": "reno", "count": 1, "objects": 3}, ["objects", "int", "LAW:MEAN"]),
        ("reno,count=1,load=1", ["parameters.load", "not a known key", "count, objects, sizes, think"]),
        ("reno,count=1,start=10s", ["start_s", "10 s", "below 10 s"]),
        (7, ["sessions[0]", "int", "table"]),
    ],
)
def test_a_bad_session_is_refused_by_name(session: Any, parts: list[str]) -> None:
    with pytest.raises(ScenarioError) as refused:
        scenario(session)
    assert all(part in str(refused.value) for part in parts), str(refused.value)
    assert str(refused.value).isprintable()


def test_a_session_never_has_two_transfers_at_once() -> None:
    run = wt.run(scenario("cubic,count=1,think=exponential:50ms,objects=exponential:3,sizes=exponential:20kB"))
    assert run.transfers is not None and run.transfers.height > 50
    ends = (run.transfers["start_s"] + run.transfers["completion_s"]).to_list()[:-1]
    assert all(start >= end - 1e-9 for start, end in zip(run.transfers["start_s"].to_list()[1:], ends, strict=True))


def test_sessions_come_after_arrivals_in_every_table(cli: Callable[..., Any]) -> None:
    arguments = ["run", "--rate", "20Mbit", "--rtt", "20ms", "--duration", "5s", "--sessions", "reno,count=20", "--arrivals"]
    summary = cli(*arguments, "cubic,rate=20,mean=9kB", "--json").json()
    assert [(row["source"], row["algorithm"]) for row in summary["transfers"]] == [(0, "cubic"), (1, "reno")]
    assert all(row["transfers"] > 10 for row in summary["transfers"])
    assert cli(*arguments[:-3]).code == 2 and "Transfers" in cli(*arguments[:-1]).out


def test_a_guest_refuses_sessions_by_name() -> None:
    assert "sessions" in unsupported(scenario("reno,count=1", flows=["reno"]))
