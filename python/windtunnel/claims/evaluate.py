"""Walking a predicate's tree: its truth on the estimates and on every resample, in one pass.

Nothing is executed: the tree holds only what `windtunnel.claims.grammar` admits, and each construct is interpreted here. Every operand of
``and``, ``or`` and ``all`` is evaluated, so a missing point is always seen.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from windtunnel.claims import functions
from windtunnel.claims.functions import Array, Number
from windtunnel.claims.lookup import RESAMPLES, Measurements
from windtunnel.claims.model import MissingPoint, PredicateError
from windtunnel.claims.query import Selector
from windtunnel.claims.tables import same_number
from windtunnel.claims.words import element_words, words

MOST_STEPS = 50_000
"""Bound on the work of one evaluation, in nodes visited and list elements made; the published predicates need a few hundred."""

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Truth:
    """The value of a comparison, or of several joined by ``and``, ``or`` and ``all``.

    Parameters
    ----------
    holds : array of bool, shape (RESAMPLES + 1,)
        On the estimates, then on each resample. A comparison with nan is False.
    possible : bool
        Whether it would hold on the estimates if every comparison with nan did: it is then False only because of nan.
    margin : float
        How far it is from failing on the estimates, relative; negative when it fails.
    operands : tuple of array
        The measured numbers compared, from left to right, each of shape (RESAMPLES + 1,).
    labels : tuple of str
        What each of them is, in words.
    """

    holds: Flags
    possible: bool
    margin: float
    operands: tuple[Array, ...] = ()
    labels: tuple[str, ...] = ()

    @property
    def nearness(self) -> tuple[bool, float]:
        """Sorts what fails before what holds, and what is nearer to failing before what is farther."""
        return (bool(self.holds[0]), self.margin)


Value: TypeAlias = "float | str | npt.NDArray[Any] | Truth | list[Value]"
Names: TypeAlias = Mapping[str, Value]


def evaluate(tree: ast.expr, measurements: Measurements) -> Truth:
    """Evaluate a predicate.

    Parameters
    ----------
    tree : ast.expr
        A tree that `windtunnel.claims.grammar.parse` made.
    measurements : Measurements
        What it may read.

    Returns
    -------
    Truth
        Its truth on the estimates and on each resample.

    Raises
    ------
    MissingPoint
        When it touches a point that has no value.
    PredicateError
        When it cannot be evaluated.
    """
    with np.errstate(all="ignore"):
        value = _Walk(measurements).visit(tree, {})
    if not isinstance(value, Truth):
        raise PredicateError(f"the predicate is {_kind(value)}; allowed: a comparison, or several joined by and, or, all")
    return value


class _Walk:
    """One evaluation."""

    def __init__(self, measurements: Measurements) -> None:
        self._measurements = measurements
        self._steps = 0
        # What the elements of lists are, by identity; each is kept with its words, so that no other takes its identity.
        self._said: dict[int, tuple[Value, str]] = {}
        self._functions: Mapping[str, Callable[[ast.Call, Names], Value]] = {
            "M": self._m,
            "V": self._v,
            "R": self._r,
            "mean": self._mean,
            "gmean": self._mean,
            "median": self._of_list,
            "frac_inf": self._of_list,
            "min": self._extreme,
            "max": self._extreme,
            "abs": self._of_number,
            "log10": self._of_number,
            "all": self._all,
            "zip": self._zip,
            "spearman": self._of_two,
            "loglog_slope": self._of_two,
            "frac_within": self._frac_within,
            "param_match": self._param_match,
        }

    def _charge(self, steps: int) -> None:
        self._steps += steps
        if self._steps > MOST_STEPS:
            raise PredicateError(f"the predicate takes more than {MOST_STEPS} steps to evaluate")

    def visit(self, node: ast.expr, names: Names) -> Value:
        """Return the value of a node; `names` holds what comprehensions have bound."""
        self._charge(1)
        if isinstance(node, ast.Constant):
            return _literal(node)
        if isinstance(node, ast.Name):
            return float("inf") if node.id == "inf" else names[node.id]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._functions[node.func.id](node, names)
        if isinstance(node, ast.BinOp):
            return self._binary(node, names)
        if isinstance(node, ast.UnaryOp):
            return functions.arithmetic("Mult", -1.0, _number(self.visit(node.operand, names), "-"))
        if isinstance(node, ast.Compare):
            return self._compare(node, names)
        if isinstance(node, ast.BoolOp):
            parts = [_truth(self.visit(part, names), "and, or") for part in node.values]
            return _both(parts) if isinstance(node.op, ast.And) else _either(parts)
        if isinstance(node, ast.List | ast.Tuple):
            return [self.visit(part, names) for part in node.elts]
        if isinstance(node, ast.GeneratorExp | ast.ListComp):
            return self._comprehension(node, 0, names)
        raise PredicateError(f"construct {type(node).__name__} is not in the grammar of predicates")

    def _comprehension(self, node: ast.GeneratorExp | ast.ListComp, depth: int, names: Names) -> list[Value]:
        if depth == len(node.generators):
            return [self.visit(node.elt, names)]
        loop = node.generators[depth]
        found: list[Value] = []
        for element in _list(self.visit(loop.iter, names), "for"):
            inner = self._comprehension(node, depth + 1, {**names, **_bound(loop.target, element)})
            self._charge(len(inner))
            found += inner
        return found

    def _binary(self, node: ast.BinOp, names: Names) -> Value:
        left, right = self.visit(node.left, names), self.visit(node.right, names)
        if isinstance(node.op, ast.Add) and isinstance(left, list) and isinstance(right, list):
            self._charge(len(left) + len(right))
            return left + right
        operator = type(node.op).__name__
        return functions.arithmetic(operator, _number(left, operator), _number(right, operator))

    def _compare(self, node: ast.Compare, names: Names) -> Truth:
        values = [self.visit(part, names) for part in (node.left, *node.comparators)]
        pairs = zip(node.ops, values[:-1], values[1:], strict=True)
        joined = _both([_comparison(type(op).__name__, a, b) for op, a, b in pairs])
        # A middle operand of a chain is one operand, though it is compared twice.
        shown = [self._shown(part, value, names) for part, value in zip((node.left, *node.comparators), values, strict=True)]
        measured = [(value, part) for value, part in shown if isinstance(value, np.ndarray) and value.dtype.kind == "f"]
        spoken = {name: self._said[id(value)][1] if id(value) in self._said else value for name, value in names.items()}
        labels = tuple(words(part, spoken) for _, part in measured)
        return Truth(joined.holds, joined.possible, joined.margin, tuple(value for value, _ in measured), labels)

    def _shown(self, node: ast.expr, value: Value, names: Names) -> tuple[Value, ast.expr]:
        """Return what a reader compares with the published number, and its node: of ``abs(M(...) - 218)`` the measured side."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "abs"):
            return value, node
        distance = node.args[0]
        if not (isinstance(distance, ast.BinOp) and isinstance(distance.op, ast.Sub)):
            return value, node
        sides = [(self.visit(side, names), side) for side in (distance.left, distance.right)]
        measured = [side for side in sides if _is_measured(side[0])]
        return measured[0] if len(measured) == 1 else (value, node)

    def _selectors(self, node: ast.Call, names: Names) -> dict[str, Selector]:
        found: dict[str, Selector] = {}
        for keyword in node.keywords:
            name, value = str(keyword.arg), self.visit(keyword.value, names)
            if isinstance(value, float | str):
                found[name] = value
            elif (
                name == "p" and isinstance(value, list) and len(value) == 2 and isinstance(value[0], float) and isinstance(value[1], float)
            ):
                found[name] = (value[0], value[1])
            else:
                raise PredicateError(f"selector {name} is {_kind(value)}; allowed: a constant number or name")
        return found

    def _metric(self, node: ast.Call, names: Names) -> str:
        metric = self.visit(node.args[0], names)
        if not isinstance(metric, str):
            raise PredicateError(f"a metric is {_kind(metric)}; allowed: its name")
        return metric

    def _m(self, node: ast.Call, names: Names) -> Value:
        return self._measurements.mean(self._metric(node, names), self._selectors(node, names))

    def _v(self, node: ast.Call, names: Names) -> Value:
        selectors = self._selectors(node, names)
        over = selectors.pop("over")
        bounds = [_constant(selectors.pop(name, None), name) for name in ("lo", "hi")]
        if isinstance(over, tuple):
            raise PredicateError("selector over is a list; allowed: the name of a dimension")
        found = self._measurements.along(self._metric(node, names), over=over, lo=bounds[0], hi=bounds[1], selectors=selectors)
        self._charge(len(found))
        for place, value in found:
            self._said[id(value)] = (value, element_words(node, names, over=str(over), place=place))
        return [value for _, value in found]

    def _r(self, node: ast.Call, names: Names) -> Value:
        found = self._measurements.raw(self._metric(node, names), self._selectors(node, names))
        self._charge(len(found))
        return list(found)

    def _argument(self, node: ast.Call, names: Names, index: int = 0) -> list[Value]:
        return _list(self.visit(node.args[index], names), _called(node))

    def _numbers(self, node: ast.Call, names: Names, index: int = 0) -> list[Number]:
        found = [_number(value, _called(node)) for value in self._argument(node, names, index)]
        if not found:
            raise PredicateError(f"{_called(node)} of an empty list")
        return found

    def _mean(self, node: ast.Call, names: Names) -> Value:
        experiment = next((self.visit(keyword.value, names) for keyword in node.keywords), None)
        if experiment is not None and not isinstance(experiment, str):
            raise PredicateError(f"{_called(node)}: exp is {_kind(experiment)}; allowed: the id of an experiment")
        if experiment is None:
            experiment = _common_experiment(node)
        duration_s = self._measurements.experiment(experiment).duration_s
        function = functions.mean if _called(node) == "mean" else functions.gmean
        return function(self._numbers(node, names), duration_s=duration_s)

    def _of_list(self, node: ast.Call, names: Names) -> Value:
        function = functions.median if _called(node) == "median" else functions.frac_inf
        return function(self._numbers(node, names))

    def _extreme(self, node: ast.Call, names: Names) -> Value:
        several = len(node.args) > 1
        values = [_number(self.visit(part, names), _called(node)) for part in node.args] if several else self._numbers(node, names)
        return functions.smallest(values) if _called(node) == "min" else functions.largest(values)

    def _of_number(self, node: ast.Call, names: Names) -> Value:
        value = _number(self.visit(node.args[0], names), _called(node))
        return functions.absolute(value) if _called(node) == "abs" else functions.log10(value)

    def _of_two(self, node: ast.Call, names: Names) -> Value:
        function = functions.spearman if _called(node) == "spearman" else functions.loglog_slope
        return function(self._numbers(node, names), self._numbers(node, names, 1))

    def _all(self, node: ast.Call, names: Names) -> Value:
        parts = [_truth(value, "all") for value in self._argument(node, names)]
        if not parts:
            raise PredicateError("all of an empty list")
        joined = _both(parts)
        nearest = min(parts, key=lambda part: part.nearness)
        return Truth(joined.holds, joined.possible, joined.margin, nearest.operands, nearest.labels)

    def _zip(self, node: ast.Call, names: Names) -> Value:
        left, right = self._argument(node, names), self._argument(node, names, 1)
        if len(left) != len(right):
            raise PredicateError(f"zip: lists of length {len(left)} and {len(right)}; allowed: the same length")
        self._charge(2 * len(left))
        return [[a, b] for a, b in zip(left, right, strict=True)]

    def _frac_within(self, node: ast.Call, names: Names) -> Value:
        experiment, path = self.visit(node.args[0], names), self.visit(node.args[1], names)
        if not isinstance(experiment, str) or not isinstance(path, str):
            raise PredicateError("frac_within takes the id of an experiment and the path of a table")
        selectors = self._selectors(node, names)
        k_sd, rel = (_constant(selectors.get(name, 0.0), name) or 0.0 for name in ("k_sd", "rel"))
        metric, cells = self._measurements.cells(experiment, path)
        wanted = [cell for cell in cells if "alg" not in selectors or cell.selectors.get("alg") == selectors["alg"]]
        if not wanted:
            raise MissingPoint(f"frac_within: no cell is left of {path} of {experiment}")
        met: list[Number] = []
        for cell in wanted:
            measured = _number(self._measurements.mean(metric, {**cell.selectors, "exp": experiment}), "frac_within")
            bound = max(k_sd * (cell.sd or 0.0), rel * abs(cell.value))
            met.append(np.asarray(np.abs(measured - cell.value) <= bound, dtype=np.float64))
            self._charge(1)
        return functions.mean(met, duration_s=0.0)

    def _param_match(self, node: ast.Call, names: Names) -> Value:
        experiment = self._measurements.experiment(_text(self.visit(node.args[0], names)))
        parameters = experiment.data.get("table_II")
        if not isinstance(parameters, Mapping):
            raise PredicateError(f"{experiment.id} has no table of parameters")
        parts = []
        for algorithm, rows in parameters.items():
            for name, value in (rows or {}).items():
                if value is not None:
                    found = self._measurements.mean("param", {"alg": str(algorithm), "state": str(name), "exp": experiment.id})
                    same = np.array([same_number(one, value) for one in found.tolist()])
                    parts.append(Truth(same, bool(same[0]), 1.0 if same[0] else -1.0))
        if not parts:
            raise MissingPoint(f"param_match: the table of {experiment.id} is empty")
        return _both(parts)


def _is_measured(value: Value) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


def _literal(node: ast.Constant) -> Value:
    if isinstance(node.value, str):
        return node.value
    assert isinstance(node.value, int | float)
    return float(node.value)


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _common_experiment(node: ast.Call) -> str | None:
    """Return the experiment that every M, V and R under a call takes with exp=; None when they differ or take none."""
    calls = [inner for inner in ast.walk(node) if isinstance(inner, ast.Call) and _called(inner) in ("M", "V", "R")]
    found = {next((ast.dump(word.value) for word in call.keywords if word.arg == "exp"), "") for call in calls}
    if len(found) != 1 or not calls:
        return None
    value = next((word.value for word in calls[0].keywords if word.arg == "exp"), None)
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def _bound(target: ast.expr, value: Value) -> dict[str, Value]:
    if isinstance(target, ast.Name):
        return {target.id: value}
    parts = target.elts if isinstance(target, ast.Tuple) else []
    values = _list(value, "for")
    if len(parts) != len(values):
        raise PredicateError(f"for: {len(values)} elements for {len(parts)} names")
    found: dict[str, Value] = {}
    for part, element in zip(parts, values, strict=True):
        found |= _bound(part, element)
    return found


def _comparison(operator: str, a: Value, b: Value) -> Truth:
    if _is_text(a) and _is_text(b) and operator == "Eq":
        same = np.broadcast_to(np.asarray(a) == np.asarray(b), (RESAMPLES + 1,))
        return Truth(same, bool(same[0]), 1.0 if same[0] else -1.0)
    x, y = functions.stacked([_number(a, "a comparison"), _number(b, "a comparison")])
    holds = np.broadcast_to(_COMPARISONS[operator](x, y), (RESAMPLES + 1,))
    undefined = bool(np.isnan(x[0]) or np.isnan(y[0]))
    return Truth(holds, undefined or bool(holds[0]), _margin(operator, float(x[0]), float(y[0])))


_COMPARISONS: Mapping[str, Callable[[Array, Array], Flags]] = {
    "Lt": np.less,
    "LtE": np.less_equal,
    "Gt": np.greater,
    "GtE": np.greater_equal,
    "Eq": np.equal,
}


def _margin(operator: str, a: float, b: float) -> float:
    """Return by how much a comparison holds, relative to the larger side; an undefined one is nearest to failing."""
    if np.isnan(a) or np.isnan(b):
        return -np.inf
    if a == b:
        return 1.0 if operator == "Eq" else 0.0
    scale = max(abs(a), abs(b))
    share = (b - a) / scale if np.isfinite(scale) else 2.0 * (1 if b > a else -1)
    if operator == "Eq":
        return -abs(share)
    return share if operator in ("Lt", "LtE") else -share


def _both(parts: Sequence[Truth]) -> Truth:
    holds = np.logical_and.reduce([part.holds for part in parts])
    operands, labels = _joined(parts)
    return Truth(holds, all(part.possible for part in parts), min(part.margin for part in parts), operands, labels)


def _either(parts: Sequence[Truth]) -> Truth:
    holds = np.logical_or.reduce([part.holds for part in parts])
    operands, labels = _joined(parts)
    return Truth(holds, any(part.possible for part in parts), max(part.margin for part in parts), operands, labels)


def _joined(parts: Sequence[Truth]) -> tuple[tuple[Array, ...], tuple[str, ...]]:
    """Return the operands of parts and what they are, each once though several parts compare it."""
    found: list[tuple[Array, str]] = []
    seen: dict[str, list[Array]] = {}
    for operand, label in (pair for part in parts for pair in zip(part.operands, part.labels, strict=True)):
        same = seen.setdefault(label, [])
        if not any(np.array_equal(operand, one, equal_nan=True) for one in same):
            same.append(operand)
            found.append((operand, label))
    return tuple(operand for operand, _ in found), tuple(label for _, label in found)


def _kind(value: object) -> str:
    if isinstance(value, Truth):
        return "a truth value"
    if isinstance(value, list):
        return "a list"
    return "a name" if _is_text(value) else "a number"


def _is_text(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, np.ndarray) and value.dtype.kind == "U")


def _number(value: Value, where: str) -> Number:
    if isinstance(value, Truth | list) or _is_text(value):
        raise PredicateError(f"{where} takes a number, not {_kind(value)}")
    assert not isinstance(value, str)
    return value


def _list(value: Value, where: str) -> list[Value]:
    if not isinstance(value, list):
        raise PredicateError(f"{where} takes a list, not {_kind(value)}")
    return value


def _truth(value: Value, where: str) -> Truth:
    if not isinstance(value, Truth):
        raise PredicateError(f"{where} takes comparisons, not {_kind(value)}")
    return value


def _text(value: Value) -> str:
    if not isinstance(value, str):
        raise PredicateError(f"the id of an experiment is {_kind(value)}; allowed: its name")
    return value


def _constant(value: Selector | None, name: str) -> float | None:
    if value is None or isinstance(value, float):
        return value
    raise PredicateError(f"selector {name} is not a number")
