"""The traffic that stands for the common TCP evaluation suite's traces: its means, its steady state, the load that it offers."""

from __future__ import annotations

import math
import random

import pytest

import windtunnel as wt
from windtunnel.experiment import Draws
from windtunnel.suites.tcpeval import traffic


def drawn(mean: float, shape: float, count: int, *, seed: int = 1) -> list[float]:
    """Pareto's law by its inverse, of this mean before any cut."""
    stream, smallest = random.Random(seed), mean * (shape - 1) / shape
    return [smallest * (1.0 - stream.random()) ** (-1 / shape) for _ in range(count)]


def test_the_mean_of_a_cut_law_is_that_of_cut_draws() -> None:
    cut = [min(size, traffic.MOST_BYTES) for size in drawn(traffic.SIZE_BYTES, traffic.SIZE_SHAPE, 400_000)]
    expected = traffic.cut_mean(traffic.SIZE_BYTES, traffic.SIZE_SHAPE, traffic.MOST_BYTES)
    assert math.fsum(cut) / len(cut) == pytest.approx(expected, rel=0.03)
    # Of the tail beyond the cut: (smallest/cut)^0.2 of the mean, a sixth.
    assert expected < 0.85 * traffic.SIZE_BYTES


def test_objects_are_rounded_up() -> None:
    shape = traffic.OBJECTS_SHAPE
    counted = [math.ceil(one) for one in drawn(traffic.pareto_mean(shape), shape, 200_000)]
    assert sum(counted) / len(counted) == pytest.approx(traffic.objects_mean(), rel=0.02)


def test_the_round_trips_of_the_dumbbell_are_the_drafts() -> None:
    """Access link, 4.3: from 4 ms to 200 ms + twice the centre, of all pairs of edges."""
    assert [round(1e3 * one) for one in traffic.base_rtts_s(0.002)] == [8, 78, 154, 32, 102, 178, 58, 128, 204]


def test_what_is_under_way_at_the_beginning_is_long_and_as_much_as_the_load_brings() -> None:
    """Seen at a moment, a transfer has a size drawn in proportion to it, and half of it is to come on average."""
    found = traffic.prefill("reno", 1.1, 100e6, [0.05], Draws(3), 20.0)
    total = sum(one["bytes"] for one in found)
    wanted = 1.1 * 100e6 * 20.0 / 8
    assert wanted <= total < wanted + traffic.MOST_BYTES and all(0 <= one["start_s"] <= 20.0 for one in found)
    typical = traffic.cut_mean(traffic.SIZE_BYTES, traffic.SIZE_SHAPE, traffic.MOST_BYTES)
    assert total / len(found) > 10 * typical


def test_sessions_offer_the_load_that_they_are_counted_for() -> None:
    """Ten sessions and more at a link that is far from full: its utilisation is the load, within what heavy tails leave in two minutes."""
    rate_bps, rtts_s = 20e6, [0.05]
    given = traffic.sessions("reno", 0.3, rate_bps, rtts_s)
    link = {"rate_bps": rate_bps, "queue_s": 0.2}
    used = []
    for seed in range(1, 6):
        scenario = {"bottleneck": link, "sessions": [given], "rtt_s": 0.05, "duration_s": 120.0, "warmup_s": 20.0, "seed": seed}
        used.append(wt.run(wt.Scenario.model_validate(scenario)).links["utilisation"][0])
    assert given["count"] > 10 and sum(used) / len(used) == pytest.approx(0.3, rel=0.2), used
