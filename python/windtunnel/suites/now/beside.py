"""The same points on the simulator, on Linux and in whole stacks: how far a number of the page holds elsewhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from windtunnel.store import Results
from windtunnel.suites.now.asked import POINT, QUESTIONS, UNITS, Question, number
from windtunnel.suites.now.grids import RATES

SIMULATOR = "simulator"
_Point = tuple[tuple[str, Any], ...]
_Values = Mapping[_Point, Mapping[int, float]]
"""Of an algorithm: by point, then by seed."""


def beside_lines(results: Results) -> list[str]:
    """Return the section on Linux and whole stacks.

    Parameters
    ----------
    results : Results
        A folder in which the simulator, and Linux or stacks too, ran the same points.

    Returns
    -------
    list of str
        Lines of Markdown; none where it holds nothing but the simulator's runs.
    """
    rows = [row for question in QUESTIONS for rate in RATES for row in _rows(results, question, rate)]
    columns = list(dict.fromkeys(name for _, _, cells in rows for name in cells))
    if not columns:
        return []
    lines = [
        "## On Linux and in whole stacks",
        "",
        "The same law at the same points: the mean of the repeats and their range; one number is of one run. Linux is the kernel itself in "
        "virtual time. A whole stack has its own recovery, pacing and ACKs, so that a difference is the stack's as much as the law's.",
        "",
        f"| question | algorithm | {' | '.join(columns)} |",
        "|---" * (2 + len(columns)) + "|",
    ]
    lines += [f"| {asked} | {name} | {' | '.join(cells.get(one, '') for one in columns)} |" for asked, name, cells in rows]
    return [*lines, ""]


def _rows(results: Results, question: Question, rate: int) -> Iterator[tuple[str, str, dict[str, str]]]:
    id = f"now.{question.kind}-{rate}"
    if id not in results.experiments("sim"):
        return
    by_column = {name: _values(frame, question) for name, frame in _frames(results, id)}
    for name, own in by_column.pop(SIMULATOR).items():
        others = {column: values[name] for column, values in by_column.items() if name in values}
        points = [point for point in own if all(point in values for values in others.values())]
        if others and points:
            cells = {column: _cell(question, [values[point] for point in points]) for column, values in ((SIMULATOR, own), *others.items())}
            yield f"{question.title}, {UNITS[question.metric]} ({_where(points, rate)})", name, cells


def _frames(results: Results, id: str) -> Iterator[tuple[str, pl.DataFrame]]:
    frame = results.measures(id, "sim")
    whole = pl.col("alg").str.contains("@", literal=True)
    yield SIMULATOR, frame.filter(~whole)
    if id in results.experiments("linux"):
        yield str(results.declaration(id, "linux")["backend_title"]).partition(" (")[0], results.measures(id, "linux")
    foreign = frame.filter(whole)
    for stack in sorted({str(name).partition("@")[2] for name in foreign["alg"]}):
        own = foreign.filter(pl.col("alg").str.ends_with(f"@{stack}"))
        yield stack, own.with_columns(pl.col("alg").str.strip_suffix(f"@{stack}"))


def _values(frame: pl.DataFrame, question: Question) -> Mapping[str, _Values]:
    rows = frame.filter((pl.col("metric") == question.metric) & pl.col("flow").is_null() & pl.col("value").is_not_null())
    for name, value in question.fixed.items():
        rows = rows.filter(pl.col(name) == value)
    by = [name for name in POINT if name in rows.columns]
    found: dict[str, dict[_Point, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows.iter_rows(named=True):
        found[row["alg"]][tuple((name, row[name]) for name in by)][row["seed"]] = float(row["value"])
    return found


def _where(points: Sequence[_Point], rate: int) -> str:
    said = f"{rate} Mbit/s"
    if len(points) > 1:
        return f"{said}, {len(points)} points"
    own = dict(points[0])
    parts = {"rtt": "{:g} ms", "q": "{:g} BDP", "p": "a loss of {:.2%}"}
    return ", ".join([said, *(text.format(own[name]) for name, text in parts.items() if own.get(name) is not None)])


def _cell(question: Question, points: Sequence[Mapping[int, float]]) -> str:
    """Return the mean of the repeats over some points, and the least and the most of them where there are several."""
    scale = 100.0 if question.metric == "loss_ovh" else 1.0
    digits = 2 if question.better == "equal" else question.digits
    seeds = sorted(set.intersection(*(set(one) for one in points)))
    means = [scale * float(np.mean([one[seed] for one in points])) for seed in seeds]
    if not means or not np.isfinite(means).all():
        return "never in a run" if means else ""
    ends = f" ({number(min(means), digits)} to {number(max(means), digits)})" if len(means) > 1 else ""
    return f"{number(float(np.mean(means)), digits)}{ends}"
