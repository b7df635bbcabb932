"""A flow's own jitter: its ACKs alone are late, the scenario's other flows keep the scenario's."""

from __future__ import annotations

import pytest

import windtunnel as wt
from windtunnel.metrics import View
from windtunnel.scenario import parse
from windtunnel.scenario.resolve import resolve


def of(*flows: str, **more: object) -> wt.Scenario:
    link = {"rate": "12Mbit", "queue": 40}
    return parse({"rtt": "40ms", "duration": "20s", "sample": "10ms", "bottleneck": link, "flows": list(flows), **more})


def test_a_flow_has_its_own_jitter_and_others_the_scenarios() -> None:
    assert [flow["jitter_ns"] for flow in resolve(of("reno,jitter=5ms", "reno"))["flows"]] == [5_000_000, 400_000]
    assert [flow["jitter_ns"] for flow in resolve(of("reno,jitter=0", "reno", jitter="2ms"))["flows"]] == [0, 2_000_000]


def test_its_acks_are_late_by_up_to_that_and_nobody_elses() -> None:
    # A window of ten packets queues nothing but its own burst: 40 ms and a packet time or ten, and what jitter adds.
    run = wt.run(of("reno,jitter=20ms,window=10", "reno,jitter=0,window=10"))
    late, exact = (run.flow_samples.filter(flow=flow)["srtt_s"].drop_nulls() for flow in (0, 1))
    assert late.mean() > exact.mean() + 0.005 and late.max() < 0.04 + 0.02 + 20e-3  # type: ignore[operator]
    assert exact.max() < 0.04 + 20e-3  # type: ignore[operator]


def test_the_largest_rtt_counts_the_largest_jitter_of_a_flow() -> None:
    plain, jittered = (View(wt.run(of("reno", flow)).records, {}).largest_rtt_s for flow in ("reno", "reno,jitter=30ms"))
    assert jittered - plain == pytest.approx(0.03 - 0.0004)
