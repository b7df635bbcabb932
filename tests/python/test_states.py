"""Assertions on a controller's state: on states that are known, and the cases of the BBR draft on runs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import windtunnel
from windtunnel.experiment import Draws, Scale, plan
from windtunnel.metrics import View
from windtunnel.metrics.states import States, follows, keeps, lasts, never
from windtunnel.suites import default_suites, suite
from windtunnel.suites.bbr_draft import cases, checks
from windtunnel.suites.bbr_draft.phases import DOWN, DRAIN, LINUX, STARTUP, bbr

DRAFT = suite("bbr-draft")


def view(**columns: Any) -> Any:
    """A run of one flow with these columns, a sample each second from zero."""
    t_s = np.arange(len(next(iter(columns.values()))), dtype=float)
    known = {name: np.asarray(values, dtype=float) for name, values in columns.items()}
    return SimpleNamespace(
        series=lambda _: SimpleNamespace(t_s=t_s),
        variable=lambda _, name: known.get(name, np.full_like(t_s, np.nan)),
        records=SimpleNamespace(flow_samples=SimpleNamespace(columns=["t_s", *known])),
        sample_s=1.0,
    )


PHASES = [0, 0, 0, 1, 2, 2, 2, 1, 2]


def test_episodes_are_the_stretches_of_a_column_with_what_follows() -> None:
    found = States(view(mode=PHASES)).episodes()
    assert [(one.value, one.start_s, one.end_s, one.after) for one in found] == [
        (0, 0, 3, 1),
        (1, 3, 4, 2),
        (2, 4, 7, 1),
        (1, 7, 8, 2),
        (2, 8, 8, None),
    ]


def test_a_column_without_values_has_no_episodes_and_no_verdict() -> None:
    empty = view(mode=[np.nan, np.nan])
    assert States(empty).episodes() == [] and follows(0, [1])(empty) is None and never(1)(empty) is None
    assert follows(0, [1])(view(other=[1, 2])) is None


def test_follows_lasts_keeps_and_never() -> None:
    run = view(mode=PHASES, gain=[3, 3, 3, 0.5, 1, 1, 1, 0.6, 1])
    assert follows(1, [2])(run) == 1 and follows(2, [0])(run) == 0 and follows(5, [0])(run) is None
    assert lasts(0, 4, 6)(run) == 1 and lasts(0, 6, 9)(run) == 0
    assert keeps("gain", 0.4, 0.6, value=1)(run) == 1 and keeps("gain", 0.4, 0.55, value=1)(run) == 0
    assert keeps("gain", 0, 2, after_s=3)(run) == 1 and keeps("gain", 0, 2)(run) == 0
    assert never(0, start_s=3)(run) == 1 and never(1, start_s=3, end_s=4)(run) == 0


def test_a_round_ends_when_what_was_in_flight_is_delivered() -> None:
    # Ten packets in flight, two delivered each second: a round takes five seconds.
    run = view(delivered_bytes=1448 * 2 * np.arange(16), inflight_packets=np.full(16, 10))
    assert States(run).rounds(0, 15) == 3 and States(run).rounds(0, 4) == 0


# The draft's cases.


def _bbr(setting: Any, point: dict[str, Any], seed: int = 1) -> Any:
    scenario = setting(point, Draws(seed)).model_copy(update={"seed": seed})
    found = bbr(View(windtunnel.run(scenario).records, point))
    assert found is not None
    return found


def test_the_suite_has_the_22_cases_and_every_assertion_is_a_measure() -> None:
    followed = DRAFT.followed
    assert followed is not None and [one.key for one in followed.criteria] == [f"{number:02}" for number in range(1, 23)]
    assert "bbr-draft" not in default_suites()
    register = DRAFT.register_for(["bbr3", "bbr"])
    assert register is not None and {one.experiment for one in register.claims} == {one.id for one in DRAFT.experiments}
    judged = {name for one in register.claims for name in vars(checks) if f"'{name}'" in one.predicate}
    measured = {one.metric for case in DRAFT.experiments for one in case.measures if one.function is not None}
    assert measured - judged == {"drain_ends_high"}


def test_every_case_is_a_scenario_that_the_simulator_takes() -> None:
    whole = plan(DRAFT.experiments, Scale(repeats=1))
    assert not any(whole.left_out.values()) and len(whole.cells) == len(DRAFT.experiments)


def test_gains_are_those_of_the_texts() -> None:
    draft = _bbr(cases.on_path, {"alg": "bbr3", "path": "10M, 40 ms"})
    (drain,) = draft.ended(DRAIN)
    middle = (drain.start_s + drain.end_s) / 2
    assert draft.states.at("pacing", middle) == pytest.approx(0.5, rel=0.02)
    # Linux 6.1, bbr_drain_gain: 1000 / 2885 in 1/256, rounded down.
    first = _bbr(cases.on_path, {"alg": "bbr", "path": "10M, 40 ms"})
    assert LINUX.drain == 88 / 256 and first.states.at("pacing", first.ended(DRAIN)[0].start_s + 0.01) == LINUX.drain


@pytest.mark.parametrize("alg", ["bbr3", "bbr"])
def test_the_rate_of_case_4_falls_as_drain_begins(alg: str) -> None:
    found = _bbr(cases.less_from_drain, {"alg": alg, "fall": "60 %"})
    (startup,) = found.ended(STARTUP)
    assert abs(startup.end_s - cases.DRAIN_AT_S[alg]) < 0.04


@pytest.mark.parametrize("seed", cases.DOWN_AT_S)
def test_the_rate_of_case_9_falls_as_a_probe_ends(seed: int) -> None:
    found = _bbr(cases.less_from_down, {"alg": "bbr3"}, seed)
    assert any(abs(one.start_s - cases.DOWN_AT_S[seed]) < 0.04 for one in found.in_phase(DOWN))


def test_an_assertion_fails_on_an_algorithm_that_does_something_else() -> None:
    point = {"alg": "cubic", "path": "10M, 40 ms"}
    assert checks.drain_gain(View(windtunnel.run(cases.on_path(point, Draws(1))).records, point)) is None
    # BBRv1's DRAIN is not the draft's: read as the draft's, its gain is refused.
    run = View(windtunnel.run(cases.on_path({**point, "alg": "bbr"}, Draws(1))).records, point)
    assert keeps("pacing_gain", 0.49, 0.51, value=1)(run) == 0
