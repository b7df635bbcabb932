"""Rates under a given loss probability. Numbers worked by hand or printed in the papers, RFC 3649 and the benchmark's figures."""

from __future__ import annotations

import numpy as np
import pytest

from windtunnel.theory import laws, padhye, responses, square_root
from windtunnel.theory.numeric import bisect, integral, within
from windtunnel.theory.path import Path


def test_the_constant_of_the_square_root_law() -> None:
    assert square_root.square_root_constant([1, 2]) == pytest.approx([1.2247, 0.8660], abs=5e-5)


@pytest.mark.parametrize(("p", "packets", "mbps"), [(1e-4, 122, 9.1), (1e-5, 387, 28.7)])
def test_reno_on_the_path_of_the_response_figure(p: float, packets: float, mbps: float) -> None:
    # Li et al. 2007, Fig. 10: 162 ms; W = sqrt(1.5/p). Printed to whole packets and tenths.
    assert square_root.aimd_mean_window(p) == pytest.approx(packets, abs=0.5)
    assert square_root.reno_rate_bps(p, rtt_s=0.162) / 1e6 == pytest.approx(mbps, abs=0.05)


def test_reno_peaks_at_four_thirds_of_its_mean() -> None:
    # W = sqrt(8/(3p)): p = 8/3 x 1e-4 gives 100, mean 75.
    assert square_root.aimd_peak_window(8 / 3 * 1e-4) == pytest.approx(100)
    assert square_root.aimd_mean_window(8 / 3 * 1e-4) == pytest.approx(75)


def test_the_random_loss_that_stands_for_the_transatlantic_run() -> None:
    # 218 Mb/s x 0.1 s / 12000 = 1817 packets; with delayed ACKs p = 0.75/W^2 = 2.3e-7.
    assert Path(218e6, 0.1).pipe == pytest.approx(1817, abs=0.5)
    assert square_root.reno_loss_probability(1817, packets_per_ack=2) == pytest.approx(2.3e-7, rel=0.02)


def test_illinois_lies_between_two_aimd_laws() -> None:
    empty, full = responses.illinois_mean_windows(1.0 - 1e-12)
    assert (float(empty), float(full)) == pytest.approx((8.66, 0.6708), abs=5e-4)


def test_sixteen_streams_carry_sixteen_times_one() -> None:
    assert square_root.parallel_mean_window(1e-4, streams=16) == pytest.approx(1960, abs=0.5)


@pytest.mark.parametrize("p", [0.0, 1.0, -1e-3, 2.0, np.nan])
def test_no_window_outside_the_range_of_probabilities(p: float) -> None:
    assert np.isnan(square_root.aimd_mean_window(p)) and np.isnan(padhye.padhye_rate(p, rtt_s=0.1, rto_s=0.4))
    assert np.isnan(responses.response_window(p, protocol="hstcp", rtt_s=0.1))


@pytest.mark.parametrize(
    ("p", "full", "short", "one_per_ack"),
    [(1e-4, 862.79, 865.25, 1221.2), (1e-3, 269.09, 271.42, 381.6), (1e-2, 77.85, 79.43, 110.96), (5e-2, 26.71, 26.06, 37.90)],
)
def test_padhye_rates(p: float, full: float, short: float, one_per_ack: float) -> None:
    assert padhye.padhye_rate(p, rtt_s=0.1, rto_s=0.4) == pytest.approx(full, abs=0.005)
    assert padhye.padhye_rate_short(p, rtt_s=0.1, rto_s=0.4) == pytest.approx(short, abs=0.005)
    assert padhye.padhye_rate(p, rtt_s=0.1, rto_s=0.4, packets_per_ack=1) == pytest.approx(one_per_ack, abs=0.05)


def test_padhye_rates_to_all_stored_digits() -> None:
    stored = [862.7886143106791, 269.09119505273435, 77.84645537124354, 26.714119251406707]
    assert padhye.padhye_rate([1e-4, 1e-3, 1e-2, 5e-2], rtt_s=0.1, rto_s=0.4) == pytest.approx(stored, rel=1e-10)


def test_padhye_windows_and_timeout_shares() -> None:
    windows = padhye.unlimited_window([1e-4, 1e-3, 1e-2])
    assert windows == pytest.approx([116.13, 37.17, 12.18], abs=0.005)
    assert padhye.timeout_share([1e-4, 1e-2], window=windows[[0, 2]]) == pytest.approx([0.0263, 0.2799], abs=5e-5)
    assert padhye.timeout_share(1e-3, window=3) == 1.0


def test_a_window_limit_binds_in_padhyes_model() -> None:
    assert padhye.padhye_rate(1e-4, rtt_s=0.1, rto_s=0.4, window_limit=20) == pytest.approx(197.40, abs=0.005)
    assert padhye.padhye_rate_short(1e-4, rtt_s=0.1, rto_s=0.4, window_limit=20) == pytest.approx(200)


def test_without_timeouts_padhye_meets_the_square_root_law_at_small_loss() -> None:
    # 0.866/sqrt(1e-6)/0.1 s = 8660 packets/s; the model's constant terms are of the order of 1/W = 0.1 %.
    rate = padhye.padhye_rate(1e-6, rtt_s=0.1, rto_s=0.4, timeouts=False)
    assert rate == pytest.approx(8660, rel=2e-3) and rate > padhye.padhye_rate(1e-6, rtt_s=0.1, rto_s=0.4)


@pytest.mark.parametrize(
    ("window", "b", "exact", "rounded"),
    [
        (38, 0.5, 1.0, 1.0),
        (100, 0.44966404982647157, 1.8202575607602711, 1.8013037289586815),
        (118, 0.44105360742345356, 2.027637346138306, 2.005812813731285),
        (221, 0.40841075226646645, 3.042203323454455, 3.0054159578220982),
        (1058, 0.3269452337411922, 8.136142033198496, 8.010838669009118),
        (8333, 0.21957935567745596, 26.884081363056364, 26.353274687519704),
        (10661, 0.2067626889641097, 30.62578131708916, 30.005257499536466),
        (83000, 0.1, 72.51578947368414, 70.73485560264149),
    ],
)
def test_highspeed_increase_and_decrease(window: float, b: float, exact: float, rounded: float) -> None:
    assert laws.Hstcp().decrease(window) == pytest.approx(b, rel=1e-9)
    assert laws.Hstcp().per_rtt(window) == pytest.approx(exact, rel=1e-9)
    assert laws.Hstcp(rounded=True).per_rtt(window) == pytest.approx(rounded, rel=1e-9)


def test_highspeed_with_the_benchmarks_low_window() -> None:
    law = laws.Hstcp(low_window=31, low_p=(1.2 / 31) ** 2)
    assert law.per_rtt([38, 100, 1058, 83000]) == pytest.approx([1.096, 2.035, 8.707, 72.52], abs=6e-3)
    assert law.decrease([38, 100, 1058]) == pytest.approx([0.4897, 0.4406, 0.3211], abs=5e-5)


def test_highspeed_response_function_of_the_rfc() -> None:
    # RFC 3649, Table 3 with 0.12/p^0.835; the exponent of section 5 is -0.835 rounded.
    assert responses.hstcp_response_window([1e-5, 1e-6, 1e-7], rounded=True) == pytest.approx([1795, 12279, 83981], rel=1e-3)
    assert laws.Hstcp().exponent() == pytest.approx(-0.834824, abs=5e-7)
    # 1795 packets at 162 ms are 133 Mb/s.
    assert responses.hstcp_response_window(1e-5, rounded=True) * 12000 / 0.162 / 1e6 == pytest.approx(133, abs=0.5)


def test_cubic_mean_window() -> None:
    window = responses.cubic_mean_window([1e-3, 1e-5, 1e-6], rtt_s=0.1, reno_friendly=False)
    assert window == pytest.approx([33.32, 1053.8, 5926.1], abs=0.05)
    assert responses.cubic_mean_window(1e-3, rtt_s=0.1) == pytest.approx(38.7, abs=0.05)
    kept = responses.cubic_mean_window(0.1, rtt_s=0.1, law=laws.Cubic(kept=0.8), reno_friendly=False)
    assert kept == pytest.approx(1.1741, abs=5e-5)


@pytest.mark.parametrize(("rtt_s", "p", "window"), [(0.1, 5.5e-4, 52), (0.02, 4.4e-6, 585)])
def test_where_cubic_gives_way_to_reno(rtt_s: float, p: float, window: float) -> None:
    assert responses.cubic_reno_boundary_p(rtt_s) == pytest.approx(p, rel=0.01)
    assert square_root.aimd_mean_window(responses.cubic_reno_boundary_p(rtt_s)) == pytest.approx(window, rel=0.01)


def test_scalable_response() -> None:
    # Peak 0.08/p: 8000 packets at 1e-5, above the 3375 of 250 Mb/s and 162 ms; mean 0.0745/p.
    assert responses.scalable_peak_window(1e-5) == pytest.approx(8000)
    assert responses.response_window(1e-4, protocol="scalable", rtt_s=0.162) == pytest.approx(745, rel=1e-3)
    assert responses.response_rate_bps(1e-5, protocol="scalable", rtt_s=0.162, rate_bps=250e6) == pytest.approx(250e6)
    # Below the low window of 16 packets it is Reno.
    assert responses.response_window(1e-2, protocol="scalable", rtt_s=0.162) == pytest.approx(12.247, abs=1e-3)


def test_compound_response() -> None:
    assert responses.ctcp_peak_window(1e-4) == pytest.approx(0.3504 * 1e-4**-0.8, rel=1e-3)
    assert responses.ctcp_peak_window(1 / 20858) == pytest.approx(1000, rel=1e-4)


@pytest.mark.parametrize("protocol", responses.PROTOCOLS)
def test_a_response_function_falls_with_loss(protocol: str) -> None:
    window = responses.response_window(np.geomspace(1e-7, 3e-3, 40), protocol=protocol, rtt_s=0.162)
    assert np.all(np.isfinite(window)) and np.all(np.diff(window) < 0)


def test_all_but_reno_beat_reno_at_a_loss_of_one_in_100_000() -> None:
    reno = responses.response_rate_bps(1e-5, protocol="reno", rtt_s=0.162, rate_bps=250e6)
    for protocol in ("scalable", "hstcp", "bic", "htcp"):
        assert responses.response_rate_bps(1e-5, protocol=protocol, rtt_s=0.162, rate_bps=250e6) > 1.5 * reno


def test_a_delay_based_protocol_has_no_response_function() -> None:
    with pytest.raises(ValueError, match="fast"):
        responses.response_window(1e-4, protocol="fast", rtt_s=0.1)


def test_a_crossing_outside_the_bracket_is_not_invented() -> None:
    found = bisect(lambda x: x - np.array([2.0, 7.0]), low=np.zeros(2), high=np.full(2, 5.0))
    assert found[0] == pytest.approx(2) and np.isnan(found[1])


def test_a_kinked_integrand_is_integrated_by_pieces() -> None:
    # Integral of |x - 1| from 0 to 3 is 1/2 + 2.
    value = integral(lambda x: np.abs(x - 1), low=np.array(0.0), high=np.array(3.0), breaks=(np.array(1.0),))
    assert value == pytest.approx(2.5, rel=1e-14)


def test_values_out_of_bounds_become_missing() -> None:
    assert np.isnan(within([0, 2, np.nan], above=0, below=2)).all() and within(1, above=0, at_most=1) == 1
