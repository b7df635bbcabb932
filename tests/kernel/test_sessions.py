"""Sessions of people who look at pages, on a kernel."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.backends import backend
from windtunnel.backends.sim import Simulator
from windtunnel.records import Records
from windtunnel.scenario import Scenario

pytestmark = pytest.mark.usefixtures("kernel")

PACKET_S = 1500 * 8 / 10e6
SYN_S = 60 * 8 / 10e6


def scenario(*sessions: str, **more: Any) -> Scenario:
    link = {"rate": "10Mbit", "queue": 2000}
    return Scenario(**{"bottleneck": link, "sessions": sessions, "rtt": "60ms", "duration": "12s", "jitter": 0, **more})


def run(made: Scenario) -> Records:
    return backend("linux").run(made)


@pytest.mark.parametrize(("connections", "turns"), [(1, 6), (3, 2), (6, 1)])
def test_a_page_takes_its_round_trips_and_its_packets(connections: int, turns: int) -> None:
    """Six objects of two packets: each a handshake and a round trip, so many at once as there are connections."""
    line = f"reno,count=1,think=fixed:1s,objects=fixed:6,sizes=fixed:2896,connections={connections}"
    made = run(scenario(line, duration="5.5s"))
    pages = made.frames()["pages"]
    assert pages["objects"].to_list() == [6] * len(pages) and set(pages["bytes"][:-1]) == {6 * 2896}
    # Packets of objects at once follow each other; after that each turn is as far behind as the packets of the object before it.
    least = turns * (2 * 0.06 + SYN_S) + (connections + turns - 1) * 2 * PACKET_S
    for row in pages.iter_rows(named=True):
        if row["completion_s"] is not None:
            assert least - 1e-6 <= row["completion_s"] <= least + turns * connections * SYN_S + 1e-3
    # A second from the end of each to the begin of the next, and before the first.
    ends = [0.0, *(pages["start_s"] + pages["completion_s"])]
    assert pages["start_s"].to_list() == pytest.approx([end + 1.0 for end in ends[: len(pages)]], abs=1e-5)
    # As many cycles as fit: a page and a thought.
    assert len(pages) == int((5.5 - 1) / (1 + least)) + 1


def test_pages_are_the_simulators_and_so_are_their_times_where_nothing_is_lost() -> None:
    sources = (
        "reno,count=4,objects=pareto:5:1.5,sizes=exponential:15kB,max=60kB,connections=6,rtt=30ms+60ms",
        "cubic,count=2,think=exponential:500ms,start=1s,stop=8s",
    )
    made = scenario(*sources, arrivals=["reno,rate=2,sizes=fixed,mean=14480"], bottleneck={"rate": "20Mbit", "queue": 2000})
    ours, theirs = (one.run(made) for one in (Simulator(), backend("linux")))
    here, there = (one.frames()["pages"].sort("session", "start_s") for one in (ours, theirs))
    # Sessions go their own ways by milliseconds: what each has drawn is the same, but for a page more or less at the end.
    assert abs(len(here) - len(there)) <= 2
    for session in range(6):
        mine, others = (one.filter(session=session) for one in (here, there))
        both = min(len(mine), len(others)) - 1
        assert both > 3 and mine.select("source", "objects", "bytes")[:both].equals(others.select("source", "objects", "bytes")[:both])
    assert there["completion_s"].median() == pytest.approx(here["completion_s"].median(), rel=0.03)
    assert there["completion_s"].mean() == pytest.approx(here["completion_s"].mean(), rel=0.05)
    assert ours.transfers is not None and theirs.transfers is not None
    assert theirs.transfers["retransmitted_packets"].sum() == 0
    assert sorted(set(theirs.transfers["source"])) == [0, 1, 2]
    assert theirs.transfers["start_s"].to_list() == sorted(theirs.transfers["start_s"])
    fixed = [one.transfers.filter(one.transfers["source"] == 0)["start_s"].to_list() for one in (ours, theirs)]
    assert fixed[0] == pytest.approx(fixed[1], abs=1e-8)
