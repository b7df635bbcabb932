"""A column: values of one kind, some of which may be null. Names and results are those of `polars.Series`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, repr=False)
class Kind:
    """A type of values. Calling it gives itself, since polars takes both the class and an instance of it."""

    name: str
    numpy: str

    def __call__(self) -> Kind:
        """Return itself."""
        return self

    def __str__(self) -> str:
        """Return the name polars writes."""
        return self.name

    __repr__ = __str__


_NUMPY = {
    "Boolean": "bool",
    "UInt8": "u1",
    "UInt32": "u4",
    "UInt64": "u8",
    "Int32": "i4",
    "Int64": "i8",
    "Float64": "f8",
    "String": "O",
    "List": "O",
}
KINDS = {name: Kind(name, numpy) for name, numpy in _NUMPY.items()}
_KIND_OF = {np.dtype(kind.numpy): kind for kind in KINDS.values() if kind.numpy != "O"}


def _kind_of(values: np.ndarray[Any, Any]) -> Kind:
    if values.dtype.kind in "OU":
        return KINDS["String"]
    return _KIND_OF[values.dtype]


def _given(values: Iterable[Any], dtype: Kind | None) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any] | None, Kind]:
    """Return values as an array, where they are null, and their kind."""
    if isinstance(values, np.ndarray) and values.dtype.kind not in "OU":
        kind = dtype or _kind_of(values)
        return values if kind.numpy == "O" else values.astype(kind.numpy, copy=False), None, kind
    listed = list(values)
    null = np.array([value is None for value in listed], dtype=np.bool_)
    known = [value for value in listed if value is not None]
    if dtype is None:
        dtype = KINDS["Float64"] if not known else _kind_of(np.asarray(known))
    if dtype.numpy == "O":
        held = np.empty(len(listed), dtype=object)
        held[:] = listed
    else:
        held = np.array([0 if value is None else value for value in listed], dtype=dtype.numpy)
    return held, null if null.any() else None, dtype


class Series:
    """A named column.

    Parameters
    ----------
    name : str
        Its name; a sequence stands for the values, of a column without a name.
    values : iterable, shape (rows,)
        Numbers, booleans or words; None is null.
    dtype : Kind, optional
        Their kind; found from the values when absent.
    nan_to_null : bool
        Whether NaN is null.
    """

    def __init__(self, name: Any, values: Any = None, dtype: Kind | None = None, *, nan_to_null: bool = False) -> None:
        if values is None:
            name, values = ("", name) if not isinstance(name, str) else (name, [])
        self.name: str = name
        self._values, self._null, self.dtype = _given(values, dtype)
        if nan_to_null and self.dtype.name == "Float64":
            self._null = _or(self._null, np.isnan(self._values))

    @classmethod
    def _made(cls, name: str, values: np.ndarray[Any, Any], null: np.ndarray[Any, Any] | None, dtype: Kind | None = None) -> Series:
        made = cls.__new__(cls)
        made.name, made._values, made.dtype = name, values, dtype or _kind_of(values)
        made._null = null if null is not None and null.any() else None
        return made

    def __len__(self) -> int:
        """Return how many rows it has."""
        return len(self._values)

    def len(self) -> int:
        """Return how many rows it has."""
        return len(self._values)

    def __iter__(self) -> Iterator[Any]:
        """Give its values; None where null."""
        return iter(self.to_list())

    def __getitem__(self, row: int) -> Any:
        """Return the value of one row; None where null."""
        if self._null is not None and self._null[row]:
            return None
        value = self._values[row]
        return value.item() if isinstance(value, np.generic) else value

    def __repr__(self) -> str:
        """Show name, kind and values."""
        return f"Series {self.name!r} [{self.dtype}] {self.to_list()}"

    def to_list(self) -> list[Any]:
        """Return its values as Python's own; None where null."""
        listed = self._values.tolist()
        if self._null is not None:
            for row in np.flatnonzero(self._null):
                listed[row] = None
        return list(listed)

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """Return its values as an array: of doubles with NaN where numbers are null, of objects with None where others are."""
        if self._null is None:
            return self._values
        if self.dtype.numpy in ("O", "bool"):
            return np.array(self.to_list(), dtype=object)
        return np.where(self._null, np.nan, self._values.astype(np.float64))

    def alias(self, name: str) -> Series:
        """Return the column under another name."""
        return self._made(name, self._values, self._null, self.dtype)

    def cast(self, dtype: Kind) -> Series:
        """Return the column as another kind; null stays null."""
        if dtype == self.dtype:
            return self
        if dtype.numpy == "O":
            return Series(self.name, [None if value is None else str(value) for value in self], dtype)
        values = self._values if self._null is None else np.where(self._null, 0, self._values)
        return self._made(self.name, values.astype(dtype.numpy), self._null, dtype)

    def new_from_index(self, row: int, height: int) -> Series:
        """Return a column of `height` rows that all hold the value of one."""
        null = None if self._null is None else np.repeat(self._null[row], height)
        return self._made(self.name, np.repeat(self._values[row : row + 1], height), null, self.dtype)

    def _taken(self, rows: Any) -> Series:
        return self._made(self.name, self._values[rows], None if self._null is None else self._null[rows], self.dtype)

    def filter(self, chosen: Any) -> Series:
        """Return the rows where `chosen` is true; null is not."""
        return self._taken(_true(chosen))

    def drop_nulls(self) -> Series:
        """Return the rows that are not null."""
        return self if self._null is None else self._taken(~self._null)

    def null_count(self) -> int:
        """Return how many rows are null."""
        return 0 if self._null is None else int(self._null.sum())

    def count(self) -> int:
        """Return how many rows are not null."""
        return len(self._values) - self.null_count()

    def is_null(self) -> Series:
        """Return where it is null."""
        return self._made(self.name, np.zeros(len(self), dtype=np.bool_) if self._null is None else self._null.copy(), None)

    def is_not_null(self) -> Series:
        """Return where it is not null."""
        return ~self.is_null()

    def fill_null(self, value: Any) -> Series:
        """Return the column with a value in place of null."""
        if self._null is None:
            return self
        kind = KINDS["Float64"].numpy if isinstance(value, float) and self.dtype.numpy != "O" else self.dtype.numpy
        values = self._values.astype(kind)
        values[self._null] = value
        return self._made(self.name, values, None, self.dtype if kind == "O" else None)

    def is_in(self, values: Iterable[Any]) -> Series:
        """Return which rows hold one of some values; null where null."""
        wanted = set(values)
        return self._made(self.name, np.array([value in wanted for value in self._values.tolist()], dtype=np.bool_), self._null)

    def is_between(self, low: Any, high: Any) -> Series:
        """Return which rows lie between two values, both included."""
        return self._with(low, operator.ge)._with(self._with(high, operator.le), operator.and_)

    def first(self) -> Any:
        """Return the first value; None where there is none."""
        return self[0] if len(self) else None

    def sum(self) -> Any:
        """Return the sum of what is not null; of nothing 0."""
        found = self.drop_nulls()._values.sum()
        return found.item()

    def mean(self) -> float | None:
        """Return the mean of what is not null; None of nothing."""
        known = self.drop_nulls()._values
        return float(known.mean()) if len(known) else None

    def min(self) -> Any:
        """Return the smallest value; None of nothing."""
        known = self.drop_nulls()._values
        return known.min().item() if len(known) else None

    def max(self) -> Any:
        """Return the largest value; None of nothing."""
        known = self.drop_nulls()._values
        return known.max().item() if len(known) else None

    def quantile(self, quantile: float, interpolation: str) -> float | None:
        """Return a quantile of what is not null, interpolated linearly, the only way there is here; None of nothing."""
        if interpolation != "linear":
            raise ValueError(f"interpolation {interpolation!r}; allowed: linear")
        known = self.drop_nulls()._values
        return float(np.quantile(known, quantile)) if len(known) else None

    def _with(self, other: Any, by: Callable[[Any, Any], Any]) -> Series:
        """Combine with a column or a value, row by row; null where one of them is."""
        if other is None:
            return self._made(self.name, np.zeros(len(self)), np.ones(len(self), dtype=np.bool_))
        values, null = (other._values, other._null) if isinstance(other, Series) else (other, None)
        with np.errstate(divide="ignore", invalid="ignore"):
            made = np.asarray(by(self._values, values))
        return self._made(self.name, made.astype(np.bool_) if made.dtype == object else made, _or(self._null, null))

    def __eq__(self, other: object) -> Series:  # type: ignore[override]
        """Compare row by row."""
        return self._with(other, operator.eq)

    def __ne__(self, other: object) -> Series:  # type: ignore[override]
        """Compare row by row."""
        return self._with(other, operator.ne)

    __hash__ = None  # type: ignore[assignment]

    def __invert__(self) -> Series:
        """Return the opposite of each row."""
        return self._made(self.name, ~self._values, self._null)


def _or(one: np.ndarray[Any, Any] | None, other: np.ndarray[Any, Any] | None) -> np.ndarray[Any, Any] | None:
    """Return where either is null."""
    found = other if one is None else one if other is None else one | other
    return found if found is not None and found.any() else None


def _true(chosen: Any) -> np.ndarray[Any, Any]:
    """Return where something is true and not null, as an array."""
    if not isinstance(chosen, Series):
        return np.asarray(chosen, dtype=np.bool_)
    return chosen._values.astype(np.bool_) if chosen._null is None else chosen._values.astype(np.bool_) & ~chosen._null


def joined(name: str, parts: Sequence[Series]) -> Series:
    """Return columns one after the other, as one of the first's kind, or of doubles where they differ."""
    dtype = parts[0].dtype if len({part.dtype.name for part in parts}) == 1 else KINDS["Float64"]
    cast = [part.cast(dtype) for part in parts]
    null = np.concatenate([part.is_null().to_numpy() for part in cast])
    return Series._made(name, np.concatenate([part._values for part in cast]), null, dtype)


def chosen_from(condition: Series, yes: Series, no: Series) -> Series:
    """Return `yes` where a condition holds, and `no` where it does not or is null."""
    holds = _true(condition)
    if yes.dtype != no.dtype:
        yes, no = (one.cast(KINDS["Float64"]) for one in (yes, no))
    null = np.where(holds, yes.is_null()._values, no.is_null()._values)
    return Series._made(yes.name, np.where(holds, yes._values, no._values), null, yes.dtype)


OPERATORS = {name: getattr(operator, name) for name in ("lt", "le", "gt", "ge", "add", "sub", "mul", "truediv", "floordiv", "and_", "or_")}


def _operation(by: Callable[[Any, Any], Any]) -> Callable[[Series, Any], Series]:
    return lambda self, other: self._with(other, by)


for _name, _by in OPERATORS.items():
    setattr(Series, f"__{_name.rstrip('_')}__", _operation(_by))
