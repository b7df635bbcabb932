"""Expressions over the columns of a frame, as `polars.Expr`: what to compute, said before there is a frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from windtunnel.frames.series import KINDS, OPERATORS, Kind, Series, chosen_from


class DataFrame(Protocol):
    """What an expression asks of a frame."""

    @property
    def height(self) -> int:
        """How many rows it has."""
        ...

    def __getitem__(self, name: str) -> Series:
        """Return a column."""
        ...


# Of a series each gives a series; of those below one value, which is a series of one row.
_BY_ROW = ("alias", "cast", "fill_null", "is_in", "is_between", "is_null", "is_not_null", "filter", "drop_nulls", "__invert__")
_TO_ONE = {"sum": None, "mean": "Float64", "quantile": "Float64", "min": None, "max": None, "first": None, "count": "UInt32"}


class Expr:
    """Columns that are computed from a frame.

    Parameters
    ----------
    compute : callable
        From a frame to a list of series: those of its rows, or of one row where it is one value.
    """

    def __init__(self, compute: Callable[[DataFrame], list[Series]]) -> None:
        self.compute = compute

    def __getattr__(self, name: str) -> Callable[..., Expr]:
        """Return the method of a column, to be applied when there is one."""
        if name in _BY_ROW:
            return lambda *given: Expr(lambda frame: [getattr(one, name)(*_each(given, frame)) for one in self.compute(frame)])
        if name in _TO_ONE:
            return lambda *given: Expr(lambda frame: [_one(column, name, given) for column in self.compute(frame)])
        raise AttributeError(name)

    def __invert__(self) -> Expr:
        """Return the opposite of each row."""
        return Expr(lambda frame: [~one for one in self.compute(frame)])

    def __eq__(self, other: object) -> Expr:  # type: ignore[override]
        """Compare row by row."""
        return Expr(lambda frame: [one == _operand(other, frame) for one in self.compute(frame)])

    def __ne__(self, other: object) -> Expr:  # type: ignore[override]
        """Compare row by row."""
        return Expr(lambda frame: [one != _operand(other, frame) for one in self.compute(frame)])

    __hash__ = None  # type: ignore[assignment]


def _operand(value: Any, frame: DataFrame) -> Any:
    if not isinstance(value, Expr):
        return value
    (found,) = value.compute(frame)
    return found[0] if len(found) == 1 and frame.height != 1 else found


def _each(given: tuple[Any, ...], frame: DataFrame) -> list[Any]:
    return [_operand(value, frame) for value in given]


def _one(column: Series, name: str, given: tuple[Any, ...]) -> Series:
    """Return one value of a column as a column of one row, of the kind that polars gives it."""
    kind = _TO_ONE[name]
    if kind is None:
        kind = "UInt32" if name == "sum" and column.dtype.name == "Boolean" else column.dtype.name
    return Series(column.name, [getattr(column, name)(*given)], KINDS[kind])


def _operation(by: Callable[[Any, Any], Any]) -> Callable[[Expr, Any], Expr]:
    return lambda self, other: Expr(lambda frame: [by(one, _operand(other, frame)) for one in self.compute(frame)])


for _name, _by in OPERATORS.items():
    setattr(Expr, f"__{_name.rstrip('_')}__", _operation(_by))


def col(*names: str) -> Expr:
    """Return columns by name."""
    return Expr(lambda frame: [frame[name] for name in names])


def lit(value: Any, dtype: Kind | None = None) -> Expr:
    """Return one value in every row."""
    return Expr(lambda frame: [Series("literal", [value], dtype).new_from_index(0, frame.height)])


def length() -> Expr:
    """Return how many rows there are; `polars.len`."""
    return Expr(lambda frame: [Series("len", [frame.height], KINDS["UInt32"])])


class When:
    """The first half of a choice by row."""

    def __init__(self, condition: Expr) -> None:
        self._condition = condition

    def then(self, value: Expr) -> Then:
        """Say what it is where the condition holds."""
        return Then(self._condition, value)


class Then(Expr):
    """A choice by row; null where the condition does not hold, unless `otherwise` says more."""

    def __init__(self, condition: Expr, value: Expr, other: Any = None) -> None:
        super().__init__(self._chosen)
        self._condition, self._value, self._other = condition, value, other

    def otherwise(self, value: Any) -> Expr:
        """Say what it is where the condition does not hold."""
        return Then(self._condition, self._value, value)

    def _chosen(self, frame: DataFrame) -> list[Series]:
        (condition,) = self._condition.compute(frame)
        (value,) = self._value.compute(frame)
        other = _operand(self._other, frame)
        if not isinstance(other, Series):
            other = Series("", [other], value.dtype if other is None else None).new_from_index(0, len(value))
        return [chosen_from(condition, value, other)]


def when(condition: Expr) -> When:
    """Begin a choice by row."""
    return When(condition)
