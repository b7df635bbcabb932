"""Margins: the largest difference of each quantity that does not matter, stated in a file beside the baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from windtunnel.gate.cells import CELLS, WIDE
from windtunnel.gate.measures import QUANTITIES
from windtunnel.scenario import ScenarioError
from windtunnel.scenario.errors import shown, unknown
from windtunnel.scenario.files import read_document

SUFFIX = ".margins.toml"
_KEYS = ("absolute", "relative")


@dataclass(frozen=True)
class Margin:
    """The larger of two counts.

    Parameters
    ----------
    absolute : float
        In the quantity's unit.
    relative : float
        Of the baseline's mean.
    """

    absolute: float = 0.0
    relative: float = 0.0

    def at(self, mean: float) -> float:
        """Return the margin where the baseline's mean is `mean`, in the quantity's unit."""
        return max(self.absolute, self.relative * abs(mean))


DEFAULTS: Mapping[str, Margin] = {
    "goodput": Margin(0.0, 0.02),
    "delay": Margin(1.0, 0.05),
    "resent": Margin(0.02, 0.1),
    "balance": Margin(0.03),
    "left": Margin(0.05),
    "own": Margin(0.05),
    "done": Margin(0.0, 0.03),
    "transfer": Margin(0.0, 0.03),
    "transfer_p95": Margin(0.0, 0.05),
    "transfer_p99": Margin(0.0, 0.08),
    "timeouts": Margin(0.5, 0.1),
}
"""What counts as nothing where no file says otherwise: a reader of the figures would not choose by less."""


@dataclass(frozen=True)
class Margins:
    """The margins of a comparison.

    Parameters
    ----------
    everywhere : mapping of str to Margin
        By quantity.
    cells : mapping of str to mapping of str to Margin
        By cell and quantity, in place of that.
    """

    everywhere: Mapping[str, Margin] = field(default_factory=lambda: dict(DEFAULTS))
    cells: Mapping[str, Mapping[str, Margin]] = field(default_factory=dict)

    def of(self, cell: str, quantity: str) -> Margin:
        """Return the margin of a quantity in a cell."""
        return self.cells.get(cell, {}).get(quantity, self.everywhere[quantity])


def beside(baseline: Path) -> Path:
    """Return where the margins of a baseline stand: ``cubic.toml`` has ``cubic.margins.toml``."""
    return baseline.with_name(baseline.name.removesuffix(".toml") + SUFFIX)


def read(path: Path) -> Margins:
    """Read a file of margins; what it does not name has the default.

    Raises
    ------
    ScenarioError
        When it cannot be read, or names what is not there.
    """
    data = read_document(path)
    names = [cell.name for cell in (*CELLS, *WIDE)]
    everywhere, cells = dict(DEFAULTS), {}
    for key, value in data.items():
        if key in QUANTITIES:
            everywhere[key] = _margin(path, key, value)
        elif key in names:
            if not isinstance(value, dict):
                raise ScenarioError("margins", f"{path}: {key}: {shown(value)} is no table; allowed: a margin for each quantity")
            for one in value:
                if one not in QUANTITIES:
                    raise ScenarioError("margins", f"{path}: {key}: {unknown('quantity', one, QUANTITIES)}")
            cells[key] = {one: _margin(path, f"{key}.{one}", given) for one, given in value.items()}
        else:
            raise ScenarioError("margins", f"{path}: {unknown('quantity or cell', key, [*QUANTITIES, *names])}")
    return Margins(everywhere, cells)


def _margin(path: Path, where: str, given: object) -> Margin:
    allowed = "allowed: { absolute = NUMBER, relative = NUMBER }, one or both, zero or more"
    if not isinstance(given, dict) or not given or any(key not in _KEYS for key in given):
        raise ScenarioError("margins", f"{path}: {where}: {shown(given)} is no margin; {allowed}")
    for value in given.values():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise ScenarioError("margins", f"{path}: {where}: {shown(value)} is out of range; {allowed}")
    return Margin(**{key: float(value) for key, value in given.items()})


def written(margins: Margins) -> str:
    """Return margins as the text of a file that `read` reads."""
    lines = [
        "# The largest differences that do not matter: absolute in the quantity's unit, relative to the baseline's mean;",
        "# the larger of the two counts. A table with a cell's name sets others there: [shallow] and below it",
        "# resent = { absolute = 0.5 }.",
        "",
    ]
    for name, one in margins.everywhere.items():
        unit = QUANTITIES[name].unit
        lines.append(f"{name} = {_text(one)}  # {QUANTITIES[name].title}{f', {unit}' if unit else ''}")
    for cell, own in margins.cells.items():
        lines += ["", f"[{cell}]", *(f"{name} = {_text(one)}" for name, one in own.items())]
    return "\n".join(lines) + "\n"


def _text(margin: Margin) -> str:
    return f"{{ absolute = {margin.absolute:g}, relative = {margin.relative:g} }}"
