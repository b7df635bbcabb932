"""Datagrams and applications that pause on a built kernel: closed forms, and the simulator's numbers."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import polars as pl
import pytest

from windtunnel.backends import backend
from windtunnel.backends.sim import Simulator
from windtunnel.records import Records
from windtunnel.scenario import Scenario

pytestmark = pytest.mark.usefixtures("kernel")

LATE = "reno,start=9.99s"
"""A scenario needs a flow; this one comes when all is over."""


def scenario(*flows: Any, **more: Any) -> Scenario:
    link = {"rate": "10Mbit", "queue": 35, **more.pop("link", {})}
    return Scenario(**{"bottleneck": link, "flows": flows, "rtt": "42ms", "duration": "10s", "jitter": 0, **more})


def run(made: Scenario) -> Records:
    return backend("linux").run(made)


def delivered(made: Records, flow: int) -> dict[float, int]:
    rows = made.flow_samples.filter(pl.col("flow") == flow)
    return dict(zip(rows["t_s"].round(4).to_list(), rows["delivered_bytes"].to_list(), strict=True))


SOURCES = [
    # 500 packets a second; the link needs a millisecond for each.
    (["udp,rate=6Mbit,start=2s,stop=5s"], {"rate": "12Mbit"}, [1500]),
    (["udp,rate=6Mbit,start=2s,stop=5s,direction=reverse"], {"rate": "12Mbit"}, [1500]),
    # Three times what the link carries, for a second.
    (["udp,rate=36Mbit,start=3s,stop=4s"], {"rate": "12Mbit", "queue": 100}, [3000]),
    # 4800 and 1000 bits to a packet: the first at the start, the last before the end.
    (["udp,rate=1.2Mbit,packet=600", "udp,rate=900kbit,packet=125,start=1s"], {}, [2500, 8100]),
    # Three periods and a third: 4 Mbit/s x 10 s, and 2 Mbit/s x 3 s / (2 pi) x (1 - cos(2 pi / 3)), in packets of 416 bits.
    (["udp,rate=4Mbit,amplitude=2Mbit,period=3s,packet=52"], {}, [math.ceil((40e6 + 9e6 / (2 * math.pi)) / 416)]),
]


@pytest.mark.parametrize(("sources", "link", "sent"), SOURCES)
def test_a_source_sends_what_its_rate_says_and_fares_as_in_the_simulator(sources: list[str], link: dict[str, Any], sent: list[int]) -> None:
    made = scenario(LATE, traffic=sources, link=link, warmup="2.5s")
    ours, theirs = run(made), Simulator().run(made)
    assert ours.flows["sent_packets"][1:].to_list() == pytest.approx(sent, abs=1)
    for flow in range(1, 1 + len(sources)):
        here, there = (one.flows.row(flow, named=True) for one in (ours, theirs))
        assert all(here[name] == there[name] for name in ("sent_packets", "window_sent_packets", "algorithm", "direction", "end_s"))
        # A packet whose last bit leaves at the very moment of a look has arrived there, or not yet.
        for name in ("delivered_packets", "lost_packets", "window_delivered_packets"):
            assert abs(here[name] - there[name]) <= 1, name
        payload = here["delivered_bytes"] // here["delivered_packets"]
        mine, other = delivered(ours, flow), delivered(theirs, flow)
        assert list(mine) == list(other) and max(abs(mine[t] - other[t]) for t in mine) <= payload
    starts = pl.col("flow") > 0
    for name in ("flow", "kind"):
        assert ours.events.filter(starts)[name].to_list() == theirs.events.filter(starts)[name].to_list()


def test_a_source_meets_the_kernels_disciplines() -> None:
    made = run(scenario(LATE, traffic=["udp,rate=15Mbit,stop=4s"], link={"discipline": "fq-codel", "queue": 100}))
    row, link = made.flows.row(1, named=True), made.links.row(0, named=True)
    assert row["sent_packets"] == row["delivered_packets"] + row["lost_packets"] == 5000
    assert row["lost_packets"] == link["dropped_packets"] > 0


def test_half_the_link_in_datagrams_leaves_cubic_the_other_half_as_in_the_simulator() -> None:
    """Four starts of the flow; the link is never idle, so that what the source leaves is what CUBIC has."""
    lost: dict[str, list[float]] = {"linux": [], "sim": []}
    share: dict[str, list[float]] = {"linux": [], "sim": []}
    for start_s in (0, 0.013, 0.029, 0.041):
        made = scenario({"algorithm": "cubic", "start_s": start_s}, traffic=["udp,rate=5Mbit"], duration="30s", warmup="10s", jitter=None)
        for one in (backend("linux"), Simulator()):
            flows = one.run(made).flows
            lost[one.name].append(flows["lost_packets"][1] / flows["sent_packets"][1])
            share[one.name].append(flows["window_delivered_packets"][0] / (20 * 10e6 / 12_000))
    # Half, and what the source loses: below a hundredth of its half. A window, 70 packets, may lie behind a hole at either end.
    window = 70 / (20 * 10e6 / 12_000)
    assert all(0.5 - window <= one <= 0.505 + window for both in share.values() for one in both)
    assert np.mean(share["linux"]) == pytest.approx(np.mean(share["sim"]), rel=0.002)
    # Some ten losses in each run; three standard errors of the difference.
    error = math.hypot(*(np.std(one, ddof=1) / 2 for one in lost.values()))
    assert abs(np.mean(lost["linux"]) - np.mean(lost["sim"])) <= 3 * max(error, 0.0003)


def test_two_runs_with_sources_and_pauses_agree_to_the_byte_also_at_the_same_time() -> None:
    flows = ("cubic,on=1s,off=500ms", {"algorithm": "reno", "direction": "reverse", "app_rate": "2Mbit", "chunk": "1s"})
    sources = ["udp,rate=3Mbit,amplitude=1Mbit,period=2s,packet=300", "udp,rate=1Mbit,direction=reverse"]
    made = scenario(*flows, traffic=sources, jitter=None)
    first = run(made).digest()
    with ThreadPoolExecutor(2) as both:
        assert [one.digest() for one in both.map(run, [made] * 2)] == [first] * 2


def test_an_application_that_falls_silent_sends_no_more_than_its_socket_holds() -> None:
    made = scenario("reno,on=2s,off=1s,window=30", duration="12s")
    ours, theirs = (delivered(one.run(made), 0) for one in (backend("linux"), Simulator()))
    for cycle in range(4):
        # What was under way when it fell silent is through half a second later, and nothing follows.
        assert ours[3 * cycle + 2.5] == ours[3 * cycle + 2.99]
        begin = 3 * cycle
        here, there = (one[begin + 2.5] - (one[begin - 0.5] if cycle else 0) for one in (ours, theirs))
        # 16 kB are eleven segments, and one that was begun.
        assert 0 <= (here - there) / 1448 <= 12


@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_chunks_are_whole_segments_of_what_the_rate_makes(direction: str) -> None:
    flow = {"algorithm": "cubic", "app_rate": "3Mbit", "chunk": "2s", "direction": direction}
    found = delivered(run(scenario(flow)), 0)
    # 3 Mbit/s x 2 s are 750,000 bytes a chunk: 517.96 segments. A chunk is through before the next one comes.
    assert [found[2 * chunk - 0.01] // 1448 for chunk in range(1, 6)] == [750_000 * chunk // 1448 for chunk in range(1, 6)]


def test_a_transfer_in_chunks_ends_with_its_last_byte() -> None:
    made = run(scenario("cubic,app_rate=4Mbit,chunk=1s,bytes=1448000"))
    row = made.flows.row(0, named=True)
    # 500,000 bytes come at 0, 1 and 2 s; the rest is 448,000, which takes less than a second.
    assert row["delivered_packets"] == 1000 and 2.0 < row["completed_s"] < 3.0


@pytest.mark.parametrize(("option", "window"), [("linux", 10), ("none", None)])
def test_a_silence_costs_the_window_what_it_costs_in_the_simulator(option: str, window: int | None) -> None:
    flow = {"algorithm": "reno", "on": "2s", "off": "1s", "transport": {"idle_restart": option}}
    made = scenario(flow, duration="6s")
    ours, theirs = (one.run(made).flow_samples.filter(pl.col("flow") == 0) for one in (backend("linux"), Simulator()))
    # At 3.01 s the silence is over, and the first ACK is not there: RFC 2861 has halved the window down to the initial one.
    for column in ("cwnd_packets", "ssthresh_packets"):
        here, there = (one.filter((pl.col("t_s") - 3.01).abs() < 0.001)[column][0] for one in (ours, theirs))
        assert abs(here - there) <= 1, column
        if column == "cwnd_packets":
            assert here == window if window else here > 30
