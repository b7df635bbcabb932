"""The operands of a predicate in words, so that an estimate says what it is."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

_OPERATORS: Mapping[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "^"}
_CALLED = {
    "min": "smallest",
    "max": "largest",
    "mean": "mean",
    "gmean": "geometric mean",
    "median": "median",
    "frac_inf": "share that is never reached",
    "abs": "distance",
    "log10": "log10",
    "spearman": "rank correlation",
    "loglog_slope": "slope of the logarithms",
    "frac_within": "share of the published cells within the bounds",
}
_OWN = ("alg", "opponent", "state", "site")
"""Selectors whose values say by themselves what they are."""


def words(node: ast.expr, names: Mapping[str, Any]) -> str:
    """Return an operand in words.

    Parameters
    ----------
    node : ast.expr
        A part of a predicate.
    names : mapping
        What comprehensions have bound where it stands; numbers and names among it are filled in.

    Returns
    -------
    str
        Such as ``smallest of fair_minmax over rtt (reno, rate 10)``.
    """
    if isinstance(node, ast.Constant):
        return _plain(node.value)
    if isinstance(node, ast.Name):
        value = names.get(node.id)
        return _plain(value) if isinstance(value, int | float | str) else node.id
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _call(node.func.id, node, names)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and _is_list(node.left):
        return f"{words(node.left, names)} and {words(node.right, names)}"
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        sides = [words(side, names) for side in (node.left, node.right)]
        inner = [f"({text})" if isinstance(side, ast.BinOp) else text for side, text in zip((node.left, node.right), sides, strict=True)]
        return f" {_OPERATORS[type(node.op)]} ".join(inner)
    if isinstance(node, ast.UnaryOp):
        return f"-{words(node.operand, names)}"
    if isinstance(node, ast.List | ast.Tuple):
        return ", ".join(words(part, names) for part in node.elts)
    if isinstance(node, ast.GeneratorExp | ast.ListComp):
        loops = "; ".join(f"{ast.unparse(loop.target)} of {words(loop.iter, names)}" for loop in node.generators)
        return f"{words(node.elt, names)} for each {loops}"
    return ast.unparse(node)


def element_words(node: ast.Call, names: Mapping[str, Any], *, over: str, place: float | str) -> str:
    """Return one element of a ``V(...)`` in words.

    Parameters
    ----------
    node : ast.Call
        The call that makes the list.
    names : mapping
        What comprehensions have bound where it stands.
    over : str
        The dimension that it runs along.
    place : float or str
        Where on it the element is.

    Returns
    -------
    str
        Such as ``util (reno, q 0.2)``.
    """
    said = {str(one.arg): words(one.value, names) for one in node.keywords if one.arg not in ("over", "lo", "hi")}
    return _at(words(node.args[0], names), {**said, over: _plain(place)})


def _at(metric: str, selectors: Mapping[str, str]) -> str:
    at = ", ".join(text if name in _OWN else f"{name} {text}" for name, text in selectors.items())
    return metric + (f" ({at})" if at else "")


def _is_list(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return _is_list(node.left)
    several = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("V", "R", "zip")
    return several or isinstance(node, ast.List | ast.Tuple | ast.ListComp | ast.GeneratorExp)


def _call(called: str, node: ast.Call, names: Mapping[str, Any]) -> str:
    selectors = {str(one.arg): words(one.value, names) for one in node.keywords}
    if called in ("M", "V", "R"):
        metric = words(node.args[0], names)
        over, low, high = (selectors.pop(name, None) for name in ("over", "lo", "hi"))
        span = "" if over is None else f" over {over}" + (f" from {low}" if low else "") + (f" to {high}" if high else "")
        return ("repeats of " if called == "R" else "") + _at(metric + span, selectors)
    inner = ", ".join(words(argument, names) for argument in node.args)
    return f"{_CALLED.get(called, called)} of {inner}"


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)
