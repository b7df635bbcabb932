"""Clients that ask for what a flow sends: scenarios with them, and what a run with them says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import windtunnel as wt
from windtunnel.metrics import View, exchanges, measure
from windtunnel.scenario import Scenario, ScenarioError, canonical, digest, parse, resolve


def scenario(*flows: Any, **more: Any) -> Scenario:
    return parse({"rtt": "40ms", "duration": "10s", "jitter": 0, "bottleneck": {"rate": "100Mbit"}, "flows": list(flows), **more})


def test_a_line_and_a_table_are_the_same_scenario() -> None:
    line = scenario("cubic,response=pareto:64kB:1.3,request=500,think=exponential:2s,requests=9")
    table = {
        "algorithm": "cubic",
        "response": {"law": "pareto", "mean": "64kB", "shape": 1.3},
        "request_bytes": "fixed:500",
        "think": {"law": "exponential", "mean": 2},
        "requests": 9,
    }
    assert digest(line) == digest(scenario(table)) == digest(parse(canonical(line)))
    assert digest(line) != digest(scenario({**table, "requests": 10}))


def test_a_request_has_400_bytes_and_a_thought_a_second_by_default() -> None:
    asked = resolve(scenario("reno,response=64kB"))["flows"][0]["requests"]
    assert asked["responses"] == {"law": "fixed", "mean": 64_000.0} and asked["sizes"] == {"law": "fixed", "mean": 400.0}
    assert asked["think"] == {"law": "exponential", "mean": 1e9} and asked["count"] is None
    assert digest(scenario("reno,response=64kB")) == digest(scenario("reno,response=64kB,request=400,think=exponential:1s"))


def test_a_flow_without_a_client_keeps_its_name() -> None:
    made = scenario("reno")
    assert not set(canonical(made)["flows"][0]) & {"response_bytes", "request_bytes", "think_s", "requests"}
    assert "requests" not in resolve(made)["flows"][0]


@pytest.mark.parametrize(
    ("flow", "parts"),
    [
        ("reno,request=400", ["flows[0].response_bytes", "missing", "request"]),
        ("reno,requests=3", ["flows[0].response_bytes", "missing"]),
        ("reno,response=1kB,requests=0", ["flows[0].requests", "'0'", "1 to"]),
        ("reno,response=1kB,request=20kB", ["flows[0].request_bytes", "'20kB'", "14480"]),
        ("reno,response=0", ["flows[0].response_bytes", "'0'", "1 to"]),
        ("reno,response=normal:1kB", ["flows[0].response_bytes", "'normal'", "fixed, exponential, pareto"]),
        ("reno,response=1kB,think=fixed:0s", ["flows[0].think_s", "'0s'", "out of range"]),
        ("reno,response=1kB,bytes=1MB", ["flows[0].response_bytes", "both given", "one of them"]),
        ("reno,response=1kB,on=1s,off=1s", ["flows[0].response_bytes", "both given", "one of them"]),
    ],
)
def test_what_no_client_is_is_refused_in_one_line(flow: str, parts: list[str]) -> None:
    with pytest.raises(ScenarioError) as refused:
        scenario(flow)
    assert "\n" not in str(refused.value) and all(part in str(refused.value) for part in parts), str(refused.value)


def test_exchanges_are_recorded_and_measured(tmp_path: Path) -> None:
    """100 Mbit/s, 40 ms: ten segments of 120 us behind the request, then 100 ms of thought: a request every 141.2 ms, 142 in 20 s.

    Before the first response leaves the ACK of its request, 52 bytes; later ones carry it.
    """
    run = wt.run(scenario("reno,response=14480,think=fixed:100ms", "reno,bytes=1000", duration="20s"))
    assert run.exchanges is not None and run.exchanges.height == 142
    assert set(run.exchanges["flow"]) == {0} and set(run.exchanges["repeats"]) == {0}
    times = run.exchanges["completion_s"].drop_nulls()
    assert times.to_list() == pytest.approx([0.04120416] + [0.0412] * (times.len() - 1), abs=1e-9)
    row = exchanges(run.records).row(0, named=True)
    assert row["exchanges"] == 142 and row["bytes_mean"] == 14_480 and row["response_s_p95"] == pytest.approx(0.0412)
    view = View(run.records, {"alg": "reno"})
    for name in ("response_s", "response_s@median", "response_s@p95"):
        assert measure(name, view) == pytest.approx(0.0412)
    assert run.summary["exchanges"][0]["unfinished"] == row["unfinished"]
    run.save(tmp_path / "run")
    again = wt.load_run(tmp_path / "run")
    assert again.exchanges is not None and again.exchanges.equals(run.exchanges)


def test_a_run_without_clients_has_no_exchanges() -> None:
    run = wt.run(scenario("reno", duration="1s"))
    assert run.exchanges is None and "exchanges" not in run.summary and measure("response_s", View(run.records, {"alg": "reno"})) is None
