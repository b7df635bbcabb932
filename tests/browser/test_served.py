"""The first page of a served folder in a real browser: there at once, and the counts of verdicts when they have been judged."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import polars as pl
import stored

from windtunnel.report.serving import Pages, server
from windtunnel.store import open_results, writing_results


def test_the_first_page_shows_how_many_claims_hold_once_they_are_judged(watched: Any, tmp_path: Path) -> None:
    grid = [(rate, rtt) for rate in (10.0, 250.0) for rtt in (16.0, 22.0, 42.0, 82.0, 162.0, 324.0)]
    rows = [("reno", *at, 0.2, 1, "fair_minmax", 0.9, stored.KEY) for at in grid]
    measures = pl.DataFrame(rows, schema=["alg", "rate", "rtt", "q", "seed", "metric", "value", "run"], orient="row")
    points = {"alg": ["reno"], "rate": [10.0, 250.0], "rtt": sorted({rtt for _, rtt in grid}), "q": [0.2]}
    with writing_results(tmp_path / "results") as results:
        results.store_experiment("li07.fig4", stored.DECLARATION | {"points": points}, measures)
        results.store_facts({"suites": ["li07"], "order": ["li07.fig4"], "facts": [], "findings": []})
    (tmp_path / "made").mkdir()
    serving = server(Pages(open_results(tmp_path / "results"), tmp_path / "made"), host="127.0.0.1", port=0)
    thread = threading.Thread(target=serving.serve_forever, daemon=True)
    thread.start()
    try:
        page = watched.page
        page.goto(f"http://127.0.0.1:{serving.server_address[1]}/")
        page.wait_for_selector("[data-part]:not([hidden]) .tile.holds")
        counts = [int(text) for text in page.locator("[data-part] .tile .count").all_inner_texts()]
        said = page.inner_text("[data-part]")
        assert sum(counts) == 6 and "6 published claims" in said and "47 more claims are about" in said
        page.click("[data-part] a")
        page.wait_for_selector("h1:text('Claims')")
        assert watched.errors == [] and watched.failed == []
    finally:
        serving.shutdown()
        serving.server_close()
        thread.join()
