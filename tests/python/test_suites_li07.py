"""The li07 suite against the register of the paper's experiments: its grid, its starts and its durations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from windtunnel.claims import packaged_register
from windtunnel.experiment import Draws, Plan, Scale, plan
from windtunnel.scenario import Scenario
from windtunnel.suites import chosen, suite

SUITE = {one.id: one for one in suite("li07").experiments}
REGISTER = packaged_register("li07")
BOTH = pytest.mark.parametrize("scale", [Scale(), Scale(quick=True)], ids=["paper", "quick"])
DEFAULT_START_S = (50.0, 150.0)


@pytest.fixture(scope="module")
def whole() -> Plan:
    """All of it at the paper's scale."""
    return plan(list(SUITE.values()), Scale())


def test_a_name_asks_for_one_experiment_and_the_suite_for_all_in_the_papers_order() -> None:
    ((_, all_of_it),) = chosen(["li07.fig4", "li07", "li07.fig4"])
    assert [one.id for one in all_of_it] == list(SUITE)
    ((_, some),) = chosen(["li07.fig11", "li07.fig4", "li07.fig11"])
    assert [one.id for one in some] == ["li07.fig4", "li07.fig11"]
    numbers = [int(id.removeprefix("li07.fig").removesuffix("q100")) for id in SUITE if "fig" in id]
    assert numbers == sorted(numbers)


def test_the_whole_suite_is_legal_and_shares_the_runs_of_figures_4_9_and_11(whole: Plan) -> None:
    assert {experiment.id for experiment in whole.experiments} == set(SUITE)
    keys = {id: [cell.key for cell in cells] for id, cells in whole.cells.items()}
    assert keys["li07.fig9"] == keys["li07.fig4"]
    assert keys["li07.fig11"] == keys["li07.fig4"]
    assert keys["li07.fig7"] == keys["li07.fig8"]
    assert len(whole.jobs) < sum(len(own) for own in keys.values())


def test_no_queue_holds_less_than_two_packets_and_all_hold_what_is_asked(whole: Plan) -> None:
    for id, cells in whole.cells.items():
        for cell in cells:
            link = whole.jobs[cell.key].scenario.bottleneck
            assert link.queue_packets is not None and link.queue_packets >= 2, (id, cell)
            if {"q", "rate", "rtt"} <= set(cell.point) and not id.startswith("li07.fig5"):
                # BDP in 1500-byte packets.
                asked = cell.point["q"] * cell.point["rate"] * 1e6 * cell.point["rtt"] * 1e-3 / 12_000
                assert link.queue_packets == 2 or abs(link.queue_packets - asked) <= 0.5, (id, cell)


def test_rates_round_trips_and_protocols_are_the_points(whole: Plan) -> None:
    for id, cells in whole.cells.items():
        for cell in cells:
            scenario = whole.jobs[cell.key].scenario
            assert scenario.seed == max(cell.seed, 1)
            if "rate" in cell.point:
                assert scenario.bottleneck.rate_bps == cell.point["rate"] * 1e6
            assert cell.point["alg"] in {flow.algorithm for flow in scenario.flows}, (id, cell)
            if "rtt" in cell.point:
                # Each repeat has a path of its own, at most half a packet time or a twentieth of the round trip off the nominal one.
                nominal = cell.point["rtt"] * 1e-3
                assert abs((scenario.flows[-1].rtt_s or 0) - nominal) <= min(6_000 / scenario.bottleneck.rate_bps, 0.05 * nominal) + 1e-9


def starts(cells: list[tuple[dict[str, Any], int, Scenario]]) -> Iterator[tuple[tuple[Any, ...], str, Scenario]]:
    for point, seed, scenario in cells:
        others = tuple(value for name, value in point.items() if name != "alg")
        yield (*others, seed), point["alg"], scenario


def test_protocols_meet_the_same_start_and_path_in_the_same_repeat(whole: Plan) -> None:
    compared = 0
    for id, cells in whole.cells.items():
        pairs = [(cell.point, cell.seed, whole.jobs[cell.key].scenario) for cell in cells]
        if len(pairs[0][2].flows) != 2:
            continue
        met: dict[tuple[Any, ...], dict[str, Scenario]] = {}
        for place, alg, scenario in starts(pairs):
            met.setdefault(place, {})[alg] = scenario
        for place, by_alg in met.items():
            assert len({tuple(flow.rtt_s for flow in scenario.flows) for scenario in by_alg.values()}) == 1, (id, place)
            assert len({(one.jitter_s, one.bottleneck.model_dump_json(), one.profile) for one in by_alg.values()}) == 1, (id, place)
            usual = {one.flows[1].start_s for alg, one in by_alg.items() if alg != "reno"}
            assert len(usual) <= 1, (id, place)
            if usual and "reno" in by_alg:
                start_s = by_alg["reno"].flows[1].start_s
                is_long = by_alg["reno"].duration_s > 600
                assert start_s in usual or (is_long and start_s > min(usual)), (id, place)
                compared += 1
    assert compared > 500


def test_starts_differ_between_repeats_and_lie_within_their_span(whole: Plan) -> None:
    by_seed: dict[int, set[float]] = {}
    for cell in whole.cells["li07.fig4"]:
        scenario = whole.jobs[cell.key].scenario
        assert scenario.flows[0].start_s == 0.0
        if cell.point["alg"] != "reno":
            by_seed.setdefault(cell.seed, set()).add(scenario.flows[1].start_s)
        else:
            assert 50 <= scenario.flows[1].start_s <= 50 + 1800
    assert sorted(by_seed) == [1, 2, 3, 4, 5] and all(len(values) == 1 for values in by_seed.values())
    found = [value for (value,) in by_seed.values()]
    assert len(set(found)) == 5 and all(DEFAULT_START_S[0] <= value <= DEFAULT_START_S[1] for value in found)


def test_runs_last_as_long_as_the_paper_says_or_an_hour_where_chance_needs_it(whole: Plan) -> None:
    for id, cells in whole.cells.items():
        asked = REGISTER.experiments[id].duration_s
        for cell in cells:
            scenario = whole.jobs[cell.key].scenario
            last = max(flow.start_s for flow in scenario.flows)
            if scenario.duration_s > asked > 0 and id != "li07.fig1":
                assert scenario.duration_s == pytest.approx(last + 3600) and cell.point["alg"] in ("reno", "fast"), (id, cell)
            elif asked > 0:
                assert scenario.duration_s >= asked, (id, cell)
            if id not in ("li07.tab", "li07.fig1"):
                # The default window: from 10 s after the last start.
                assert scenario.warmup_s == pytest.approx(last + 10), (id, cell)


def test_a_reno_flow_that_is_run_for_an_hour_has_long_epochs(whole: Plan) -> None:
    # From half a full pipe of N packets, one per round trip, to a full one takes N^2 / 2 / (packets/s). N is 1.2 BDP:
    # 10 Mbit/s, 833 packets/s: 162 packets and 15.7 s at 162 ms, but 82 and 4.0 s at 82 ms;
    # 250 Mbit/s, 20833 packets/s: 1050 packets and 26 s at 42 ms, but 550 and 7.3 s at 22 ms.
    hours = {
        (cell.point["rate"], cell.point["rtt"])
        for cell in whole.cells["li07.fig4"]
        if cell.point["alg"] == "reno" and whole.jobs[cell.key].scenario.duration_s > 3600
    }
    assert hours == {(10, 162), (10, 324), (250, 42), (250, 82), (250, 162), (250, 324)}


def test_the_losses_of_the_wide_area_path_are_those_of_the_published_rate() -> None:
    """218 Mbit/s over 100 ms are 1817 packets; W = sqrt(3 / (2 b p)) with b = 2 packets an ACK (Padhye et al. 1998)."""
    window = 218e6 * 0.1 / 12_000
    scenario = SUITE["li07.wan"].scenario({"alg": "reno"}, Draws(1))
    assert scenario.bottleneck.loss_probability == pytest.approx(3 / (2 * 2 * window**2), rel=0.02)
    assert scenario.duration_s > 1200


@BOTH
def test_a_unit_check_is_run_once(scale: Scale) -> None:
    assert scale.seeds(SUITE["li07.tab"]) == (0,)
    assert {len(scale.seeds(SUITE[id])) for id in ("li07.fig1", "li07.fig12", "li07.fig18")} == {1}
