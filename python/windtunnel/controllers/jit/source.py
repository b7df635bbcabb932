"""Functions as Numba takes them: Python's own arithmetic in place of Numba's where the two differ, and an end to endless loops."""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from windtunnel.controllers.jit import arithmetic

POWER, TICK, WHOLE = "__wt_power", "__wt_tick", "__wt_int"


class NotCompiled(Exception):
    """What of a function cannot be compiled.

    Parameters
    ----------
    function : function
        The function.
    line : int
        The line in its file.
    what : str
        The reason.
    """

    def __init__(self, function: Callable[..., Any], line: int, what: str) -> None:
        self.file = function.__code__.co_filename
        self.line = line
        self.what = what
        super().__init__(what)


@dataclass
class Rewriter:
    """Rewrites the functions of a class, and those that they call.

    Attributes
    ----------
    jit : callable
        Makes what Numba can call of a function that was rewritten.
    cls : type
        The class.
    made : dict
        What was made of each function.
    """

    jit: Callable[[types.FunctionType], Any]
    cls: type
    made: dict[types.FunctionType, Any] = field(default_factory=dict)

    def callable(self, function: types.FunctionType, *, is_method: bool) -> Any:
        """Return what Numba can call in place of a function.

        Raises
        ------
        NotCompiled
            When it has no source, or uses what cannot be compiled.
        """
        if function in self.made:
            if self.made[function] is None:
                raise NotCompiled(function, function.__code__.co_firstlineno, "calls itself, which is not compiled")
            return self.made[function]
        self.made[function] = None
        self.made[function] = self.jit(self._rewritten(function, is_method=is_method))
        return self.made[function]

    def _rewritten(self, function: types.FunctionType, *, is_method: bool) -> types.FunctionType:
        node, first = _parsed(function)
        itself = node.args.args[0].arg if is_method and node.args.args else ""
        edits = _Edits(self, function, itself, first - 1)
        edits.visit(node)
        node.decorator_list = []
        node.returns = None
        for argument in [*node.args.args, *node.args.kwonlyargs]:
            argument.annotation = None
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        around = ast.FunctionDef(
            name="around",
            args=ast.arguments(posonlyargs=[], args=[ast.arg(name) for name in cells], kwonlyargs=[], kw_defaults=[], defaults=[]),
            body=[node, ast.Return(ast.Name(node.name, ast.Load()))],
            decorator_list=[],
        )
        node.args.defaults = []
        node.args.kw_defaults = [None for _ in node.args.kw_defaults]
        ast.copy_location(around, node)
        module = ast.increment_lineno(ast.fix_missing_locations(ast.Module([around], [])), first - 1)
        code = _code_of(compile(module, function.__code__.co_filename, "exec"), node.name)
        given = {**function.__globals__, POWER: arithmetic.power, TICK: arithmetic.tick, WHOLE: arithmetic.truncated, **edits.helpers}
        for name in _names(code):
            if name in function.__globals__ and name not in edits.helpers:
                given[name] = self._replaced(function, name, function.__globals__[name], code)
        closure = tuple(types.CellType(self._replaced(function, name, cells[name].cell_contents, code)) for name in code.co_freevars)
        made = types.FunctionType(code, given, function.__name__, function.__defaults__, closure)
        made.__kwdefaults__ = function.__kwdefaults__
        made.__module__ = function.__module__
        return made

    def _replaced(self, function: types.FunctionType, name: str, value: Any, code: types.CodeType) -> Any:
        """Return what stands for something from outside the function."""
        if value is math:
            return arithmetic.module
        if isinstance(value, types.ModuleType):
            raise NotCompiled(function, _line(function, name), f"uses the module {name}; of modules only math is compiled")
        if getattr(value, "__module__", None) == "math":
            found = getattr(arithmetic.module, value.__name__, None)
            if found is None:
                raise NotCompiled(function, _line(function, name), f"math.{value.__name__} is not compiled")
            return found
        if isinstance(value, types.FunctionType):
            return self.callable(value, is_method=False)
        return value


class _Edits(ast.NodeTransformer):
    def __init__(self, rewriter: Rewriter, function: types.FunctionType, itself: str, before: int) -> None:
        self.rewriter = rewriter
        self.function = function
        self.itself = itself
        self.before = before
        self.helpers: dict[str, Any] = {}
        self.ticks = 0

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Pow):
            return node
        return ast.copy_location(ast.Call(ast.Name(POWER, ast.Load()), [node.left, node.right], []), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if not isinstance(node.op, ast.Pow):
            self.generic_visit(node)
            return node
        read = ast.parse(ast.unparse(node.target), mode="eval").body
        value = ast.BinOp(ast.copy_location(read, node), ast.Pow(), node.value)
        assigned = ast.copy_location(ast.Assign([node.target], ast.copy_location(value, node)), node)
        self.generic_visit(ast.fix_missing_locations(assigned))
        return assigned

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        self.generic_visit(node)
        self.ticks += 1
        name = f"__wt_ticks_{self.ticks}"
        begin = ast.Assign([ast.Name(name, ast.Store())], ast.Constant(0))
        count = ast.Assign([ast.Name(name, ast.Store())], ast.Call(ast.Name(TICK, ast.Load()), [ast.Name(name, ast.Load())], []))
        node.body.insert(0, ast.copy_location(count, node))
        return [ast.copy_location(begin, node), node]

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if not self._is_itself(node.value) or not isinstance(node.ctx, ast.Load):
            return node
        found = inspect.getattr_static(self.rewriter.cls, node.attr, None)
        if not isinstance(found, property) or not isinstance(found.fget, types.FunctionType):
            return node
        helper = self._helper(node.attr, found.fget, is_method=True)
        return ast.copy_location(ast.Call(helper, [node.value], []), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = node.func
        if isinstance(called, ast.Name) and called.id == "super":
            raise NotCompiled(
                self.function, self.before + node.lineno, "super() is not compiled; call the method of the class by another name"
            )
        if isinstance(called, ast.Name) and called.id == "int" and len(node.args) == 1:
            called.id = WHOLE
        if not isinstance(called, ast.Attribute) or not self._is_itself(called.value):
            return node
        found = inspect.getattr_static(self.rewriter.cls, called.attr, None)
        if isinstance(found, staticmethod):
            node.func = self._helper(called.attr, found.__func__, is_method=False)
        elif isinstance(found, types.FunctionType):
            node.func = self._helper(called.attr, found, is_method=True)
            node.args.insert(0, called.value)
        return node

    def _is_itself(self, node: ast.AST) -> bool:
        return bool(self.itself) and isinstance(node, ast.Name) and node.id == self.itself

    def _helper(self, name: str, function: Any, *, is_method: bool) -> ast.Name:
        called = f"__wt_method_{name}"
        self.helpers[called] = self.rewriter.callable(function, is_method=is_method)
        return ast.Name(called, ast.Load())


def _parsed(function: types.FunctionType) -> tuple[ast.FunctionDef, int]:
    try:
        lines, first = inspect.getsourcelines(function)
        node = ast.parse(textwrap.dedent("".join(lines))).body[0]
    except (OSError, TypeError, SyntaxError):
        raise NotCompiled(function, function.__code__.co_firstlineno, "its source cannot be read; write the class to a file") from None
    if not isinstance(node, ast.FunctionDef):
        raise NotCompiled(function, first, "is no function that begins with def")
    return node, first


def _code_of(code: types.CodeType, name: str) -> types.CodeType:
    around = next(const for const in code.co_consts if isinstance(const, types.CodeType))
    return next(const for const in around.co_consts if isinstance(const, types.CodeType) and const.co_name == name)


def _names(code: types.CodeType) -> list[str]:
    inner = [name for const in code.co_consts if isinstance(const, types.CodeType) for name in _names(const)]
    return [*code.co_names, *inner]


def _line(function: types.FunctionType, name: str) -> int:
    node, first = _parsed(function)
    lines = [one.lineno for one in ast.walk(node) if isinstance(one, ast.Name) and one.id == name]
    return first - 1 + min(lines, default=1)
