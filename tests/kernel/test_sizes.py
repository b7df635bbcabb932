"""Packets of other sizes than 1500 bytes, on a kernel."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.backends import backend
from windtunnel.backends.sim import Simulator
from windtunnel.records import Records
from windtunnel.scenario import Scenario

pytestmark = pytest.mark.usefixtures("kernel")


def scenario(*flows: Any, **more: Any) -> Scenario:
    link = {"rate": "50Mbit", "queue": 100}
    return Scenario(**{"bottleneck": link, "flows": flows, "rtt": "60ms", "duration": "8s", "warmup": "2s", "jitter": 0, **more})


def run(made: Scenario) -> Records:
    return backend("linux").run(made)


@pytest.mark.parametrize("mtu", [576, 4000, 9000])
def test_a_window_of_packets_of_a_size_gives_what_it_does_in_the_simulator(mtu: int) -> None:
    made = scenario(f"reno,window=20,mtu={mtu}")
    ours, theirs = Simulator().run(made), run(made)
    here, there = (one.flows.row(0, named=True) for one in (ours, theirs))
    packet_s = 8 * mtu / 50e6
    # Twenty packets a round trip. When the reader has emptied its socket an ACK may leave for one packet, and the next are of others:
    # half a packet's time in the mean.
    assert there["mean_rtt_s"] == pytest.approx(here["mean_rtt_s"], abs=packet_s / 2) and there["mean_rtt_s"] > 0.06 + packet_s
    assert there["window_delivered_packets"] == pytest.approx(here["window_delivered_packets"], rel=0.005)
    assert there["delivered_bytes"] == there["delivered_packets"] * (mtu - 52) and there["retransmitted_packets"] == 0
    # What lies between is a handshake, and what is under way at the end.
    assert theirs.links["delivered_bytes"][0] == pytest.approx(there["sent_packets"] * mtu, abs=20 * mtu)


def test_flows_of_several_sizes_fill_a_link_and_its_queue_of_packets() -> None:
    made = run(scenario("cubic,mtu=9000", "cubic,start=0.2s", "cubic,mtu=576,start=0.4s"))
    assert made.links["utilisation"][0] > 0.98 and made.links["max_queue_packets"][0] == 100
    carried = sum(row["window_delivered_packets"] * size for row, size in zip(made.flows.rows(named=True), (9000, 1500, 576), strict=True))
    # Retransmissions that arrived twice, and what was in the queue at either end of the window.
    assert carried == pytest.approx(made.links["window_delivered_bytes"][0], abs=100 * 9000 + 0.01 * carried)


def test_datagrams_as_large_as_ip_has_them_fare_as_in_the_simulator() -> None:
    traffic = [
        "udp,rate=20Mbit,packet=9000,start=1s,stop=3s",
        "udp,rate=5Mbit,packet=65535,direction=reverse",
        "udp,rate=90Mbit,packet=3000,start=5s",
    ]
    made = scenario("reno,start=7.99s", traffic=traffic, host="nic=1Gbit")
    ours, theirs = Simulator().run(made), run(made)
    for name in ("sent_packets", "delivered_packets", "lost_packets"):
        assert theirs.flows[name][1:].to_list() == pytest.approx(ours.flows[name][1:].to_list(), abs=1), name
    # 20 Mbit/s for 2 s are 556 packets of 72,000 bits.
    assert theirs.flows["sent_packets"][1] == 556 and theirs.flows["lost_packets"][3] > 1000
