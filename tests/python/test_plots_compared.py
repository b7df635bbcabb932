"""Figures of a metric by name: measured means filled, printed numbers hollow beside them."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest

from windtunnel import plots

WHITE = "#ffffff"


def table(rows: list[tuple[str, str, str, int, float]]) -> pl.DataFrame:
    """Rows of (alg, site, win, seed, value)."""
    found = pl.DataFrame(rows, schema=["alg", "site", "win", "seed", "value"], orient="row")
    return found.with_columns(pl.lit("thr_mbps").alias("metric"), pl.lit(None, dtype=pl.String).alias("flow"))


ROWS = [
    ("reno", "near", "small", 1, 100.0),
    ("reno", "near", "small", 2, 200.0),
    ("fast", "near", "small", 1, 300.0),
    ("reno", "near", "large", 1, 400.0),
    ("reno", "far", "large", 1, 50.0),
    ("reno", "far", "small", 1, 50.0),
]
PRINTED = (
    plots.Published({"alg": "reno", "site": "near", "win": "small"}, 120.0, 10.0),
    plots.Published({"alg": "htcp", "site": "near", "win": "small"}, 500.0),
)


def figure(**more: Any) -> plots.Compared:
    fields: dict[str, Any] = {"metric": "thr_mbps", "panels": "site", "series": "win", "published": PRINTED}
    return plots.Compared(**{"name": "f", "title": "t", **fields, **more})


def marks(axis: Any, *, hollow: bool) -> list[float]:
    """Heights of the markers of one kind, from left to right."""
    drawn = [line for line in axis.get_lines() if line.get_marker() not in ("None", "_", None, "")]
    chosen = [line for line in drawn if (str(line.get_markerfacecolor()).lower() == WHITE) == hollow]
    places = sorted((float(line.get_xdata()[0]), float(line.get_ydata()[0])) for line in chosen if len(line.get_xdata()) == 1)
    return [y for _, y in places]


def test_every_name_has_its_mean_and_the_printed_number_stands_hollow_to_its_right() -> None:
    near, far = plots.draw(figure(), measures=table(ROWS)).axes
    assert [label.get_text() for label in near.get_xticklabels()] == ["reno", "fast"]
    # 150 is the mean of 100 and 200; the names without a measured point, such as htcp, have no place for a printed one.
    assert [y for y in marks(near, hollow=False) if y in (150.0, 300.0, 400.0)] == [150.0, 400.0, 300.0]
    assert marks(near, hollow=True) == [120.0]
    assert marks(far, hollow=True) == []


def test_the_axis_holds_printed_numbers_with_their_deviation() -> None:
    printed = (plots.Published({"alg": "reno", "site": "far", "win": "large"}, 900.0, 150.0),)
    for axis in plots.draw(figure(published=printed), measures=table(ROWS)).axes:
        assert axis.get_ylim()[1] > 1050


def test_names_may_have_colours_of_their_own() -> None:
    (axis,) = plots.draw(figure(panels=None, series="alg", published=()), measures=table(ROWS)).axes
    # All of reno's values together: (100 + 200 + 400 + 50 + 50) / 5.
    assert marks(axis, hollow=False) == [160.0, 300.0]
    places: list[Any] = [line.get_xdata() for line in axis.get_lines()]
    assert {float(place[0]) for place in places if len(place) == 1} == {0.0, 1.0}
    colours = {line.get_color() for line in axis.get_lines() if line.get_marker() in (plots.look("reno")[1], plots.look("fast")[1])}
    assert {plots.look("reno")[0], plots.look("fast")[0]} <= colours


def test_a_declaration_survives_json_with_its_printed_numbers() -> None:
    stored = json.loads(json.dumps(plots.to_json(figure())))
    assert plots.from_json(stored) == figure()


def test_a_figure_without_its_metric_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="'f'"):
        plots.draw(figure(metric="jain"), measures=table(ROWS))
