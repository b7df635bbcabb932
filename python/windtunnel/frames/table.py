"""A frame: named columns of one length. Names and results are those of `polars.DataFrame`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from windtunnel.extras import lacking
from windtunnel.frames.expressions import Expr
from windtunnel.frames.series import KINDS, Kind, Series, joined

MOST_ROWS = 10
"""Rows that are shown of a frame."""


class _Never(Exception):
    """What polars alone raises."""


exceptions = SimpleNamespace(ComputeError=_Never)


class DataFrame:
    """Columns of one length.

    Parameters
    ----------
    data : sequence of Series, or mapping of str to iterable, optional
        The columns.
    schema : mapping of str to Kind, optional
        Their kinds; without data the columns of a frame without rows.
    """

    def __init__(
        self, data: Sequence[Series] | Mapping[str, Iterable[Any]] | None = None, schema: Mapping[str, Kind] | None = None
    ) -> None:
        if data is None:
            data = {name: [] for name in schema or {}}
        if isinstance(data, Mapping):
            data = [Series(name, values, (schema or {}).get(name)) for name, values in data.items()]
        self._columns = {column.name: column for column in data}

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        return list(self._columns)

    @property
    def schema(self) -> dict[str, Kind]:
        """The kind of each column."""
        return {name: column.dtype for name, column in self._columns.items()}

    @property
    def height(self) -> int:
        """How many rows it has."""
        return len(next(iter(self._columns.values()))) if self._columns else 0

    @property
    def width(self) -> int:
        """How many columns it has."""
        return len(self._columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.height, self.width

    def __len__(self) -> int:
        """Return how many rows it has."""
        return self.height

    def clear(self) -> DataFrame:
        """Return the frame without its rows."""
        return self._taken(slice(0, 0))

    def is_empty(self) -> bool:
        """Return whether it has no rows."""
        return self.height == 0

    def __getitem__(self, name: str) -> Series:
        """Return a column."""
        return self._columns[name]

    def __contains__(self, name: str) -> bool:
        """Return whether there is such a column."""
        return name in self._columns

    def iter_columns(self) -> Iterator[Series]:
        """Give the columns in their order."""
        return iter(self._columns.values())

    def _taken(self, rows: Any) -> DataFrame:
        return DataFrame([column._taken(rows) for column in self._columns.values()])

    def _computed(self, wanted: tuple[Any, ...]) -> list[Series]:
        """Return columns from names, series, expressions and iterables of those; one value becomes as many as there are rows."""
        found: list[Series] = []
        for one in wanted:
            if isinstance(one, str):
                found.append(self[one])
            elif isinstance(one, Series):
                found.append(one)
            elif isinstance(one, Expr):
                found += one.compute(self)
            else:
                found += self._computed(tuple(one))
        return found

    def _as_high(self, columns: list[Series]) -> list[Series]:
        return [column.new_from_index(0, self.height) if len(column) == 1 else column for column in columns]

    def _listed(self, wanted: tuple[Any, ...]) -> list[Series]:
        """Return what a group answers: one row of each column."""
        found: list[Series] = []
        for one in wanted:
            if isinstance(one, str):
                held = np.empty(1, dtype=object)
                held[0] = self[one]
                found.append(Series._made(one, held, None, KINDS["List"]))
            else:
                found += self._computed((one,))
        return found

    def filter(self, chosen: Any) -> DataFrame:
        """Return the rows where an expression or a column of booleans is true."""
        if isinstance(chosen, Expr):
            (chosen,) = self._as_high(chosen.compute(self))
        return DataFrame([column.filter(chosen) for column in self._columns.values()])

    def select(self, *wanted: Any) -> DataFrame:
        """Return a frame of columns, by name or expression."""
        found = self._computed(wanted)
        return DataFrame(self._as_high(found) if any(len(column) != 1 for column in found) else found)

    def with_columns(self, *wanted: Any) -> DataFrame:
        """Return the frame with columns added, or in place of those of the same name."""
        made = self._as_high(self._computed(wanted))
        return DataFrame(list({**self._columns, **{column.name: column for column in made}}.values()))

    def drop(self, *names: str) -> DataFrame:
        """Return the frame without some columns."""
        return DataFrame([column for name, column in self._columns.items() if name not in names])

    def sort(self, by: str) -> DataFrame:
        """Return the rows in the order of a column; rows that tie keep theirs."""
        return self._taken(np.argsort(self[by].to_numpy(), kind="stable"))

    def head(self, rows: int = 5) -> DataFrame:
        """Return the first rows."""
        return self._taken(slice(None, rows))

    def tail(self, rows: int = 5) -> DataFrame:
        """Return the last rows."""
        return self._taken(slice(max(self.height - rows, 0), None))

    def row(self, number: int | None = None, *, by_predicate: Expr | None = None, named: bool = False) -> Any:
        """Return one row, by its number or as the only one where an expression is true."""
        found = self if by_predicate is None else self.filter(by_predicate)
        if by_predicate is not None and found.height != 1:
            raise ValueError(f"the predicate holds in {found.height} rows; allowed: one")
        values = {name: column[number or 0] for name, column in found._columns.items()}
        return values if named else tuple(values.values())

    def iter_rows(self, *, named: bool = False) -> Iterator[Any]:
        """Give the rows, as tuples or as a mapping from the columns' names."""
        rows = zip(*(column.to_list() for column in self._columns.values()), strict=True)
        return (dict(zip(self._columns, row, strict=True)) for row in rows) if named else iter(rows)

    def rows(self, *, named: bool = False) -> list[Any]:
        """Return the rows, as `iter_rows` gives them."""
        return list(self.iter_rows(named=named))

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a mapping for each row."""
        return self.rows(named=True)

    def to_dict(self, *, as_series: bool = True) -> dict[str, Any]:
        """Return the columns by name."""
        return {name: column if as_series else column.to_list() for name, column in self._columns.items()}

    def join(self, other: DataFrame, *, on: str, how: str) -> DataFrame:
        """Return the frame with the columns of another, found by a column that is unique there; null where it has no such row."""
        if how != "left":
            raise ValueError(f"how={how!r}; allowed: left")
        place = {value: row for row, value in enumerate(other[on])}
        rows = [place.get(value) for value in self[on]]
        added = [_placed(column, rows) for name, column in other._columns.items() if name != on]
        return DataFrame([*self._columns.values(), *added])

    def _by(self, name: str) -> dict[Any, DataFrame]:
        """Return the rows of each value of a column, in the order in which the values come."""
        places: dict[Any, list[int]] = {}
        for row, value in enumerate(self[name].to_list()):
            places.setdefault(value, []).append(row)
        return {value: self._taken(np.array(rows)) for value, rows in places.items()}

    def group_by(self, name: str, *, maintain_order: bool = True) -> Groups:
        """Return the rows by the values of a column, in the order in which they come: one of the orders that polars may take."""
        del maintain_order
        return Groups(self, name)

    def partition_by(self, name: str, *, as_dict: bool = True) -> dict[tuple[Any], DataFrame]:
        """Return the rows of each value of a column, by the value as a tuple of one."""
        del as_dict
        return {(value,): rows for value, rows in self._by(name).items()}

    def __repr__(self) -> str:
        """Show shape, names, kinds and the first rows."""
        lines = [f"shape: {self.shape}", "  ".join(f"{name} ({kind})" for name, kind in self.schema.items())]
        lines += ["  ".join("null" if value is None else f"{value}" for value in row) for row in self.head(MOST_ROWS).iter_rows()]
        return "\n".join([*lines, "..."] if self.height > MOST_ROWS else lines)

    def write_parquet(self, *_: object, **__: object) -> None:
        """Refuse: polars writes those files."""
        raise lacking("folders of runs need", "polars")


class Groups:
    """The rows of a frame by the values of a column."""

    def __init__(self, frame: DataFrame, name: str) -> None:
        self._frame, self._name = frame, name

    def agg(self, *wanted: Any) -> DataFrame:
        """Return a row for each value: of an expression its one value, of a name the group's rows as a list."""
        groups = self._frame._by(self._name)
        keys = Series(self._name, list(groups), self._frame[self._name].dtype)
        if not groups:
            return DataFrame([keys, *(_none(column) for column in self._frame.filter([])._listed(wanted))])
        rows = [rows._listed(wanted) for rows in groups.values()]
        return DataFrame([keys, *(joined(parts[0].name, parts) for parts in zip(*rows, strict=True))])


def _none(column: Series) -> Series:
    return Series(column.name, [], column.dtype)


def _placed(column: Series, rows: Sequence[int | None]) -> Series:
    return Series(column.name, [None if row is None else column[row] for row in rows], column.dtype)


def concat(frames: Iterable[DataFrame], how: str = "vertical") -> DataFrame:
    """Return the rows of frames one after the other.

    Parameters
    ----------
    frames : iterable of DataFrame
        At least one.
    how : str
        ``vertical`` of the same columns, ``vertical_relaxed`` of kinds that may differ, ``diagonal`` of columns that some lack: null
        there.
    """
    parts = list(frames)
    if how not in ("vertical", "vertical_relaxed", "diagonal"):
        raise ValueError(f"how={how!r}; allowed: vertical, vertical_relaxed, diagonal")
    kinds = {name: kind for part in reversed(parts) for name, kind in part.schema.items()}
    names = parts[0].columns if how != "diagonal" else list(dict.fromkeys(name for part in parts for name in part.columns))
    return DataFrame([joined(name, [_of(part, name, kinds[name]) for part in parts]) for name in names])


def _of(part: DataFrame, name: str, kind: Kind) -> Series:
    return part[name] if name in part else Series(name, [None], kind).new_from_index(0, part.height)
