"""The table of an experiment, made of its measures."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence

import polars as pl

from windtunnel.foreign import shown
from windtunnel.report.model import CellValue, Estimate, Table
from windtunnel.stats import summarise


def table_of(
    measures: pl.DataFrame,
    *,
    dimensions: Mapping[str, str],
    metrics: Mapping[str, str],
    across: str | None = None,
    censored_at: float | None = None,
) -> Table:
    """Make a table with a row per point: a column per metric, or per value of one dimension.

    Parameters
    ----------
    measures : polars.DataFrame
        The measures table; rows with a flow, state or window of their own are left out.
    dimensions : mapping of str to str
        Column of the table of measures to heading, in the order of the columns; rows are in ascending order of the points, names in
        the order of the table.
    metrics : mapping of str to str
        Metric to heading, with its unit.
    across : str, optional
        A further dimension, normally ``alg``, whose values become the columns. Several metrics then have rows of
        their own; a single one is the table's caption.
    censored_at : float, optional
        What an infinite repeat counts as while at most half of a point's repeats are infinite.

    Returns
    -------
    Table
        Estimates; None where a point has no value.

    Raises
    ------
    ValueError
        When some repeats of a point are infinite and `censored_at` is not given.
    """
    keys = [*dimensions, *([across] if across else [])]
    groups = _repeats(measures, keys, metrics)
    cells = {place: estimate(values, censored_at) for place, values in groups.items()}
    names = {
        name: order for order, name in enumerate(dict.fromkeys(item for _, point in groups for item in point if isinstance(item, str)))
    }

    def order(point: tuple[str | float, ...]) -> list[float]:
        return [float(names[item]) if isinstance(item, str) else item for item in point]

    points = sorted({point[: len(dimensions)] for _, point in groups}, key=order)
    if across is None:
        rows = [[*point, *(cells.get((metric, point)) for metric in metrics)] for point in points]
        places = {
            (row, len(dimensions) + column): dict(zip(keys, point, strict=True))
            for row, point in enumerate(points)
            for column in range(len(metrics))
        }
        return Table([*dimensions.values(), *metrics.values()], rows, places=places)
    values = sorted({point[-1:] for _, point in groups}, key=order)
    rows = []
    places = {}
    for metric, heading in metrics.items():
        for point in points:
            row = [cells.get((metric, (*point, *value))) for value in values]
            if any(cell is not None for cell in row):
                leading = [*([heading] if len(metrics) > 1 else []), *point]
                places |= {
                    (len(rows), len(leading) + column): dict(zip(keys, (*point, *value), strict=True))
                    for column, value in enumerate(values)
                }
                rows.append([*leading, *row])
    columns = [*(["metric"] if len(metrics) > 1 else []), *dimensions.values(), *(shown(str(value)) for (value,) in values)]
    return Table(columns, rows, caption=next(iter(metrics.values())) if len(metrics) == 1 else "", places=places)


def _repeats(
    measures: pl.DataFrame, keys: Sequence[str], metrics: Mapping[str, str]
) -> dict[tuple[str, tuple[str | float, ...]], list[float]]:
    """Collect the values of every metric at every point, in order of the seeds."""
    plain = measures.filter(*(pl.col(column).is_null() for column in ("flow", "state", "t0", "t1") if column in measures.columns))
    groups: dict[tuple[str, tuple[str | float, ...]], list[float]] = {}
    for *point, metric, value in plain.sort("seed", maintain_order=True).select(*keys, "metric", "value").iter_rows():
        if metric in metrics and None not in point:
            repeats = groups.setdefault((metric, tuple(point)), [])
            if value is not None and not math.isnan(value):
                repeats.append(value)
    return groups


def estimate(values: Sequence[float], censored_at: float | None) -> Estimate | None:
    """Return the mean of repeats with its errors; None of no repeats. An infinite repeat counts as `censored_at`, as in `table_of`."""
    if not values:
        return None
    summary = summarise(values, censored_at=censored_at)
    return Estimate(summary.mean, summary.sem, summary.low, summary.high, summary.n, summary.infinite)


def to_csv(table: Table) -> str:
    """Write a table in full precision; an estimate takes six columns.

    Parameters
    ----------
    table : Table
        What to write.

    Returns
    -------
    str
        Comma-separated, a heading first; empty cells where there is no value.
    """
    wide = [any(isinstance(row[column], Estimate) for row in table.rows) for column in range(len(table.columns))]
    suffixes = ("mean", "standard error", "95 % low", "95 % high", "n", "infinite")
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    headings: list[str] = []
    for name, spread in zip(table.columns, wide, strict=True):
        headings += [f"{name}: {suffix}" for suffix in suffixes] if spread else [name]
    writer.writerow(headings)
    for row in table.rows:
        cells: list[CellValue] = []
        for value, spread in zip(row, wide, strict=True):
            if isinstance(value, Estimate):
                parts = (value.mean, value.sem, value.low, value.high)
                cells += [*("" if math.isnan(part) else part for part in parts), value.n, value.infinite]
            else:
                cells += [value, *[None] * 5] if spread else [value]
        writer.writerow(cells)
    return buffer.getvalue()
