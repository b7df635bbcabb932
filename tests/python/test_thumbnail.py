"""Figures at the size of a stamp."""

from __future__ import annotations

import re
from typing import Any

from windtunnel.plots.points import DRAWN
from windtunnel.report.thumbnail import HEIGHT, WIDTH, thumbnail


def paths(*places: tuple[float, float]) -> list[str]:
    """Return the curves of a figure with one series through these points, after its axes."""
    points = [{"p": 0, "s": 0, "x": x, "y": y, "k": DRAWN[0]} for x, y in places]
    x = [place[0] for place in places]
    live = {"kind": "curves", "x_log": False, "y_log": False, "points": points, "series": [{"colour": ("#000000", "#ffffff")}]}
    figure: Any = None
    drawn = thumbnail(figure, {**live, "panels": [{"x": x, "y": (0.0, 100.0)}]})
    assert drawn is not None
    return re.findall(r'<path class="c0" d="([^"]+)"', drawn)


def test_a_curve_goes_through_its_points() -> None:
    (line,) = paths((10.0, 0.0), (20.0, 100.0))
    assert re.fullmatch(r"M4\.0 \d+\.0L\d+\.0 4\.0", line)


def test_one_point_is_seen() -> None:
    (line,) = paths((162.0, 50.0))
    assert line == f"M{WIDTH / 2:.1f} {HEIGHT / 2:.1f}h3h-6"
