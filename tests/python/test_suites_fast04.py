"""The FAST study's emulations: scripted losses and the bug of 2.4.22, a window that got stuck, UDP, and two states of a path."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import windtunnel as wt
from windtunnel.experiment import Draws, Experiment
from windtunnel.metrics import View, measured
from windtunnel.scenario import Scenario
from windtunnel.suites import suite
from windtunnel.suites.fast04.joining import DUMMYNET, TERAGRID, four_flows

SUITE = {one.id: one for one in suite("fast04").experiments}


def laid(name: str, **point: Any) -> Scenario:
    return SUITE[f"fast04.{name}"].scenario(point, Draws(1))


def values(experiment: Experiment, scenario: Scenario, **point: Any) -> dict[tuple[str, str | None, str | None], Any]:
    view = View(wt.run(scenario).records, point)
    return {
        (one.metric, one.flow, one.state): one.function(view) if one.function else measured(one.metric, view, flow=one.flow)
        for one in experiment.measures
        if one.t0 is None
    }


def test_711_losses_are_repaired_in_711_round_trips_of_a_window_of_one() -> None:
    """711 x 160 ms are 113.8 s; nothing but the packets of the script and their retransmissions is lost."""
    scenario = laid("fig11", alg="fast")
    run = wt.run(scenario)
    flow = run.flows.row(0, named=True)
    assert (flow["lost_packets"], flow["retransmitted_packets"], flow["timeouts"]) == (1422, 1422, 1)
    found = values(SUITE["fast04.fig11"], scenario, alg="fast")
    assert found["recovery_rtts", None, None] == 711
    assert found["cwnd_in_recovery", None, None] == 1
    assert found["silence_s", None, None] == pytest.approx(113.8, abs=1.0)
    assert found["silence_s@news", None, None] <= 0.2


def test_without_the_bug_the_same_losses_cost_seconds() -> None:
    scenario = laid("fig11", alg="fast")
    healthy = scenario.flows[0].model_copy(update={"transport": {**scenario.flows[0].transport, "rto_freeze": False}})
    found = values(SUITE["fast04.fig11"], scenario.model_copy(update={"flows": (healthy,)}), alg="fast")
    assert found["recovery_rtts", None, None] < 20
    assert found["silence_s", None, None] <= 3


def test_every_scripted_loss_of_the_joined_flow_is_repaired_after_one_timeout() -> None:
    run = wt.run(laid("fig10", alg="fast").model_copy(update={"duration_s": 604.0}))
    assert run.events.filter(pl.col("kind") == "timeout")["flow"].to_list() == [0]
    assert run.flows["lost_packets"].to_list() == [1422, 0]
    drops = run.events.filter(pl.col("kind") == "drop")["t_s"]
    assert 600.0 < drops.min() < drops.max() < 601.0


@pytest.mark.parametrize(
    ("sender", "receiver", "window"), [(1500, 9000, 3_147_776), (1500, 1500, 2**26), (9000, 1500, 2**26), (9000, 9000, 2**26)]
)
def test_a_window_is_stuck_where_the_receivers_packets_are_larger(sender: int, receiver: int, window: int) -> None:
    point = {"alg": "fast", "mtu_snd": sender, "mtu_rcv": receiver, "rtt": 200}
    scenario = laid("rwnd", **point).model_copy(update={"duration_s": 30.0})
    run = wt.run(scenario)
    assert values(SUITE["fast04.rwnd"], scenario, **point)["rwnd_bytes", None, None] == window
    mss = sender - 52
    flying = run.flow_samples["inflight_packets"].max() * mss
    assert flying <= window
    # 125.9 Mbit/s of payload by the paper's arithmetic: the flow fills a stuck window to the last whole segment.
    assert (flying + mss > window) == (window < 2**26)


def test_two_sources_of_udp_share_as_the_published_ones_did() -> None:
    """348 and 335 Mbit/s; with equal clocks the two would lock their phase."""
    for seed in (1, 2, 3):
        experiment = SUITE["fast04.udp"]
        found = values(experiment, experiment.scenario({"alg": "udp"}, Draws(seed)), alg="udp")
        assert found["thr_mbps", "1", None] == pytest.approx(348, rel=0.1)
        assert found["thr_mbps", "2", None] == pytest.approx(335, rel=0.1)
        assert sum(found.values()) == pytest.approx(683, rel=1e-4)


def test_the_probe_that_ran_by_mistake_is_on_the_production_path_alone() -> None:
    (probe,) = four_flows("fast", TERAGRID).traffic
    assert (probe.start_s, probe.stop_s, probe.packet_bytes) == (1900.0, 2000.0, 9000)
    assert four_flows("fast", DUMMYNET).traffic == ()
    assert {flow.mtu_bytes for flow in four_flows("fast", TERAGRID).flows} == {9000}


def test_a_source_of_udp_stands_for_a_transfer_in_both_states() -> None:
    found = values(SUITE["fast04.haystack"], laid("haystack", alg="udp"), alg="udp")
    assert found["thr_mbps", None, "quarter_line"] == pytest.approx(250, rel=1e-3)
    assert found["thr_mbps", None, "near_line"] == pytest.approx(1000, rel=1e-3)
    assert found["loss_ovh", None, "quarter_line"] == 0
