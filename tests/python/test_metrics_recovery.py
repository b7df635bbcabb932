"""Recovery, shapes and parts of the window, distributions and convergence, on trajectories drawn by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from handmade import Event, episodes, in_order, made, steady

from windtunnel.metrics import measure, measured
from windtunnel.metrics.distributions import LEVELS, level_pkts
from windtunnel.metrics.shapes import shape
from windtunnel.stats import ks_distance
from windtunnel.theory.epochs import cubic_passing_s, htcp_growth_integral
from windtunnel.theory.laws import Cubic

NAN = math.nan
T = np.ndarray


def drops(flow: int, *times: float) -> list[Event]:
    return [(t, flow, "drop", NAN, NAN) for t in times]


# Coming back


def test_recovery_begins_where_the_mean_of_five_seconds_begins_to_grow() -> None:
    # Down at 20 s, silent until 50 s, then a ramp: the mean that ends at 50 s is the last that does not grow.
    view = made(["ctcp"], [lambda t: np.where(t < 20, 10.0, np.where(t < 50, 0.0, 0.2 * (t - 50)))])
    assert measure("onset_delay_s", view, t0=20.0) == pytest.approx(30.0)
    assert measure("onset_delay_s", made(["ctcp"], [lambda t: np.where(t < 20, 10.0, 0.0)]), t0=20.0) == math.inf


def test_growth_that_falls_within_ten_seconds_is_no_recovery() -> None:
    def rate(t: T) -> T:
        blip = (t > 30) & (t < 36)
        return np.where(t < 20, 10.0, np.where(blip, 0.5, np.where(t < 60, 0.0, 0.2 * (t - 60))))

    assert measure("onset_delay_s", made(["ctcp"], [rate]), t0=20.0) == pytest.approx(40.0)


def test_the_effective_increase_is_the_gain_over_the_round_trips_of_the_refill() -> None:
    # Full again after 40 s, 400 round trips of 0.1 s; cwnd goes from 50 to 90 meanwhile, dips and all.
    full = [lambda t: np.where(t < 20, 12.0, np.minimum(12.0, 12.0 * (t - 20) / 40))]
    view = made(["illinois"], full, cwnd=[lambda t: np.clip(50 + (t - 20), 50, 200)], events=episodes(0, 20))
    refill = measure("refill_s", view, t0=20.0)
    assert refill == pytest.approx(39.0, abs=1.0)
    assert measure("ai_eff", view, t0=20.0) == pytest.approx(0.1, rel=0.02)


def test_the_window_is_regained_when_cubics_law_says() -> None:
    # C = 0.4, keeps 0.7, cwnd 1000 at the back-off without fast convergence: K = cbrt(0.3 x 1000/0.4) = 9.086 s.
    law = Cubic()
    k = float(cubic_passing_s(law, window=1000.0, w_max=1000.0, start=700.0))
    assert k == pytest.approx((0.3 * 1000 / 0.4) ** (1 / 3))

    def cwnd(t: T) -> T:
        return np.where(t <= 20, 1000.0, np.where(t <= 60, 0.4 * (t - 20 - k) ** 3 + 1000.0, 5000.0))

    view = made(["cubic"], cwnd=[cwnd], events=episodes(0, 20, before=1000.0, after=700.0))
    assert measure("t_recover_s", view) == pytest.approx(k, abs=0.11)
    never = made(["cubic"], cwnd=[lambda t: np.where(t < 20, 1000.0, 700.0)], events=episodes(0, 20, before=1000.0, after=700.0))
    assert measure("t_recover_s", never) == math.inf


def test_the_depth_of_a_fall_is_the_smallest_window_within_a_round_trip() -> None:
    def cwnd(t: T) -> T:
        return np.where(np.abs(t - 20.1) < 0.06, 1.0, np.where(np.abs(t - 40.1) < 0.06, 5.0, 80.0))

    view = made(["ctcp"], cwnd=[cwnd], events=episodes(0, 20.05, 40.05))
    assert measure("cwnd_after_loss", view) == pytest.approx(3.0)


def test_a_backoff_without_a_drop_of_the_flow_is_spurious() -> None:
    # Two largest round trips: 2 x 112 ms.
    recorded = {"record_drops": True}
    events = in_order(episodes(0, 20, 40, 60), drops(0, 19.9, 39.7), drops(1, 59.95))
    assert measure("spurious_backoffs", made(["ctcp", "ctcp"], events=events, given=recorded), flow=1) == 2
    assert measure("spurious_backoffs", made(["ctcp", "ctcp"], events=events), flow=1) is None


def test_an_episode_after_a_timeout_is_measured_as_the_paper_counts_it() -> None:
    # 711 packets lost within a round trip of 160 ms from 5 s on, a timeout 1.0 s after the first, one packet repaired a round trip.
    burst = np.linspace(5.0, 5.16, 711).tolist()
    end = 6.0 + 711 * 0.16

    def state(t: T) -> T:
        return np.where((t > 6) & (t < end), 4.0, 0.0)

    def cwnd(t: T) -> T:
        return np.where((t > 6) & (t < end), 1.0, 6100.0)

    events = in_order(drops(0, 2.0, *burst), [(6.0, 0, "timeout", 6100.0, NAN)])
    view = made(
        ["fast"],
        [lambda t: np.where((t > 5.1) & (t < end), 0.0, 10.0)],
        cwnd=[cwnd],
        states=[state],
        events=events,
        duration_s=180.0,
        rtt_s=0.16,
        given={"record_drops": True},
    )
    assert measure("recovery_rtts", view) == 711
    assert measure("lost_pkts", view) == 711
    assert measure("t_rto_ms", view) == pytest.approx(1000.0)
    assert measure("cwnd_in_recovery", view) == 1.0
    assert measure("cwnd_max_pkts", view) == 6100.0
    assert measure("silence_s", view) == pytest.approx(end - 5.1, abs=0.21)


# Shapes and parts


SHAPES: Sequence[tuple[str, Any]] = [
    ("concave", np.sqrt),
    ("convex", lambda t: htcp_growth_integral(t)),
    ("linear", lambda t: 3 * t + 1),
    ("concave-convex", lambda t: 0.4 * (t - 7.5) ** 3),
]


@pytest.mark.parametrize(("name", "law"), SHAPES, ids=[name for name, _ in SHAPES])
def test_a_law_has_the_shape_of_its_formula(name: str, law: Any) -> None:
    t = np.linspace(0, 15, 150)
    assert shape(t, np.asarray(law(t), dtype=float)) == name


def test_the_most_frequent_shape_of_the_complete_epochs_counts() -> None:
    def cwnd(t: T) -> T:
        since = np.where(t < 20, t, (t - 20) % 20)
        return np.where((t > 40) & (t < 60), 100 + since**2, 100 + 30 * np.sqrt(since))

    view = made(["illinois"], cwnd=[cwnd], events=episodes(0, 20, 40, 60, 80))
    assert measured("shape_sign", view) == "concave"
    with pytest.raises(ValueError, match="is concave, not a number"):
        measure("shape_sign", view)
    assert measured("shape_sign", made(["illinois"], cwnd=[cwnd], events=episodes(0, 20))) is None


def compound() -> Any:
    """cwnd 100, of which dwnd 20, falls to 60 and 10 at 40 s; the loss part then grows by 1 a round trip of 0.1 s, as it did before."""

    def dwnd(t: T) -> T:
        return np.where(t < 40.05, 20.0, 10.0)

    def cwnd(t: T) -> T:
        return dwnd(t) + np.where(t < 40.05, 80 - 10 * (40 - t), 50 + 10 * (t - 40))

    return made(
        ["reno", "ctcp"],
        cwnd=[steady(10.0), cwnd],
        variables={"dwnd_packets": [lambda t: np.full_like(t, NAN), dwnd]},
        events=episodes(1, 40.05, before=100.0, after=60.0),
        point={"alg": "ctcp"},
        duration_s=60.0,
    )


def test_the_parts_of_a_compound_window_are_told_apart() -> None:
    view = compound()
    assert measure("dwnd_frac", view) == pytest.approx(20 / 100)
    assert measure("wnd_backoff", view) == pytest.approx((60 - 10) / (100 - 20))
    assert measure("dwnd_backoff", view) == pytest.approx(0.5)
    assert measure("wnd_ai", view) == pytest.approx(1.0, rel=0.01)
    # 100 packets of pipe at 10 packets a second.
    assert measure("wnd_fill_s", view) == pytest.approx(10.0, rel=0.01)
    assert measure("dwnd_frac", made(["reno"], events=episodes(0, 40))) is None


def test_the_increases_an_algorithm_exports_and_the_shares_it_gives_up() -> None:
    alpha = {"alpha": [lambda t: np.where(t < 50, 10.0, 0.3)]}
    events = in_order(episodes(0, 40, before=100, after=87.5), episodes(0, 80, before=100, after=50))
    view = made(["illinois"], variables=alpha, events=events)
    assert (measure("ai_max", view), measure("ai_min", view)) == (10.0, 0.3)
    assert (measure("delta_min", view), measure("delta_max", view)) == (0.125, 0.5)


def test_a_link_that_never_idles_has_throughput_that_does_not_follow_the_window() -> None:
    def saw(t: T) -> T:
        return 50 + (t % 10) * 5

    assert measure("thr_cwnd_corr", made(["reno"], [steady(12.0)], cwnd=[saw])) == pytest.approx(0.0, abs=0.05)
    # The window that limits: rate = cwnd/RTT, in bins of the base RTT of 1 s.
    follows = made(["reno"], [lambda t: saw(t) * 0.012], cwnd=[saw], rtt_s=1.0)
    assert measure("thr_cwnd_corr", follows) == pytest.approx(1.0, abs=0.02)
    # Two or three samples lie in a bin of 250 ms: a window that stands still stands still all the same, and correlates with nothing.
    assert measure("thr_cwnd_corr", made(["reno"], [saw], cwnd=[steady(64.0)], rtt_s=0.25)) is None


# Distributions


def test_the_distribution_of_a_synthetic_process_begins_after_a_thousand_backoffs() -> None:
    early = [(0.001 * k, 0, "loss_episode", 1e6, 1.0) for k in range(1, 1001)]
    late = [(2 + 0.001 * k, 0, "loss_episode", 100.0 + 100 * (k % 2), 1.0) for k in range(1000)]
    view = made(["convex"], events=[*early, *late], duration_s=20.0)
    # Half 100, half 200: mean 150, deviation 50.
    assert measure("cov", view) == pytest.approx(1 / 3)
    assert measure("median", view) == 100.0


def test_the_distribution_of_a_real_one_is_of_its_samples_flows_pooled() -> None:
    view = made(["cubic", "cubic"], cwnd=[steady(100.0), steady(300.0)])
    assert measure("cov", view) == pytest.approx(0.5)
    assert measure("cov", view, flow=1) == 0.0


def test_levels_stand_for_a_distribution_within_half_a_level() -> None:
    ramps = [made(["htcp"], cwnd=[lambda t, low=low: low + t], duration_s=1010.0) for low in (0.0, 100.0)]
    levels = [[level_pkts(level, view) for level in LEVELS] for view in ramps]
    # Two uniform distributions 1000 wide, 100 apart: 0.1.
    assert ks_distance(levels[0], levels[1]) == pytest.approx(0.1, abs=0.0051)


@pytest.mark.parametrize(
    ("first", "second", "distance"),
    [
        ([1, 2, 3], [1, 2, 3], 0.0),
        ([1, 2], [3, 4], 1.0),
        ([1, 2, 3, 4], [3, 4, 5, 6], 0.5),
        ([1, 1, 1, 2], [1, 2, 2, 2], 0.5),
        ([5], [1, 9], 0.5),
    ],
)
def test_the_distance_is_the_largest_gap_between_two_staircases(first: list[float], second: list[float], distance: float) -> None:
    assert ks_distance(first, second) == pytest.approx(distance)
    assert ks_distance(second, first) == pytest.approx(distance)
    with pytest.raises(ValueError, match="empty or holds NaN"):
        ks_distance(first, [])


# Convergence


def test_the_gap_of_synchronised_aimd_shrinks_by_its_factor_at_every_event() -> None:
    # Windows 160 and 0 above a common sawtooth: the difference halves at each event, 1/8 is left before the fourth.
    def window(sign: float) -> Any:
        def cwnd(t: T) -> T:
            passed = np.clip(np.floor((t - 20) / 10) + 1, 0, None)
            return 200 + 5 * (t % 10) + sign * 80 * 0.5**passed

        return cwnd

    times = (20, 30, 40, 50)
    events = in_order(episodes(0, *times), episodes(1, *times))
    view = made(["reno", "reno,start=5s"], cwnd=[window(1), window(-1)], events=events)
    # Samples just before the drops, 85 ms before the back-offs at whole tens: still before the halving.
    assert measure("conv_err_after_4_epochs", view) == pytest.approx(1 / 8)
    assert measure("conv_err_after_4_epochs", made(["reno", "reno"], events=episodes(0, 20, 30))) is None


def test_the_ratio_converges_when_the_smaller_mean_is_four_fifths_of_the_larger() -> None:
    # The new flow steps to the old one's rate at 10 s: its mean is 80 % of it after ln 5 memories of 1 s.
    step = made(["reno", "reno,start=10s"], [steady(1.0), steady(1.0)])
    assert measure("conv_ratio_s", step) == pytest.approx(1.7)
    assert measure("conv_hold_s", step) == pytest.approx(1.7)
    # It falls back to half from 30 s to 50 s: converged first at 1.7 s, for good only after that.
    back = made(["reno", "reno,start=10s"], [steady(1.0), lambda t: np.where((t > 30) & (t < 50), 0.5, 1.0)])
    assert measure("conv_ratio_s", back) == pytest.approx(1.7)
    # From 0.5: 1 - 0.5 exp(-t) = 0.8 at t = ln 2.5 = 0.92 s.
    assert measure("conv_hold_s", back) == pytest.approx(40 + 1.0, abs=0.11)
    apart = made(["reno", "reno,start=10s"], [steady(1.0), steady(0.5)])
    assert measure("conv_ratio_s", apart) == math.inf
