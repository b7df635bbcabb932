"""From two results folders to rows: one quantity of one algorithm in one scenario each, judged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from windtunnel.agreement.grid import ALONE_S, BRIEF, BRIEF_S, ONE, STARTS, together_s
from windtunnel.agreement.judging import DIFFERS, INCONCLUSIVE, USUAL, Judgement, judge
from windtunnel.agreement.measures import RETRANSMITTED
from windtunnel.agreement.quantities import QUANTITIES, TRAJECTORY, Quantity
from windtunnel.agreement.runs import DIMENSIONS, Point, stored_run
from windtunnel.agreement.starts import judge_starts
from windtunnel.agreement.trajectory import distance
from windtunnel.stats import Summary, summarise
from windtunnel.store import Results


@dataclass(frozen=True)
class Row:
    """One quantity of one algorithm in one scenario.

    Parameters
    ----------
    experiment : str
        The arrangement of flows, by its experiment's id.
    point : Point
        Protocol, rate (Mbit/s), RTT (ms), queue (BDP).
    quantity : str
        A key of `QUANTITIES`.
    found : Judgement
        Both sides and the verdict.
    beside : Summary or None
        What a third side measured, which is shown and not judged.
    """

    experiment: str
    point: Point
    quantity: str
    found: Judgement
    beside: Summary | None = None

    @property
    def algorithm(self) -> str:
        """The protocol."""
        return self.point[0]

    @property
    def verdict(self) -> str:
        """One of `VERDICTS`."""
        return self.found.verdict

    @property
    def about(self) -> Quantity:
        """What the quantity is."""
        return QUANTITIES[self.quantity]


def compare(
    sim: Results, linux: Results, experiments: Sequence[str], algorithms: Sequence[str], called: tuple[str, str] = USUAL
) -> list[Row]:
    """Compare what two folders hold.

    Parameters
    ----------
    sim, linux : Results
        Measured by the first side and by the second.
    experiments : sequence of str
        Their ids.
    algorithms : sequence of str
        The protocols.
    called : tuple of str
        What notes call the sides.

    Returns
    -------
    list of Row
        By experiment, protocol, path and quantity; of points that both folders hold.

    Raises
    ------
    ResultsError
        When something stored is missing or damaged.
    """
    rows: list[Row] = []
    for experiment in experiments:
        ours, theirs = (measured_points(side.measures(experiment)) for side in (sim, linux))
        for algorithm in algorithms:
            for point in (point for point in ours if point[0] == algorithm and point in theirs):
                if experiment == STARTS:
                    rows.append(_trajectory(point, ours[point], theirs[point], sim, linux))
                else:
                    rows += rows_of_point(experiment, point, ours[point], theirs[point], called)
    return rows


def with_beside(rows: Sequence[Row], third: Results) -> list[Row]:
    """Return rows with what a third side measured of the same.

    Parameters
    ----------
    rows : sequence of Row
        Of `compare`.
    third : Results
        Measured by the third side.

    Returns
    -------
    list of Row
        In the same order; what the third side has not stays without.

    Raises
    ------
    ResultsError
        When something stored is missing or damaged.
    """
    stored = {experiment: measured_points(third.measures(experiment)) for experiment in dict.fromkeys(row.experiment for row in rows)}

    def one(row: Row) -> Row:
        there = stored[row.experiment].get(row.point)
        values = there.values.get(row.quantity) if there is not None else None
        return replace(row, beside=summarise([*values.values()], censored_at=_longest_s(row.experiment, row.point))) if values else row

    return [one(row) for row in rows]


def _longest_s(experiment: str, point: Point) -> float:
    fixed = {ONE: ALONE_S, BRIEF: BRIEF_S}
    return fixed[experiment] if experiment in fixed else together_s(dict(zip(DIMENSIONS, point, strict=True)))


@dataclass(frozen=True)
class Measured:
    """What one side measured at a point.

    Parameters
    ----------
    values : dict of str to dict of int to float
        By metric, of the seeds that have one.
    runs : dict of int to str
        The key of each seed's run.
    """

    values: dict[str, dict[int, float]]
    runs: dict[int, str]


def measured_points(measures: pl.DataFrame) -> dict[Point, Measured]:
    """Return what one side measured at each point of an experiment, in the order of its table."""
    found: dict[Point, Measured] = {}
    for row in measures.sort("seed", maintain_order=True).iter_rows(named=True):
        point = (str(row["alg"]), float(row["rate"]), float(row["rtt"]), float(row["q"]))
        there = found.setdefault(point, Measured({}, {}))
        there.runs[int(row["seed"])] = str(row["run"])
        values = there.values.setdefault(row["metric"], {})
        if row["value"] is not None:
            values[int(row["seed"])] = float(row["value"])
    return found


def rows_of_point(experiment: str, point: Point, ours: Measured, theirs: Measured, called: tuple[str, str] = USUAL) -> list[Row]:
    """Return the rows of one point, in the order of `QUANTITIES`, without the trajectory's."""
    drawn = experiment != ONE
    longest_s = _longest_s(experiment, point)
    rows = []
    for name, about in QUANTITIES.items():
        if name in ours.values and name in theirs.values:
            first, second = ours.values[name], theirs.values[name]
            if about.paired:
                first, second = _shared(first, second), _shared(second, first)
            found = judge([*first.values()], [*second.values()], about, drawn=drawn, longest_s=longest_s, called=called)
            rows.append(Row(experiment, point, name, _doubted(found, ours, theirs) if name == "loss_ovh" and not drawn else found))
    return rows


def _shared(values: dict[int, float], others: dict[int, float]) -> dict[int, float]:
    return {seed: value for seed, value in values.items() if seed in others}


FEW_PACKETS = 5
"""Of one run, so many retransmissions more or less are how a burst met the end of the queue."""


def _doubted(found: Judgement, ours: Measured, theirs: Measured) -> Judgement:
    """Take back a verdict that a few packets of a single run decide."""
    counts = [count for side in (ours, theirs) for count in side.values[RETRANSMITTED].values()]
    if found.verdict != DIFFERS or len(counts) != 2 or abs(counts[0] - counts[1]) >= FEW_PACKETS:
        return found
    return replace(found, verdict=INCONCLUSIVE, note=f"{counts[0]:g} and {counts[1]:g} packets: too few to tell")


def _trajectory(point: Point, ours: Measured, theirs: Measured, sim: Results, linux: Results) -> Row:
    """Compare the windows of one flow, start by start."""
    pairs = [(ours.runs[seed], theirs.runs[seed]) for seed in ours.runs if seed in theirs.runs]
    found = [distance(stored_run(sim, first, point), stored_run(linux, second, point)) for first, second in pairs]
    return Row(STARTS, point, TRAJECTORY, judge_starts(found, QUANTITIES[TRAJECTORY].tolerance))


def row_json(row: Row, keys: Sequence[str] = ("sim", "linux")) -> dict[str, Any]:
    """Return a row as an object of JSON types; what is not there is null, and so are infinite means, whose repeats are counted.

    Parameters
    ----------
    row : Row
        The row.
    keys : sequence of str
        Under which the sides stand: both, and the third that is shown beside them, if there is one.
    """

    def side(summary: Summary | None) -> dict[str, Any] | None:
        if summary is None:
            return None
        numbers = {"mean": summary.mean, "sem": summary.sem, "low": summary.low, "high": summary.high}
        finite = {name: value if math.isfinite(value) else None for name, value in numbers.items()}
        return {**finite, "n": summary.n, "infinite": summary.infinite}

    algorithm, rate, rtt, q = row.point
    return {
        "algorithm": algorithm,
        "scenario": {"experiment": row.experiment, "rate_mbps": rate, "rtt_ms": rtt, "queue_bdp": q},
        "quantity": row.quantity,
        "unit": row.about.unit,
        keys[0]: side(row.found.sim),
        keys[1]: side(row.found.linux),
        **{name: side(row.beside) for name in keys[2:]},
        "difference": row.found.difference,
        "low": row.found.low,
        "high": row.found.high,
        "relative": row.about.relative,
        "tolerance": row.about.tolerance,
        "verdict": row.verdict,
        "note": row.found.note,
    }
