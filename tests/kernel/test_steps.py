"""Links that change at given moments, on a kernel."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.backends import backend
from windtunnel.backends.sim import Simulator
from windtunnel.records import Records
from windtunnel.scenario import Scenario

pytestmark = pytest.mark.usefixtures("kernel")


def scenario(*flows: Any, **more: Any) -> Scenario:
    link = {"rate": "12Mbit", "queue": 60, **more.pop("link", {})}
    return Scenario(**{"bottleneck": link, "flows": flows, "rtt": "40ms", "duration": "8s", "jitter": 0, **more})


def run(made: Scenario) -> Records:
    return backend("linux").run(made)


def srtt_s(made: Records, at_s: float) -> float:
    samples = made.flow_samples
    return float(samples.filter((samples["t_s"] - at_s).abs() < 1e-6)["srtt_s"][0])


@pytest.mark.parametrize(
    "where",
    [
        {"link": {"delay_steps": ["3s=20ms", "6s=5ms"]}},
        {"reverse": {"queue": 100, "delay_steps": ["3s=20ms", "6s=5ms"]}},
        {"hops": ["queue=50,delay=2ms"], "link": {"delay_steps": ["3s=20ms", "6s=5ms"]}},
        {"link": {"delay_steps": ["3s=20ms", "6s=5ms"], "discipline": "codel"}},
    ],
)
def test_a_longer_way_is_felt_from_its_moment_on_as_in_the_simulator(where: dict[str, Any]) -> None:
    made = scenario("reno,window=20", **where)
    ours, theirs = Simulator().run(made), run(made)
    # An ACK is of two packets; at a step and at the end one more may be in time.
    assert theirs.flows["delivered_packets"][0] == pytest.approx(ours.flows["delivered_packets"][0], abs=2)
    # A way that grows shorter brings packets together and overtakes nobody.
    assert theirs.flows["retransmitted_packets"][0] == 0
    # ACKs are elsewhere on their way when they meet a reverse link: a step there is felt up to half a round trip earlier or later.
    soon = () if "reverse" in where else (3.05, 6.1)
    for at_s in (2.9, 3.5, 5.9, 6.5, 7.9, *soon):
        assert srtt_s(theirs, at_s) == pytest.approx(srtt_s(ours, at_s), abs=50e-6), at_s
    # 40 ms, and what the link and an ACK's second packet take.
    extras = [srtt_s(theirs, at_s) - srtt_s(theirs, 2.9) for at_s in (5.9, 7.9)]
    assert extras == pytest.approx([0.020, 0.005], abs=20e-6)


@pytest.mark.parametrize("discipline", ["drop-tail", "codel,target=1s"])
def test_a_full_link_carries_the_integral_of_its_rate(discipline: str) -> None:
    link = {"rate_steps": ["3s=5Mbit", "6s=9Mbit"], "discipline": discipline}
    made = run(scenario("reno,window=60", link=link, warmup="1s"))
    # 2 s of 12, 3 s of 5 and 2 s of 9 Mbit/s; a packet goes on at the rate it began with: one at each step.
    assert made.links["window_delivered_bytes"][0] == pytest.approx((24e6 + 15e6 + 18e6) / 8, abs=3 * 1500)
    assert made.links["utilisation"][0] == pytest.approx(1.0, abs=1e-3)
    # A window over the rate, and its steps of two packets.
    for at_s, rate in ((2.9, 12e6), (5.9, 5e6), (7.9, 9e6)):
        assert srtt_s(made, at_s) == pytest.approx(60 * 12_000 / rate, abs=2 * 12_000 / rate), at_s


def test_a_queue_under_another_rate_overflows_when_it_does_in_the_simulator() -> None:
    made = scenario("cubic", link={"rate_steps": ["3s=5Mbit", "6s=9Mbit"], "loss": 0}, duration="12s")
    ours, theirs = (one.run(made).flows.row(0, named=True) for one in (Simulator(), backend("linux")))
    # A difference of a packet on the wire at a step may move one ACK.
    assert theirs["delivered_packets"] == pytest.approx(ours["delivered_packets"], rel=0.01)
    assert theirs["retransmitted_packets"] == pytest.approx(ours["retransmitted_packets"], abs=5)
    assert theirs["loss_episodes"] == ours["loss_episodes"] > 1
