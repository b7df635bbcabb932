"""Published tables of an experiment: how the register describes their cells, and reading them.

An experiment's ``tables`` says for each path in its ``data`` which metric the cells hold and how a cell names its point, its value and its
standard deviation. Four short phrases cover what the papers print:

- selectors: ``alg = key of values; site = site; win = window``: each is the cell's own key, a field of the cell's row, or a fixed name;
- value, sd: ``the number``, ``first of the pair``, ``second of the pair``, a field's name, or ``none``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from windtunnel.claims.grammar import DIMENSIONS
from windtunnel.claims.model import PointValue, PublishedCell, PublishedTable
from windtunnel.scenario.errors import shown, unknown

_KEY = ("key", "key of values")


def published_table(data: Mapping[str, Any], path: str, description: Any) -> PublishedTable:
    """Read one published table.

    Parameters
    ----------
    data : mapping
        The experiment's `data`.
    path : str
        Dotted path of the table in `data`.
    description : object
        The experiment's ``tables`` entry for the path.

    Returns
    -------
    PublishedTable
        The cells that are given; none when the whole table is null.

    Raises
    ------
    ValueError
        With the problem in words, when the path leads nowhere or the table does not look as described.
    """
    if not isinstance(description, Mapping) or set(description) != {"metric", "selectors", "value", "sd"}:
        raise ValueError("needs metric, selectors, value and sd, and nothing else")
    if not all(isinstance(text, str) for text in description.values()):
        raise ValueError("metric, selectors, value and sd must be text")
    selectors = _selectors(description["selectors"])
    value, sd = _picker(description["value"]), _picker(description["sd"])
    if value is None:
        raise ValueError("value cannot be none")
    cells = []
    for row, key, cell in _cells(_at(data, path)):
        number = None if cell is None else _number(value(cell), f"{path}: {key}")
        if number is None:
            continue
        deviation = None if sd is None else _number(sd(cell), f"{path}: {key}")
        cells.append(PublishedCell({name: _selected(source, row, key) for name, source in selectors.items()}, number, deviation))
    return PublishedTable(description["metric"], tuple(cells))


def _at(data: Mapping[str, Any], path: str) -> Any:
    found: Any = data
    for key in path.split("."):
        if not isinstance(found, Mapping) or key not in found:
            raise ValueError(f"the path leads nowhere: {shown(key)} is not a key of the experiment's data")
        found = found[key]
    return found


def _cells(table: Any) -> Iterator[tuple[Mapping[str, Any], str, Any]]:
    """Yield (row, key, cell): a table is a mapping of cells, or a list of rows that hold one under ``values``."""
    rows = table if isinstance(table, list) else [{"values": table}]
    for row in rows:
        if not isinstance(row, Mapping) or "values" not in row:
            raise ValueError("a row of the table has no values")
        values = row["values"]
        if values is None:
            continue
        if not isinstance(values, Mapping):
            raise ValueError(f"a row of the table holds {shown(values)}; allowed: a mapping of cells")
        for key, cell in values.items():
            yield row, str(key), cell


def _selectors(text: str) -> dict[str, str]:
    pairs = {}
    for part in text.split(";"):
        name, equals, source = (piece.strip() for piece in part.partition("="))
        if not equals or not source or name in pairs:
            raise ValueError(f"selectors {shown(text)} are not of the form 'alg = key; site = site'")
        if name not in DIMENSIONS:
            raise ValueError(unknown("selector", name, DIMENSIONS))
        pairs[name] = source
    return pairs


def _selected(source: str, row: Mapping[str, Any], key: str) -> PointValue:
    if source in _KEY:
        return key
    found = row.get(source, source)
    if isinstance(found, bool) or not isinstance(found, str | int | float):
        raise ValueError(f"field {source} of a row holds {shown(found)}; allowed: a name or a number")
    return found if isinstance(found, str) else float(found)


def _picker(text: str) -> Callable[[Any], Any] | None:
    def pair(index: int) -> Callable[[Any], Any]:
        def pick(cell: Any) -> Any:
            if not isinstance(cell, list) or len(cell) != 2:
                raise ValueError(f"a cell holds {shown(cell)}; allowed: a pair")
            return cell[index]

        return pick

    def named(cell: Any) -> Any:
        if not isinstance(cell, Mapping) or text not in cell:
            raise ValueError(f"a cell holds {shown(cell)}; allowed: a mapping with {text}")
        return cell[text]

    phrases = {"none": None, "the number": lambda cell: cell, "first of the pair": pair(0), "second of the pair": pair(1)}
    return phrases.get(text, named)


def _number(value: Any, where: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{where}: {shown(value)} is not a number")
    return float(value)
