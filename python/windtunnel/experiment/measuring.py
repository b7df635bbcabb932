"""From stored runs to an experiment's measures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from windtunnel.experiment.functions import called
from windtunnel.experiment.model import Experiment, Measure
from windtunnel.experiment.plan import PointRepeat
from windtunnel.metrics import View, measured
from windtunnel.records import Records

MEASURE_COLUMNS: Mapping[str, pl.DataType] = {
    "seed": pl.Int64(),
    "metric": pl.String(),
    "flow": pl.String(),
    "state": pl.String(),
    "t0": pl.Float64(),
    "t1": pl.Float64(),
    "value": pl.Float64(),
    "text": pl.String(),
    "run": pl.String(),
    "digest": pl.String(),
}


class MeasuredRun:
    """One run as several experiments measure it: what two of them ask of it is measured once.

    Parameters
    ----------
    records : Records
        What is stored of the run.
    """

    def __init__(self, records: Records) -> None:
        self._records = records
        self._views: dict[Any, View] = {}
        self._known: dict[tuple[Any, ...], float | str | None] = {}

    def rows(self, cell: PointRepeat, measures: Sequence[Measure]) -> list[dict[str, Any]]:
        """Measure the run for one cell.

        Parameters
        ----------
        cell : PointRepeat
            The point and repeat it answers.
        measures : sequence of Measure
            What to measure.

        Returns
        -------
        list of dict
            One row per measure, without the point's dimensions; `value` None where there is none.

        Raises
        ------
        MeasureFailed
            When a user's function fails.
        """
        digest, view = self._records.digest(), View(self._records, cell.point, {file: name for name, file in cell.files.items()})
        rows = []
        for one in measures:
            value = self._value(one, cell, view)
            number = None if value is None or isinstance(value, str) or math.isnan(value) else float(value)
            rows.append(
                {
                    "seed": cell.seed,
                    "metric": one.metric,
                    "flow": one.flow,
                    "state": one.state,
                    "t0": one.t0,
                    "t1": one.t1,
                    "value": number,
                    "text": value if isinstance(value, str) else None,
                    "run": cell.key,
                    "digest": digest,
                }
            )
        return rows

    def _value(self, one: Measure, cell: PointRepeat, view: View) -> float | str | None:
        if one.function is not None:
            where = ", ".join([*(f"{name}={value}" for name, value in cell.point.items()), f"seed {cell.seed}"])
            return called(one.metric, one.function, view, where)
        # Of a point a metric reads the protocol alone.
        protocol = cell.point.get("alg")
        asked = (protocol, one.metric, one.flow, one.t0, one.t1)
        if asked not in self._known:
            shared = self._views.setdefault(protocol, view)
            self._known[asked] = measured(one.metric, shared, flow=one.flow, t0=one.t0, t1=one.t1)
        return self._known[asked]


def table(
    experiment: Experiment, points: Mapping[str, Sequence[Any]], rows: Iterable[tuple[PointRepeat, list[dict[str, Any]]]]
) -> pl.DataFrame:
    """Put an experiment's measured rows into its measures table.

    Parameters
    ----------
    experiment : Experiment
        Whose rows they are.
    points : mapping of str to sequence
        Its grid.
    rows : iterable of (PointRepeat, list of dict)
        From `MeasuredRun.rows`.

    Returns
    -------
    polars.DataFrame
        Columns: the dimensions, then those of `MEASURE_COLUMNS`; sorted as the grid is.
    """
    schema = {name: _dimension(values) for name, values in points.items()} | dict(MEASURE_COLUMNS)
    flat = [{**plain(cell.point), **row} for cell, own in rows for row in own]
    return pl.DataFrame(flat, schema=schema)


def _dimension(values: Sequence[Any]) -> pl.DataType:
    return pl.String() if any(isinstance(value, str) for value in values) else pl.Float64()


def plain(point: Mapping[str, Any]) -> dict[str, Any]:
    """Return a point with its numbers as floats, as the measures table has them."""
    return {name: value if isinstance(value, str) else float(value) for name, value in point.items()}
