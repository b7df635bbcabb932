"""M, V and R: from selectors to the values of points, under every bootstrap resample at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from windtunnel.claims.fields import not_known
from windtunnel.claims.functions import Array, average, capped
from windtunnel.claims.model import MissingPoint, PointValue, PredicateError, PublishedCell, Register, Registered
from windtunnel.claims.query import Query, Selector
from windtunnel.claims.several import Part, Several
from windtunnel.claims.tables import MeasuresTable, Repeats
from windtunnel.scenario.errors import shown, unknown
from windtunnel.stats import bootstrap_indices

RESAMPLES = 200
Names = npt.NDArray[np.str_]


class Measurements:
    """The measures that one evaluation of one claim's predicate may read, and the record of those it did.

    Parameters
    ----------
    register : Register
        The register.
    tables : mapping of str to MeasuresTable
        Measures by experiment.
    claim, experiment : str
        Ids of the claim (which names the bootstrap's draws) and of its experiment.
    variant : str, optional
        Name of a variant of a metric.
    substituted : frozenset of str, optional
        The metrics in place of which that variant is read.
    """

    def __init__(
        self,
        register: Register,
        tables: Mapping[str, MeasuresTable],
        *,
        claim: str,
        experiment: str,
        variant: str = "",
        substituted: frozenset[str] = frozenset(),
    ) -> None:
        self._register = register
        self._tables = tables
        self._claim = claim
        self._experiment = experiment
        self._variant = variant
        self._substituted = substituted
        self._resamples: dict[tuple[str, int], npt.NDArray[np.intp]] = {}
        self._means: dict[int, Array | Names] = {}
        self._touched: dict[int, Repeats] = {}
        self.metrics: dict[str, set[str]] = {}

    @property
    def touched(self) -> tuple[Repeats, ...]:
        """The points that were read."""
        return tuple(self._touched.values())

    def experiment(self, name: PointValue | None = None) -> Registered:
        """Return an experiment by id; the claim's own without one."""
        wanted = self._experiment if name is None else name
        if not isinstance(wanted, str) or wanted not in self._register.experiments:
            raise PredicateError(not_known("experiment", wanted, self._register.experiments))
        return self._register.experiments[wanted]

    def mean(self, metric: str, selectors: Mapping[str, Selector]) -> Array | Names:
        """Return M: the mean over the repeats of a point, then over the points of the dimensions left out.

        Returns
        -------
        array, shape (RESAMPLES + 1,)
            The point estimate, then each resample; of names for a metric whose value is a name.
        """
        query = Query(self, metric, selectors)
        return self._mean(query, query.chosen)

    def along(
        self, metric: str, *, over: PointValue, lo: float | None, hi: float | None, selectors: Mapping[str, Selector]
    ) -> list[tuple[PointValue, Array | Names]]:
        """Return V: where, and M there, at every point along a dimension, in ascending order, names in the order of points."""
        query = Query(self, metric, selectors)
        places = query.experiment.points.get(str(over), ())
        return [(places[chosen[str(over)]], self._mean(query, chosen)) for chosen in query.steps(over, lo, hi)]

    def raw(self, metric: str, selectors: Mapping[str, Selector]) -> list[Array | Names]:
        """Return R: the repeats of one point in order of seed, infinities kept."""
        query = Query(self, metric, selectors)
        points = query.found(query.chosen)
        if len(points) != 1:
            raise PredicateError(f"R({metric!r}) selects {len(points)} points; allowed: one")
        values = np.array(self._touch(points[0]).values)
        return [values[column] for column in self._draws(points[0]).T]

    def cells(self, experiment: PointValue, path: PointValue) -> tuple[str, Sequence[PublishedCell]]:
        """Return the metric and the given cells of a published table."""
        tables = self.experiment(experiment).tables
        if not isinstance(path, str) or path not in tables:
            raise PredicateError(unknown("published table", path, tables))
        return tables[path].metric, tables[path].cells

    def table(self, experiment: Registered) -> MeasuresTable:
        """Return the measures of an experiment."""
        if experiment.id not in self._tables:
            raise MissingPoint(f"{experiment.id} was not run")
        return self._tables[experiment.id]

    def named(self, metric: str, experiment: Registered) -> str:
        """Return the name to look up for a metric, and remember that the predicate reads it."""
        if metric not in self._register.metrics:
            raise PredicateError(f"{shown(metric)} is not a known metric")
        self.metrics.setdefault(metric, set()).add(experiment.id)
        return f"{metric}@{self._variant}" if metric in self._substituted else metric

    def _touch(self, point: Repeats) -> Repeats:
        self._touched[id(point)] = point
        return point

    def _draws(self, point: Repeats) -> npt.NDArray[np.intp]:
        """Return indices of shape (RESAMPLES + 1, n): the repeats as they are, then each resample.

        They depend on the claim, the experiment and n alone, so all points of one experiment with equal repeats are resampled together.
        """
        key = (point.experiment.id, len(point.seeds))
        if key not in self._resamples:
            drawn = np.asarray(bootstrap_indices(key[1], RESAMPLES, name=f"{self._claim}/{key[0]}"), dtype=np.intp)
            self._resamples[key] = np.vstack([np.arange(key[1], dtype=np.intp)[None, :], drawn])
        return self._resamples[key]

    def _mean(self, query: Query, chosen: Mapping[str, int]) -> Array | Names:
        several = query.several
        if several is None or several.each_repeat:
            return self._mean_of(query.found(chosen), query.experiment)
        return average(np.stack([self._of_means(several, group, query.experiment) for group in query.groups(chosen, several)]))

    def _of_means(self, several: Several, group: Sequence[tuple[Part, Repeats]], experiment: Registered) -> Array:
        """Return a metric of several points from their means: on the estimates, then on each resample."""
        means = [capped(np.asarray(self._mean_of([repeats], experiment), dtype=np.float64), experiment.duration_s) for _, repeats in group]
        parts = [part for part, _ in group]
        columns = np.stack(means).T.tolist() if means else [[]] * (RESAMPLES + 1)
        return np.array(
            [
                several.function([replace(part, value=value) for part, value in zip(parts, column, strict=True)], experiment)
                for column in columns
            ]
        )

    def _mean_of(self, points: Sequence[Repeats], experiment: Registered) -> Array | Names:
        rows = [self._mean_of_repeats(self._touch(point)) for point in points]
        if len(rows) == 1:
            return rows[0]
        if any(row.dtype.kind == "U" for row in rows):
            raise PredicateError(f"{points[0].place}: names have no mean; select one point")
        return average(capped(np.stack(rows), experiment.duration_s))

    def _mean_of_repeats(self, point: Repeats) -> Array | Names:
        if id(point) not in self._means:
            drawn = np.array(point.values)[self._draws(point)]
            self._means[id(point)] = (
                _most_frequent(drawn) if drawn.dtype.kind == "U" else _mean_of_times(drawn, point.experiment.duration_s)
            )
        return self._means[id(point)]


def _mean_of_times(values: Array, duration_s: float) -> Array:
    """Return row means by the register's rule: infinite when more than half is, else infinity counts as the run's length."""
    mostly = np.mean(np.isposinf(values), axis=1) > 0.5
    return np.where(mostly, np.inf, average(capped(values, duration_s), axis=1))


def _most_frequent(names: Names) -> Names:
    """Return the most frequent name of each row; of equally frequent ones the first in order of the row."""
    return np.array([Counter(row).most_common(1)[0][0] for row in names.tolist()])
