"""The advice in words, for the table on the terminal and on the page."""

from __future__ import annotations

import math

from windtunnel.advise.columns import HALF, MORE, Column
from windtunnel.advise.ranking import Advice, Leaders, Row
from windtunnel.report import text
from windtunnel.stats import Summary


def value(summary: Summary | None, column: Column) -> str:
    """Return a mean and its 95 % interval where it has a width, in digits that count; a lower bound where some repeats never got there.

    Parameters
    ----------
    summary : Summary, optional
        Over seeds.
    column : Column
        What it is: digits below a tenth of what matters are not shown.
    """
    if summary is None:
        return text.MISSING
    if not math.isfinite(summary.mean):
        return "never"
    half = (summary.high - summary.low) / 2 if summary.n > 1 else 0.0
    decimals = max(-math.floor(math.log10(max(half, column.matters / 10))), 0)
    mean, low, high = (f"{number:.{decimals}f}" for number in (summary.mean, summary.low, summary.high))
    bound = ">" if summary.infinite else ""
    return f"{bound}{mean}" if summary.n < 2 or low == high else f"{bound}{mean} ({low} to {high})"


def detail(summary: Summary | None) -> str:
    """Return how many repeats never got there; empty when none or all did not."""
    if summary is None or summary.infinite in (0, summary.n):
        return ""
    return f"{'never ' if math.isfinite(summary.mean) else ''}in {summary.infinite} of {summary.n}"


def rank(row: Row) -> str:
    """Return the rank of a row."""
    return text.MISSING if row.rank is None else str(row.rank)


def best(column: Column) -> str:
    """Return which way a column is better."""
    return {MORE: "more", HALF: "near 0.5"}.get(column.better, "less")


def wish(column: Column) -> str:
    """Return what a reader of one column wants."""
    return f"{column.title} {best(column)}" if column.better == HALF else f"{best(column)} {column.title}"


def leaders(one: Leaders) -> str:
    """Return who leads a column."""
    return f"{one.first}; no worse by a difference that counts: {', '.join(one.equals)}" if one.equals else one.first


def conclusions(advice: Advice) -> list[str]:
    """Return the answer in sentences: who is left, and who leads what."""
    front = [row.algorithm for row in advice.front]
    others = [f"{row.algorithm} (by {', '.join(row.dominated_by)})" for row in advice.rows if row.dominated_by]
    said = [f"Not dominated: {', '.join(front)}."] if front else []
    if others:
        said.append(f"Dominated: {', '.join(others)}.")
    return [*said, *advice.operator]
