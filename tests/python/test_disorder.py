"""Data that arrives late or twice: fields, options, and what a run with them says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import windtunnel as wt
from windtunnel.backends.linux import plan
from windtunnel.backends.linux.expressible import unsupported
from windtunnel.scenario import Scenario, ScenarioError, canonical, parse, resolve


def scenario(**link: Any) -> Scenario:
    flow = {"algorithm": "reno", "window": 50, "bytes": 5_000_000}
    return parse({"rtt": "40ms", "duration": "20s", "bottleneck": {"rate": "12Mbit", "queue": 500, **link}, "flows": [flow], "jitter": 0})


def test_the_engine_gets_nanoseconds_and_other_scenarios_keep_their_names() -> None:
    given = scenario(reorder=0.01, reorder_by="3ms", duplicate=1e-4)
    assert resolve(given)["forward"]["disorder"] == {"late_probability": 0.01, "late_ns": 3_000_000, "double_probability": 1e-4}
    assert canonical(parse(canonical(given))) == canonical(given)
    assert not {"reorder_probability", "reorder_s", "duplicate_probability"} & set(canonical(scenario())["bottleneck"])


@pytest.mark.parametrize("link", [{"reorder": 0.1}, {"reorder_by": "3ms"}, {"reorder": 1.0, "reorder_by": "3ms"}, {"duplicate": -0.1}])
def test_a_half_given_or_impossible_disorder_is_refused(link: dict[str, Any]) -> None:
    with pytest.raises(ScenarioError, match=r"bottleneck\.(reorder|duplicate)_probability: .*allowed"):
        scenario(**link)


def test_disorder_within_racks_patience_costs_nothing() -> None:
    # RACK waits a quarter of the smallest RTT: more than 10 ms; and longer once duplicates are reported: only the first are sent again.
    patient, hasty = wt.run(scenario(reorder=0.02, reorder_by="3ms")), wt.run(scenario(reorder=0.02, reorder_by="30ms"))
    assert patient.flows["retransmitted_packets"].to_list() == [0]
    assert 0 < hasty.flows["retransmitted_packets"][0] < 20 and hasty.flows["undos"][0] > 0
    assert hasty.flows["lost_packets"].to_list() == patient.flows["lost_packets"].to_list() == [0]


def test_copies_are_delivered_once() -> None:
    doubled, plain = wt.run(scenario(duplicate=0.1)), wt.run(scenario())
    for column in ("delivered_bytes", "sent_packets", "retransmitted_packets"):
        assert doubled.flows[column].to_list() == plain.flows[column].to_list()


def test_options_reach_the_bottleneck(cli: Callable[..., Any], quick: list[str]) -> None:
    link = cli("run", *quick, "--reorder", "0.01", "--reorder-by", "3ms", "--duplicate", "1e-3", "--json").json()["scenario"]["bottleneck"]
    assert (link["reorder_probability"], link["reorder_s"], link["duplicate_probability"]) == (0.01, 0.003, 1e-3)


def test_a_guest_makes_data_late_by_a_table_and_copies_by_netem() -> None:
    def refused(**link: Any) -> list[str]:
        return [line.split(":")[0] for line in unsupported(scenario(**link))]

    text = plan.make(scenario(duplicate=0.25)).text.splitlines()
    assert [line for line in text if line.startswith("copies")] == [f"copies forward {2**30}"]
    for rest in ({"reorder": 0.1, "reorder_by": "3ms"}, {"delay_steps": ["1s=5ms"]}, {"rate_steps": ["1s=5Mbit"]}):
        assert refused(duplicate=0.1, **rest)[0] == "bottleneck.duplicate_probability"
    back = {**canonical(scenario())["flows"][0], "direction": "reverse"}
    for party in ({"flows": [back], "reverse": {}}, {"traffic": ["udp,rate=1Mbit"]}):
        doubled = parse({**canonical(scenario(duplicate=0.1)), **party})
        assert [line.split(":")[0] for line in unsupported(doubled)] == ["bottleneck.duplicate_probability"]
    for probability, table in ((0.01, "100 1"), (1e-4, "10000 1"), (0.37, "100 37"), (0.5, "2 1")):
        text = plan.make(scenario(reorder=probability, reorder_by="3ms")).text.splitlines()
        assert [line for line in text if line.startswith("late")] == [f"late forward 3000000 {table}"]
    field = "bottleneck.reorder_probability"
    assert refused(reorder=1e-5, reorder_by="3ms") == [field]
    assert refused(reorder=0.1, reorder_by="3ms", delay_steps=["1s=5ms"]) == [field]
    both = parse({**canonical(scenario(reorder=0.1, reorder_by="3ms")), "reverse": {"reorder": 0.1, "reorder_by": "3ms"}})
    assert [line.split(":")[0] for line in unsupported(both)] == ["reverse.reorder_probability"]
