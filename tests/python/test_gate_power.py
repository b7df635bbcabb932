"""What the gate sees, by the stored pool of runs: each defect in 95 of 100 plans; an unchanged controller passes in 99 of 100."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from windtunnel.gate import STANDARD, plan

ROOT = Path(__file__).parents[2]


def _module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gate_power", ROOT / "benches/gate_power.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["gate_power"] = module
    spec.loader.exec_module(module)
    return module


power = _module()


@pytest.fixture(scope="module")
def values() -> dict[str, object]:
    return dict(power.read())


def test_the_pool_has_every_cell_and_quantity_of_the_plan_with_sixty_seeds_at_least(values: dict[str, object]) -> None:
    for text in {one for defect in power.DEFECTS for one in (defect.before, defect.now)}:
        cells = values[text].cells  # type: ignore[attr-defined]
        for cell in plan(STANDARD).cells:
            assert set(cells[cell.name]) == {one.name for one in cell.quantities}, f"made by: make gate-power ({text}, {cell.name})"
            assert all(len(series) >= 60 for series in cells[cell.name].values())


@pytest.mark.parametrize("number", range(len(power.DEFECTS)), ids=[one.words for one in power.DEFECTS])
def test_a_defect_is_caught(number: int, values: dict[str, object]) -> None:
    seen = power.caught(values, power.DEFECTS[number], plan(STANDARD), plans=100)
    assert seen.worse >= 95, seen


@pytest.mark.parametrize("base", power.BASES)
def test_an_unchanged_controller_passes_on_other_seeds(base: str, values: dict[str, object]) -> None:
    seen = power.unchanged(values, base, plan(STANDARD), plans=100)
    assert seen.worse <= 1, seen
