"""From a measures table to data points and their repeats, and to the runs behind them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from windtunnel.plots.declared import Curves, Declaration
from windtunnel.report.model import DataPoint, Repeat, Section, StoredRun
from windtunnel.store import Results

_QUALIFIERS = ("flow", "state", "t0", "t1")


def data_points(measures: pl.DataFrame, dimensions: Sequence[str]) -> list[DataPoint]:
    """Group a measures table by point and repeat.

    Parameters
    ----------
    measures : polars.DataFrame
        The experiment's measures.
    dimensions : sequence of str
        The columns that make a point.

    Returns
    -------
    list of DataPoint
        In the order of the table.
    """
    found: dict[tuple[str | float | None, ...], dict[tuple[int, str], dict[str, float | str]]] = {}
    qualifiers = [name for name in _QUALIFIERS if name in measures.columns]
    text = pl.col("text") if "text" in measures.columns else pl.lit(None, pl.String).alias("text")
    columns = measures.select(*dimensions, "seed", "run", "metric", *qualifiers, "value", text)
    for row in columns.iter_rows(named=True):
        point = tuple(row[name] for name in dimensions)
        values = found.setdefault(point, {}).setdefault((row["seed"], row["run"]), {})
        value = row["value"] if row["text"] is None else row["text"]
        if value is not None and not (isinstance(value, float) and math.isnan(value)):
            values[_label(row)] = value
    return [
        DataPoint(
            {name: value for name, value in zip(dimensions, point, strict=True) if value is not None},
            [Repeat(seed, run, values) for (seed, run), values in sorted(repeats.items(), key=lambda item: item[0][0])],
        )
        for point, repeats in found.items()
    ]


def with_others(points: Sequence[DataPoint], others: Mapping[str, Sequence[DataPoint]]) -> list[DataPoint]:
    """Put what other backends measured beside the points of the first.

    Parameters
    ----------
    points : sequence of DataPoint
        The first backend's.
    others : mapping of str to sequence of DataPoint
        By what a reader calls a backend.

    Returns
    -------
    list of DataPoint
        The same points; behind them those that only another backend measured.
    """
    known = {tuple(sorted(point.values.items())): (point, dict[str, Sequence[Repeat]]()) for point in points}
    for name, measured in others.items():
        for point in measured:
            known.setdefault(tuple(sorted(point.values.items())), (replace(point, repeats=[]), {}))[1][name] = point.repeats
    return [replace(point, beside=beside) for point, beside in known.values()]


def _label(row: Mapping[str, object]) -> str:
    """Name a measure with what qualifies it, such as ``thr_mbps, flow 1``."""
    parts = [str(row["metric"])]
    if row.get("flow") is not None:
        parts.append("all flows" if row["flow"] == "sum" else f"flow {row['flow']}")
    if row.get("state") is not None:
        parts.append(str(row["state"]))
    if row.get("t0") is not None or row.get("t1") is not None:
        ends = ["" if row.get(name) is None else f"{row[name]:g}" for name in ("t0", "t1")]
        parts.append(f"{ends[0]} to {ends[1]} s")
    return ", ".join(parts)


def measure_headings(measures: pl.DataFrame, figures: Sequence[Declaration], *, heading: Callable[[str], str]) -> dict[str, str]:
    """Return the label of every measure with its heading, those of the figures first and variants of a definition last.

    Parameters
    ----------
    measures : polars.DataFrame
        The experiment's measures.
    figures : sequence of Curves or Histories
        What is drawn of them.
    heading : callable
        From a metric to its heading with the unit.

    Returns
    -------
    dict
        Label to heading.
    """
    qualifiers = [name for name in _QUALIFIERS if name in measures.columns]
    drawn = [figure.metric for figure in figures if isinstance(figure, Curves)]
    named = [
        (row["metric"], _label(row)) for row in measures.select("metric", *qualifiers).unique(maintain_order=True).iter_rows(named=True)
    ]

    def place(metric: str, label: str) -> tuple[int, int]:
        first = drawn.index(metric) if metric in drawn and label == metric else len(drawn)
        return first, int("@" in metric)

    ordered = sorted(named, key=lambda one: place(*one))
    return {label: heading(metric) + label.removeprefix(metric) for metric, label in ordered}


def stored_runs(results: Results, sections: Sequence[Section]) -> dict[str, StoredRun]:
    """Return the stored runs that some data point is measured on, in order of first use.

    Parameters
    ----------
    results : Results
        The folder.
    sections : sequence of Section
        With their points.

    Returns
    -------
    dict
        Key to where it is stored; a run that is no longer stored is not there.
    """
    stored = results.runs.names()
    wanted = dict.fromkeys(repeat.run for section in sections for point in section.points for repeat in point.every_repeat)
    return {key: StoredRun(results.runs.folder / stored[key], stored[key].rpartition(".")[2]) for key in wanted if key in stored}
