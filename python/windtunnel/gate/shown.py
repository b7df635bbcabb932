"""What the gate says: rows as text, a summary in sentences, and JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from windtunnel.gate.judging import Row
from windtunnel.gate.study import Verdict
from windtunnel.report import text
from windtunnel.stats import Summary

WORDS = {"worse": "worse", "better": "better", "equal": "equal within the margin", "undecided": "undecided"}
CHEAP = 4
"""Times the plan's seeds up to which a longer run is proposed."""
HEADS = ("cell", "quantity", "unit", "before", "now", "change, 98 %", "margin", "p (Holm)", "verdict")


def mean(summary: Summary | None) -> str:
    """Return the mean of a side with its standard error."""
    return text.MISSING if summary is None else text.mean_and_error(summary.mean, summary.sem)


def change(row: Row) -> str:
    """Return the difference with its interval."""
    if math.isnan(row.estimate):
        return row.note or text.MISSING
    low, high = row.interval
    sign = "+" if row.estimate > 0 else ""
    ends = text.interval(low, high) if math.isfinite(low) and low != high else ""
    return " ".join(filter(None, (f"{sign}{text.number(row.estimate)}", ends, f"({row.note})" if row.note else "")))


def described(row: Row) -> tuple[str, ...]:
    """Return a row as text, in the order of `HEADS`."""
    margin = text.MISSING if math.isnan(row.margin) else text.number(row.margin)
    return (row.cell, row.about.title, row.about.unit, mean(row.old), mean(row.new), change(row), margin, f"{row.p_holm:.1g}", row.outcome)


def summary(verdict: Verdict) -> list[str]:
    """Return in sentences what came out, what was not compared, and which runs would decide the rest."""
    counts = verdict.counts
    parts = [f"{counts[name]} {WORDS[name]}" for name in WORDS]
    said = [f"{len(verdict.rows)} comparisons: {', '.join(parts)}. A wrong “worse” or “better” anywhere among them: at most 1 in 100."]
    for name, reason in {**verdict.old.left_out, **verdict.new.left_out}.items():
        said.append(f"not run, {name}: {reason}")
    only_old, only_new = ([one for one in side if one not in other] for side, other in _both(verdict))
    said += [f"only before: {', '.join(only_old)}"] if only_old else []
    said += [f"only now: {', '.join(only_new)}"] if only_new else []
    decidable = {cell: seeds for cell, seeds in verdict.wanted.items() if seeds is not None}
    cheap = {cell: seeds for cell, seeds in decidable.items() if seeds <= CHEAP * len(verdict.plan.seeds)}
    if decidable:
        needed = ", ".join(f"{cell} {seeds}" for cell, seeds in sorted(decidable.items(), key=lambda one: one[1]))
        said.append(f"What is undecided would be decided by about so many seeds: {needed}.")
    if cheap:
        said.append(f"The nearest: --only {','.join(cheap)} --seeds {max(cheap.values())}")
    never = [cell for cell, seeds in verdict.wanted.items() if seeds is None]
    if never and len(verdict.plan.seeds) == 1:
        said.append("One seed says nothing of chance: with --seeds 2 at least more can be decided.")
    elif never:
        said.append(f"Not decided by a thousand seeds: {', '.join(never)}; there the change is near the margin itself.")
    return said


def _both(verdict: Verdict) -> Sequence[tuple[Any, Any]]:
    return (verdict.old.cells, verdict.new.cells), (verdict.new.cells, verdict.old.cells)


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """Return it as JSON types; what is not there is null."""
    return {
        "controller": verdict.new.controller,
        "against": verdict.title,
        "backend": verdict.new.backend,
        "plan": verdict.plan.name,
        "seeds": len(verdict.plan.seeds),
        "passes": verdict.passes(),
        "counts": verdict.counts,
        "rows": [_row_json(row) for row in verdict.rows],
        "left_out": {**verdict.old.left_out, **verdict.new.left_out},
        "seeds_wanted": verdict.wanted,
        "command": verdict.command,
    }


def _row_json(row: Row) -> dict[str, Any]:
    low, high = row.interval
    return {
        "cell": row.cell,
        "quantity": row.quantity,
        "unit": row.about.unit,
        "better": row.about.better,
        "outcome": row.outcome,
        "before": _side(row.old),
        "now": _side(row.new),
        "change": {"estimate": _finite(row.estimate), "low": _finite(low), "high": _finite(high)},
        "margin": _finite(row.margin),
        "p": row.p,
        "p_holm": row.p_holm,
        "p_equal": row.p_equal,
        "note": row.note,
    }


def _side(summary: Summary | None) -> dict[str, Any] | None:
    return None if summary is None else {"mean": _finite(summary.mean), "sem": _finite(summary.sem), "n": summary.n}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
