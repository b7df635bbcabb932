"""Queueing delay, probes and the swing of the queue, on queues drawn by hand. A packet takes 1 ms: 12 Mbit/s."""

from __future__ import annotations

import numpy as np
import pytest
from handmade import episodes, made

from windtunnel.metrics import measure

T = np.ndarray


def ramp(t: T) -> T:
    """0 to 100 packets over 100 s: one packet more each second, in steps at the sample."""
    return np.floor(t)


def test_the_queues_delay_is_its_bytes_at_the_links_rate() -> None:
    view = made(["reno"], waiting=lambda t: np.where(t > 55.05, 8.0, 2.0))
    # Samples from 10.0 to 100.0 s: 451 of 2 ms up to 55.0 s, 450 of 8 ms.
    assert measure("qdelay_mean_ms", view) == pytest.approx((451 * 2 + 450 * 8) / 901)
    assert measure("qdelay_p50_ms", view) == 2.0
    assert measure("qdelay_p95_ms", view) == 8.0
    assert measure("qdelay_max_ms", view, t1=50.0) == 2.0


def test_quantiles_of_a_ramp_are_its_times() -> None:
    view = made(["reno"], waiting=lambda t: 10 * t, queue=1000)
    # From 100 packets at 10 s to 1000 at 100 s, evenly: 99 % of the way is 991.
    assert measure("qdelay_p99_ms", view) == pytest.approx(991.0)
    assert measure("qdelay_p50_ms", view) == pytest.approx(550.0)


def test_probes_meet_the_base_rtt_and_both_queues() -> None:
    view = made(
        ["reno", "reno,direction=reverse"],
        waiting=ramp,
        back=lambda t: np.full_like(t, 7.0),
        links={
            "link": [0, 1],
            "name": ["forward", "reverse"],
            "utilisation": [0.9] * 2,
            "mean_queue_packets": [5.0] * 2,
            "dropped_packets": [7, 3],
        },
    )
    # Probes at 10, 11, ..., 99 s meet 10, ..., 99 packets ahead and 7 on the way back, over 100 ms.
    assert measure("rtt_mean_ms", view) == pytest.approx(100 + 7 + 54.5)
    assert measure("rtt_max_ms", view) == pytest.approx(100 + 7 + 99)
    # Of n = 90 consecutive numbers the sample deviation is sqrt(n (n + 1)/12).
    assert measure("rtt_sd_ms", view) == pytest.approx(np.sqrt(90 * 91 / 12))
    assert measure("rev_drops", view) == 3


def test_a_probe_takes_the_rtt_of_the_flow_asked_for() -> None:
    view = made(["reno,rtt=50ms", "reno,rtt=200ms"], waiting=lambda t: np.zeros_like(t))
    assert measure("rtt_mean_ms", view, flow=1) == pytest.approx(50.0)
    assert measure("rtt_mean_ms", view) == pytest.approx(200.0)


def test_without_samples_of_the_queue_there_is_no_delay() -> None:
    view = made(["reno"])
    assert [measure(name, view) for name in ("qdelay_mean_ms", "rtt_mean_ms", "rtt_sd_ms", "fill_pkts", "rev_drops")] == [None] * 5


def test_the_queue_swings_between_congestion_events() -> None:
    # Drops 0.085 s before the back-offs: epochs 20 to 40 s and 40 to 60 s; the queue falls to 0 and returns to 10, then to 3 and 8.
    low = {30: 0.0, 50: 3.0}

    def waiting(t: T) -> T:
        queue = np.where(t < 40, 10.0, 8.0)
        for at, depth in low.items():
            queue = np.where(np.abs(t - at) < 1, depth, queue)
        return queue

    view = made(["reno"], waiting=waiting, events=episodes(0, 20.085, 40.085, 60.085))
    assert measure("fill_pkts", view) == pytest.approx((10 + 5) / 2)
    # The same events are 20 s apart on the link.
    assert measure("link_epoch_s", view) == pytest.approx(20.0)


def test_the_median_epoch_leaves_out_the_one_long_gap() -> None:
    view = made(["reno"], events=episodes(0, 20, 22, 25, 85))
    assert measure("epoch_median_s", view) == pytest.approx(3.0)
    assert measure("epoch_s", view) == pytest.approx(65 / 3)


def test_the_arithmetic_of_a_path_is_the_papers() -> None:
    # Section 1 of the 2003 study: 10 Gbit/s, 100 ms: 83,333 packets, one loss in 5,000,000,000 packets, more than one and a half hours.
    view = made(["reno"], link="10Gbit", queue=100)
    assert measure("window_pkts", view) == pytest.approx(83_333, abs=1)
    assert measure("pkts_per_loss", view) == pytest.approx(4.63e9, rel=1e-3)
    assert measure("event_interval_s", view) == pytest.approx(5556, abs=1)


def test_drops_and_marks_are_shares_of_what_arrived() -> None:
    view = made(["reno"], links={"delivered_bytes": [93 * 1500], "marked_packets": [31]})
    assert measure("drop_share", view) == pytest.approx(7 / 100)
    assert measure("mark_share", view) == pytest.approx(31 / 100)
    assert measure("marks_pkts", view) == 31
