"""Transfers that come and go, on a kernel."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.backends import backend
from windtunnel.backends.sim import Simulator
from windtunnel.records import Records
from windtunnel.scenario import Scenario

pytestmark = pytest.mark.usefixtures("kernel")

PACKET_S = 1500 * 8 / 10e6


def scenario(*sources: str, **more: Any) -> Scenario:
    link = {"rate": "10Mbit", "queue": "100%bdp"}
    return Scenario(**{"bottleneck": link, "arrivals": sources, "rtt": "60ms", "duration": "20s", "jitter": 0, **more})


def run(made: Scenario) -> Records:
    return backend("linux").run(made)


def test_a_transfer_alone_takes_its_round_trips_and_its_packets() -> None:
    """Of 2, 8 and 28 packets: a first window of ten, and in slow start twenty more.

    On 6.12 the FIN of one that fills its window waits for an ACK.
    """
    for packets, rounds in ((2, 1), (8, 1), (28, 2)):
        made = run(scenario(f"reno,rate=2,sizes=fixed,mean={packets * 1448},rtt=60ms", seed=3))
        assert made.transfers is not None
        chosen = made.transfers.filter(made.transfers["completion_s"].is_not_null())
        assert len(chosen) > 20
        assert set(chosen["sent_packets"]) == {packets}
        # Those that meet another take longer; the others a round trip each time the window is empty, and their packets.
        least = chosen["completion_s"].min()
        assert rounds * 0.06 + PACKET_S <= least <= rounds * 0.06 + (packets + 1) * PACKET_S + 1e-3


def test_the_transfers_are_the_simulator_s_and_so_are_their_times_where_nothing_is_lost() -> None:
    made = scenario("reno,load=20%,mean=15kB,sizes=exponential,max=60kB,rtt=30ms+60ms", bottleneck={"rate": "10Mbit", "queue": 2000})
    ours, theirs = (one(made).transfers for one in (Simulator().run, run))
    assert ours is not None and theirs is not None
    assert ours.select("source", "bytes").equals(theirs.select("source", "bytes"))
    assert ours["start_s"].to_list() == pytest.approx(theirs["start_s"].to_list(), abs=1e-8)
    assert theirs["retransmitted_packets"].sum() == 0
    # A handshake that meets others is late, and an ACK that waits 40 ms for a second segment ends some.
    assert ours["completion_s"].median() == pytest.approx(theirs["completion_s"].median(), rel=0.03)
    assert ours["completion_s"].mean() == pytest.approx(theirs["completion_s"].mean(), rel=0.05)


def test_a_flow_beside_them_is_counted_alone() -> None:
    made = run(scenario("reno,load=20%,mean=15kB", flows=["cubic"]))
    assert made.flows["flow"].to_list() == [0]
    assert set(made.flow_samples["flow"]) == {0} and set(made.events["flow"]) == {0}
    assert made.transfers is not None
    row, link = made.flows.row(0, named=True), made.links.row(0, named=True)
    sent = row["delivered_packets"] + made.transfers["sent_packets"].sum()
    # What the link carried, in packets: SYNs are small, and what was under way at the end is at most the path and its queue.
    assert abs(link["delivered_bytes"] / 1500 - (sent - link["dropped_packets"] + row["retransmitted_packets"])) < 0.02 * sent + 100


def test_two_runs_agree_to_the_byte() -> None:
    made = scenario("reno,load=20%,mean=15kB", flows=["cubic"], jitter="1ms")
    assert run(made).digest() == run(made).digest()
