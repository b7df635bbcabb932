"""The gate as a whole: both sides run or read, and compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from windtunnel.backends import backend as backend_of
from windtunnel.experiment import Step
from windtunnel.gate import margins as margins_of
from windtunnel.gate.carried_out import carry_out, lay_out
from windtunnel.gate.judging import OUTCOMES, UNDECIDED, WORSE, Row, judge
from windtunnel.gate.margins import Margins
from windtunnel.gate.more import seeds_needed
from windtunnel.gate.plans import GatePlan
from windtunnel.gate.sides import Against, check_alike
from windtunnel.gate.subject import Subject
from windtunnel.gate.values import Values
from windtunnel.scenario import ScenarioError


@dataclass(frozen=True)
class Verdict:
    """What the gate says.

    Parameters
    ----------
    new, old : Values
        What was judged, and by what.
    rows : tuple of Row
        The comparisons.
    title : str
        What it was judged by, in words.
    plan : GatePlan
        What was run.
    command : str
        What asks for it.
    """

    new: Values
    old: Values
    rows: tuple[Row, ...]
    title: str
    plan: GatePlan
    command: str

    @property
    def counts(self) -> dict[str, int]:
        """How many comparisons have each outcome."""
        found = Counter(row.outcome for row in self.rows)
        return {name: found[name] for name in OUTCOMES}

    def of(self, outcome: str) -> list[Row]:
        """Return the rows of an outcome, the largest difference first, by the margin."""
        chosen = [row for row in self.rows if row.outcome == outcome]
        return sorted(chosen, key=lambda row: -abs(row.estimate) / row.margin if row.margin else 0.0)

    @cached_property
    def wanted(self) -> dict[str, int | None]:
        """By cell with something undecided: about how many seeds would decide all of it; None where no number of seeds may."""
        needs: dict[str, int | None] = {}
        for row in self.of(UNDECIDED):
            seeds = seeds_needed(row, seeds=len(self.plan.seeds), family=len(self.rows))
            before = needs.get(row.cell, 0)
            needs[row.cell] = None if seeds is None or before is None else max(seeds, before)
        return needs

    def passes(self, *, strict: bool = False) -> bool:
        """Return whether nothing became worse; when strict, nothing may be undecided either."""
        return not self.counts[WORSE] and not (strict and self.counts[UNDECIDED])


def margins_for(given: Path | None, other: Against) -> Margins:
    """Return the margins: of the file that was given, else of the one beside the baseline, else the usual ones.

    Raises
    ------
    ScenarioError
        When the file is none.
    """
    if given is not None:
        return margins_of.read(given)
    own = margins_of.beside(other.file) if other.file is not None else None
    return margins_of.read(own) if own is not None and own.is_file() else Margins()


def judged(
    new: Subject,
    other: Against,
    plan: GatePlan,
    allowed: Margins,
    folder: Path,
    *,
    backend: str,
    jobs: int,
    command: str,
    again: str,
    on_step: Callable[[Step], None],
) -> Verdict:
    """Run what is missing of both sides, and compare.

    Parameters
    ----------
    new : Subject
        The controller that is judged.
    other : Against
        What it is judged by.
    plan : GatePlan
        What is run.
    allowed : Margins
        What does not matter.
    folder : Path
        Where runs are kept, ``new`` and ``old`` in it.
    backend : str
        What runs the controller.
    jobs : int
        Worker processes.
    command, again : str
        What asks for this, and what would make the baseline again.
    on_step : callable
        Told of progress.

    Raises
    ------
    ScenarioError
        When the two sides cannot be compared: another engine or backend, or nothing in common.
    """
    chosen = backend_of(backend)
    if other.stored is not None:
        check_alike(other.stored, str(chosen.version()), chosen.name, again=lambda: again)
        if not any(cell.name in other.stored.cells for cell in plan.cells):
            raise _nothing_in_common(other, plan)
    lay_out([new], plan, backend=backend)  # What cannot be run is said before the other side has been.
    common = {"jobs": jobs, "command": command, "on_step": on_step}
    old = other.stored if other.stored is not None else _side(other.controller, plan, folder / "old", backend=other.backend, **common)
    now = _side(new, plan, folder / "new", backend=backend, **common)
    rows = judge(old, now, allowed)
    if not rows:
        raise _nothing_in_common(other, plan)
    return Verdict(now, old, tuple(rows), other.title, plan, command)


def _nothing_in_common(other: Against, plan: GatePlan) -> ScenarioError:
    allowed = f"allowed: a baseline with cells of plan {plan.name}"
    return ScenarioError("against", f"{other.title} has nothing in common with what is run; {allowed}")


def _side(controller: Subject | None, plan: GatePlan, folder: Path, **options: object) -> Values:
    assert controller is not None, "a side has values or a controller"
    return carry_out([controller], plan, folder, **options)[controller.name]  # type: ignore[arg-type]


def cells_of(rows: Sequence[Row]) -> list[str]:
    """Return the cells of some rows, each once, in their order."""
    return list(dict.fromkeys(row.cell for row in rows))
