"""Receivers whose buffer may be full, on a kernel: what closed forms say of it, and the simulator beside it."""

from __future__ import annotations

import pytest

from windtunnel.backends import backend
from windtunnel.backends.sim import Simulator
from windtunnel.records import Records
from windtunnel.scenario import Scenario

pytestmark = pytest.mark.usefixtures("kernel")


def scenario(flow: str, **more: object) -> Scenario:
    """100 Mbit/s, 100 ms, and a queue that nothing fills."""
    link = {"rate": "100Mbit", "queue": 2000}
    return Scenario.model_validate(
        {"bottleneck": link, "flows": [flow], "rtt": "100ms", "duration": "20s", "warmup": "5s", "jitter": 0, **more}
    )


def both(made: Scenario) -> tuple[Records, Records]:
    return Simulator().run(made), backend("linux").run(made)


def goodput(records: Records) -> float:
    row = records.flows.row(0, named=True)
    return float(row["window_goodput_bytes"] * 8 / row["window_s"])


@pytest.mark.parametrize("rcvbuf", [65_536, 524_288])
def test_a_buffer_gives_its_half_per_round_trip(rcvbuf: int) -> None:
    """Half of the memory is window, in whole segments of 1448 bytes; one segment of it may be closed."""
    ours, theirs = both(scenario(f"reno,rcvbuf={rcvbuf}"))
    segments = rcvbuf // 2 // 1448
    assert goodput(theirs) == pytest.approx(segments * 1448 * 8 / 0.1, rel=2 / segments)
    assert goodput(ours) == pytest.approx(goodput(theirs), rel=1 / segments)
    assert theirs.flows["timeouts"][0] == 0


def test_a_buffer_that_may_grow_fills_the_path() -> None:
    """The path holds 833 packets: 1.2 MB, and the buffer grows to five times that."""
    ours, theirs = both(scenario("cubic,rcvbuf_max=6291456"))
    assert goodput(theirs) > 0.95 * 1448 / 1500 * 100e6
    assert goodput(ours) == pytest.approx(goodput(theirs), rel=0.02)


def test_a_slow_reader_is_all_that_limits() -> None:
    ours, theirs = both(scenario("reno,rcvbuf=524288,read_rate=5Mbit"))
    assert goodput(theirs) == pytest.approx(5e6, rel=0.02)
    assert goodput(ours) == pytest.approx(goodput(theirs), rel=0.02)
    limited = [records.flows["receive_limited_s"][0] for records in (ours, theirs)]
    assert limited[0] == pytest.approx(limited[1], abs=1.0)


def test_pauses_of_the_reader_shut_the_window_and_open_it() -> None:
    """Three seconds of reading and two of pauses, after which the window begins anew as after any silence.

    How far it begins depends on when the last part of a segment was sent: a halving more or less, some 100 segments of 4000 a cycle.
    """
    ours, theirs = both(scenario("reno,rcvbuf=400000,read_on=3s,read_off=2s", warmup=0))
    assert goodput(ours) == pytest.approx(goodput(theirs), rel=0.03)
    assert theirs.flows["timeouts"][0] == 0


def test_a_receiver_that_is_never_read_is_asked() -> None:
    """Nobody reads: the window shuts at some 83 segments, merged by 17, and the sender asks, ever more rarely."""
    ours, theirs = both(scenario("reno,rcvbuf=131072,read_on=1ms,read_off=100s", warmup=0))
    assert theirs.flows["delivered_packets"][0] == pytest.approx(ours.flows["delivered_packets"][0], abs=3)
    assert theirs.flows["receive_limited_s"][0] == pytest.approx(ours.flows["receive_limited_s"][0], abs=0.5)


def test_a_slow_reader_is_done_when_everything_is_acknowledged() -> None:
    """50 segments of which the application reads one in 100 ms: the flow is complete in some round trips, the reading is not."""
    ours, theirs = both(scenario("reno,rcvbuf=524288,read_rate=116kbit,read_every=100ms,bytes=72400", warmup=0))
    assert theirs.flows["completed_s"][0] == pytest.approx(ours.flows["completed_s"][0], abs=0.05)
