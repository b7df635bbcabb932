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
    for at_s in (2.9, 3.05, 3.5, 5.9, 6.1, 6.5, 7.9):
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


@pytest.mark.parametrize("discipline", ["drop-tail", "codel,target=1s"])
def test_a_full_link_carries_nothing_in_an_outage_and_goes_on_after_it(discipline: str) -> None:
    made = run(scenario("reno,window=58", link={"outages": ["3s=150ms", "5s=100ms"], "discipline": discipline}, warmup="1s"))
    # 7 s less a quarter of one: the packet on the wire arrives, and one that has begun after it.
    assert made.links["window_delivered_bytes"][0] == pytest.approx(6.75 * 12e6 / 8, abs=3 * 1500)
    assert made.links["utilisation"][0] == pytest.approx(1.0, abs=1e-3)
    carried = made.link_samples.filter(made.link_samples["t_s"].is_between(3.0, 3.15))["delivered_bytes"]
    assert carried[-1] - carried[0] <= 2 * 1500
    # What holds the link is nobody's: it neither waits in the queue's numbers nor is it lost.
    assert made.links["max_queue_packets"][0] <= 60 and made.links["dropped_packets"][0] == made.flows["lost_packets"][0] == 0


@pytest.mark.parametrize(
    "where",
    [
        {"link": {"outages": ["3s=150ms"]}},
        {"reverse": {"queue": 100, "outages": ["3s=150ms"]}},
        {"hops": [{"rate": "12Mbit", "queue": 50, "delay": "2ms", "outages": ["3s=150ms"]}]},
        {"link": {"outages": ["3s=150ms"], "delay_steps": ["5s=20ms"]}},
    ],
)
def test_an_outage_holds_what_comes_as_in_the_simulator(where: dict[str, Any]) -> None:
    # Longer than a probe waits and shorter than a timeout; what was held comes at once.
    made = scenario("reno,window=20", **where)
    ours, theirs = Simulator().run(made), run(made)
    for name, expected in (("timeouts", 0), ("retransmitted_packets", 1), ("lost_packets", 0)):
        assert theirs.flows[name][0] == ours.flows[name][0] == expected, name
    assert theirs.flows["delivered_packets"][0] == pytest.approx(ours.flows["delivered_packets"][0], abs=4)
    for at_s in (2.9, 3.6, 7.9):
        assert srtt_s(theirs, at_s) == pytest.approx(srtt_s(ours, at_s), abs=1e-3), at_s
    # Packets waited for up to 150 ms, of which each adds an eighth. The simulator's packet on the wire waits, too.
    most_s = [one.flow_samples["srtt_s"].max() for one in (ours, theirs)]
    assert most_s[1] == pytest.approx(most_s[0], abs=6e-3) and most_s[1] > 0.1


def test_an_outage_longer_than_a_timeout_brings_one_that_is_undone() -> None:
    made = scenario("cubic", link={"outages": ["3s=1s"]}, duration="12s")
    ours, theirs = (one.run(made).flows.row(0, named=True) for one in (Simulator(), backend("linux")))
    for name, expected in (("timeouts", 1), ("undos", 1), ("loss_episodes", 4)):
        assert theirs[name] == ours[name] == expected, name
    assert theirs["delivered_packets"] == pytest.approx(ours["delivered_packets"], rel=0.002)
    assert theirs["retransmitted_packets"] == pytest.approx(ours["retransmitted_packets"], abs=3)


@pytest.mark.parametrize("link", [{}, {"rate_steps": ["1s=12Mbit"]}])
def test_a_queue_of_another_size_keeps_what_stands_in_it_as_in_the_simulator(link: dict[str, Any]) -> None:
    # Netem's limit, and that of a fifo behind HTB. A window of 130 over 40 packets of path: 90 wait, from 3 s on 30 at most.
    made = scenario("reno,window=130", link={"queue": 150, "queue_steps": ["3s=30", "6s=80"], **link}, sample="10ms", duration="9s")
    ours, theirs = Simulator().run(made), run(made)

    def queue(records: Records, at_s: float) -> float:
        samples = records.link_samples
        return float(samples.filter((samples["t_s"] - at_s).abs() < 1e-6)["queue_packets"][0])

    for at_s, packets in ((2.9, 90), (3.03, 60)):
        assert queue(theirs, at_s) == pytest.approx(queue(ours, at_s), abs=3) and queue(ours, at_s) == pytest.approx(packets, abs=4), at_s
    for records in (ours, theirs):
        late = records.link_samples.filter(records.link_samples["t_s"].is_between(3.2, 5.9))["queue_packets"]
        assert 28 <= late.max() <= 30
    for name in ("retransmitted_packets", "loss_episodes"):
        assert theirs.flows[name][0] == pytest.approx(ours.flows[name][0], rel=0.1, abs=1), name
    assert theirs.flows["delivered_packets"][0] == pytest.approx(ours.flows["delivered_packets"][0], rel=0.01)
