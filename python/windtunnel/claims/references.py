"""What a predicate names must exist: its metrics, experiments, dimensions and tables, as far as the text alone says.

A value that lies outside the points is not a fault of the register: that point is missing, and the claim is not run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from windtunnel.claims.completing import made_from
from windtunnel.claims.fields import not_known
from windtunnel.claims.grammar import OTHERS
from windtunnel.claims.model import Claim, Metric, PredicateError, Registered
from windtunnel.scenario.errors import shown, unknown

MEASURED = ("M", "V", "R")
"""The functions that read measures."""


def check_references(claim: Claim, *, experiments: Mapping[str, Registered], metrics: Mapping[str, Metric]) -> None:
    """Check every name that a claim's predicate uses.

    Parameters
    ----------
    claim : Claim
        The claim, its predicate parsed.
    experiments : mapping of str to Registered
        All experiments of the register.
    metrics : mapping of str to Metric
        All metrics of the register.

    Raises
    ------
    PredicateError
        At the first name that is not known, or that its experiment does not have.
    """
    for node in ast.walk(claim.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = node.func.id
            if name in MEASURED:
                _check_measurement(node, claim, experiments, metrics)
            elif name in ("mean", "gmean"):
                _experiment(node, claim, experiments)
            elif name == "frac_within":
                _check_table(node, experiments)
            elif name == "param_match":
                _check_parameters(node, experiments)


def _constant(node: ast.expr | None) -> object:
    """Return the value of a constant, or None for what is only known when it is evaluated."""
    return node.value if isinstance(node, ast.Constant) else None


def _find(name: object, experiments: Mapping[str, Registered]) -> Registered | None:
    if name is None:
        return None
    if not isinstance(name, str) or name not in experiments:
        raise PredicateError(not_known("experiment", name, experiments))
    return experiments[name]


def _experiment(node: ast.Call, claim: Claim, experiments: Mapping[str, Registered]) -> Registered | None:
    for keyword in node.keywords:
        if keyword.arg == "exp":
            return _find(_constant(keyword.value), experiments)
    return experiments[claim.experiment]


def _check_measurement(node: ast.Call, claim: Claim, experiments: Mapping[str, Registered], metrics: Mapping[str, Metric]) -> None:
    experiment = _experiment(node, claim, experiments)
    metric = _constant(node.args[0])
    if metric is not None and (not isinstance(metric, str) or metric not in metrics):
        raise PredicateError(not_known("metric", metric, metrics))
    if experiment is None:
        return
    is_judged = claim.judge == "sim"  # Others may name what no run here gives: they say so, and are not run.
    if metric is not None and metric not in experiment.measures and is_judged:
        raise PredicateError(f"{metric} is not among the measures of {experiment.id}")
    for keyword in node.keywords:
        name = str(keyword.arg)
        if name == "over":
            over = _constant(keyword.value)
            if over is not None and over not in experiment.points:
                raise PredicateError(f"over={shown(over)}: {experiment.id} has no such dimension")
        elif name not in OTHERS and name != "flow" and name not in experiment.points:
            raise PredicateError(f"selector {name}: {experiment.id} has no such dimension")
        if name == "p" and isinstance(keyword.value, ast.Tuple) and metric not in (None, "rf_slope"):
            raise PredicateError(f"{metric}: an interval of p is allowed with rf_slope only")


def _check_table(node: ast.Call, experiments: Mapping[str, Registered]) -> None:
    experiment, path = _find(_constant(node.args[0]), experiments), _constant(node.args[1])
    if experiment is not None and path is not None and path not in experiment.tables:
        raise PredicateError(unknown(f"table of {experiment.id}", path, experiment.tables))


def _check_parameters(node: ast.Call, experiments: Mapping[str, Registered]) -> None:
    experiment = _find(_constant(node.args[0]), experiments)
    if experiment is not None and not isinstance(experiment.data.get("table_II"), Mapping):
        raise PredicateError(f"{experiment.id} has no table of parameters (data.table_II)")


def metrics_read(claims: Iterable[Claim], experiment: str) -> frozenset[str]:
    """Return the metrics of an experiment that claims read, those that a metric of several points is made of included.

    Parameters
    ----------
    claims : iterable of Claim
        Of a register.
    experiment : str
        The experiment's id.
    """
    found: set[str] = set()
    for claim in claims:
        for node in ast.walk(claim.tree):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in MEASURED:
                continue
            elsewhere = [_constant(keyword.value) for keyword in node.keywords if keyword.arg == "exp"]
            metric = _constant(node.args[0])
            if isinstance(metric, str) and (elsewhere or [claim.experiment]) == [experiment]:
                found |= {metric, *made_from(metric)}
    return frozenset(found)


def experiments_read(claims: Iterable[Claim], experiments: Mapping[str, Registered]) -> frozenset[str]:
    """Return the experiments whose measures claims may read: their own, those that they name, and those that a metric compares with."""
    found: set[str] = set()
    for claim in claims:
        names = {node.value for node in ast.walk(claim.tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        found |= {claim.experiment, *names}
    return frozenset(found | {one.compared_with for id in found if (one := experiments.get(id)) is not None and one.compared_with})
