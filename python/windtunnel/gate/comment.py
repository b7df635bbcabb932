"""The verdict as a comment on a pull request: a screen of Markdown with two figures."""

from __future__ import annotations

import math
from pathlib import Path

from windtunnel.gate import characters, shown
from windtunnel.gate.judging import BETTER, EQUAL, UNDECIDED, WORSE, Row
from windtunnel.gate.study import Verdict
from windtunnel.gate.values import Values
from windtunnel.plots import Change, Repeats, draw_changes, draw_repeats, save
from windtunnel.report import text

CHANGES, REPEATS = "changes.svg", "repeats.svg"
MOST_ROWS = 8
MOST_PANELS = 4
_MARKS = {WORSE: "❌", BETTER: "✅", EQUAL: "⚪", UNDECIDED: "❔"}


def comment(verdict: Verdict, *, figures_at: str | None) -> str:
    """Return the comment.

    Parameters
    ----------
    verdict : Verdict
        What the gate says.
    figures_at : str, optional
        Address of the folder that holds the figures; when absent they are in characters, which every page shows.
    """
    counts = verdict.counts
    head = "nothing became worse" if verdict.passes() else f"worse in {counts[WORSE]} of {len(verdict.rows)} comparisons"
    lines = [f"### Gate: `{verdict.new.controller}` — {head}", ""]
    lines.append(
        f"Against {_plain(verdict.title)}, on {verdict.new.backend}, plan {verdict.plan.name}, {len(verdict.plan.seeds)} seeds: "
        + ", ".join(f"{_MARKS[name]} {count} {name}" for name, count in counts.items() if count)
        + "."
    )
    chosen = _chosen(verdict)
    if chosen:
        lines += ["", "| | where | quantity | before | now | change, 98 % | margin |", "|---|---|---|---|---|---|---|"]
        lines += [_line(verdict, row) for row in chosen[:MOST_ROWS]]
        if len(chosen) > MOST_ROWS:
            lines += ["", f"… and {len(chosen) - MOST_ROWS} more that are worse or better."]
    if figures_at is not None:
        base = figures_at.rstrip("/")
        lines += ["", f"![Every change in units of its margin]({base}/{CHANGES})"]
        lines += [f"![The repeats of the largest changes]({base}/{REPEATS})"]
    else:
        lines += [
            "",
            "```text",
            *characters.changes(verdict.rows),
            "",
            *characters.repeats(verdict.old, verdict.new, _largest(verdict)),
            "```",
        ]
    lines += ["", "<details><summary>What was compared, and what would decide the rest</summary>", ""]
    lines += [f"- {_plain(sentence)}" for sentence in shown.summary(verdict)]
    lines += [f"- `{verdict.command}`", "", "</details>"]
    return "\n".join(lines) + "\n"


def _chosen(verdict: Verdict) -> list[Row]:
    return [*verdict.of(WORSE), *verdict.of(BETTER)]


def _line(verdict: Verdict, row: Row) -> str:
    unit = f" {row.about.unit}" if row.about.unit else ""
    margin = text.MISSING if math.isnan(row.margin) else text.number(row.margin)
    cells = (_MARKS[row.outcome], verdict.plan.cell(row.cell).title, row.about.title)
    return "| " + " | ".join((*cells, shown.mean(row.old) + unit, shown.mean(row.new) + unit, shown.change(row), margin)) + " |"


def _plain(words: str) -> str:
    return words.replace("|", "\\|").replace("<", "&lt;")


def draw(verdict: Verdict, folder: Path) -> None:
    """Draw the two figures into a folder.

    Raises
    ------
    ScenarioError
        When they cannot be written.
    """
    save(draw_changes([_change(row) for row in verdict.rows if row.margin]), folder / CHANGES)
    save(draw_repeats([_repeats(verdict.old, verdict.new, row) for row in _largest(verdict)]), folder / REPEATS)


def _largest(verdict: Verdict) -> list[Row]:
    """Return the comparisons whose repeats are shown: those that differ first, as far as both sides have values."""
    chosen = (_chosen(verdict) + verdict.of(UNDECIDED) + verdict.of(EQUAL))[:MOST_PANELS]
    return [row for row in chosen if row.old is not None and row.new is not None]


def _change(row: Row) -> Change:
    low, high = (end / row.margin for end in row.interval)
    sign = 1.0 if row.about.better == "more" else -1.0
    ends = sorted((sign * low, sign * high))
    return Change(f"{row.cell}: {row.quantity}", row.outcome, sign * row.estimate / row.margin, ends[0], ends[1])


def _repeats(old: Values, new: Values, row: Row) -> Repeats:
    sides = [[value for value in side.cells[row.cell][row.quantity].values() if value is not None] for side in (old, new)]
    unit = f" ({row.about.unit})" if row.about.unit else ""
    return Repeats(row.cell, f"{row.about.title}{unit}", row.outcome, tuple(sides[0]), tuple(sides[1]))
