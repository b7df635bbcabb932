"""The baseline: what a controller gave, as a small text file that is kept with its source and reviewed like it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from windtunnel.gate.measures import QUANTITIES
from windtunnel.gate.values import DIGITS, Series, Values
from windtunnel.scenario import ScenarioError
from windtunnel.scenario.files import read_document
from windtunnel.scenario.textfiles import put

FORMAT = 1
_HEAD = ("controller", "backend", "engine", "kind", "plan")
_PER_LINE = 12


def write(values: Values, path: Path, *, command: str) -> None:
    """Write a baseline, whole or not at all.

    Parameters
    ----------
    values : Values
        What the controller gave.
    path : Path
        The file.
    command : str
        What makes it again.

    Raises
    ------
    ScenarioError
        When it cannot be written.
    """
    lines = [f"# Baseline of the gate, each quantity by seed. Made by: {command}", f"format = {FORMAT}"]
    lines += [f"{name} = {_string(getattr(values, name))}" for name in _HEAD]
    for cell, quantities in values.cells.items():
        lines += ["", f"[{cell}]"]
        seeds = sorted({seed for series in quantities.values() for seed in series})
        lines.append(f"seeds = [{', '.join(map(str, seeds))}]")
        for name, series in quantities.items():
            lines += _row(name, [series.get(seed) for seed in seeds])
    put("\n".join(lines) + "\n", path, "save")


def _row(name: str, values: list[float | None]) -> list[str]:
    # TOML has no null: NaN stands where a run had no value.
    texts = ["nan" if value is None else _number(value) for value in values]
    if len(texts) <= _PER_LINE:
        return [f"{name} = [{', '.join(texts)}]"]
    rows = [", ".join(texts[at : at + _PER_LINE]) for at in range(0, len(texts), _PER_LINE)]
    return [f"{name} = [", *(f"  {row}," for row in rows), "]"]


def _number(value: float) -> str:
    text = f"{value:.{DIGITS}g}"
    return text if any(letter in text for letter in ".einf") else f"{text}.0"


def _string(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def read(path: Path, where: str = "") -> Values:
    """Read a baseline.

    Parameters
    ----------
    path : Path
        The file.
    where : str, optional
        What it is called in errors; the path when absent.

    Raises
    ------
    ScenarioError
        When it cannot be read, or is none.
    """
    where = where or str(path)
    data = read_document(path)
    if data.get("format") != FORMAT or not all(isinstance(data.get(name), str) for name in _HEAD):
        raise ScenarioError("against", f"{where}: is no baseline of format {FORMAT}; allowed: a file that `windtunnel gate --save` wrote")
    cells = {name: _cell(where, name, table) for name, table in data.items() if isinstance(table, dict)}
    return Values(**{name: data[name] for name in _HEAD}, cells=cells)


def _cell(where: str, name: str, table: dict[str, Any]) -> dict[str, Series]:
    seeds = table.get("seeds")
    rows = {key: row for key, row in table.items() if key in QUANTITIES}
    if (
        not isinstance(seeds, list)
        or len(set(map(str, seeds))) != len(seeds)
        or any(type(seed) is not int for seed in seeds)
        or any(not isinstance(row, list) or len(row) != len(seeds) or not all(map(_is_number, row)) for row in rows.values())
    ):
        raise ScenarioError("against", f"{where}: [{name}] is damaged; allowed: seeds, and a number for each in every quantity")
    return {
        key: {seed: None if math.isnan(value) else float(value) for seed, value in zip(seeds, row, strict=True)}
        for key, row in rows.items()
    }


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
