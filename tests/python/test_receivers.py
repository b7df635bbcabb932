"""Receivers whose buffer may be full: scenarios with them, and what a run with them says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import windtunnel as wt
from windtunnel.backends.linux import plan
from windtunnel.backends.linux.expressible import unsupported
from windtunnel.metrics import View, measure
from windtunnel.scenario import Scenario, ScenarioError, canonical, digest, parse, resolve


def scenario(*flows: Any, **more: Any) -> Scenario:
    return parse({"rtt": "100ms", "duration": "20s", "jitter": 0, "bottleneck": {"rate": "100Mbit"}, "flows": list(flows), **more})


def test_a_line_and_a_table_are_the_same_scenario() -> None:
    line = scenario("cubic,rcvbuf=200000,rcvbuf_max=4000000,read_rate=5Mbit,read_every=20ms")
    table = {"algorithm": "cubic", "rcvbuf": 200_000, "rcvbuf_max_bytes": 4_000_000, "read_rate": "5Mbit", "read_every_s": 0.02}
    assert digest(line) == digest(scenario(table)) == digest(parse(canonical(line)))
    assert digest(line) != digest(scenario({**table, "rcvbuf": 200_001}))


def test_a_buffer_without_a_size_is_linuxs() -> None:
    received = resolve(scenario("reno,read_rate=5Mbit"))["flows"][0]["receive"]
    assert received == {"bytes": 131_072, "most_bytes": 6_291_456, "reads": {"kind": "rate", "rate_bps": 5_000_000, "every_ns": 10_000_000}}
    assert resolve(scenario("reno,rcvbuf=65536"))["flows"][0]["receive"] == {"bytes": 65_536, "most_bytes": None, "reads": None}


def test_a_flow_without_a_buffer_keeps_its_name() -> None:
    made = scenario("reno")
    assert not [key for key in canonical(made)["flows"][0] if key.startswith(("rcvbuf", "read_"))]
    assert "receive" not in resolve(made)["flows"][0]


@pytest.mark.parametrize(
    ("flow", "parts"),
    [
        ("reno,read_every=1s", ["flows[0].read_rate_bps", "missing", "read_every"]),
        ("reno,read_on=1s", ["flows[0].read_off_s", "missing", "read_on"]),
        ("reno,read_on=1s,read_off=1s,read_rate=1Mbit", ["flows[0].read_rate_bps", "both given"]),
        ("reno,rcvbuf=100", ["flows[0].rcvbuf", "'100'", "4096"]),
        ("reno,rcvbuf=5000", ["flows[0].rcvbuf", "5000", "5792"]),
        ("reno,rcvbuf=100000,rcvbuf_max=90000", ["flows[0].rcvbuf_max", "90000", "100000"]),
        ("reno,rcvbuf=100000,window=50", ["flows[0].rcvbuf", "window", "one of them"]),
        ("reno,rcvbuf=100000,response=1kB", ["flows[0].rcvbuf", "response", "one of them"]),
    ],
)
def test_what_no_receiver_is_is_refused_in_one_line(flow: str, parts: list[str]) -> None:
    with pytest.raises((ScenarioError, ValueError)) as caught:
        wt.run(scenario(flow))
    said = str(caught.value)
    assert "\n" not in said
    assert all(part in said for part in parts), said


def test_a_run_says_how_long_the_receiver_held_a_flow_back(tmp_path: Path) -> None:
    """524288 bytes: 180 segments of 1448 bytes per round trip, of which the path would hold 833."""
    done = wt.run(scenario("reno,rcvbuf=524288", "reno,start=19s"))
    row = done.flows.row(0, named=True)
    assert row["receive_window_bytes"] == 260_688
    assert done.flows["receive_limited_s"].to_list()[1] is None
    share = measure("rwnd_limited", View(done.records, {}), flow=1)
    assert isinstance(share, float) and 0.9 < share < 1.0
    done.save(tmp_path / "run")
    assert wt.load_run(tmp_path / "run").records.digest() == done.records.digest()


def test_a_guest_gets_buffers_and_readers_as_lines() -> None:
    flows = ["reno", "reno,rcvbuf=65536", "reno,read_rate=5Mbit", "reno,rcvbuf=200000,read_on=3s,read_off=2s"]
    lines = plan.make(scenario(*flows)).text.splitlines()
    assert [line for line in lines if line.startswith(("receiver", "reads"))] == [
        "receiver 1 65536 0",
        "receiver 2 131072 6291456",
        "reads 2 chunks 5000000 10000000",
        "receiver 3 200000 0",
        "reads 3 on-off 3000000000 2000000000",
    ]


@pytest.mark.parametrize(
    ("flows", "parts"),
    [
        (["reno,rcvbuf=65537"], ["flows[0].rcvbuf_bytes", "65537", "even"]),
        (["reno,rcvbuf_max=400000", "reno,rcvbuf_max=500000"], ["flows[1].rcvbuf_max_bytes", "500000", "flows[0] has 400000", "tcp_rmem"]),
    ],
)
def test_a_guest_refuses_what_no_kernel_s_buffer_is(flows: list[str], parts: list[str]) -> None:
    (found,) = unsupported(scenario(*flows))
    assert all(part in found for part in parts), found


def test_receivers_at_two_places_may_grow_to_different_sizes_in_a_guest() -> None:
    flows = ["reno,rcvbuf_max=400000", "reno,rcvbuf_max=500000,direction=reverse"]
    assert unsupported(scenario(*flows, reverse={"rate": "100Mbit", "queue": 1000})) == []
