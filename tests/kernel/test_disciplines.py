"""The kernel's queue disciplines before a link of a guest: the link itself, conservation, marks, targets."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.backends import backend
from windtunnel.backends.linux import plan
from windtunnel.records import Records
from windtunnel.scenario import Scenario

pytestmark = pytest.mark.usefixtures("kernel")

PACKET_S = 1500 * 8 / 10e6
KINDS = ("drop-head", "red,gentle=0", "codel", "fq", "fq-codel", "pie", "fq-pie", "cake")


def scenario(*flows: Any, **more: Any) -> Scenario:
    link = {"rate": "10Mbit", "queue": 100, **more.pop("link", {})}
    return Scenario(**{"bottleneck": link, "flows": flows, "rtt": "42ms", "duration": "10s", **more})


def run(made: Scenario) -> Records:
    return backend("linux").run(made)


def ecn(algorithm: str, **more: Any) -> dict[str, Any]:
    return {"algorithm": algorithm, "transport": {"ecn": "classic"}, **more}


def test_the_link_under_a_discipline_is_the_link_of_netem(monkeypatch: pytest.MonkeyPatch) -> None:
    saturated = scenario("reno", link={"rate": "50Mbit", "queue": 60}, duration="20s", jitter=0)
    light = scenario("reno,window=20", link={"queue": 60}, jitter=0)
    plain, plain_light = run(saturated), run(light)
    fifo = ["discipline forward bfifo 88500"]  # 59 packets wait behind the one on the wire.
    monkeypatch.setattr(plan, "_discipline_line", lambda full, name, *rest: fifo if name == "forward" else [])
    other, other_light = run(saturated), run(light)
    assert other.links["max_queue_packets"][0] == plain.links["max_queue_packets"][0] == 60
    # Timers are as fine as 256 ns, a packet takes 240 us: one part in a thousand.
    assert other.links["utilisation"][0] == pytest.approx(plain.links["utilisation"][0], rel=1e-3)
    assert other.links["dropped_packets"][0] == pytest.approx(plain.links["dropped_packets"][0], rel=0.02)
    # A packet of 1.2 ms is on the wire after it has left the discipline; 20 us are clock and rounding.
    assert other_light.flows["mean_rtt_s"][0] == pytest.approx(plain_light.flows["mean_rtt_s"][0], abs=20e-6)
    assert other_light.flows["delivered_packets"][0] == pytest.approx(plain_light.flows["delivered_packets"][0], abs=1)


def test_a_window_waits_for_nothing_but_the_link() -> None:
    made = run(scenario("reno,window=90", link={"discipline": "codel,target=1s"}, warmup="4s", jitter=0))
    # 35 packets are the path's; 90 keep it full, and nothing is lost between two packets.
    assert made.links["utilisation"][0] == pytest.approx(1.0, abs=2e-4)
    # The others wait: a round trip lasts 90 packet times, plus up to two that an ACK of two packets waits for the second.
    assert 90 * PACKET_S <= made.flows["mean_rtt_s"][0] <= 92 * PACKET_S
    assert made.flows["retransmitted_packets"][0] == 0


@pytest.mark.parametrize("discipline", KINDS)
def test_what_was_sent_has_arrived_or_was_dropped(discipline: str) -> None:
    flows = ("cubic,stop=7s", "reno,stop=7s,start=0.5s")
    made = run(scenario(*flows, link={"discipline": discipline, "queue": 40, "loss": 0.002}))
    link, flow = made.links.row(0, named=True), made.flows
    assert link["dropped_packets"] > 0 and link["marked_packets"] == 0 and link["utilisation"] > 0.5
    assert flow["lost_packets"].sum() == link["dropped_packets"] + link["lost_packets"]
    # Binomial: four standard deviations.
    expected = 0.002 * flow["sent_packets"].sum()
    assert abs(link["lost_packets"] - expected) <= 4 * expected**0.5 + 1


@pytest.mark.parametrize("discipline", ["red,gentle=0,min=5,max=60", "codel", "fq-codel", "pie", "fq-pie", "cake"])
def test_who_is_ecn_capable_is_marked_and_not_dropped(discipline: str) -> None:
    # RFC 3168. Windows of 30 make no queue above 25 packets: 30 ms, too little to take PIE above the tenth up to which it marks.
    flows = [ecn("reno", start_s=0.1, window_packets=30), ecn("cubic", window_packets=30)]
    made = run(scenario(*flows, link={"discipline": discipline, "queue": 1000}, duration="20s", warmup="2s"))
    link = made.links.row(0, named=True)
    assert link["marked_packets"] >= link["window_marked_packets"] > 3
    assert made.link_samples["marked_packets"].max() <= link["marked_packets"]
    assert link["dropped_packets"] == made.flows["lost_packets"].sum() == made.flows["retransmitted_packets"].sum() == 0
    # One answer per round trip at most, and none without a mark.
    assert 0 < made.flows["loss_episodes"].sum() <= link["marked_packets"]
    backoffs = made.events.filter(kind="loss_episode")
    assert backoffs.height == made.flows["loss_episodes"].sum()


def test_a_step_of_marks_holds_dctcps_queue() -> None:
    made = run(scenario("dctcp,count=2", link={"rate": "50Mbit", "queue": 400, "mark": 40}, duration="8s", warmup="3s"))
    link = made.links.row(0, named=True)
    samples = made.link_samples
    largest = samples.filter(samples["t_s"] > 3.0)["queue_packets"].max()
    assert link["marked_packets"] > 0 and link["dropped_packets"] == 0
    # Alizadeh and others 2010, (10): the queue grows to K + N, here in steps of two packets, what an ACK releases.
    assert 40 <= int(largest) <= 40 + 2 + 2 * 2


def test_codel_keeps_the_standing_queue_below_what_drop_tail_fills() -> None:
    flows = ("reno,count=4",)
    made = run(scenario(*flows, link={"discipline": "codel"}, duration="20s", warmup="5s"))
    full = run(scenario(*flows, duration="20s", warmup="5s"))
    # 5 ms are four packets; Reno's sawtooth over 42 ms stands above.
    assert made.links["mean_queue_packets"][0] < 15 < 50 < full.links["mean_queue_packets"][0]


def test_a_queue_of_bytes_takes_acks_for_what_they_are() -> None:
    flows = ("cubic", {"algorithm": "cubic", "direction": "reverse"})
    link = {"rate": "10Mbit", "queue": "60kB", "excludes_in_service": True}
    made = run(scenario(*flows, link=link, reverse={"rate": "2Mbit", "queue": "15kB", "excludes_in_service": True}))
    both = [made.link_samples.filter(made.link_samples["link"] == index) for index in (0, 1)]
    # What waits, and a full packet on the wire. Ten data packets are 15 kB; many more ACKs than that fit.
    assert [int(one["queue_bytes"].max()) <= limit + 1500 for one, limit in zip(both, (60_000, 15_000), strict=True)] == [True, True]
    assert int(both[1]["queue_packets"].max()) > 11
