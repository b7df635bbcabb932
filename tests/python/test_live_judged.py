"""The live backend's judgement, its clock and what it refuses: all that needs no namespace."""

from __future__ import annotations

from typing import Any

import pytest

import windtunnel as wt
from windtunnel.backends.live import expressible, orders, validity
from windtunnel.experiment.runner import processes
from windtunnel.live import lab
from windtunnel.live.clock import NetworkClock
from windtunnel.live.proof import refused as refused_proof
from windtunnel.live.steering import mask


def test_the_networks_time_stands_during_a_stall() -> None:
    clock = NetworkClock([{"at_ns": 100, "length_ns": 30}, {"at_ns": 200, "length_ns": 5}])
    # The second stall begins at 230 of real time.
    assert [clock.network_ns(real) for real in (50, 100, 120, 130, 131, 229, 230, 234, 235, 300)] == [
        50,
        100,
        100,
        100,
        101,
        199,
        200,
        200,
        200,
        265,
    ]
    assert clock.paused_ns == 35
    assert NetworkClock([]).network_ns(7) == 7


def answer(**given: Any) -> dict[str, Any]:
    """A run of 10 s with 200 drops, all repaired."""
    router = {
        "stalls": [],
        "end_ns": 10_000_000_000,
        "drops": [(at * 40_000_000, 0, 0) for at in range(200)],
        "overflowed": 0,
        "refused": 0,
        "late_us_p50": 20,
        "late_us_p99": 60,
    }
    row = [10_000_000_000, 0, *[0] * 21]
    row[10], row[12] = given.pop("retransmitted", 200), given.pop("lost", 0)
    row[3], row[4] = given.pop("cwnd", 7), given.pop("ssthresh", 0x7FFFFFFF)
    return (
        {"steal": 0, "ticks": 2000, "rows": [row]}
        | {key: given.pop(key) for key in ("steal",) if key in given}
        | {"router": router | given}
    )


SPEC = orders.make(
    wt.Scenario(bottleneck=wt.Bottleneck(rate_bps=1e7, queue_packets=50), flows=(wt.Flow(algorithm="reno"),), rtt_s=0.04, duration_s=10.0)
)["spec"]


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({}, None),
        ({"steal": 9}, None),
        ({"steal": 10}, "0.50% of the processors' time was stolen"),
        ({"stalls": [{"at_ns": 5, "length_ns": 200_000_000}]}, None),
        ({"stalls": [{"at_ns": 5, "length_ns": 205_000_000}]}, "the network's clock stood for 2.01% of the time"),
        # 2 % of 200, and two packets.
        ({"retransmitted": 206}, None),
        ({"retransmitted": 207}, "207 retransmissions for 200 drops"),
        ({"retransmitted": 194}, None),
        ({"retransmitted": 193}, "193 retransmissions for 200 drops"),
        # Known to be lost, and not yet sent again.
        ({"retransmitted": 180, "lost": 20}, None),
        ({"overflowed": 1}, "1 packets were lost outside the links"),
        # 0x81104110, an address: what a hook answered that the kernel did not run, and the window that 6 of 7 packets made of it.
        ({"ssthresh": 2165326096}, "flow 1 had a window or ssthresh of 2165326096 packets: the kernel did not run"),
        ({"cwnd": 2165326096}, "flow 1 had a window or ssthresh of 2165326096 packets: the kernel did not run"),
    ],
)
def test_a_run_is_valid_within_the_bounds_alone(given: dict[str, Any], fault: str | None) -> None:
    found = validity.of_run(answer(**given), SPEC, largest_s=0.1)
    assert len(found.faults) == (fault is not None)
    assert all(str(fault) in one for one in found.faults)
    assert found.words().startswith("valid (" if fault is None else "not valid: ")


def test_drops_of_the_last_moments_need_no_repair() -> None:
    late = {"drops": [(9_990_000_000, 0, 0)] * 20, "retransmitted": 0}
    assert not validity.of_run(answer(**late), SPEC, largest_s=0.1).faults
    early = {"drops": [(1_000_000_000, 0, 0)] * 20, "retransmitted": 0}
    assert validity.of_run(answer(**early), SPEC, largest_s=0.1).faults


def test_datagrams_that_are_dropped_need_no_repair() -> None:
    given = {"drops": [(1_000_000_000, 1, 0)] * 20, "retransmitted": 0}
    assert not validity.of_run(answer(**given), SPEC, largest_s=0.1).faults


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        ({}, None),
        ({"rate_bps_measured": 0.989e8}, "does not keep 100 Mbit/s: the proof measured 98.9 Mbit/s"),
        ({"rate_bps_measured": None}, "the proof measured nothing"),
        ({"delay_s_p50": 0.0222}, "does not keep a delay of 21.120 ms: the proof measured 22.200 ms"),
        ({"paused_s": 0.11}, "the router stood still for 22% of the proof"),
    ],
)
def test_a_machine_that_does_not_keep_rate_or_delay_is_refused(given: dict[str, Any], refused: str | None) -> None:
    proof = {
        "rate_bps": 100_000_000,
        "rate_bps_measured": 0.995e8,
        "delay_s": 0.02112,
        "delay_s_p50": 0.0212,
        "paused_s": 0.01,
        "real_s": 0.5,
    }
    said = refused_proof(proof | given)
    assert said is None if refused is None else refused in (said or "")


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"flows": (wt.Flow(algorithm="fast"),)}, "flows[0].algorithm: no Linux kernel has fast"),
        ({"flows": (wt.Flow(algorithm="cubic:nohystart"),)}, "flows[0].algorithm: the kernel's cubic is not the variant nohystart"),
        (
            {"flows": (wt.Flow(algorithm="cubic", parameters={"beta": 0.5}),)},
            "flows[0].parameters.beta: a module's parameters are the whole machine's",
        ),
        ({"flows": (wt.Flow(algorithm="cubic", count=65),)}, "flows: 65 of them; at most 64"),
        ({"per_ack": True}, "per_ack"),
        ({"record_marks": True}, "record_marks"),
        ({"flows": (wt.Flow(algorithm="cubic", on_s=1.0, off_s=1.0),)}, "flows[0].on_s"),
    ],
)
def test_what_a_live_kernel_cannot_express_is_named(given: dict[str, Any], named: str) -> None:
    base = {
        "bottleneck": wt.Bottleneck(rate_bps=1e7, queue_packets=50),
        "flows": (wt.Flow(algorithm="cubic"),),
        "rtt_s": 0.04,
        "duration_s": 10.0,
    }
    found = expressible.unsupported(wt.Scenario(**base | given), "linux-6.12")
    assert any(one.startswith(named) for one in found), found


def test_a_discipline_or_a_trace_is_no_hindrance() -> None:
    link = wt.Bottleneck(
        rate_bps=1e7, queue_packets=50, discipline="cake", reorder_probability=0.01, reorder_s=0.01, outages=({"at_s": 1, "length_s": 1},)
    )
    given = wt.Scenario(bottleneck=link, flows=(wt.Flow(algorithm="bbr"),), rtt_s=0.04, duration_s=10.0)
    assert expressible.unsupported(given, "linux-6.12") == []
    assert not validity.is_compared(orders.make(given)["spec"])


def test_runs_in_real_time_follow_each_other() -> None:
    assert [processes(name, 8) for name in ("sim", "live")] == [8, 1]


def test_a_flow_that_starts_late_is_connected_and_proven_before() -> None:
    """The core refuses a scenario with a flow that starts behind its end, and these are made of one that has such flows."""
    late = tuple(wt.Flow(algorithm="reno", start_s=start_s) for start_s in (700.0, 800.0))
    given = wt.Scenario(bottleneck={"rate_bps": 10e6, "queue_packets": 10}, flows=late, rtt_s=0.01, duration_s=900.0)
    made = orders.make(given)
    routed: list[dict[str, Any]] = []

    class Router:
        def begin(self, spec: dict[str, Any], begin_ns: int, *, plain: bool) -> None:
            routed.append(spec)

        def stop(self) -> None:
            pass

    class Connection:
        def connect(self) -> None:
            pass

        def accept(self) -> bool:
            return True

    lab._connect([Connection()], Router(), made["spec"])
    for spec in (*routed, made["proof"]):
        assert all(flow["start_ns"] < spec["duration_ns"] for flow in spec["flows"])
    assert len(routed) == 1


@pytest.mark.parametrize(
    ("processor", "words"), [(0, "00000001"), (31, "80000000"), (33, "00000002,00000000"), (64, "00000001,00000000,00000000")]
)
def test_a_processors_mask_is_words_of_32_bits_the_highest_first(processor: int, words: str) -> None:
    assert mask(processor) == words
