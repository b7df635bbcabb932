"""Measures tables as points: which values, runs and digests stand behind each point of an experiment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import polars as pl

from windtunnel.claims.model import PointValue, PredicateError, Registered
from windtunnel.foreign import shown

Key: TypeAlias = tuple[tuple[int | None, ...], str | None, str | None, float | None, float | None]
"""Place of a value: index of the point along each dimension (None: of the whole dimension), then flow, state, t0, t1."""

_SAME = 1e-9  # Relative: a coordinate that went through text or arithmetic is still the same point.


@dataclass(frozen=True, eq=False)
class Repeats:
    """The repeats of one point, in order of seed; those without a value are left out and counted.

    Parameters
    ----------
    experiment : Registered
        Where it was measured.
    place : str
        The point in words.
    seeds : tuple of int, shape (n,)
        Seed of each repeat.
    values : tuple of float or str, shape (n,)
        One value per repeat, all numbers or all names.
    runs : frozenset of str
        Keys of the runs behind it.
    digests : tuple of str or None, shape (n,)
        Digest of each repeat's records.
    absent : int
        Repeats of this point that have no value.
    """

    experiment: Registered
    place: str
    seeds: tuple[int, ...]
    values: tuple[PointValue, ...]
    runs: frozenset[str]
    digests: tuple[str | None, ...]
    absent: int

    @property
    def deterministic(self) -> bool:
        """Whether repeats are not needed: a closed form, or two seeds that gave the same records."""
        if self.experiment.repeats == 0:
            return True
        known = [digest for digest in self.digests if digest]
        return len(known) > len(set(known))

    @property
    def too_few(self) -> bool:
        """Whether the experiment asks for more repeats than there are, and there are fewer than three."""
        return len(self.seeds) < min(3, self.experiment.repeats) and not self.deterministic


class MeasuresTable:
    """The measures of one experiment, found by metric and point.

    Parameters
    ----------
    experiment : Registered
        The experiment.
    frame : polars.DataFrame
        Columns ``seed``, ``metric``, ``value``, one per dimension, and optionally ``flow``, ``state``, ``t0``, ``t1``, ``text``, ``run``,
        ``digest``.

    Raises
    ------
    ValueError
        When a needed column is missing.
    """

    def __init__(self, experiment: Registered, frame: pl.DataFrame) -> None:
        for column in ("seed", "metric", "value"):
            if column not in frame.columns:
                raise ValueError(f"{experiment.id}: the table of measures has no column {column}")
        self.experiment = experiment
        self.dimensions = tuple(name for name in experiment.points if name != "flow")
        self.metrics = frozenset(str(name) for name in frame["metric"].unique().to_list())
        self._beside = {name: _beside(experiment.points[name], frame, name) for name in self.dimensions}
        self._frame = frame
        self._found: dict[str, dict[Key, Repeats]] = {}
        self._varies: dict[str, tuple[bool, ...]] = {}

    def places(self, name: str) -> tuple[PointValue, ...]:
        """Return what a selector may name along a dimension: the experiment's points, then the names that were run beside them."""
        return (*self.experiment.points[name], *self._beside.get(name, {}))

    def variants(self, metric: str) -> list[str]:
        """Return the names of the variants of a metric (``conv80_s@short_memory``: ``short_memory``), sorted."""
        return sorted(name.partition("@")[2] for name in self.metrics if name.startswith(f"{metric}@"))

    def points(self, metric: str) -> dict[Key, Repeats]:
        """Return the points of a metric that have a value, by key; empty when it was not measured.

        Raises
        ------
        PredicateError
            When one repeat of a point comes twice.
        """
        if metric not in self._found:
            self._found[metric] = self._collect(metric)
        return self._found[metric]

    def varies(self, metric: str) -> tuple[bool, ...]:
        """Return for each dimension whether the metric is given per point of it (and not once for the whole dimension)."""
        if metric not in self._varies:
            keys = self.points(metric)
            self._varies[metric] = tuple(any(key[0][index] is not None for key in keys) for index in range(len(self.dimensions)))
        return self._varies[metric]

    def _collect(self, metric: str) -> dict[Key, Repeats]:
        rows = self._frame.filter(pl.col("metric") == metric).sort("seed", maintain_order=True)
        coordinates = list(zip(*(self._indices(rows, name) for name in self.dimensions), strict=True)) or [()] * rows.height
        labels = [_column(rows, name) for name in ("flow", "state", "t0", "t1")]
        facts = zip(*(_column(rows, name) for name in ("seed", "value", "text", "run", "digest")), strict=True)
        grouped: dict[Key, list[tuple[Any, ...]]] = {}
        for where, flow, state, t0, t1, fact in zip(coordinates, *labels, facts, strict=True):
            if _ELSEWHERE not in where:
                key = (where, None if flow is None else str(flow), state, _number(t0), _number(t1))
                grouped.setdefault(key, []).append(fact)
        points = ((key, self._repeats(metric, key, rows_of_point)) for key, rows_of_point in grouped.items())
        return {key: point for key, point in points if point is not None}

    def _indices(self, rows: pl.DataFrame, name: str) -> list[int | None]:
        """Return for each row which point of a dimension it belongs to."""
        values, beside = self.experiment.points[name], self._beside[name]
        column = _column(rows, name)
        known = {value: _index(values, value) for value in set(column)}
        known |= {value: len(values) + index for index, value in enumerate(beside.values())}
        return [known[value] for value in column]

    def _repeats(self, metric: str, key: Key, rows: Sequence[tuple[Any, ...]]) -> Repeats | None:
        place = f"{self.experiment.id}: {metric} at {self.describe(key)}"
        seeds = [int(row[0]) for row in rows]
        if len(set(seeds)) < len(seeds):
            raise PredicateError(f"{place}: a seed comes twice in the table of measures")
        named = [row for row in rows if row[2] is not None]
        valued = named or [row for row in rows if row[1] is not None]
        if not valued:
            return None
        return Repeats(
            experiment=self.experiment,
            place=place,
            seeds=tuple(int(row[0]) for row in valued),
            values=tuple(str(row[2]) if named else float(row[1]) for row in valued),
            runs=frozenset(str(row[3]) for row in valued if row[3] is not None),
            digests=tuple(row[4] for row in valued),
            absent=len(rows) - len(valued),
        )

    def describe(self, key: Key) -> str:
        """Return a point in words: ``alg=reno, rtt=82``."""
        where, *labels = key
        words = [
            f"{name}={_shown(self.places(name)[index])}" for name, index in zip(self.dimensions, where, strict=True) if index is not None
        ]
        words += [f"{name}={_shown(label)}" for name, label in zip(("flow", "state", "t0", "t1"), labels, strict=True) if label is not None]
        return ", ".join(words) or "its only point"


_ELSEWHERE = -1  # Index of a row that belongs to no point of the experiment.


def _beside(points: Sequence[PointValue], frame: pl.DataFrame, name: str) -> dict[str, str]:
    """Return the names that were run beside the points: as a claim writes them (of a controller's file its name), and as the table does."""
    if name not in frame.columns or frame.schema[name] != pl.String:
        return {}
    run = sorted(str(value) for value in frame[name].drop_nulls().unique() if value not in points)
    written = {shown(value, run): value for value in run}
    return {key: value for key, value in written.items() if key not in points}


def same_number(a: object, b: object) -> bool:
    """Return whether two numbers are the same up to rounding; other things are the same when equal."""
    if isinstance(a, int | float) and isinstance(b, int | float):
        return math.isclose(a, b, rel_tol=_SAME)
    return a == b


def _index(points: Sequence[PointValue], value: object) -> int | None:
    if value is None:
        return None
    for index, point in enumerate(points):
        if same_number(point, value):
            return index
    return _ELSEWHERE


def _column(rows: pl.DataFrame, name: str) -> list[Any]:
    return rows[name].to_list() if name in rows.columns else [None] * rows.height


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
