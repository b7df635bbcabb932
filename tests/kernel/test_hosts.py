"""Devices of senders on a kernel: of one flow, and of several in both directions."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.backends import backend
from windtunnel.backends.sim import Simulator
from windtunnel.records import Records
from windtunnel.scenario import Scenario

pytestmark = pytest.mark.usefixtures("kernel")

REVERSE = {"algorithm": "reno", "direction": "reverse"}
NIC_PACKET_S = 1500 * 8 / 10e6


def scenario(*flows: Any, **more: Any) -> Scenario:
    link = {"rate": "20Mbit", "queue": 100}
    return Scenario(**{"bottleneck": link, "flows": flows, "rtt": "60ms", "duration": "8s", "warmup": "2s", "jitter": 0, **more})


def run(made: Scenario) -> Records:
    return backend("linux").run(made)


@pytest.mark.parametrize(
    ("flows", "host"),
    [
        (["reno,window=20"], "nic=10Mbit"),
        (["reno,window=10", "reno,window=10,start=1s"], "nic=10Mbit,shared=true"),
        # One device for what goes either way.
        (["reno,window=20", REVERSE | {"window": 20}], "nic=10Mbit,shared=true"),
    ],
)
def test_a_window_waits_for_its_device_as_in_the_simulator(flows: list[Any], host: str) -> None:
    made = scenario(*flows, host=host)
    ours, theirs = Simulator().run(made), run(made)
    # An ACK is of two packets, and the last one of a run comes before its end or after it.
    assert theirs.flows["delivered_packets"].to_list() == pytest.approx(ours.flows["delivered_packets"].to_list(), abs=2)
    assert theirs.flows["host"].to_list() == ours.flows["host"].to_list()
    for here, there in zip(ours.flows["mean_rtt_s"], theirs.flows["mean_rtt_s"], strict=True):
        # A transmission of 1.2 ms at the device, 0.6 ms at the link, and a second packet for an ACK.
        assert here == pytest.approx(there, abs=5e-6) and there > 0.06 + NIC_PACKET_S


def test_who_shares_a_device_shares_its_rate() -> None:
    made = run(scenario("reno", "reno", REVERSE, host="nic=10Mbit,shared=true"))
    # 6 s of packets of 1.2 ms, but for one at either end of each flow.
    assert made.flows["window_delivered_packets"].sum() == pytest.approx(6 / NIC_PACKET_S, abs=2 * 3)
    assert made.flows["retransmitted_packets"].sum() == made.flows["lost_packets"].sum() == 0
    # The kernel keeps what a device has not sent to two packets of a flow: the round trip holds no more than six.
    assert max(made.flows["mean_rtt_s"]) < 0.06 + 9 * NIC_PACKET_S
    # Counters are a namespace's, which they share.
    assert made.flows["timeouts"].null_count() == made.flows["send_stalls"].null_count() == 3


def test_a_device_without_room_reduces_the_window_and_loses_nothing() -> None:
    made = run(scenario("reno", host="nic=10Mbit,txqueuelen=1"))
    row = made.flows.row(0, named=True)
    assert row["send_stalls"] > 0 and row["retransmitted_packets"] == row["lost_packets"] == 0
    assert row["sent_packets"] - row["delivered_packets"] < 100
    alone = run(scenario("reno", host="nic=10Mbit")).flows.row(0, named=True)
    assert alone["send_stalls"] == 0 and row["mean_cwnd_packets"] < alone["mean_cwnd_packets"]


def test_transfers_share_the_device_of_all() -> None:
    more = {
        "host": "nic=10Mbit,shared=true",
        "arrivals": "reno,rate=5,sizes=fixed,mean=14480",
        "bottleneck": {"rate": "1Gbit", "queue": 500},
    }
    made = run(scenario("reno,window=5", **more))
    assert made.transfers is not None
    # Two round trips, and ten packets at the device's rate, each behind one of the flow's now and then.
    least = 2 * 0.06 + 10 * NIC_PACKET_S
    assert least < made.transfers["completion_s"].drop_nulls().min() < least + 10 * NIC_PACKET_S
