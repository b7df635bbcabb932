"""The plans of the gate: which cells, each with how many seeds, by the time that they take on two cores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from windtunnel.gate.cells import CELLS, WIDE, Cell
from windtunnel.gate.values import Values
from windtunnel.scenario import ScenarioError
from windtunnel.scenario.errors import unknown

MOST_SEEDS = 1000
"""Of a cell, as ``--seeds`` takes them."""


@dataclass(frozen=True)
class GatePlan:
    """What one side of a comparison runs.

    Parameters
    ----------
    name : str
        As ``--plan`` takes it.
    cells : tuple of Cell
        Paths and traffic.
    seeds : tuple of int
        Repeats of each cell; the same on both sides, so that both meet the same draws.
    """

    name: str
    cells: tuple[Cell, ...]
    seeds: tuple[int, ...]

    def cell(self, name: str) -> Cell:
        """Return the cell of a name; raises KeyError."""
        return {one.name: one for one in self.cells}[name]

    def narrowed(self, only: Sequence[str] | None, seeds: int | None) -> GatePlan:
        """Return it with fewer cells, or another number of seeds.

        Raises
        ------
        ScenarioError
            When there is no such cell.
        """
        names = [one.name for one in self.cells]
        for name in only or ():
            if name not in names:
                raise ScenarioError("only", unknown("cell", name, names))
        cells = self.cells if only is None else tuple(one for one in self.cells if one.name in only)
        return replace(self, cells=cells, seeds=self.seeds if seeds is None else _first(seeds))

    def within(self, baseline: Values) -> GatePlan:
        """Return it with the cells and the number of seeds that a baseline has; whole where it has none of these cells."""
        cells = tuple(one for one in self.cells if one.name in baseline.cells)
        seeds = {seed for one in cells for series in baseline.cells[one.name].values() for seed in series}
        last = max(seeds, default=0)
        return replace(self, cells=cells or self.cells, seeds=_first(last) if 0 < last <= MOST_SEEDS else self.seeds)


def _first(count: int) -> tuple[int, ...]:
    return tuple(range(1, count + 1))


PLANS = {
    one.name: one
    for one in (
        GatePlan("20s", CELLS, _first(10)),
        GatePlan("2min", CELLS, _first(32)),
        GatePlan("20min", (*CELLS, *WIDE), _first(240)),
    )
}
"""By name."""
STANDARD = "2min"


def plan(name: str) -> GatePlan:
    """Return a plan; raises ScenarioError when there is none of that name."""
    if name not in PLANS:
        raise ScenarioError("plan", unknown("plan", name, PLANS))
    return PLANS[name]
