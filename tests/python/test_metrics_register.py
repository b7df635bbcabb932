"""The register's metrics on small runs made by hand, and on a few short real ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from handmade import episodes, in_order, made, steady

import windtunnel as wt
from windtunnel import records
from windtunnel.metrics import MEASURES, View, measure, measured
from windtunnel.metrics.response import knee, response_slope
from windtunnel.scenario import Scenario

# 250 Mbit/s, 162 ms, 675 packets: E = 4050^2 x 12000 / 5e8 = 393.66 s, 1/lambda = 3.937 s (the register says 3.9 s). A step crosses
# 80 % after ln 5 memories: 6.336 s, seen at the next whole tenth.
LONG = {"link": "250Mbit", "queue": 675, "rtt_s": 0.162}


@pytest.mark.parametrize(
    ("name", "expected"),
    [("conv80_s", 6.4), ("conv80_s@short_memory", 2.5), ("conv80_s@long_memory", 31.7)],
    ids=["3.937s", "1.5s", "19.68s"],
)
def test_a_step_takes_ln_5_memories(name: str, expected: float) -> None:
    view = made(["reno", "reno,start=10s"], [steady(100.0), steady(100.0)], **LONG)
    assert measure(name, view) == pytest.approx(expected, abs=1e-9)


def test_the_memory_is_clipped_at_one_second_on_short_paths() -> None:
    # 12 Mbit/s, 100 ms, 10 packets: E = 110^2 x 12000 / 24e6 = 6.05 s; 1 % of it is below 1 s. ln 5 = 1.609.
    assert measure("conv80_s", made(["reno", "reno,start=10s"])) == pytest.approx(1.7, abs=1e-9)


def test_a_flow_that_starts_between_samples_loses_no_time() -> None:
    # From 10.03 s: 1.609 s later is 11.639 s, whose bin ends at 11.7 s.
    assert measure("conv80_s", made(["reno", "reno,start=10.03s"])) == pytest.approx(1.67, abs=1e-6)


def test_a_ramp_converges_a_memory_after_two_thirds_of_its_length() -> None:
    # u = r t over 90 s: the last third has mean r 75 s, 80 % of it is r 60 s, and u_hat lags u by the memory of 1 s.
    view = made(["reno", "reno,start=10s"], [steady(1.0), lambda t: 0.05 * (t - 10)])
    assert measure("conv80_s", view) == pytest.approx(61.0, abs=0.11)


def test_a_run_shorter_than_the_memory_needs_never_converges() -> None:
    view = made(["reno", "reno,start=10s"], [steady(100.0), steady(100.0)], duration_s=16.0, **LONG)
    assert measure("conv80_s", view) == math.inf
    assert measure("conv_epochs", view) == math.inf


def test_a_starved_flow_never_converges() -> None:
    assert measure("conv80_s", made(["reno", "reno,start=10s"], [steady(10.0), steady(0.0)])) == math.inf


def test_a_steady_small_share_converges_to_its_own_mean_but_not_to_the_fair_share() -> None:
    view = made(["reno", "reno,start=10s"], [steady(10.0), steady(1.0)])
    assert measure("conv80_s", view) == pytest.approx(1.7)
    assert measure("conv80_s@fair_share", view) == math.inf


def test_one_flow_has_no_convergence() -> None:
    assert measure("conv80_s", made(["reno"])) is None


# Drop, then news of it after 3/4 of the RTT and the full queue: 75 + 10 ms for 100 ms; 15 + 10 ms for 20 ms.
NEWS_S = 0.085
NEWS_20MS_S = 0.025


def test_synchronisation_counts_the_events_each_flow_answers() -> None:
    view = made(["reno", "reno"], events=in_order(episodes(0, 20, 30, 40, 50), episodes(1, 20.05, 40.05)))
    assert measure("lambda_sync", view, flow=1) == 1.0
    assert measure("lambda_sync", view, flow=2) == 0.5
    assert measure("lambda_sync", view) == 0.75


def test_drops_within_one_largest_rtt_are_one_event_and_beyond_it_two() -> None:
    # 100 ms, ten queued packets of 1 ms and two for the delayed ACK: 112 ms.
    near = made(["reno", "reno"], events=in_order(episodes(0, 20), episodes(1, 20.111)))
    far = made(["reno", "reno"], events=in_order(episodes(0, 20), episodes(1, 20.113)))
    assert measure("lambda_sync", near) == 1.0
    assert measure("lambda_sync", far) == 0.5


def test_a_backoff_is_dated_to_its_drop() -> None:
    # One drop at 20 s reaches 300 ms away 0.235 s later and 20 ms away 0.025 s later; the drop of flow 2 at 20.35 s is another event
    # (largest RTT 0.312 s), although the two answers lie only 0.14 s apart.
    pair = ["reno,rtt=300ms", "reno,rtt=20ms"]
    view = made(pair, events=in_order(episodes(0, 20.235), episodes(1, 20.35 + NEWS_20MS_S)))
    assert measure("lambda_sync", view) == 0.5
    same = made(pair, events=in_order(episodes(0, 20.235), episodes(1, 20 + NEWS_20MS_S)))
    assert measure("lambda_sync", same) == 1.0


def test_an_undone_reduction_is_no_backoff_and_a_timeout_within_an_episode_no_second_one() -> None:
    undone = [(55.0, 0, "timeout", 90.0, math.nan), (55.001, 0, "undo", 90.0, math.nan)]
    inside = [(30.4, 0, "timeout", 100.0, math.nan)]
    view = made(["reno"], events=in_order(episodes(0, 20, 30, 40), undone, inside))
    assert measure("epoch_s", view) == 10.0


def test_a_timeout_outside_an_episode_is_a_backoff() -> None:
    view = made(["reno"], events=in_order(episodes(0, 20, 30), [(44.0, 0, "timeout", 77.0, math.nan)]))
    assert measure("epoch_s", view) == 12.0
    assert measure("delta_used", view) == 0.5


def test_eq4_is_the_law_of_the_window_over_another_rtt() -> None:
    # lambda 1/2 at 100 ms, 1 at 20 ms; five packets of 1 ms wait: 0.5 x 105^2 / 25^2 = 8.82, as printed 0.5 x 105 / 25 = 2.1.
    short = episodes(1, *(t + NEWS_20MS_S for t in (20, 30, 40, 50)))
    view = made(["reno", "reno,rtt=20ms"], events=in_order(episodes(0, 20 + NEWS_S, 40 + NEWS_S), short), **_whole(2))
    view = _counted_from_ten_seconds(view)
    assert measure("pred_ratio_eq4", view) == pytest.approx(8.82)
    assert measure("pred_ratio_eq4@printed", view) == pytest.approx(2.1)


def test_without_congestion_there_is_nothing_to_predict() -> None:
    view = made(["reno", "reno,rtt=20ms"])
    assert measure("lambda_sync", view) is None
    assert measure("pred_ratio_eq4", view) is None


def _whole(flows: int, **columns: Any) -> dict[str, Any]:
    zero = {
        name: [0] * flows
        for name in ("window_delivered_packets", "window_goodput_bytes", "window_sent_packets", "window_retransmitted_packets")
    }
    return {**zero, **columns}


def _counted_from_ten_seconds(view: View) -> View:
    """The same run with its warm-up where the default window of flows that start at zero begins."""
    facts = view.records.facts
    shifted = records.RunFacts({**facts.scenario, "warmup_s": 10.0}, "d", "hand", 1, "0", {})
    frames = {name: frame for name, frame in view.records.frames().items() if name != "acks"}
    return View(records.Records(facts=shifted, **frames), view.point)


def test_the_default_window_is_the_counted_one_and_the_link_has_its_own_row() -> None:
    # 6000 packets x 12000 bits in 90 s; 3000 for the other flow. 20 of 10000 packets were sent twice. Five of ten places taken.
    columns = _whole(2, window_delivered_packets=[6000, 3000], window_goodput_bytes=[6000 * 1448, 3000 * 1448])
    columns |= {"window_sent_packets": [6500, 3500], "window_retransmitted_packets": [15, 5]}
    view = _counted_from_ten_seconds(made(["reno", "reno"], **columns))
    expected = {"thr_mbps": 1.2, "goodput_mbps": 1.1584, "fair_minmax": 0.5, "jain": 0.9, "rtt_unfair": 0.5, "ratio_long_short": 2.0}
    expected |= {"share_long": 2 / 3, "thr_norm": 0.1, "loss_ovh": 0.002, "util": 0.9, "qocc": 0.5, "queue_pkts": 5.0, "drops_pkts": 7.0}
    expected |= {"bdp_pkts": 100.0}
    assert {name: measure(name, view) for name in expected} == pytest.approx(expected)
    assert measure("thr_mbps", view, flow=2) == pytest.approx(0.4)


def test_nothing_delivered_counts_as_one_packet_in_a_ratio_and_nothing_retransmitted_as_one() -> None:
    columns = _whole(2, window_delivered_packets=[500, 0], window_sent_packets=[500, 500])
    view = _counted_from_ten_seconds(made(["reno", "reno"], **columns))
    assert measure("fair_minmax", view) == pytest.approx(1 / 500)
    assert measure("loss_ovh", view) == 0.001


def test_counters_a_backend_could_not_take_are_absent_and_samples_stand_in() -> None:
    view = _counted_from_ten_seconds(made(["reno", "reno"], [steady(4.0), steady(2.0)]))
    assert measure("loss_ovh", view) is None
    assert measure("fair_minmax", view) == pytest.approx(0.5, rel=1e-3)
    assert measure("goodput_mbps", view) == pytest.approx(6.0 * 1448 / 1500, rel=1e-3)


def test_orientation_follows_the_rtt_not_the_order_of_start() -> None:
    view = made(["reno,rtt=20ms", "reno,rtt=100ms"], [steady(8.0), steady(2.0)])
    assert measure("rtt_unfair", view) == pytest.approx(4.0, rel=1e-3)
    assert measure("share_long", view) == pytest.approx(0.2, rel=1e-3)


def test_the_new_protocol_is_compared_with_reno() -> None:
    view = made(["reno", "htcp:beta08"], [steady(2.0), steady(6.0)], point={"alg": "htcp"})
    assert measure("new_over_reno", view) == pytest.approx(3.0, rel=1e-3)
    assert measure("thr_mbps", view) == pytest.approx(6.0, rel=1e-3)
    assert measure("thr_mbps", view, flow="sum") == pytest.approx(8.0, rel=1e-3)
    assert measure("thr_mbps", view, flow="reno") == pytest.approx(2.0, rel=1e-3)


def test_fairness_of_parts_of_the_run() -> None:
    # Equal until 200 s, then 10 : 5. 280 to 320 s after the start of flow 2 at 10 s is 290 to 330 s.
    view = made(["reno", "reno,start=10s"], [steady(10.0), lambda t: np.where(t < 310, 10.0, 5.0)], duration_s=500.0, link="20Mbit")
    assert measure("fair_final", view) == pytest.approx(0.5, rel=1e-3)
    assert measure("fair_late_vs_best", view) == pytest.approx(0.5, rel=1e-3)
    assert measure("fair_300", view) == pytest.approx((10 + 5) / 20, rel=1e-3)
    assert measure("fair_minmax", view, t0=100.0, t1=300.0) == pytest.approx(1.0, rel=1e-3)
    assert measure("fair_300", made(["reno", "reno"])) is None


def test_variation_over_five_seconds_and_over_one() -> None:
    # Bins of 5 s at 1, 2, 3 Mbit/s: sample standard deviation 1, mean 2. In 1 s bins 5 each: variance 10/14.
    view = made(["reno"], [lambda t: np.where(t < 15, 1.0, np.where(t < 20, 2.0, 3.0))], duration_s=25.0)
    assert measure("stability", view) == pytest.approx(0.5, rel=2e-3)
    assert measure("sd_mbps", view) == pytest.approx(1.0, rel=2e-3)
    assert measure("thr_cov", view) == pytest.approx(math.sqrt(10 / 14) / 2, rel=5e-3)


def test_a_lead_changes_only_when_the_new_leader_is_clearly_ahead() -> None:
    # 6:2, then 2:6, then 4.5:3.5 of 12 Mbit/s: the last lead is 8 % of the link.
    first = lambda t: np.where(t < 110, 6.0, np.where(t < 210, 2.0, 4.5))  # noqa: E731
    view = made(["reno", "reno"], [first, lambda t: 8.0 - first(t)], duration_s=310.0)
    assert measure("n_crossings", view) == 1.0


def test_epochs_are_pooled_and_endless_without_two_backoffs() -> None:
    view = made(["reno", "reno"], events=in_order(episodes(0, 20, 30, 50), episodes(1, 25, 31)))
    assert measure("epoch_s", view) == 12.0
    assert measure("epoch_s", view, flow=2) == 6.0
    assert measure("epoch_s", made(["reno", "reno"], events=in_order(episodes(0, 20), episodes(1, 30)))) == math.inf


def test_the_last_epoch_of_convergence_counts_by_its_fraction() -> None:
    # Converged at 11.7 s; drops at 11 and 12 s: one epoch and seven tenths.
    view = made(["reno", "reno,start=10s"], events=episodes(0, 11 + NEWS_S, 12 + NEWS_S))
    assert measure("conv_epochs", view) == pytest.approx(1.7)
    assert measure("conv_epochs", made(["reno", "reno,start=10s"], events=episodes(0, 11 + NEWS_S))) is None


def test_backoff_factors() -> None:
    mixed = in_order(episodes(0, 20), episodes(0, 60, before=80, after=60), episodes(1, 60, before=100, after=70))
    view = made(["reno", "reno"], events=mixed)
    # 0.5 and 0.75 for flow 1.
    assert measure("delta_used", view, flow=1) == pytest.approx(0.375)
    assert measure("backoff_factor_min", view, flow=1) == 0.5
    assert measure("backoff_factor", view, flow=1) == pytest.approx(0.625)
    # The median of 0.5, 0.75 and 0.7.
    assert measure("backoff_factor", view) == pytest.approx(0.7)
    assert measure("cwnd_peak_to_trough", view, flow=1) == pytest.approx((2 + 4 / 3) / 2)
    assert measure("beta_diff", view) == pytest.approx(0.05)
    assert measure("cwnd_max_pkts", view, flow=1) == 100.0


def test_growth_is_per_round_trip_and_not_across_a_backoff() -> None:
    # Two and one packets per 100 ms round trip; flow 1 halves at 50 s.
    first = lambda t: np.where(t <= 50, 100 + 20 * t, 20 * t - 400)  # noqa: E731
    view = made(["reno", "reno"], cwnd=[first, lambda t: 100 + 10 * t], events=episodes(0, 50.05))
    assert measure("cwnd_slope_pkts_per_rtt", view, flow=1) == pytest.approx(2.0)
    assert measure("ai_ratio", view) == pytest.approx(0.5)


def test_cwnd_variation_begins_a_minute_after_the_last_start() -> None:
    # Wild before 70 s; then 90 and 110 in turn: mean 100, deviation 10.
    wave = lambda t: np.where(t <= 69.95, 1000.0, np.where(np.round(t * 10) % 2 == 0, 90.0, 110.0))  # noqa: E731
    view = made(["reno,start=10s"], cwnd=[wave], duration_s=170.0)
    assert measure("cwnd_cov", view) == pytest.approx(0.1, rel=2e-3)
    assert measure("cwnd_pkts", view, t0=100.0) == pytest.approx(100.0, rel=1e-3)


def test_refill_ends_with_the_first_full_second() -> None:
    # 12 Mbit/s; from 20 s on 6 + 0.12 (t - 20): the mean of the second that ends at t is 95 % = 11.4 when 6 + 0.12 (t - 20.5) is.
    ramp = lambda t: np.where(t < 20, 12.0, np.minimum(12.0, 6 + 0.12 * (t - 20)))  # noqa: E731
    view = made(["reno"], [ramp], events=episodes(0, 20))
    assert measure("refill_s", view) == pytest.approx(45.5, abs=0.11)
    assert measure("refill_s", view, t0=30.0) == pytest.approx(35.5, abs=0.11)
    assert measure("refill_s", made(["reno"], [ramp], duration_s=40.0, events=episodes(0, 20))) == math.inf
    assert measure("refill_s", made(["reno"])) is None


def test_the_knee_is_the_largest_small_queue_with_a_steep_step_before_it() -> None:
    # Steps per unit of ln q: .072, .164, .072, .072, .327; the last one is beyond 0.2 BDP.
    q, util = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5], [0.45, 0.5, 0.65, 0.7, 0.75, 1.05]
    assert knee(q, util) == 0.05
    assert knee(q, [0.5, 0.52, 0.54, 0.56, 0.58, 0.6]) == 0.01
    with pytest.raises(ValueError, match="rise"):
        knee([0.1, 0.1], [0.5, 0.6])


def test_the_slope_of_a_power_law_is_its_exponent_and_the_link_rate_is_no_part_of_it() -> None:
    p = [1e-7, 1e-5, 1e-4, 1e-3]
    thr = [245.0, 30.0, 30.0 / math.sqrt(10), 3.0]
    assert response_slope(p, thr, rate_mbps=250.0) == pytest.approx(-0.5)
    assert math.isnan(response_slope(p[:2], thr[:2], rate_mbps=250.0))


def test_what_cannot_be_selected_is_refused() -> None:
    view = made(["reno", "reno"])
    with pytest.raises(ValueError, match="fair_final"):
        measure("fair_final", view, t0=1.0)
    with pytest.raises(ValueError, match="jain"):
        measure("jain", view, flow=1)
    with pytest.raises(KeyError):
        measure("vibes", view)
    assert measure("thr_mbps", view, flow=3) is None
    assert measure("thr_mbps", view, t1=1000.0) is None


def real(first: str, second: str, **fields: Any) -> View:
    scenario = Scenario(bottleneck={"rate": "50Mbit", "queue": "20%bdp"}, flows=[first, second], duration_s=150.0, sample_s=0.1, **fields)
    return View(wt.run(scenario).records, {})


def test_synchronisation_told_from_backoffs_agrees_with_recorded_drops() -> None:
    view = real("reno,rtt=162ms", "reno,rtt=42ms,start=10s", warmup_s=20.0, record_drops=True)
    events = view.records.events
    drops = np.sort(events.filter(events["kind"] == "drop")["t_s"].to_numpy())
    first = drops[np.diff(drops, prepend=-np.inf) > view.largest_rtt_s]
    first = first[(first >= 20.0) & (first <= 150.0 - 2 * view.largest_rtt_s)]
    assert len(first) > 10
    for flow in (0, 1):
        times = view.backoffs(flow).t_s
        answered = [((times > t) & (times < t + 2 * view.largest_rtt_s)).any() for t in first]
        # Two of the events may be split or joined differently; there are more than ten.
        assert measure("lambda_sync", view, flow=flow + 1) == pytest.approx(np.mean(answered), abs=2 / len(first))


def test_a_real_pair_has_every_value_it_should() -> None:
    view = real("reno,rtt=82ms", "reno,rtt=42ms,start=10.05s", warmup_s=20.05)
    found = {name: measured(name, view) for name in MEASURES}
    absent = {name for name, value in found.items() if value is None}
    # Reno exports no increase and has no delay-based part, there is no new protocol, and the run ends before 310 s.
    never = {"n_distinct_alpha", "ai_max", "ai_min", "dwnd_frac", "wnd_ai", "wnd_backoff", "dwnd_backoff", "wnd_fill_s"}
    never |= {"new_over_reno", "asym", "fair_300"}
    # Nothing in reverse, no other traffic, no transfers, no pages, no requests, no recorded drops, no timeout.
    never |= {"rev_drops", "rev_thr_mbps", "rev_ack_mbps", "udp_b2b_mbps", "corr_tcp_udp"}
    never |= {name for name in MEASURES if name.startswith(("xt_E", "completion", "first_vs", "page_s", "response_s"))}
    never |= {"spurious_backoffs", "recovery_rtts", "cwnd_in_recovery", "lost_pkts", "t_rto_ms"}
    # Hosts that are never felt, and windows without a cap.
    never |= {"sendstalls", "rwnd_bytes", "rwnd_limited", "cpu_cov", "mhz_per_mbps"}
    # Both need a sample per base RTT; there is one every 100 ms.
    never |= {"thr_cwnd_corr", "cwnd_after_loss"}
    assert never <= absent <= never | {"conv_epochs", "ai_eff"}
    values = {name: value for name, value in found.items() if not isinstance(value, str)}
    for name, value in values.items():
        assert value is None or math.isfinite(value) or (value == math.inf and MEASURES[name].can_be_infinite), name
    for name in ("lambda_sync", "util", "qocc", "share_long", "jain", "fair_minmax"):
        assert 0 < values[name] <= 1, name
    # Reno adds one packet per round trip and keeps half: its own law.
    assert values["cwnd_slope_pkts_per_rtt"] == pytest.approx(1.0, abs=0.1)
    assert values["delta_used"] == pytest.approx(0.5, abs=0.02)
    # Samples and counters are two ways to the same number; the counted window starts half a sample off the grid.
    assert measure("thr_mbps", view, t1=149.9999) == pytest.approx(values["thr_mbps"], rel=1e-3)
    assert measure("util", view, t0=20.1) == pytest.approx(values["util"], rel=5e-3)


def test_a_table_driven_flow_shows_the_rows_it_uses() -> None:
    view = real("hstcp", "hstcp,start=5s", rtt_s=0.1, warmup_s=15.0)
    assert (measure("n_distinct_alpha", view) or 0) >= 2
