"""Slow start by name, and one application on several connections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import windtunnel as wt
from windtunnel.scenario import Scenario, canonical, digest, fill, parse, resolve


def _with(document: dict[str, Any], **changes: Any) -> Scenario:
    return parse({**document, **changes})


def test_slow_start_is_a_word_among_the_parameters(document: dict[str, Any]) -> None:
    scenario = _with(document, flows=["reno,slow_start=hystart++", {"algorithm": "cubic", "parameters": {"slow_start": "none"}}, "reno"])
    assert [flow.parameters for flow in scenario.flows] == [{"slow_start": "hystart++"}, {"slow_start": "none"}, {}]
    flows = resolve(scenario)["flows"]
    assert [(flow["parameters"], flow["slow_start"]) for flow in flows] == [({}, "hystart++"), ({}, "none"), ({}, None)]


def test_slow_start_changes_what_a_flow_loses(document: dict[str, Any]) -> None:
    lost = {}
    for kind in ("standard", "limited", "hystart", "hystart++"):
        table = {"rate": "100Mbit", "queue": "100%bdp"}
        scenario = _with(document, flows=[f"reno,slow_start={kind}"], bottleneck=table, rtt="60ms", duration="5s")
        lost[kind] = wt.run(scenario).links["dropped_packets"][0]
    assert lost["hystart"] == 0 and 0 < lost["limited"] < lost["hystart++"] < lost["standard"]


@pytest.mark.parametrize(
    ("flow", "said"),
    [
        ("vegas,slow_start=limited", "vegas starts by a rule of its own, which no other can replace"),
        ("copa,slow_start=standard", "copa starts by a rule of its own"),
        ("reno,slow_start=fast", "allowed: standard, limited, hystart, hystart++, none"),
        ("reno,slow_start=1", "allowed: standard, limited"),
        ("ledbat,slow_start=limited", "not a number"),
        ("ptcp,streams=0", "1 to 1024"),
        ("ptcp,streams=2.5", "an integer"),
        ("ptcp,stagger=5s", "allowed: below 3 s"),
        ("ptcp,count=1000,streams=1024", "count and streams included"),
    ],
)
def test_what_cannot_be_is_refused_by_name(document: dict[str, Any], flow: str, said: str) -> None:
    with pytest.raises(wt.ScenarioError, match=said.replace("+", r"\+")):
        _with(document, flows=[flow])


def test_an_application_becomes_its_connections(document: dict[str, Any]) -> None:
    scenario = _with(document, flows=["reno", "ptcp,streams=3,count=2,bytes=1000,start=1s,window=50"])
    flows = fill(scenario).scenario.flows
    assert [(flow.algorithm, flow.application) for flow in flows] == [("reno", None)] + [("ptcp", 1)] * 3 + [("ptcp", 2)] * 3
    assert [flow.bytes for flow in flows[1:4]] == [334, 333, 333] and all(flow.window_packets == 50 for flow in flows[1:])
    starts = [flow.start_s for flow in flows[1:]]
    assert starts[0] == starts[3] == 1.0 and len(set(starts)) == 5 and all(1.0 <= start_s <= 1.01 for start_s in starts)
    assert fill(fill(scenario).scenario) == fill(scenario)
    assert [flow["parameters"] for flow in resolve(scenario)["flows"]] == [{}] * 7


def test_starts_are_drawn_from_the_seed(document: dict[str, Any]) -> None:
    def starts(seed: int) -> list[float]:
        return [flow.start_s for flow in fill(_with(document, flows=["ptcp,streams=4"], seed=seed)).scenario.flows]

    assert starts(1) == starts(1) != starts(2)


def test_a_scenario_without_applications_keeps_its_form(document: dict[str, Any]) -> None:
    assert all("application" not in flow for flow in canonical(parse(document))["flows"])
    filled = fill(_with(document, flows=["ptcp"])).scenario
    assert digest(parse(canonical(filled))) == digest(filled)


def test_an_application_takes_what_its_connections_take(document: dict[str, Any]) -> None:
    table = {"rate": "100Mbit", "queue": "100%bdp"}
    run = wt.run(_with(document, flows=["ptcp", "reno"], bottleneck=table, rtt="20ms", duration="120s", warmup="20s"))
    rows = run.applications.to_dicts()
    assert [(row["algorithm"], row["flows"], row["first_flow"]) for row in rows] == [("ptcp", 16, 0), ("reno", 1, 16)]
    summary = run.summary
    shares = [flow["throughput_bps"] for flow in summary["flows"]]
    assert rows[0]["throughput_bps"] == pytest.approx(sum(shares[:16])) and rows[1]["throughput_bps"] == pytest.approx(shares[16])
    # 17^2/(2 (16^2 + 1)) = 0.562 for equal flows; two applications cannot be below 1/2.
    assert summary["metrics"]["jain_applications"] == pytest.approx(0.562, abs=0.03)
    assert [row["algorithm"] for row in summary["applications"]] == ["ptcp", "reno"]
    assert "applications" not in wt.run(parse(document)).summary


def test_flows_of_one_number_are_one_application_on_the_command_line_too(cli: Callable[..., Any]) -> None:
    run = ["run", "--rate", "20Mbit", "--rtt", "20ms", "--duration", "3s", "--json", "--flow", "reno"]
    summary = cli(*run, "--flow", "htcp,count=4,application=1").json()
    assert [row["flows"] for row in summary["applications"]] == [1, 4]
    together = sum(row["throughput_bps"] for row in summary["flows"][1:])
    assert summary["applications"][1]["throughput_bps"] == pytest.approx(together)
    refused = cli(*run, "--flow", "htcp,application=x")
    assert refused.code == 2 and "application" in refused.err
