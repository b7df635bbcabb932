"""The overview's grid: what became of the claims of each paper, by the protocols they name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windtunnel.plots.style import LOOK
from windtunnel.report.model import Report, Section

if TYPE_CHECKING:
    from windtunnel.claims import Verdict

GENERAL = "any"
"""Heading of the claims that name no protocol."""


@dataclass(frozen=True)
class GridRow:
    """A row of the grid.

    Parameters
    ----------
    id, title : str
        Of the paper or of the experiment.
    section : Section, optional
        The experiment; None for the row of a paper.
    cells : sequence of mapping
        Per column: verdict to how many claims; empty where no claim names the protocol.
    total : mapping
        Every claim of the row once.
    """

    id: str
    title: str
    section: Section | None
    cells: Sequence[Mapping[str, int]]
    total: Mapping[str, int]


@dataclass(frozen=True)
class Grid:
    """The grid: `columns` are protocols, then `GENERAL` if need be; `papers` are rows of papers, each with the rows of its experiments."""

    columns: Sequence[str]
    papers: Sequence[tuple[GridRow, Sequence[GridRow]]]


def named_in(predicate: str) -> list[str]:
    """Return the protocols a claim's predicate names, each once, without their variants."""
    quoted = [text.partition(":")[0] for text in re.findall(r"""['"]([^'"]+)['"]""", predicate)]
    return list(dict.fromkeys(name for name in quoted if _is_one(name)))


def _is_one(name: str) -> bool:
    """Whether a name is a protocol's: a built-in law, or a controller of a whole stack, ``cubic@quinn``."""
    return name in LOOK or "@" in name


def _named(verdict: Verdict, section: Section) -> list[str]:
    """Return the protocols a claim is about: those its predicate names, else the only one of its experiment."""
    own = {str(point.values["alg"]).partition(":")[0] for point in section.points if "alg" in point.values}
    return named_in(verdict.predicate) or ([name for name in own if _is_one(name)] if len(own) == 1 else [])


def paper_of(id: str) -> str:
    """Return the paper an experiment's or a claim's name begins with."""
    return id.partition(".")[0]


def grid_of(report: Report) -> Grid:
    """Count verdicts by paper, experiment and protocol.

    Parameters
    ----------
    report : Report
        The report.

    Returns
    -------
    Grid
        Without experiments that have no claim; protocols in the order of the legends.
    """
    judged = [section for section in report.sections if section.verdicts]
    claims = {section.id: [(verdict, _named(verdict, section)) for verdict in section.verdicts] for section in judged}
    named = {name for own in claims.values() for _, names in own for name in names}
    general = any(not names for own in claims.values() for _, names in own)
    columns = [name for name in LOOK if name in named] + sorted(name for name in named if name not in LOOK) + ([GENERAL] if general else [])
    papers = []
    for paper in dict.fromkeys(paper_of(section.id) for section in judged):
        own = [section for section in judged if paper_of(section.id) == paper]
        rows = [_row(section.id, section.title, section, claims[section.id], columns) for section in own]
        every = [claim for section in own for claim in claims[section.id]]
        papers.append((_row(paper, report.papers.get(paper, ""), None, every, columns), rows))
    return Grid(columns, papers)


def _row(id: str, title: str, section: Section | None, claims: Sequence[tuple[Verdict, Sequence[str]]], columns: Sequence[str]) -> GridRow:
    cells: dict[str, Counter[str]] = {name: Counter() for name in columns}
    for verdict, names in claims:
        for name in names or [GENERAL]:
            cells[name][verdict.counted] += 1
    return GridRow(id, title, section, [cells[name] for name in columns], Counter(verdict.counted for verdict, _ in claims))
