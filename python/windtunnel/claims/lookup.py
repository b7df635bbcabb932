"""M, V and R: from selectors to the values of points, under every bootstrap resample at once."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from windtunnel.claims.derived import DERIVED, Swept, derive
from windtunnel.claims.fields import not_known
from windtunnel.claims.functions import Array, average, capped
from windtunnel.claims.grammar import DIMENSIONS
from windtunnel.claims.model import Cell, Experiment, MissingPoint, PointValue, PredicateError, Register
from windtunnel.claims.tables import Key, MeasuresTable, Repeats
from windtunnel.scenario.errors import shown, unknown
from windtunnel.stats import bootstrap_indices

RESAMPLES = 200
_REACH = 1.1 + 1e-9  # A selector takes a point within 10 % in ratio; the rest is for 110/100, which is no exact double.

Selector = PointValue | tuple[float, float]
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

    def experiment(self, name: PointValue | None = None) -> Experiment:
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
        query = _Query(self, metric, selectors)
        return self._mean_of(query.found(query.chosen), query.experiment)

    def along(
        self, metric: str, *, over: PointValue, lo: float | None, hi: float | None, selectors: Mapping[str, Selector]
    ) -> list[Array | Names]:
        """Return V: M at every point along a dimension, in ascending order, names in the order of points."""
        query = _Query(self, metric, selectors)
        steps = query.steps(over, lo, hi)
        return [self._mean_of(query.found(chosen), query.experiment) for chosen in steps]

    def raw(self, metric: str, selectors: Mapping[str, Selector]) -> list[Array | Names]:
        """Return R: the repeats of one point in order of seed, infinities kept."""
        query = _Query(self, metric, selectors)
        points = query.found(query.chosen)
        if len(points) != 1:
            raise PredicateError(f"R({metric!r}) selects {len(points)} points; allowed: one")
        values = np.array(self._touch(points[0]).values)
        return [values[column] for column in self._draws(points[0]).T]

    def cells(self, experiment: PointValue, path: PointValue) -> tuple[str, Sequence[Cell]]:
        """Return the metric and the given cells of a published table."""
        tables = self.experiment(experiment).tables
        if not isinstance(path, str) or path not in tables:
            raise PredicateError(unknown("published table", path, tables))
        return tables[path].metric, tables[path].cells

    def table(self, experiment: Experiment) -> MeasuresTable:
        """Return the measures of an experiment."""
        if experiment.id not in self._tables:
            raise MissingPoint(f"{experiment.id} was not run")
        return self._tables[experiment.id]

    def named(self, metric: str, experiment: Experiment) -> str:
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

    def _mean_of(self, points: Sequence[Repeats], experiment: Experiment) -> Array | Names:
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


class _Query:
    """One call of M, V or R: its table, and its selectors as places along the dimensions."""

    def __init__(self, source: Measurements, metric: str, selectors: Mapping[str, Selector]) -> None:
        self.experiment = source.experiment(_name(selectors.get("exp"), "exp"))
        self.source = source
        self.table = source.table(self.experiment)
        self.metric = metric
        self.swept = self._sweep(metric, selectors.get("p"))
        base = self.swept.of if self.swept else metric
        source.named(metric, self.experiment)
        self.name = source.named(base, self.experiment)
        self.chosen: dict[str, int] = {}
        self.flow: str | None = None
        for name, value in selectors.items():
            if name == "flow":
                self.flow = _flow(value)
            elif name in DIMENSIONS and not isinstance(value, tuple):
                self.chosen[name] = self._snap(name, value)
        if self.swept and (self.swept.over in self.chosen or self.swept.over not in self.experiment.points):
            raise PredicateError(f"{metric} runs over the points along {self.swept.over}; it cannot be selected")
        self.rest = (_name(selectors.get("state"), "state"), _time(selectors.get("t0")), _time(selectors.get("t1")))

    def _sweep(self, metric: str, interval: Selector | None) -> Swept | None:
        bounds = interval if isinstance(interval, tuple) else None
        if bounds is not None and metric != "rf_slope":
            raise PredicateError(f"{metric}: an interval of p is allowed with rf_slope only")
        if metric not in DERIVED or (bounds is None and metric in self.table.metrics):
            return None
        return Swept(metric, bounds)

    def _snap(self, name: str, value: PointValue) -> int:
        points = self.experiment.points.get(name)
        if points is None:
            raise PredicateError(f"selector {name}: {self.experiment.id} has no such dimension")
        if name == "maxrtt_err" and value == "large":
            return max(range(len(points)), key=lambda index: points[index])
        index = snapped(value, points)
        if index is None:
            raise MissingPoint(f"{self.experiment.id}: {name}={shown(value)} is out of reach of its points")
        return index

    def steps(self, over: PointValue, lo: float | None, hi: float | None) -> list[dict[str, int]]:
        """Return the selection at every point along a dimension, within closed bounds."""
        points = self.experiment.points.get(str(over))
        if points is None or over in self.chosen or (over == "flow" and self.flow is not None) or (self.swept and over == self.swept.over):
            raise PredicateError(f"over={shown(over)} is not a dimension of {self.experiment.id} that is left open")
        numbers = all(isinstance(point, float) for point in points)
        if (lo is not None or hi is not None) and not numbers:
            raise PredicateError(f"over={shown(over)}: names have no bounds lo and hi")
        order = sorted(range(len(points)), key=lambda index: points[index]) if numbers else range(len(points))
        kept = [index for index in order if _within(points[index], lo, hi)]
        steps = [
            step for step in ({**self.chosen, str(over): index} for index in kept) if any(True for _ in self._offered(step, (str(over),)))
        ]
        if not steps:
            raise PredicateError(f"V({self.metric!r}) selects no point along {over}")
        return steps

    def found(self, chosen: Mapping[str, int]) -> list[Repeats]:
        """Return the points a selection stands for: one, or all along the dimensions left out."""
        if self.swept:
            return [derive(self.swept, group, self._rate(selection)) for selection, group in self._sweeps(chosen, self.swept)]
        points = self.table.points(self.name)
        varies = dict(zip(self.table.dimensions, self.table.varies(self.name), strict=True))
        kept = {name: index for name, index in chosen.items() if varies.get(name, name == "flow")}
        whole = self._key(kept)
        if whole in points:
            return [points[whole]]
        left_out = [name for name, given in varies.items() if given and name not in kept]
        if "flow" in self.experiment.points and self.flow is None and "flow" not in kept:
            left_out.append("flow")
        keys = [self._key(selection) for selection in self._offered(chosen, left_out)]
        for key in keys:
            if key not in points:
                raise MissingPoint(f"{self.experiment.id}: {self.name} has no value at {self.table.describe(key)}")
        if not keys:
            raise MissingPoint(f"{self.experiment.id}: no point is selected")
        return [points[key] for key in keys]

    def _sweeps(self, chosen: Mapping[str, int], swept: Swept) -> Iterator[tuple[Mapping[str, int], list[tuple[float, Repeats]]]]:
        values = self.experiment.points[swept.over]
        inside = sorted(
            (float(value), index) for index, value in enumerate(values) if not isinstance(value, str) and swept.holds(float(value))
        )
        if not inside:
            raise PredicateError(f"{self.metric} selects no point along {swept.over}")
        open_dimensions = [name for name in self.table.dimensions if name != swept.over and name not in chosen]
        plain = _Query(self.source, swept.of, {})
        plain.flow, plain.rest, plain.name = self.flow, self.rest, self.name
        for selection in self._offered(chosen, open_dimensions):
            group = []
            for value, index in inside:
                found = plain.found({**selection, swept.over: index})
                if len(found) != 1:
                    raise PredicateError(f"{self.metric} needs one point of {swept.of} at each {swept.over}")
                group.append((value, found[0]))
            yield selection, group

    def _rate(self, selection: Mapping[str, int]) -> float | None:
        """Return the link rate of a selection, Mbit/s; None when the register does not give one."""
        if "rate" in selection:
            return float(self.experiment.points["rate"][selection["rate"]])
        given = self.experiment.topology.get("bottleneck_mbps")
        return float(given) if isinstance(given, int | float) and not isinstance(given, bool) else None

    def _key(self, selection: Mapping[str, int]) -> Key:
        varies = self.table.varies(self.name)
        where = tuple(selection.get(name) if given else None for name, given in zip(self.table.dimensions, varies, strict=True))
        flow = _flow(self.experiment.points["flow"][selection["flow"]]) if "flow" in selection else self.flow
        return (where, flow, *self.rest)

    def _offered(self, chosen: Mapping[str, int], left_out: Sequence[str]) -> Iterator[dict[str, int]]:
        """Yield every way to fill the dimensions left out, except windows that a site does not offer."""
        points = self.experiment.points
        open_names = [name for name in left_out if name not in chosen]
        if "win" in points and "site" in points and "win" in chosen and "site" not in chosen and "site" not in open_names:
            # The windows differ by site, so a window alone is a point only where some site offers it.
            sites = [site for site in points["site"] if self.experiment.offers(site, points["win"][chosen["win"]])]
            if not sites:
                return
        for indices in itertools.product(*(range(len(points[name])) for name in open_names)):
            selection = {**chosen, **dict(zip(open_names, indices, strict=True))}
            site, win = (points[name][selection[name]] if name in selection else None for name in ("site", "win"))
            if self.experiment.offers(site, win):
                yield selection


def snapped(value: PointValue, points: Sequence[PointValue]) -> int | None:
    """Return the index of the point that a selector takes.

    Parameters
    ----------
    value : float or str
        The selector's value.
    points : sequence of float or str, shape (n,)
        The points along its dimension.

    Returns
    -------
    int or None
        For a number the point nearest in ratio, which must lie within 10 % of it (zero takes only zero); for a name the same name.
        None when there is none in reach.
    """
    if isinstance(value, str):
        return points.index(value) if value in points else None
    best: tuple[float, int] | None = None
    for index, point in enumerate(points):
        if isinstance(point, str):
            continue
        if point == value:
            return index
        if point > 0 and value > 0:
            ratio = max(point / value, value / point)
            if ratio <= _REACH and (best is None or ratio < best[0]):
                best = (ratio, index)
    return None if best is None else best[1]


def _within(point: PointValue, lo: float | None, hi: float | None) -> bool:
    if isinstance(point, str):
        return True
    return (lo is None or point >= lo) and (hi is None or point <= hi)


def _flow(value: object) -> str:
    """Return a flow selector as the tables write it: ``1``, ``sum``, a protocol's name."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    raise PredicateError(f"flow={shown(value)} is not a flow's number or name")


def _name(value: object, selector: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise PredicateError(f"{selector}={shown(value)} is not a name")


def _time(value: object) -> float | None:
    if value is None or isinstance(value, float):
        return value
    raise PredicateError(f"t0 and t1 take a number of seconds, not {shown(value)}")
