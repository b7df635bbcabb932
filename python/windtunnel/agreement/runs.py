"""Stored runs by the point they belong to."""

from __future__ import annotations

import polars as pl

from windtunnel.foreign import is_made
from windtunnel.metrics import View
from windtunnel.records.names import written
from windtunnel.store import Results, ResultsError

DIMENSIONS = ("alg", "rate", "rtt", "q")
Point = tuple[str, float, float, float]
"""Protocol, rate (Mbit/s), RTT (ms), queue (BDP)."""


def stored_run(results: Results, key: str, point: Point) -> View:
    """Return a stored run with its samples.

    Raises
    ------
    ResultsError
        When it is missing or damaged.
    """
    path = results.runs.find(key, "all")
    if path is None:
        raise ResultsError(results.runs.folder, f"lacks run {key} with its samples; run the comparison again")
    records = results.runs.read(path)
    # A side may run a file in the protocol's place; every flow of a comparison under study is the point's.
    files = {name: point[0] for name in written(records.facts.scenario) if is_made(name) and not is_made(point[0])}
    return View(records, dict(zip(DIMENSIONS, point, strict=True)), files)


def first_run(results: Results, experiment: str, point: Point) -> View:
    """Return the run of a point's first seed.

    Raises
    ------
    ResultsError
        When it is missing or damaged.
    """
    chosen = results.measures(experiment)
    for name, value in zip(DIMENSIONS, point, strict=True):
        chosen = chosen.filter(pl.col(name) == value)
    return stored_run(results, str(chosen.sort("seed")["run"][0]), point)
