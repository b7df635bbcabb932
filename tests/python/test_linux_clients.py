"""Clients that ask, as a guest's orders. No kernel is needed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from windtunnel.backends.linux import clients, plan
from windtunnel.backends.linux.expressible import unsupported
from windtunnel.backends.linux.rows import EXCHANGE, ROW, Rows
from windtunnel.backends.sim import Simulator
from windtunnel.scenario import Scenario, fill


def scenario(*flows: str, **more: Any) -> Scenario:
    return Scenario(**{"bottleneck": {"rate": "10Mbit", "queue": 100}, "flows": flows, "rtt": "40ms", "duration": "20s", **more})


def lines(made: Scenario, word: str) -> list[str]:
    return [line for line in plan.make(made).text.splitlines() if line.split()[0] == word]


def test_a_client_is_a_line_and_one_for_each_exchange() -> None:
    made = scenario("cubic", "reno,response=3000,request=1kB,think=500ms,requests=3")
    assert lines(made, "asks") == ["asks 1 3"]
    # Nobody thinks before the first request; 3000 bytes are three segments of 1448.
    assert lines(made, "exchange") == ["exchange 1 0 1000 4344", "exchange 1 500000000 1000 4344", "exchange 1 500000000 1000 4344"]


def test_a_client_without_an_end_has_more_exchanges_than_it_comes_to() -> None:
    made = scenario("reno,response=3000,think=500ms")
    assert lines(made, "asks") == ["asks 0 -"]
    # At least a round trip and a thought each; a quarter of the round trip is what they are drawn with.
    assert 20 / 0.54 < len(lines(made, "exchange")) <= 20 / 0.51 + 1


def test_exchanges_are_those_of_the_simulators_own_run() -> None:
    made = scenario(
        "cubic", "reno,response=pareto:30kB,request=exponential:2kB,think=exponential:300ms,start=2s", "reno,response=9kB", seed=7
    )
    full = fill(made).scenario
    own = Simulator().run(made).exchanges
    assert own is not None
    for flow, drawn in clients.drawn(full).items():
        mine = own.filter(own["flow"] == flow)
        assert len(drawn) >= len(mine) > 3
        assert [one.request_bytes for one in drawn[: len(mine)]] == mine["request_bytes"].to_list()
        assert [one.response_bytes for one in drawn[: len(mine)]] == mine["bytes"].to_list()
        ends = mine["start_s"] + mine["completion_s"]
        thoughts = [after - before for before, after in zip(ends.to_list(), mine["start_s"].to_list()[1:], strict=False)]
        assert [one.think_ns * 1e-9 for one in drawn[1 : len(mine)]] == pytest.approx(thoughts, abs=2e-9)


def test_more_exchanges_than_a_plan_holds_are_refused_by_name() -> None:
    made = scenario("reno,response=3000,think=1ms", rtt="1ms", duration="1000s")
    assert unsupported(made) == ["flows[0].requests: some 500000 before the end; at most 100000"]
    assert unsupported(scenario("reno,response=3000,think=1ms,requests=10", rtt="1ms", duration="1000s")) == []


def test_rows_become_the_frame_of_exchanges() -> None:
    """What ends after the run has no completion, and neither has what never ends."""
    made = fill(scenario("reno,response=3000,think=500ms,requests=3", duration="2s")).scenario
    rows = np.zeros(3, dtype=ROW)
    for place, (start_ns, took_ns, repeats) in enumerate(
        [(0, 50_000_000, 1), (550_000_000, 1_500_000_000, 0), (1_900_000_000, 2**64 - 1, 0)]
    ):
        rows[place] = (start_ns, EXCHANGE, 0, (place, took_ns, repeats, *[0] * 11))
    found = clients.frame(Rows({EXCHANGE: rows}), made)["exchanges"]
    assert found["start_s"] == pytest.approx([0, 0.55, 1.9]) and found["repeats"] == [1, 0, 0]
    assert found["completion_s"][0] == pytest.approx(0.05) and np.isnan(found["completion_s"][1:]).all()
