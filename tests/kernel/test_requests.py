"""Clients that ask over one connection, on a kernel: closed forms, and the simulator beside it."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.backends import backend
from windtunnel.backends.sim import Simulator
from windtunnel.frames import pl
from windtunnel.records import Records
from windtunnel.scenario import Scenario

pytestmark = pytest.mark.usefixtures("kernel")

PACKET_S = 1500 * 8 / 20e6
RTT_S = 0.04


def scenario(*flows: str, **more: Any) -> Scenario:
    """20 Mbit/s, 40 ms, and a queue that nothing fills."""
    link = {"rate": "20Mbit", "queue": 2000, **more.pop("link", {})}
    return Scenario.model_validate({"bottleneck": link, "flows": flows, "rtt": "40ms", "duration": "10s", "jitter": 0, **more})


def exchanges(records: Records) -> pl.DataFrame:
    assert records.exchanges is not None
    return records.exchanges


def both(made: Scenario) -> tuple[Records, Records]:
    return Simulator().run(made), backend("linux").run(made)


def test_an_exchange_takes_its_round_trip_and_its_packets() -> None:
    """Ten packets leave at once; the next request follows a second after the last of them has arrived."""
    made = exchanges(backend("linux").run(scenario("reno,response=14480,think=1s")))
    took_s = RTT_S + 10 * PACKET_S
    assert made["completion_s"].to_list() == pytest.approx([took_s] * 10, abs=50e-6)
    assert made["start_s"].to_list() == pytest.approx([number * (1 + took_s) for number in range(10)], abs=500e-6)
    assert set(made["request_bytes"]) == {400} and set(made["bytes"]) == {14480} and set(made["repeats"]) == {0}


def test_the_first_request_follows_the_handshake() -> None:
    """A SYN, its answer and the ACK of that: one and a half round trips, and what the SYN and the ACK take on the link."""
    ours, theirs = map(exchanges, both(scenario("reno,response=14480,think=1s,handshake=true")))
    least_s = 1.5 * RTT_S + (60 + 52) * 8 / 20e6
    assert theirs["start_s"][0] == pytest.approx(least_s, abs=50e-6)
    assert theirs["start_s"].to_list() == pytest.approx(ours["start_s"].to_list(), abs=200e-6)


@pytest.mark.parametrize(("option", "more_round_trips"), [("", 3), (",idle_restart=none", 0)])
def test_a_response_after_a_long_thought_finds_the_window_of_an_idle_flow(option: str, more_round_trips: int) -> None:
    """100 packets are windows of 10, 20, 40 and 30; one that stays open sends them at once."""
    ours, theirs = map(exchanges, both(scenario(f"reno,response=144800,think=3s,requests=3{option}")))
    assert theirs["completion_s"].to_list() == pytest.approx(ours["completion_s"].to_list(), abs=1e-3)
    later_s = theirs["completion_s"][2]
    at_once_s = RTT_S + 100 * PACKET_S
    assert (later_s - at_once_s > 0.5 * RTT_S) == (more_round_trips > 0)


def test_draws_and_times_are_the_simulators_over_a_narrow_reverse_link() -> None:
    """Requests of a packet wait among the ACKs of another flow; nothing is lost."""
    line = "cubic,response=exponential:64kB,request=exponential:200,think=exponential:500ms,requests=6"
    ours, theirs = both(scenario(line, "cubic", reverse={"rate": "1Mbit", "queue": 100}))
    mine, others = exchanges(ours), exchanges(theirs)
    assert mine.select("flow", "request_bytes", "bytes").equals(others.select("flow", "request_bytes", "bytes"))
    assert others["completion_s"].to_list() == pytest.approx(mine["completion_s"].to_list(), rel=0.01)
    assert theirs.flows["completed_s"][0] == pytest.approx(ours.flows["completed_s"][0], abs=5e-3)
    assert theirs.flows["delivered_packets"][0] == ours.flows["delivered_packets"][0]


@pytest.mark.parametrize(("request_bytes", "response"), [(11_500, "77kB"), (10_000, "100kB"), (2800, "100kB")])
def test_a_request_of_several_packets_is_acknowledged_and_not_repeated(request_bytes: int, response: str) -> None:
    """Eight packets take 94 ms at 1 Mbit/s, and a timer of 80 ms runs: each ACK of the server starts it again."""
    line = f"cubic,request={request_bytes},response={response},think=500ms"
    made = scenario(line, link={"rate": "10Mbit", "queue": "1bdp"}, reverse={"rate": "1Mbit", "queue": 100})
    ours, theirs = map(exchanges, both(made))
    assert set(theirs["repeats"]) == set(ours["repeats"]) == {0}
    # The first meets quick ACKs on both sides, later ones every second packet.
    assert theirs["completion_s"].drop_nulls().to_list() == pytest.approx(ours["completion_s"].drop_nulls().to_list(), abs=6e-3)


@pytest.mark.parametrize(("request_bytes", "queue"), [(11_500, 3), (7000, 3), (14_000, 4)])
def test_what_a_short_queue_takes_of_requests_is_repaired_as_linux_repairs_it(request_bytes: int, queue: int) -> None:
    """A probe by the last packet, then by SACK; the client's window shrinks, until its requests fit the queue."""
    line = f"cubic,request={request_bytes},response=77kB,think=500ms"
    made = scenario(line, link={"rate": "10Mbit", "queue": "1bdp"}, reverse={"rate": "1Mbit", "queue": queue})
    ours, theirs = map(exchanges, both(made))
    again, expected = ours["repeats"].to_list(), theirs["repeats"].to_list()
    assert len(again) == len(expected) and sum(expected[:3]) > 4
    # When the window grows back by one is a matter of a millisecond.
    assert again[:3] == expected[:3] and abs(sum(again) - sum(expected)) <= 2
    means = [made["completion_s"].drop_nulls().mean() for made in (ours, theirs)]
    assert means[0] == pytest.approx(means[1], rel=0.02)


def test_a_client_that_stops_asks_no_more() -> None:
    ours, theirs = map(exchanges, both(scenario("reno,response=14480,think=1s,stop=5s")))
    assert len(theirs) == len(ours) == 5
    assert theirs["completion_s"].null_count() == 0


def test_a_response_that_the_end_cuts_off_has_no_completion() -> None:
    """Ten megabytes take four seconds."""
    ours, theirs = map(exchanges, both(scenario("reno,response=10MB", duration="3s")))
    assert theirs["completion_s"].to_list() == ours["completion_s"].to_list() == [None]


def test_lost_requests_are_repeated_as_often_as_in_the_simulator() -> None:
    """One request in ten of 300 or so: 30 +- 5.5, and the mean of times within what that leaves open."""
    line = "reno,response=2896,think=exponential:100ms,count=4"
    made = scenario(line, reverse={"rate": "20Mbit", "queue": 1000, "loss": 0.1}, duration="15s")
    ours, theirs = map(exchanges, both(made))
    shares = [one["repeats"].sum() / len(one) for one in (ours, theirs)]
    assert shares[1] == pytest.approx(shares[0], rel=0.5)
    assert theirs["completion_s"].mean() == pytest.approx(ours["completion_s"].mean(), rel=0.15)
    assert theirs["completion_s"].median() == pytest.approx(ours["completion_s"].median(), rel=0.01)
