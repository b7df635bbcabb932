"""The language of predicates: which words and constructs may occur, and the parser that admits nothing else.

A predicate is one Python expression. It is never executed: its tree is checked here and walked by `windtunnel.claims.evaluate`.
"""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from windtunnel.claims.model import PredicateError
from windtunnel.scenario.errors import shown, unknown

OTHER_SENDERS = ("udp",)
"""What may stand where a protocol's name may, and is in no catalogue of protocols: sources of datagrams."""

DIMENSIONS: Mapping[str, Literal["name", "number", "either"]] = {
    **dict.fromkeys(("rate", "rtt", "q", "qpkt", "qms", "p", "beta", "size", "size_mb"), "number"),
    **dict.fromkeys(("mtu", "mtu_snd", "mtu_rcv", "txq", "period", "maxrtt_err"), "number"),
    **dict.fromkeys(("alg", "opponent", "site", "win", "case", "app", "interval", "phase"), "name"),
    "flow": "either",
}
"""Selectors that can be dimensions of an experiment, and what their values are."""

FREE = ("state", "t0", "t1")
"""Selectors that name no listed point."""

OTHERS = (*FREE, "exp", "over", "lo", "hi", "k_sd", "rel")
"""Selectors that are no dimensions."""

SELECTORS = (*DIMENSIONS, *OTHERS)
_POINT = frozenset((*DIMENSIONS, *FREE, "exp"))


@dataclass(frozen=True)
class _Scope:
    """What an expression may name: bound names, and dimensions that its register declares beside ours."""

    names: frozenset[str]
    dimensions: frozenset[str]


@dataclass(frozen=True)
class Signature:
    """How a function is called: numbers of positional arguments (None: any) and its keywords."""

    least: int
    most: int | None
    keywords: frozenset[str] = frozenset()


FUNCTIONS: Mapping[str, Signature] = {
    "M": Signature(1, 1, _POINT),
    "V": Signature(1, 1, _POINT | {"over", "lo", "hi"}),
    "R": Signature(1, 1, _POINT),
    "mean": Signature(1, 1, frozenset({"exp"})),
    "gmean": Signature(1, 1, frozenset({"exp"})),
    "median": Signature(1, 1),
    "min": Signature(1, None),
    "max": Signature(1, None),
    "abs": Signature(1, 1),
    "log10": Signature(1, 1),
    "all": Signature(1, 1),
    "zip": Signature(2, 2),
    "spearman": Signature(2, 2),
    "loglog_slope": Signature(2, 2),
    "frac_inf": Signature(1, 1),
    "frac_within": Signature(2, 2, frozenset({"k_sd", "rel", "alg"})),
    "param_match": Signature(1, 1),
}

OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div)
COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq)

# Several times what the published predicates need (303 characters, 94 nodes, 12 levels); the walk recurses, so depth must be bounded.
LONGEST_TEXT = 4_000
MOST_NODES = 2_000
DEEPEST = 100


def parse(text: str, dimensions: Iterable[str] = ()) -> ast.expr:
    """Parse a predicate and check that it is of the grammar.

    Parameters
    ----------
    text : str
        The predicate.
    dimensions : iterable of str
        Dimensions that the register declares itself.

    Returns
    -------
    ast.expr
        Its tree, which holds only constructs, functions, names and selectors of the grammar.

    Raises
    ------
    PredicateError
        When it is not Python, too large, or holds anything else.
    """
    if len(text) > LONGEST_TEXT:
        raise PredicateError(f"the predicate has {len(text)} characters; allowed: at most {LONGEST_TEXT}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns about doubtful syntax such as 1(2), which is refused below.
            tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise PredicateError(f"is not an expression: {error.msg} at character {error.offset or 0}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise PredicateError(f"is not an expression that can be read: {error or type(error).__name__}") from None
    _size(tree)
    _check(tree, _Scope(frozenset(), frozenset(dimensions)))
    return tree


def _size(tree: ast.expr) -> None:
    nodes = 0
    level: list[ast.AST] = [tree]
    for _ in range(DEEPEST):
        nodes += len(level)
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level or nodes > MOST_NODES:
            break
    if level:
        raise PredicateError(f"the predicate is too large; allowed: {MOST_NODES} nodes, nested at most {DEEPEST} deep")


def _refuse(node: ast.AST) -> PredicateError:
    return PredicateError(f"construct {type(node).__name__} is not in the grammar of predicates")


def _check(node: ast.expr, scope: _Scope) -> None:
    if isinstance(node, ast.Constant):
        _check_constant(node.value)
    elif isinstance(node, ast.Name):
        if node.id != "inf" and node.id not in scope.names:
            raise PredicateError(unknown("name", node.id, ["inf", *sorted(scope.names)]))
    elif isinstance(node, ast.Call):
        _check_call(node, scope)
    elif isinstance(node, ast.GeneratorExp | ast.ListComp):
        _check_comprehension(node, scope)
    elif isinstance(node, ast.List | ast.Tuple | ast.BoolOp):
        for part in node.values if isinstance(node, ast.BoolOp) else node.elts:
            _check(part, scope)
    elif isinstance(node, ast.BinOp):
        if not isinstance(node.op, OPERATORS):
            raise _refuse(node.op)
        _check(node.left, scope)
        _check(node.right, scope)
    elif isinstance(node, ast.UnaryOp):
        if not isinstance(node.op, ast.USub):
            raise _refuse(node.op)
        _check(node.operand, scope)
    elif isinstance(node, ast.Compare):
        for op in node.ops:
            if not isinstance(op, COMPARISONS):
                raise _refuse(op)
        for part in (node.left, *node.comparators):
            _check(part, scope)
    else:
        raise _refuse(node)


def _check_constant(value: object) -> None:
    if isinstance(value, str):
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PredicateError(f"{shown(value)} is not in the grammar of predicates; allowed: numbers and strings")
    try:
        finite = math.isfinite(float(value))
    except OverflowError:
        finite = False
    if not finite:
        raise PredicateError(f"{shown(value)} is not a finite number; infinity is written inf")


def _check_call(node: ast.Call, scope: _Scope) -> None:
    if not isinstance(node.func, ast.Name):
        raise PredicateError(f"only a named function can be called, not {type(node.func).__name__}")
    name = node.func.id
    if name not in FUNCTIONS:
        raise PredicateError(unknown("function", name, FUNCTIONS))
    signature = FUNCTIONS[name]
    if len(node.args) < signature.least or (signature.most is not None and len(node.args) > signature.most):
        wanted = f"{signature.least} or more" if signature.most is None else f"{signature.most}"
        raise PredicateError(f"{name} takes {wanted} arguments without a name, not {len(node.args)}")
    seen: set[str] = set()
    for keyword in node.keywords:
        if keyword.arg is None:
            raise PredicateError(f"{name}: arguments cannot be unpacked with **")
        own = keyword.arg in scope.dimensions
        if keyword.arg not in SELECTORS and not own:
            raise PredicateError(f"{name}: {unknown('selector', keyword.arg, (*SELECTORS, *sorted(scope.dimensions)))}")
        if keyword.arg not in signature.keywords and not (own and "rate" in signature.keywords):
            raise PredicateError(f"{name}: selector {keyword.arg} is not one of this function's")
        if keyword.arg in seen:
            raise PredicateError(f"{name}: selector {keyword.arg} comes twice")
        seen.add(keyword.arg)
        _check(keyword.value, scope)
    if name == "V" and "over" not in seen:
        raise PredicateError("V: selector over is missing")
    for argument in node.args:
        _check(argument, scope)


def _check_comprehension(node: ast.GeneratorExp | ast.ListComp, scope: _Scope) -> None:
    for loop in node.generators:
        if loop.ifs or loop.is_async:
            raise PredicateError("a comprehension cannot have an if or be asynchronous")
        _check(loop.iter, scope)
        scope = replace(scope, names=scope.names | _targets(loop.target))
    _check(node.elt, scope)


def _targets(node: ast.expr) -> frozenset[str]:
    if isinstance(node, ast.Name):
        if node.id == "inf" or node.id in FUNCTIONS:
            raise PredicateError(f"the name {node.id} cannot be bound; it has a meaning of its own")
        return frozenset({node.id})
    if isinstance(node, ast.Tuple):
        names: frozenset[str] = frozenset()
        for part in node.elts:
            names |= _targets(part)
        return names
    raise _refuse(node)
