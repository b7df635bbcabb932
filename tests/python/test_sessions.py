"""Sessions of people who look at pages: scenarios with them, and what a run with them says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import windtunnel as wt
from windtunnel.backends.linux import plan, sessions
from windtunnel.backends.linux.expressible import unsupported
from windtunnel.metrics import View, measure
from windtunnel.scenario import Scenario, ScenarioError, canonical, digest, fill, parse, resolve


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


def test_a_guest_has_what_each_session_has_drawn_in_the_simulator() -> None:
    source = "reno,count=3,objects=pareto:4:1.5,sizes=exponential:20kB,think=exponential:300ms,connections=2,rtt=20ms+40ms"
    made = scenario(source, arrivals=["reno,rate=3,mean=9kB"], flows=["reno"])
    assert unsupported(made) == []
    full = fill(made).scenario
    there = wt.run(made).records.frames()["pages"]
    for number, session in enumerate(sessions.drawn(full)):
        rows = there.filter(there["session"] == number).sort("start_s")
        # Where pages are there sooner, more are looked at.
        assert 3 < len(rows) <= len(session.pages)
        assert rows["objects"].to_list() == [page.objects for page in session.pages[: len(rows)]]
        assert rows["bytes"].to_list()[:-1] == [sum(page.sizes) for page in session.pages[: len(rows) - 1]]
        thoughts = [page.think_ns * 1e-9 for page in session.pages[: len(rows)]]
        ends = [0.0, *(rows["start_s"] + rows["completion_s"])]
        assert rows["start_s"].to_list() == pytest.approx([end + thought for end, thought in zip(ends, thoughts, strict=False)], abs=2e-9)


def test_a_guest_s_plan_has_thoughts_pages_and_objects() -> None:
    made = scenario("reno,count=2,objects=fixed:3,sizes=fixed:2000,think=fixed:4s,rtt=20ms+40ms,connections=2,stop=9s", flows=["reno"])
    lines = [line.split() for line in plan.make(made).text.splitlines()]
    # Two pages each, at 4 s and a little after 8 s; six objects, the first of each base RTT with a host.
    assert [line[1:] for line in lines if line[0] == "session"] == [[at, "6", "2", "0", "9000000000"] for at in ("1", "7")]
    assert [line[1:] for line in lines if line[0] == "page"] == [["4000000000", "3"]] * 4
    assert [line[1:] for line in lines if line[0] == "transfer"] == [[at, "-", "2000"] for at in ("1", "7") for _ in range(5)]


def test_a_guest_refuses_sessions_that_connect_before_they_know_when() -> None:
    assert [line.split(":")[0] for line in unsupported(scenario("reno,count=1,handshake=false"))] == ["sessions[0].handshake"]
    assert [line.split(":")[0] for line in unsupported(scenario("reno,count=1001"))] == ["sessions[0].count"]
    assert unsupported(scenario("fast,count=1")) == ["sessions[0].algorithm: no Linux kernel has fast"]


def test_one_connection_is_what_sessions_always_had() -> None:
    assert digest(scenario("reno,count=2")) == digest(scenario("reno,count=2,connections=1"))
    assert "connections" not in canonical(scenario("reno,count=2"))["sessions"][0]
    assert resolve(scenario("reno,count=2"))["sessions"][0]["connections"] == 1
    six = scenario("reno,count=2,connections=6")
    assert digest(six) == digest(parse(canonical(six))) != digest(scenario("reno,count=2"))


@pytest.mark.parametrize(
    ("connections", "parts"),
    [("0", ["'0'", "1 to 1000"]), ("1001", ["'1001'", "1 to 1000"]), ("2.5", ["'2.5'", "whole"]), ("many", ["'many'", "cannot be read"])],
)
def test_a_bad_number_of_connections_is_refused_by_name(connections: str, parts: list[str]) -> None:
    with pytest.raises(ScenarioError, match=r"sessions\[0\].connections") as refused:
        scenario(f"reno,count=1,connections={connections}")
    assert all(part in str(refused.value) for part in parts), str(refused.value)


def test_pages_are_made_of_their_transfers() -> None:
    run = wt.run(scenario("cubic,count=3,think=exponential:50ms,objects=exponential:4,sizes=exponential:20kB,connections=6"))
    assert run.pages is not None and run.transfers is not None and run.pages.height > 50
    assert set(run.pages["session"]) == {0, 1, 2} and set(run.pages["source"]) == {0}
    done = run.pages.filter(run.pages["completion_s"].is_not_null())
    assert run.pages["bytes"].sum() == run.transfers["bytes"].sum()
    begun = run.transfers.height - (run.pages["objects"].sum() - done["objects"].sum())
    assert done["objects"].sum() >= begun > done["objects"].sum() - 3 * 6
    # Every page begins with a transfer, and one ends it.
    starts, ends = run.transfers["start_s"], (run.transfers["start_s"] + run.transfers["completion_s"]).to_list()
    assert set(done["start_s"]) <= set(starts)
    assert all(any(abs(end - at) < 1e-9 for end in ends if end is not None) for at in (done["start_s"] + done["completion_s"]).to_list())


def test_pages_come_sooner_over_six_connections_than_over_one() -> None:
    fixed = "cubic,count=1,think=fixed:100ms,objects=fixed:12,sizes=fixed:14480,rtt=60ms"
    rows = [wt.run(scenario(f"{fixed},connections={n}")).summary["pages"][0] for n in (1, 6)]
    # Ten packets leave at once, so that an object costs a handshake and its round trip: twelve one after another, or two times six.
    assert rows[0]["completion_s_median"] == pytest.approx(12 * (0.12 + 0.006), rel=0.01)
    assert 2 * 0.12 < rows[1]["completion_s_median"] < 2 * (0.12 + 0.036) + 0.006
    assert [row["connections"] for row in rows] == [1, 6] and all(row["objects_mean"] == 12 for row in rows)


def test_page_times_are_a_metric_of_runs_with_flows() -> None:
    given = scenario("reno,count=5,objects=fixed:4,connections=2", duration="20s", flows=["cubic"])
    view = View(wt.run(given).records, {"alg": "cubic"})
    pages = view.records.pages
    assert pages is not None
    times = pages.filter(pages["start_s"] >= 10)["completion_s"].drop_nulls()
    assert measure("page_s", view) == pytest.approx(times.mean()) and measure("page_s@median", view) == pytest.approx(times.median())
    plain = View(wt.run(scenario(flows=["cubic"], duration="11s")).records, {"alg": "cubic"})
    assert measure("page_s", plain) is None and plain.records.pages is None


def test_pages_are_stored_and_read_back(tmp_path: Path) -> None:
    run = wt.run(scenario("reno,count=2,connections=3"))
    run.save(tmp_path / "run")
    again = wt.load_run(tmp_path / "run")
    assert again.pages is not None and run.pages is not None and again.pages.equals(run.pages)


def test_pages_are_printed(cli: Callable[..., Any]) -> None:
    run = ["run", "--rate", "20Mbit", "--rtt", "20ms", "--duration", "5s", "--sessions", "reno,count=20,objects=fixed:6,connections=6"]
    printed = cli(*run)
    assert printed.code == 0 and "Pages" in printed.out
