"""Several bottlenecks in a row, on a kernel."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.backends import backend
from windtunnel.backends.sim import Simulator
from windtunnel.records import Records
from windtunnel.scenario import Scenario

pytestmark = pytest.mark.usefixtures("kernel")

PACKET_S = 1500 * 8 / 20e6
HOPS = ("queue=50,delay=5ms", "rate=10Mbit,queue=70,delay=9ms")


def scenario(*flows: Any, **more: Any) -> Scenario:
    link = {"rate": "20Mbit", "queue": 100}
    return Scenario(**{"bottleneck": link, "hops": HOPS, "flows": flows, "rtt": "100ms", "duration": "5s", "jitter": 0, **more})


def run(made: Scenario) -> Records:
    return backend("linux").run(made)


@pytest.mark.parametrize(
    ("flow", "links"),
    [
        ({}, {"forward": 1, "forward2": 1, "forward3": 1}),
        ({"leave": 1}, {"forward": 1}),
        ({"enter": 2, "leave": 2}, {"forward2": 1}),
        ({"enter": 3}, {"forward3": 1}),
        # ACKs of reverse data cross the hops: 52 bytes for two packets.
        ({"enter": 2, "leave": 3, "direction": "reverse"}, {"reverse": 1, "forward2": 52 / 3000, "forward3": 52 / 3000}),
    ],
)
@pytest.mark.parametrize("discipline", ["", ",discipline=codel"])
def test_a_window_crosses_its_hops_and_no_others_in_its_time(flow: dict[str, Any], links: dict[str, float], discipline: str) -> None:
    given = {"algorithm": "reno", "window_packets": 20, **flow}
    made = scenario(given, hops=[hop + discipline for hop in HOPS], warmup="2s")
    ours, theirs = Simulator().run(made), run(made)
    here, there = (one.flows.row(0, named=True) for one in (ours, theirs))
    assert here["delivered_packets"] == there["delivered_packets"] and there["retransmitted_packets"] == 0
    # A sample is of whole microseconds, a clock's grain 256 ns; the handshake, which is shorter, is long past.
    assert here["mean_rtt_s"] == pytest.approx(there["mean_rtt_s"], abs=5e-6)
    # Propagation, a transmission at each hop, and up to two that an ACK waits for the second packet.
    assert 0.1 < there["mean_rtt_s"] < 0.1 + 8 * PACKET_S
    carried = dict(zip(theirs.links["name"], theirs.links["delivered_bytes"], strict=True))
    assert set(carried) - {"reverse"} == {"forward", "forward2", "forward3"}
    for name, bytes_carried in carried.items():
        # Handshakes, what is under way at the end, and while the receiver's window grows an ACK for every packet.
        expected = links.get(name, 0) * 1500 * there["sent_packets"]
        assert bytes_carried == pytest.approx(expected, abs=20 * 1500 if expected else 0), name


def test_what_was_sent_has_arrived_or_was_dropped_at_one_of_the_hops() -> None:
    flows = ("cubic,stop=3s", "reno,stop=3s,start=0.5s,leave=1", "reno,stop=3s,enter=2,leave=2,start=0.7s")
    made = run(scenario(*flows, hops=["queue=20,delay=5ms,loss=0.002", "rate=10Mbit,queue=15,delay=5ms,discipline=codel"], duration="6s"))
    assert made.flows["lost_packets"].sum() == made.links["dropped_packets"].sum() + made.links["lost_packets"].sum()
    assert made.links["dropped_packets"][2] > 0 and made.links["lost_packets"].to_list()[::2] == [0, 0]
    # Binomial: four standard deviations.
    expected = 0.002 * (made.flows["sent_packets"][0] + made.flows["sent_packets"][2])
    assert abs(made.links["lost_packets"][1] - expected) <= 4 * expected**0.5 + 1


def test_datagrams_and_transfers_enter_and_leave_where_they_shall() -> None:
    # 1 Mbit/s for 4 s are 334 packets of 1500 bytes, the first at 1 s.
    more = {"traffic": ["udp,rate=1Mbit,enter=2,leave=2,start=1s"], "arrivals": ["reno,rate=5,sizes=fixed,mean=14480,rtt=40ms,enter=3"]}
    made = scenario("reno,start=4.99s", **more)
    ours, theirs = Simulator().run(made), run(made)
    for one in (ours, theirs):
        assert one.flows["sent_packets"][1] == 334 and one.flows["lost_packets"][1] == 0
        assert one.links["delivered_bytes"][1] == pytest.approx(334 * 1500, abs=2000)
    assert ours.transfers is not None and theirs.transfers is not None and len(ours.transfers) > 10
    assert ours.transfers["completion_s"].to_list() == pytest.approx(theirs.transfers["completion_s"].to_list(), abs=2e-3, nan_ok=True)
    assert theirs.links["delivered_bytes"][2] == pytest.approx(ours.links["delivered_bytes"][2], rel=0.02)


def test_two_runs_of_all_that_a_guest_can_have_agree_to_the_byte() -> None:
    made = scenario(
        "cubic,mtu=9000",
        "reno,enter=2,nic=8Mbit,txqueuelen=3",
        {"algorithm": "reno", "direction": "reverse", "leave": 1},
        bottleneck={"rate": "20Mbit", "queue": 100, "rate_steps": ["1s=15Mbit"]},
        hops=["queue=50,delay=5ms", {"queue": 70, "delay": "2ms", "reorder": 0.01, "reorder_by": "5ms"}],
        reverse={"queue": 50, "delay_steps": ["1s=5ms"]},
        arrivals=["reno,rate=2,mean=9kB"],
        sessions=["reno,count=3,connections=2,objects=fixed:3"],
        traffic=["udp,rate=1Mbit,enter=2,packet=3000"],
        jitter="1ms",
        duration="3s",
    )
    assert run(made).digest() == run(made).digest()
