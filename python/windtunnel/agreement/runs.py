"""Stored runs by the point they belong to."""

from __future__ import annotations

import polars as pl

from windtunnel.metrics import View
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
    return View(results.runs.read(path), dict(zip(DIMENSIONS, point, strict=True)))


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
