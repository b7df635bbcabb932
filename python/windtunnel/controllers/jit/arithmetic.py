"""Arithmetic that gives the bits of Python's: the C library's functions, which Python calls, and what Python refuses is refused."""

from __future__ import annotations

import ctypes
import ctypes.util
import math
import types
from collections.abc import Callable
from typing import Any

import numba
from numba.core import types as numba_types
from numba.extending import overload

nb: Any = numba_types
LONGEST_LOOP = 1_000_000_000
"""Turns of a ``while`` in one call of a hook after which it is held to be endless."""


def _library(name: str, arguments: int) -> Any:
    """Return a function of the C library: compiled code calls it as it is, where Numba's own would be reckoned in another way."""
    found = ctypes.CDLL(ctypes.util.find_library("m"))[name]
    found.argtypes = [ctypes.c_double] * arguments
    found.restype = ctypes.c_double
    return found


_pow = _library("pow", 2)


@numba.njit
def _float_power(a: float, b: float) -> float:
    if a == 0.0 and b < 0.0:
        raise ZeroDivisionError("0.0 cannot be raised to a negative power")
    if a < 0.0 and math.isfinite(a) and math.isfinite(b) and b != math.floor(b):
        raise ValueError("a complex number is no window")
    found = _pow(a, b)
    if math.isinf(found) and math.isfinite(a) and math.isfinite(b):
        raise OverflowError("the result is too large")
    return found


@numba.njit
def _whole_power(a: int, b: int) -> int:
    if b < 0:
        raise ValueError("a whole number to a negative power is none")
    found = 1
    for _ in range(b):
        found *= a
    return found


def power(a: float, b: float) -> float:
    """Return ``a ** b``."""
    return a**b


@overload(power)
def _power(a, b):  # type: ignore[no-untyped-def]
    if isinstance(a, nb.Integer | nb.Boolean) and isinstance(b, nb.Integer | nb.Boolean):
        return lambda a, b: _whole_power(a, b)
    return lambda a, b: _float_power(float(a), float(b))


@numba.njit
def tick(turns: int) -> int:
    """Count a turn of a loop.

    Raises
    ------
    RuntimeError
        After too many.
    """
    if turns >= LONGEST_LOOP:
        raise RuntimeError("an endless loop")
    return turns + 1


def _unary(name: str) -> Any:
    """Return a function of one number as Python's `math` has it: an error where the answer is none, or has no bound."""
    called = _library("fabs" if name == "abs" else name, 1)

    @numba.njit
    def function(x: float) -> float:
        x = float(x)
        found = called(x)
        if math.isnan(found) and not math.isnan(x):
            raise ValueError("math domain error")
        if math.isinf(found) and math.isfinite(x):
            raise OverflowError("math range error")
        return found

    return function


_UNARY = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "exp", "exp2", "expm1", "fabs"),
    *("log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan", "tanh"),
)
_log = _unary("log")
_fmod, _atan2, _copysign = _library("fmod", 2), _library("atan2", 2), _library("copysign", 2)


def log(x: float, base: float | None = None) -> float:
    """Return the logarithm."""
    return math.log(x) if base is None else math.log(x, base)


@overload(log)
def _logarithm(x, base=None):  # type: ignore[no-untyped-def]
    if isinstance(base, nb.NoneType | nb.Omitted) or base is None:
        return lambda x, base=None: _log(x)

    def of_base(x, base=None):  # type: ignore[no-untyped-def]
        below = _log(base)
        if below == 0.0:
            raise ZeroDivisionError("division by zero")
        return _log(x) / below

    return of_base


@numba.njit
def _floor(x: float) -> int:
    if not abs(x) < 9.2e18:
        raise OverflowError("no whole number of 64 bits")
    return math.floor(x)


@numba.njit
def _ceil(x: float) -> int:
    if not abs(x) < 9.2e18:
        raise OverflowError("no whole number of 64 bits")
    return math.ceil(x)


@numba.njit
def truncated(x: float) -> int:
    """Return ``int(x)``."""
    if not abs(x) < 9.2e18:
        raise OverflowError("no whole number of 64 bits")
    return int(x)


@numba.njit
def _power_of_floats(a: float, b: float) -> float:
    return _float_power(float(a), float(b))


def _module() -> types.ModuleType:
    """Return what stands for the module `math` in compiled code; what is not here is refused there."""
    module = types.ModuleType("math")
    given: dict[str, Any] = {name: getattr(math, name) for name in ("pi", "e", "tau", "inf", "nan", "isnan", "isinf", "isfinite")}
    given |= {name: _unary(name) for name in _UNARY if hasattr(math, name)}
    both: dict[str, Callable[..., Any]] = {
        "log": log,
        "pow": _power_of_floats,
        "floor": _floor,
        "ceil": _ceil,
        "trunc": truncated,
        "fmod": numba.njit(lambda x, y: _fmod(float(x), float(y))),
        "atan2": numba.njit(lambda y, x: _atan2(float(y), float(x))),
        "copysign": numba.njit(lambda x, y: _copysign(float(x), float(y))),
    }
    vars(module).update(given | both)
    return module


module = _module()
"""What stands for `math`."""
