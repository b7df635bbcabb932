"""Buffers, losses and filling times. Numbers from Li, Leith, Shorten (2007), its figures' captions, and hand calculation."""

from __future__ import annotations

import numpy as np
import pytest

from windtunnel.theory import buffers, laws, overhead, refill, startup
from windtunnel.theory.path import Path

QUEUES = [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]


@pytest.mark.parametrize(
    ("keep", "stored"),
    [
        (
            0.5,
            [
                0.75,
                0.7574250074250072,
                0.7647001176009408,
                0.7856294536817102,
                0.8175675675675679,
                0.870967741935484,
                0.9642857142857143,
                1,
            ],
        ),
        (0.7, [0.85, 0.8583583567068137, 0.8664337034617895, 0.8889723320158103, 0.9210447761194033, 0.9663157894736841, 1, 1]),
        (0.8, [0.9, 0.9087750556792867, 0.9171008814887365, 0.9394082840236686, 0.9680000000000004, 0.9969230769230764, 1, 1]),
        (0.875, [0.9375, 0.9465001484560565, 0.9547523492560694, 0.9750884433962269, 0.9950657894736854, 1, 1, 1]),
        (0.9, [0.95, 0.9590252350321612, 0.9671037181996087, 0.9857647058823531, 0.9995652173913052, 1, 1, 1]),
    ],
)
def test_utilisation_of_synchronised_aimd(keep: float, stored: list[float]) -> None:
    assert buffers.aimd_efficiency(QUEUES, keep=keep) == pytest.approx(stored, rel=1e-12)


@pytest.mark.parametrize(("q", "util"), [(0.1, 0.818), (0.2, 0.871), (0.5, 0.964), (1.0, 1.0)])
def test_utilisation_integrated_over_the_epoch_meets_the_closed_form(q: float, util: float) -> None:
    path = Path(rate_bps=100e6, rtt_s=0.082, buffer_bdp=q)
    for flows in (1, 2, 7):
        assert buffers.efficiency(laws.Aimd(), path=path, flows=flows) == pytest.approx(util, abs=5e-4)


def test_the_buffer_from_which_a_link_never_idles() -> None:
    expected = [1, 0.4286, 0.25, 0.1429, 0.1111]
    assert buffers.full_utilisation_buffer([0.5, 0.7, 0.8, 0.875, 0.9]) == pytest.approx(expected, abs=5e-5)
    assert buffers.unsynchronised_buffer([1, 100]) == pytest.approx([1, 0.1])


def test_the_adaptive_share_kept() -> None:
    # T_min 100 ms, T_max 120, 160 and 250 ms.
    assert buffers.adaptive_keep([0.2, 0.6, 1.5]) == pytest.approx([0.8, 0.625, 0.5])


def test_the_adaptive_share_keeps_the_link_busy_from_a_quarter_of_the_bdp() -> None:
    q = np.array([0.25, 0.5, 1.0])
    assert buffers.aimd_efficiency(q, keep=buffers.adaptive_keep(q)) == pytest.approx([1, 1, 1])
    assert buffers.aimd_efficiency(0.0, keep=buffers.adaptive_keep(0.0)) == pytest.approx(0.9)


def test_mean_queue_of_aimd() -> None:
    # q = 0.2, beta 1/2, in units of T: 0.4 idle, 0.22 with a queue of area 0.02 + 0.008/3. q = 1: from 1 to 2, area 1/2 + 1/3 over 3/2.
    assert buffers.aimd_mean_queue([0.2, 1.0]) == pytest.approx([(0.02 + 0.008 / 3) / 0.62, 5 / 9])


def test_the_bdp_of_two_paths_of_the_benchmark() -> None:
    assert Path(1e9, 0.1).pipe == pytest.approx(8333, abs=0.5) and Path(100e6, 0.082).pipe == pytest.approx(683, abs=0.5)
    # 40 packets of two FAST flows with alpha 20 are 5.9 % of 683.
    assert 40 / Path(100e6, 0.082).pipe == pytest.approx(0.059, abs=5e-4)


@pytest.mark.parametrize(("rtt_s", "expected"), [(0.016, 6.7e-5), (0.022, 3.5e-5), (0.042, 9.7e-6)])
def test_reno_loses_one_packet_per_flow_and_epoch(rtt_s: float, expected: float) -> None:
    # Li et al. 2007, Fig. 9: 1/(0.45 BDP x 0.3 BDP) for two flows, 250 Mb/s, 20 % of the BDP.
    value = overhead.loss_overhead(protocol="reno", pipe=Path(250e6, rtt_s).pipe, buffer_bdp=0.2, rtt_s=rtt_s)
    assert value == pytest.approx(expected, rel=0.01)


def test_loss_overhead_of_each_law() -> None:
    assert overhead.window_overhead(laws.Aimd(), peak=2025) == pytest.approx(6.5e-7, rel=1e-3)
    assert overhead.window_overhead(laws.Scalable(), peak=[100, 10000]) == pytest.approx([8.0e-4, 8.0e-4])
    assert overhead.window_overhead(laws.Hstcp(), peak=[1050, 4050]) == pytest.approx([1.9e-4, 8.2e-5], rel=0.03)
    assert overhead.window_overhead(laws.Bic(), peak=1000) == pytest.approx(5.7e-6, rel=0.01)
    assert overhead.htcp_overhead(laws.Htcp(kept=0.5), peak=2500, rtt_s=0.1) == pytest.approx(5.9e-4, rel=0.01)


def test_new_protocols_but_bic_at_its_plateau_lose_more_than_reno() -> None:
    values = {name: float(overhead.loss_overhead(protocol=name, pipe=3375.0, buffer_bdp=0.2, rtt_s=0.162)) for name in overhead.PROTOCOLS}
    assert min(values["scalable"], values["hstcp"], values["htcp"]) > 100 * values["reno"]
    assert values["bic"] > values["reno"]


def test_loss_overhead_is_an_array_of_the_shape_asked_for() -> None:
    q = np.array([[0.1, 0.2], [0.5, -1.0]])
    value = overhead.loss_overhead(protocol="htcp", pipe=683.0, buffer_bdp=q, rtt_s=0.082)
    assert value.shape == (2, 2) and np.isnan(value[1, 1]) and np.isfinite(value[0]).all()


@pytest.mark.parametrize("protocol", ["fast", "cubic"])
def test_no_loss_overhead_without_a_closed_form(protocol: str) -> None:
    with pytest.raises(ValueError, match=protocol):
        overhead.loss_overhead(protocol=protocol, pipe=100.0, buffer_bdp=0.2, rtt_s=0.1)


def test_refilling_a_transatlantic_pipe() -> None:
    # 1 Gb/s, 100 ms: half of 8333 packets at half a packet per RTT; the paper rounds to 8000 RTTs, 800 s.
    assert refill.refill_rounds(pipe=[8333, 8000], packets_per_ack=2) * 0.1 == pytest.approx([833.3, 800], abs=0.05)
    path = Path(1e9, 0.1)
    assert refill.epoch_s(path) == pytest.approx(416.7, abs=0.05) and refill.epoch_s(path, step=0.5) == pytest.approx(833.3, abs=0.05)


def test_the_epoch_of_two_reno_flows_on_the_longest_path() -> None:
    # 250 Mb/s, 324 ms, 20 %: 678 s, so that 80 % takes 2.32 epochs = 1570 s.
    assert refill.epoch_s(Path(250e6, 0.324, 0.2), flows=2) == pytest.approx(678, abs=0.5)
    # By hand: 2700/2 rounds of 324 ms, then (8100^2 - 6750^2)/(2 C)/2.
    assert refill.epoch_s(Path(250e6, 0.324, 0.2), flows=2) == pytest.approx(
        1350 * 0.324 + (8100**2 - 6750**2) / (4 * 250e6 / 12000), rel=1e-9
    )


def test_the_refill_time_that_sets_the_averaging_memory() -> None:
    assert refill.refill_bound_s(Path(250e6, 0.162, 0.2)) == pytest.approx(394, abs=0.5)
    assert refill.refill_bound_s(Path(250e6, 0.1)) == pytest.approx(refill.refill_rounds(pipe=Path(250e6, 0.1).pipe) * 0.1)


def test_slow_start_doubles() -> None:
    # 10 packets to 10240 are ten doublings; 683 + 137 packets at most are lost at its end.
    assert startup.slow_start_rounds(10240) == pytest.approx(10) and np.isnan(startup.slow_start_rounds(5))
    assert startup.slow_start_overshoot(pipe=683, buffer=137) == 820


def test_completion_of_a_small_and_a_large_file() -> None:
    # 70 packets: log2(8) = 3 RTTs of 0.1 s and 70/1000 s.
    assert startup.completion_s(70, rtt_s=0.1, capacity=1000.0) == pytest.approx(0.37)
    assert startup.completion_s(0, rtt_s=0.1, capacity=1000.0) == 0


def test_a_window_limit_caps_the_rate() -> None:
    # 1 MB (2^20 bytes, 699.05 packets of 1500) at 70 ms are 120 Mb/s.
    assert startup.window_limited_rate_bps(2**20 / 1500, rtt_s=0.07) / 1e6 == pytest.approx(120, abs=0.5)
