"""RFC 7928's suite: its levels of congestion, its phases, its measures by hand, and two runs against what is known of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from windtunnel.backends import backend
from windtunnel.experiment import Draws, Scale
from windtunnel.metrics import View, measure
from windtunnel.scenario import catalogue
from windtunnel.suites import default_suites, suite
from windtunnel.suites.rfc7928 import control, levels, sharing
from windtunnel.suites.rfc7928.common import DISCIPLINES, LEVELS, WINDOW

SUITE = suite("rfc7928")


def test_every_discipline_of_the_catalogue_that_manages_a_queue_is_compared() -> None:
    others = {"ack-filter", "policer", "shaper"}
    assert set(DISCIPLINES) == {"drop-tail", *catalogue().disciplines} - others


def test_the_levels_of_congestion_are_those_of_the_texts_loss_rates() -> None:
    """RFC 7928, 8.2.1: l_r = 0.76 N^2 / S^2 is 0.1, 0.5 and 1 % for mild, medium and heavy; whole flows leave some 6 % of that."""
    for level, loss in (("mild", 0.001), ("medium", 0.005), ("heavy", 0.01)):
        assert 0.76 * (LEVELS[level] / WINDOW) ** 2 == pytest.approx(loss, rel=0.07)


def test_each_phase_has_the_flows_of_its_level() -> None:
    run = levels.varying({"aqm": "codel"}, Draws(1))
    open_at = [
        sum(flow.start_s < at and (flow.stop_s is None or flow.stop_s > at) for flow in run.flows) for at in (15, 35, 55, 75, 95, 115)
    ]
    assert open_at == [LEVELS[level] for level in levels.PHASES]


def test_a_queue_behind_a_rate_that_falls_is_measured_at_the_new_rate() -> None:
    """12 500 bytes are 1 ms at 100 Mbit/s and 10 ms at 10; half of the samples lie behind the step."""
    t_s = np.array([1.0, 2.0, 3.0, 4.0])
    series = SimpleNamespace(t_s=t_s, queue_bytes=np.full(4, 12_500.0))
    steps = {"bottleneck": {"rate_steps": [{"at_s": 3.0, "rate_bps": 10e6}]}}
    view: Any = SimpleNamespace(link_series=lambda _: series, link=None, scenario=steps, rate_bps=100e6)
    assert levels.delay_ms(view, 0.0, 5.0) == pytest.approx(5.5)
    assert levels.delay_ms(view, 0.0, 2.5) == pytest.approx(1.0)
    assert levels.delay_ms(view, 7.0, 8.0) is None


def test_half_of_the_flows_have_small_packets_and_the_others_large_ones() -> None:
    run = sharing.two_sizes({"aqm": "pie"}, Draws(1))
    assert [flow.mtu_bytes for flow in run.flows] == [576] * 3 + [1500] * 3


def test_repeats_differ_and_disciplines_meet_the_same_starts() -> None:
    one, two = (control.friendly({"aqm": "codel"}, Draws(seed)) for seed in (1, 2))
    assert one.flows[0].start_s != two.flows[0].start_s
    assert one.flows == control.friendly({"aqm": "pie"}, Draws(1)).flows


def test_one_reno_before_a_buffer_of_a_bdp_waits_half_of_it_and_under_codel_less_than_its_target() -> None:
    """The window saws between one and two BDP, so that 0 to 100 ms wait, evenly in packets sent: 50 ms, and some more by the clock,
    for a round trip at the top takes twice as long as one at the bottom: int q (1+q) / int (1+q) over q = 0..1 is 5/9 of 100 ms."""
    means = {}
    for aqm in ("drop-tail", "codel"):
        made = backend("sim").run(control.friendly({"aqm": aqm}, Draws(1)))
        means[aqm] = measure("qdelay_mean_ms", View(made, {"alg": "reno"}))
    assert means["drop-tail"] == pytest.approx(1e3 * 5 / 9 / 10, rel=0.08)
    assert means["codel"] is not None and means["codel"] < 5.0


def test_every_criterion_has_claims_on_experiments_of_the_suite_for_each_discipline() -> None:
    register = SUITE.register()
    assert register is not None and set(register.experiments) == {one.id for one in SUITE.experiments}
    for aqm in DISCIPLINES[1:]:
        asked = {claim.experiment for claim in register.claims if claim.id.endswith(f".{aqm}")}
        assert asked >= {one.id for one in SUITE.experiments} - {"rfc7928.two"}
    assert all("Threshold, ours" in claim.tolerance for claim in register.claims)


def test_the_quick_scale_asks_every_claim_of_the_disciplines_it_runs() -> None:
    for one in SUITE.experiments:
        points = Scale(quick=True).points(one)
        assert {name for name in one.points if tuple(points[name]) != tuple(one.points[name])} <= {"aqm", "alg", "load"}
    assert "rfc7928" not in default_suites()
