"""Drops and marks per interval, from counters that are only sampled."""

from __future__ import annotations

import numpy as np
import pytest

import windtunnel as wt
from windtunnel.plots.figures import per_bin


def test_a_counters_growth_is_of_the_bin_its_sample_is_in() -> None:
    t = np.arange(1, 41) * 0.1
    counter = np.where(t > 2.95, 12.0, np.where(t > 1.05, 5.0, 0.0))
    middles, counts = per_bin(t, counter, width_s=1.0, end_s=4.0) or pytest.fail("nothing")
    # Five more by the sample at 1.1 s, in the second; seven more by the one at 3.0 s, which ends the third.
    assert middles.tolist() == [0.5, 1.5, 2.5, 3.5]
    assert counts.tolist() == [0, 5, 7, 0]


def test_no_bin_is_narrower_than_the_samples() -> None:
    _, counts = per_bin(np.array([5.0, 10.0]), np.array([3.0, 9.0]), width_s=1.0, end_s=10.0) or pytest.fail("nothing")
    assert counts.tolist() == [3, 6]


def test_what_was_not_counted_is_not_drawn() -> None:
    assert per_bin(np.array([1.0, 2.0]), np.array([np.nan, np.nan]), width_s=1.0, end_s=2.0) is None


def test_the_bins_of_the_figure_hold_every_drop_and_mark_of_the_run() -> None:
    link = {"rate": "20Mbit", "queue": 60, "mark": 30}
    run = wt.run(wt.Scenario(bottleneck=link, flows=["cubic", "dctcp,start=1s"], rtt_s=0.03, duration_s=10))
    panel = run.plot.overview().axes[4]
    drawn = {line.get_label(): np.nansum(line.get_ydata()) for line in panel.lines}
    assert drawn == {"drops": run.links["dropped_packets"][0], "marks": run.links["marked_packets"][0]}
    plain = wt.run(wt.Scenario(bottleneck={"rate": "20Mbit", "queue": 60}, flows=["cubic"], rtt_s=0.03, duration_s=10))
    assert [line.get_label() for line in plain.plot.overview().axes[4].lines] == ["drops"]
