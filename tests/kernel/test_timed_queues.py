"""Queues in seconds or bytes that packets of several sizes share, on a kernel."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.backends import backend
from windtunnel.backends.sim import Simulator
from windtunnel.records import Records
from windtunnel.scenario import Scenario

pytestmark = pytest.mark.usefixtures("kernel")


def both(**more: Any) -> tuple[Records, Records]:
    made = Scenario.model_validate({"duration": "10s", "jitter": 0, "rtt": "40ms", "sample": "5ms", **more})
    return Simulator().run(made), backend("linux").run(made)


def most_bytes(records: Records, link: int) -> int:
    return int(records.link_samples.filter(records.link_samples["link"] == link)["queue_bytes"].max())


def test_acks_wait_as_long_as_the_queue_lets_them() -> None:
    """300 kbit/s carry 721 ACKs of 52 bytes a second, of more than there are: 100 ms of them wait, and nothing longer."""
    ours, theirs = both(bottleneck={"rate": "20Mbit", "queue": "100ms"}, flows=["cubic"], reverse={"rate": "300kbit", "queue": "100ms"})
    for records in (ours, theirs):
        # At most so much is to be sent when another is taken, of up to three SACK blocks; one that is partly sent counts whole.
        assert 3750 - 52 <= most_bytes(records, 1) <= 3750 + 2 * 76
        assert records.links["utilisation"][1] > 0.97
    assert theirs.flows["delivered_packets"][0] == pytest.approx(ours.flows["delivered_packets"][0], rel=0.002)
    assert theirs.flows["mean_rtt_s"][0] == pytest.approx(ours.flows["mean_rtt_s"][0], rel=0.01)


@pytest.mark.parametrize(("queue", "bytes_"), [("20ms", 25_000 + 2 * 1500), ("25000B", 25_000)])
def test_a_limit_is_one_of_time_or_of_bytes_and_not_of_packets(queue: str, bytes_: int) -> None:
    """12 Mbit/s for 10. By time a small packet is refused where a large one is; by bytes it still finds room."""
    ours, theirs = both(
        bottleneck={"rate": "10Mbit", "queue": queue}, flows=["reno,window=4"], traffic=["udp,rate=9Mbit", "udp,rate=3Mbit,packet=300"]
    )
    for records in (ours, theirs):
        assert bytes_ - 3000 <= most_bytes(records, 0) <= bytes_
        # 10 s of the link.
        assert records.links["delivered_bytes"][0] == pytest.approx(12_500_000, rel=0.005)
    lost = [[one.flows["lost_packets"][flow] / one.flows["sent_packets"][flow] for flow in (1, 2)] for one in (ours, theirs)]
    assert lost[1] == pytest.approx(lost[0], abs=0.03)


def test_random_losses_come_before_the_queue() -> None:
    ours, theirs = both(
        bottleneck={"rate": "10Mbit", "queue": "20ms", "loss": 0.1},
        flows=["reno,window=2"],
        traffic=["udp,rate=4Mbit", "udp,rate=2Mbit,packet=300"],
        duration="20s",
    )
    # 6667 packets and 16,667: a tenth of each, +- 25 and +- 39; nothing finds the queue full.
    for records in (ours, theirs):
        assert records.flows["lost_packets"][1] == pytest.approx(667, abs=100)
        assert records.flows["lost_packets"][2] == pytest.approx(1667, abs=160)
        assert records.links["dropped_packets"][0] == 0
