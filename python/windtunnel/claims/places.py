"""Where predicates read: the points of an experiment that they may ask for, as far as their text says.

What the text leaves open counts as all of a dimension; so a claim that has a value at all these points can be evaluated.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from windtunnel.claims.derived import DERIVED, Swept
from windtunnel.claims.grammar import OTHERS
from windtunnel.claims.model import Claim, PointValue, Registered
from windtunnel.claims.query import snapped, within
from windtunnel.claims.references import MEASURED
from windtunnel.claims.several import SEVERAL
from windtunnel.claims.tables import same_number

_Constants = frozenset[float | str]
_Bound = Mapping[str, _Constants | None]
"""What the names of comprehensions may stand for; None where it is not known."""


@dataclass(frozen=True)
class Places:
    """Points of an experiment.

    Parameters
    ----------
    boxes : tuple of mapping of str to tuple
        A point is one of these when in one box each of its values is among those listed; a dimension that a box does not list is all of it.
    """

    boxes: tuple[Mapping[str, tuple[PointValue, ...]], ...]

    def __call__(self, point: Mapping[str, Any]) -> bool:
        """Return whether a point is one of these."""
        return any(all(_is_among(point[name], values) for name, values in box.items() if name in point) for box in self.boxes)


def experiments_asked(claim: Claim, experiments: Mapping[str, Registered]) -> frozenset[str]:
    """Return the experiments whose measures a claim's predicate reads, those included that its own are compared with."""
    return frozenset[str]().union(*(_asked(call, bound, claim, experiments) for call, bound in _calls(claim.tree, {})))


def places_read(claims: Iterable[Claim], id: str, experiments: Mapping[str, Registered]) -> Places:
    """Return the points of an experiment that claims may read.

    Parameters
    ----------
    claims : iterable of Claim
        Of a register.
    id : str
        The experiment's.
    experiments : mapping of str to Registered
        All of the register.
    """
    calls = ((claim, call, bound) for claim in claims for call, bound in _calls(claim.tree, {}))
    return Places(
        tuple(_box(call, bound, experiments[id]) for claim, call, bound in calls if id in _asked(call, bound, claim, experiments))
    )


def _asked(call: ast.Call, bound: _Bound, claim: Claim, experiments: Mapping[str, Registered]) -> frozenset[str]:
    """Return the experiments that a call reads measures of; all where its text does not say."""
    if _called(call) == "frac_within":
        named = _constants(call.args[0], bound)
    else:
        named = next((_constants(one.value, bound) for one in call.keywords if one.arg == "exp"), frozenset({claim.experiment}))
    if named is None:
        return frozenset(experiments)
    own = frozenset(str(one) for one in named) & experiments.keys()
    return own | {experiments[id].compared_with for id in own if _compares(call) and experiments[id].compared_with}


def _compares(call: ast.Call) -> bool:
    """Return whether a call's metric is one that reads the experiment to compare with too."""
    metric = call.args[0].value if isinstance(call.args[0], ast.Constant) else None
    return isinstance(metric, str) and metric in SEVERAL and SEVERAL[metric].reference


def _calls(node: ast.AST, bound: _Bound) -> Iterator[tuple[ast.Call, _Bound]]:
    if isinstance(node, ast.GeneratorExp | ast.ListComp):
        inner = dict(bound)
        for loop in node.generators:
            yield from _calls(loop.iter, inner)
            inner |= _taken(loop.target, loop.iter, inner)
        yield from _calls(node.elt, inner)
        return
    if isinstance(node, ast.Call) and _called(node) in (*MEASURED, "frac_within"):
        yield node, bound
    for part in ast.iter_child_nodes(node):
        yield from _calls(part, bound)


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _taken(target: ast.expr, source: ast.expr, bound: _Bound) -> dict[str, _Constants | None]:
    """Return what the names of a comprehension may stand for."""
    if isinstance(target, ast.Name):
        return {target.id: _constants(source, bound)}
    if not isinstance(target, ast.Tuple):
        return {}
    places = range(len(target.elts))
    if isinstance(source, ast.Call) and _called(source) == "zip":
        columns = [_constants(argument, bound) for argument in source.args]
    elif isinstance(source, ast.List | ast.Tuple) and all(isinstance(row, ast.List | ast.Tuple) for row in source.elts):
        rows = [row.elts for row in source.elts if isinstance(row, ast.List | ast.Tuple)]
        columns = [_joined([_constants(row[place], bound) for row in rows if place < len(row)]) for place in places]
    else:
        columns = []
    names = {place: name.id for place, name in enumerate(target.elts) if isinstance(name, ast.Name)}
    return {name: columns[place] if place < len(columns) else None for place, name in names.items()}


def _constants(node: ast.expr, bound: _Bound) -> _Constants | None:
    """Return the numbers and names that an expression may be, or a list may hold; None where the text does not say."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float | str):
        return frozenset({node.value})
    if isinstance(node, ast.Name):
        return bound.get(node.id)
    if isinstance(node, ast.List | ast.Tuple):
        return _joined([_constants(part, bound) for part in node.elts])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and isinstance(node.left, ast.List):
        return _joined([_constants(side, bound) for side in (node.left, node.right)])
    return None


def _joined(parts: list[_Constants | None]) -> _Constants | None:
    known = [part for part in parts if part is not None]
    return frozenset[float | str]().union(*known) if len(known) == len(parts) else None


def _box(call: ast.Call, bound: _Bound, experiment: Registered) -> dict[str, tuple[PointValue, ...]]:
    """Return the values along the dimensions that a call names."""
    box: dict[str, tuple[PointValue, ...]] = {}
    given = {str(one.arg): one.value for one in call.keywords}
    for name, value in given.items():
        if name in OTHERS or name == "flow" or name not in experiment.points:
            continue
        if isinstance(value, ast.Tuple):
            chosen = _swept(call, value, bound, experiment)
        else:
            chosen = _snapped(_constants(value, bound), experiment.points[name])
        if chosen is not None:
            box[name] = chosen
    over = given.get("over")
    if isinstance(over, ast.Constant) and over.value in experiment.points and over.value != "flow":
        low, high = (_number(given.get(name), bound) for name in ("lo", "hi"))
        box[str(over.value)] = tuple(point for point in experiment.points[str(over.value)] if within(point, low, high))
    return box


def _swept(call: ast.Call, interval: ast.Tuple, bound: _Bound, experiment: Registered) -> tuple[PointValue, ...] | None:
    """Return the points that a metric of several points is made of."""
    metric = call.args[0].value if isinstance(call.args[0], ast.Constant) else None
    bounds = [_number(end, bound) for end in interval.elts]
    if not isinstance(metric, str) or metric not in DERIVED or len(bounds) != 2 or bounds[0] is None or bounds[1] is None:
        return None
    swept = Swept(metric, (bounds[0], bounds[1]))
    return tuple(point for point in experiment.points[swept.over] if not isinstance(point, str) and swept.holds(point))


def _snapped(values: _Constants | None, points: tuple[PointValue, ...]) -> tuple[PointValue, ...] | None:
    """Return the points that selectors take; None where one of them takes none that is listed."""
    places = [snapped(value, points) for value in values or ()]
    return None if values is None or None in places else tuple(points[place] for place in places if place is not None)


def _number(node: ast.expr | None, bound: _Bound) -> float | None:
    values = None if node is None else _constants(node, bound)
    only = next(iter(values)) if values is not None and len(values) == 1 else None
    return only if isinstance(only, int | float) else None


def _is_among(value: Any, values: tuple[PointValue, ...]) -> bool:
    return any(same_number(value, one) or str(value) == one for one in values)
