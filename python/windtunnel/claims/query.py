"""One call of M, V or R: its table, its selectors as places along the dimensions, and the repeats they stand for."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from windtunnel.claims.derived import DERIVED, Swept, derive, together
from windtunnel.claims.grammar import OTHERS
from windtunnel.claims.model import MissingPoint, PointValue, PredicateError, Registered
from windtunnel.claims.several import SEVERAL, Part, Several
from windtunnel.claims.tables import Key, MeasuresTable, Repeats
from windtunnel.scenario.errors import shown

_REACH = 1.1 + 1e-9  # A selector takes a point within 10 % in ratio; the rest is for 110/100, which is no exact double.

Selector = PointValue | tuple[float, float]


@dataclass(frozen=True)
class _Itself:
    """A metric that is looked up as it is."""

    of: str


class Source(Protocol):
    """Where a call looks, and what is told what it reads."""

    def experiment(self, name: PointValue | None = None) -> Registered:
        """Return an experiment by id; the claim's own without one."""
        ...

    def table(self, experiment: Registered) -> MeasuresTable:
        """Return the measures of an experiment."""
        ...

    def named(self, metric: str, experiment: Registered) -> str:
        """Return the name to look up for a metric, and remember that the predicate reads it."""
        ...


class Query:
    """One call of M, V or R.

    Parameters
    ----------
    source : Source
        Where it looks, and what is told what it read.
    metric : str
        The metric.
    selectors : mapping of str to number or name
        The call's keywords.
    """

    def __init__(self, source: Source, metric: str, selectors: Mapping[str, Selector]) -> None:
        self.experiment = source.experiment(_name(selectors.get("exp"), "exp"))
        self.source = source
        self.table = source.table(self.experiment)
        self.metric = metric
        self.swept = self._sweep(metric, selectors.get("p"))
        self.several = None if self.swept or metric in self.table.metrics else SEVERAL.get(metric)
        base = (self.swept or self.several or _Itself(metric)).of
        source.named(metric, self.experiment)
        self.name = source.named(base, self.experiment)
        self.chosen: dict[str, int] = {}
        self.flow: str | None = None
        for name, value in selectors.items():
            if name == "flow":
                self.flow = _flow(value)
            elif name not in OTHERS and not isinstance(value, tuple):
                self.chosen[name] = self._snap(name, value)
        if self.swept and (self.swept.over in self.chosen or self.swept.over not in self.experiment.points):
            raise PredicateError(f"{metric} runs over the points along {self.swept.over}; it cannot be selected")
        missing = [name for name in (self.several.over if self.several else ()) if name not in self.experiment.points]
        if self.several and (missing or any(name in self.chosen for name in self.several.over)):
            raise PredicateError(f"{metric} runs over the points along {', '.join(self.several.over)}; they cannot be selected")
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
        index = snapped(value, self.table.places(name) if name != "flow" else points)
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
        kept = [index for index in order if within(points[index], lo, hi)]
        steps = [
            step for step in ({**self.chosen, str(over): index} for index in kept) if any(True for _ in self._offered(step, (str(over),)))
        ]
        if not steps:
            raise PredicateError(f"V({self.metric!r}) selects no point along {over}")
        return steps

    def groups(self, chosen: Mapping[str, int], several: Several) -> list[list[tuple[Part, Repeats]]]:
        """Return the parts of a metric of several points, with their repeats, for every point along the dimensions left out."""
        open_dimensions = [name for name in self.table.dimensions if name not in several.over and name not in chosen]
        found = []
        for selection in self._offered(chosen, open_dimensions):
            group = self._parts(selection, several)
            if several.reference:
                if not self.experiment.compared_with:
                    raise PredicateError(f"{self.experiment.id}: {self.metric} needs `compared_with`, an experiment to compare with")
                other = Query(self.source, several.of, {"exp": self.experiment.compared_with})
                places = {name: index for name, index in selection.items() if name in other.experiment.points}
                group += [(replace(part, reference=True), repeats) for part, repeats in other._parts(places, several)]
            found.append(group)
        if not found:
            raise MissingPoint(f"{self.experiment.id}: no point of {self.metric} is selected")
        return found

    def _parts(self, selection: Mapping[str, int], several: Several) -> list[tuple[Part, Repeats]]:
        plain = Query(self.source, several.of, {"exp": self.experiment.id})
        plain.flow, plain.rest, plain.name = self.flow, self.rest, self.name
        states = sorted({key[2] for key in self.table.points(self.name) if key[2] is not None}) if several.states else [self.rest[0]]
        if not states:
            raise MissingPoint(f"{self.experiment.id}: {several.of} was not measured")
        group = []
        for inner in self._offered(selection, several.over):
            point = self._named(inner)
            if not several.needs(self.experiment, point):
                continue
            for state in states:
                plain.rest = (state, *self.rest[1:])
                repeats = plain.found(inner)
                if len(repeats) != 1:
                    raise PredicateError(f"{self.metric} needs one point of {several.of} at {self.table.describe(self._key(inner))}")
                group.append((Part(point, 0.0, state), repeats[0]))
        return group

    def _named(self, selection: Mapping[str, int]) -> dict[str, PointValue]:
        return {
            name: (self.table.places(name) if name != "flow" else self.experiment.points[name])[index] for name, index in selection.items()
        }

    def found(self, chosen: Mapping[str, int]) -> list[Repeats]:
        """Return the points a selection stands for: one, or all along the dimensions left out."""
        if self.swept:
            return [derive(self.swept, group, self._rate(selection)) for selection, group in self._sweeps(chosen, self.swept)]
        if self.several:
            if not self.several.each_repeat:
                raise PredicateError(f"{self.metric} is of means over the repeats; it has no repeats of its own")
            return [together(self.several, group, self.metric) for group in self.groups(chosen, self.several)]
        points = self.table.points(self.name)
        varies = dict(zip(self.table.dimensions, self.table.varies(self.name), strict=True))
        kept = {name: index for name, index in chosen.items() if varies.get(name, name == "flow")}
        whole = self._key(kept)
        if whole in points:
            return [points[whole]]
        left_out = [name for name, given in varies.items() if given and name not in kept]
        keys = [self._key(selection) for selection in self._offered(chosen, left_out)]
        flows_open = "flow" in self.experiment.points and self.flow is None and "flow" not in kept
        if flows_open and not all(key in points for key in keys):  # Given per flow, and not once for the run.
            keys = [self._key(selection) for selection in self._offered(chosen, [*left_out, "flow"])]
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
        plain = Query(self.source, swept.of, {"exp": self.experiment.id})
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
        """Return the link rate of a selection, Mbit/s; None when the suite does not give one."""
        if "rate" in selection:
            return float(self.experiment.points["rate"][selection["rate"]])
        return self.experiment.rate_mbps

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
            win = points["win"][chosen["win"]]
            sites = [site for site in points["site"] if self.experiment.offers({"site": site, "win": win})]
            if not sites:
                return
        for indices in itertools.product(*(range(len(points[name])) for name in open_names)):
            selection = {**chosen, **dict(zip(open_names, indices, strict=True))}
            if self.experiment.offers(self._named(selection)):
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


def within(point: PointValue, lo: float | None, hi: float | None) -> bool:
    """Return whether a point lies within closed bounds, None for no bound; a name always does."""
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
