"""Figures of runs in the plane of two metrics: the ellipse by hand, what is drawn, and what is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

from windtunnel.plots import Ellipses, draw, from_json, remarks, to_json
from windtunnel.plots.ellipses import clouds_of, contour

FIGURE = Ellipses("plane", "Delay and goodput", x="delay", y="goodput", series="aqm", panels="level", x_label="ms", y_label="Mbit/s")


def table(runs: Sequence[tuple[str, str, int, float | None, float]]) -> pl.DataFrame:
    """Measures of runs given by level, discipline, seed, delay and goodput."""
    rows = []
    for level, aqm, seed, delay, goodput in runs:
        own = {"level": level, "aqm": aqm, "seed": seed, "run": f"{level}-{aqm}-{seed}"}
        rows += [{**own, "metric": "delay", "value": delay}, {**own, "metric": "goodput", "value": goodput}]
    return pl.DataFrame(rows)


RUNS = [("mild", "codel", 1, 3.0, 9.0), ("mild", "codel", 2, 5.0, 9.0), ("mild", "codel", 3, 4.0, 8.0), ("mild", "codel", 4, 4.0, 10.0)]


def test_the_ellipse_is_one_standard_deviation_over_n_around_the_mean() -> None:
    """Four runs at (4 +- 1, 9) and (4, 9 +- 1): the covariance of greatest likelihood is 1/2 on the diagonal (2 squares over 4 runs)."""
    around = contour(clouds_of(FIGURE, table(RUNS))[0].runs)
    assert around is not None
    distances = np.hypot(around[:, 0] - 4.0, around[:, 1] - 9.0)
    assert distances == pytest.approx(np.full(len(around), math.sqrt(0.5)))


def test_a_correlation_tilts_the_ellipse() -> None:
    """On the line y = 2 x the spread across it is nil: every point of the contour lies on the line."""
    around = contour(np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]))
    assert around is not None and around[:, 1] == pytest.approx(2 * around[:, 0])
    # The variance of 1, 2, 3 over n is 2/3.
    assert around[:, 0].max() == pytest.approx(2 + math.sqrt(2 / 3), abs=1e-3)


def test_two_runs_make_no_ellipse() -> None:
    assert contour(np.array([[1.0, 2.0], [2.0, 4.0]])) is None


def test_a_run_that_lacks_a_metric_is_left_out_and_a_table_without_any_is_refused() -> None:
    measures = table([*RUNS, ("mild", "pie", 1, None, 9.0), ("heavy", "pie", 1, 15.0, 9.5)])
    assert [(cloud.panel, cloud.series, len(cloud.runs)) for cloud in clouds_of(FIGURE, measures)] == [
        ("mild", "codel", 4),
        ("heavy", "pie", 1),
    ]
    with pytest.raises(ValueError, match="no run has both delay and goodput"):
        draw(FIGURE, measures=measures.filter(pl.col("metric") == "delay"))
    with pytest.raises(ValueError, match="has no column 'level'"):
        draw(FIGURE, measures=measures.drop("level"))


def test_the_figure_has_a_dot_a_run_an_ellipse_and_the_median_of_each_series() -> None:
    measures = table([*RUNS, ("heavy", "pie", 1, 15.0, 9.5)])
    first, second = draw(FIGURE, measures=measures).axes
    dots, ellipse, median = (np.asarray(line.get_xydata()) for line in first.lines)
    assert dots[:, 0].tolist() == [3.0, 5.0, 4.0, 4.0] and len(ellipse) == 121
    assert median.tolist() == [[4.0, 9.0]]
    assert len(second.lines) == 2 and first.get_title(loc="left") == "mild" and second.get_xlabel() == "ms"
    said = remarks(FIGURE, measures=measures)
    assert said[0].startswith("A dot is a run, 1 to 4 of each") and "one standard deviation" in said[1]


def test_a_declared_plane_is_stored_and_read_back() -> None:
    assert from_json(json.loads(json.dumps(to_json(FIGURE)))) == FIGURE
