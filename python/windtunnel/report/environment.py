"""The templates, and what they call."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from windtunnel.report import text
from windtunnel.report.names import file_name, value_title

VERDICTS = {
    "holds": "holds",
    "by_construction": "holds by construction",
    "fails": "fails",
    "inconclusive": "inconclusive",
    "not_run": "not run",
}
"""What a claim counts as to what is shown, in the order of the counts."""
MARKS = {"holds": "✓", "by_construction": "=", "fails": "✕", "inconclusive": "?", "not_run": "\N{EN DASH}"}

MOST_POINTS = 12
"""Data points that a claim's card leads to; of more it says how many."""


@cache
def environment() -> Environment:
    """Return the templates of a report, compiled once a process; every text is escaped, and an undefined name is an error."""
    made = Environment(
        loader=PackageLoader("windtunnel.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters.update(cell=text.cell, detail=text.detail, slug=file_name, value_title=value_title)
    made.tests["numeric"] = text.is_number
    made.filters["prose"] = text.prose
    made.globals.update(estimates=text.estimates, usual_repeats=text.usual_repeats, most_points=MOST_POINTS)
    made.globals.update(verdict_names=VERDICTS, verdict_marks=MARKS)
    return made
