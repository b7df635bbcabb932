from __future__ import annotations

import math

import polars as pl
import pytest

from windtunnel import metrics
from windtunnel.metrics import rates


@pytest.mark.parametrize(
    ("rates", "expected"),
    [([1.0, 1.0], 1.0), ([0.8, 1.0], 0.98780), ([0.5, 1.0], 0.9), ([0.0, 1.0], 0.5), ([1.0, 0.0, 0.0, 0.0], 0.25), ([3e9], 1.0)],
)
def test_jain_against_hand_worked_numbers(rates: list[float], expected: float) -> None:
    value = metrics.jain(rates)
    assert value is not None and math.isclose(value, expected, rel_tol=2e-5)


def test_jain_does_not_depend_on_the_unit() -> None:
    assert metrics.jain([1e-200, 2e-200]) == metrics.jain([1e200, 2e200])


def test_nothing_delivered_has_no_fairness() -> None:
    assert metrics.jain([]) is None and metrics.jain([0.0, 0.0]) is None
    assert metrics.ratio_min_max([1.0]) is None and metrics.ratio_min_max([0.0, 0.0]) is None


def test_ratio_is_smallest_over_largest() -> None:
    assert metrics.ratio_min_max([4.0, 1.0, 2.0]) == 0.25


def _flows() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "window_s": [10.0, 10.0, 0.0],
            "window_delivered_packets": [1000, 500, 0],
            "window_goodput_bytes": [1_448_000, 700_000, 0],
            "window_retransmitted_packets": [10, 5, 0],
            "window_sent_packets": [1010, 490, 0],
            "lost_packets": [9, 3, 0],
            "sent_packets": [1100, 900, 0],
        }
    )


def test_throughput_counts_whole_packets_and_goodput_payload() -> None:
    # 1000 packets x 12000 bits in 10 s; 1,448,000 bytes x 8 in 10 s. No window, no rate.
    assert metrics.throughput_bps(_flows()).to_list() == [1_200_000.0, 600_000.0, None]
    assert metrics.goodput_bps(_flows()).to_list() == [1_158_400.0, 560_000.0, None]


def test_loss_overhead_is_retransmitted_over_sent() -> None:
    assert metrics.loss_overhead(_flows()) == 0.01
    assert metrics.lost_fraction(_flows()) == 0.006


def test_an_unmeasured_loss_stays_absent() -> None:
    unmeasured = _flows().with_columns(pl.lit(None, dtype=pl.UInt64).alias("lost_packets"))
    assert metrics.lost_fraction(unmeasured) is None


def test_epochs_are_the_mean_time_between_loss_episodes() -> None:
    events = pl.DataFrame(
        {
            "t_s": [1.0, 2.0, 4.0, 7.0, 5.0, 6.0],
            "flow": [0, 0, 0, 0, 1, 0],
            "kind": ["loss_episode"] * 5 + ["timeout"],
        }
    )
    assert metrics.epoch_s(events, 0) == 2.0
    assert metrics.epoch_s(events, 0, after_s=3.0) == 3.0
    assert metrics.epoch_s(events, 1) is None


def test_loss_epochs_of_many_flows_are_taken_in_one_pass() -> None:
    events = pl.DataFrame({"t_s": [3.0, 1.0, 2.0, 8.0, 4.0], "flow": [0, 0, 1, 0, 1], "kind": ["loss_episode"] * 4 + ["timeout"]})
    assert rates.epochs_s(events, [0, 1, 2]) == [3.5, None, None]
    assert rates.epochs_s(events, [0], after_s=2.0) == [5.0]
