"""The reference page of the metrics is the one that the metrics themselves give."""

from __future__ import annotations

from pathlib import Path

from windtunnel.metrics import MEASURES
from windtunnel.metrics.page import page

DOCS = Path(__file__).parents[2] / "docs"


def test_the_stored_page_is_fresh() -> None:
    assert (DOCS / "reference/metrics.md").read_text(encoding="utf-8") == page(), "run make docs"


def test_every_metric_has_a_row_and_no_name_comes_twice() -> None:
    rows = [line.split("`")[1] for line in page().splitlines() if line.startswith("| `")]
    assert sorted(rows) == sorted(MEASURES)
