"""The two figures of a comment in characters, for pages that show no pictures: every change in its margins, and repeats of the largest."""

from __future__ import annotations

import math
from collections.abc import Sequence

from windtunnel.gate.judging import OUTCOMES, Row
from windtunnel.gate.values import Values
from windtunnel.report import text

BARS = " ▁▂▃▄▅▆▇█"
"""From none to all, by eighths."""
REACH = 4
"""Margins to either side; what lies further is in the last column."""
PER_MARGIN = 5
"""Columns for a margin, odd: one has no change in its middle."""
COLUMNS = 32
"""Of repeats."""
MOST_PANELS = 3


def bars(counts: Sequence[int], most: int | None = None) -> str:
    """Return a column for each count: a bar of eighths of `most`, of the largest when absent; any count above none shows.

    Returns
    -------
    str
        Without blanks at its end.
    """
    top = most or max(counts, default=0) or 1
    return "".join(BARS[0 if count == 0 else max(1, math.floor(8 * count / top + 0.5))] for count in counts).rstrip()


def binned(values: Sequence[float], low: float, high: float, columns: int) -> list[int]:
    """Return how many values lie in each of so many equal columns from `low` to `high`; what lies beyond is in the last ones."""
    counts = [0] * columns
    for value in values:
        place = math.floor((value - low) / (high - low) * columns) if high > low else columns // 2
        counts[min(max(place, 0), columns - 1)] += 1
    return counts


def changes(rows: Sequence[Row]) -> list[str]:
    """Return every change in units of its margin, worse to the left: a line for each verdict.

    Parameters
    ----------
    rows : sequence of Row
        The comparisons; those without a difference in numbers, or without a margin, have no place in it.
    """
    columns = 2 * REACH * PER_MARGIN + PER_MARGIN
    edge = REACH + 0.5
    found = {
        name: [_in_margins(row) for row in rows if row.outcome == name and row.margin and math.isfinite(row.estimate)] for name in OUTCOMES
    }
    placed = {name: binned(values, -edge, edge, columns) for name, values in found.items()}
    most = max(max(counts) for counts in placed.values())
    ticks = "".join(f"{one:+d}".center(PER_MARGIN) if one else "0".center(PER_MARGIN) for one in range(-REACH, REACH + 1))
    lines = ["Changes in units of their margins: to the left worse, to the right better"]
    lines += [f"{name:<9} {bars(counts, most):<{columns}} {len(found[name]):>3}" for name, counts in placed.items()]
    return [*lines, f"{'':<9} {ticks}".rstrip()]


def _in_margins(row: Row) -> float:
    return (1.0 if row.about.better == "more" else -1.0) * row.estimate / row.margin


def repeats(old: Values, new: Values, rows: Sequence[Row]) -> list[str]:
    """Return the repeats of the first comparisons: for each a line of both sides' range, and a line for each side."""
    lines = ["Repeats before and now"]
    for row in rows[:MOST_PANELS]:
        sides = [[value for value in side.cells[row.cell][row.quantity].values() if value is not None] for side in (old, new)]
        low, high = min(map(min, sides)), max(map(max, sides))
        unit = f" {row.about.unit}" if row.about.unit else ""
        lines.append(f"{row.cell}: {row.about.title}, {text.number(low)} to {text.number(high)}{unit}")
        lines += [f"{name:>9} {bars(binned(side, low, high, COLUMNS))}" for name, side in zip(("before", "now"), sides, strict=True)]
    return lines
