"""Rows of the pages in docs/validation: what simulator and kernel say of a claim, each beside the other in the same cells."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from windtunnel.claims import Verdict
from windtunnel.report.environment import VERDICTS
from windtunnel.report.text import MISSING, number
from windtunnel.store import SIMULATOR

KERNEL = "linux"
"""The backend that is a kernel."""
HEADINGS = ("claim", "", "published", "ours", "runs", "judged on", "verdict")
PAPER = re.compile(r"^# .*\(`(?P<paper>\w+)`\)$", re.MULTILINE)
"""The heading of a paper's page."""
_PARAGRAPH = re.compile(r"^### (?P<claim>[ct]\d+)\n\n\*(?P<kind>\w+)", re.MULTILINE)
_SEPARATORS = ("; ", "; ", ", ", "; ")


@dataclass(frozen=True)
class TableCell:
    """What one backend says of a claim, in the words of the page.

    Parameters
    ----------
    said : str
        The estimates.
    runs : str
        How many runs stand behind them.
    judged_on : str
        The backend, or that it emulates.
    verdict : str
        The verdict, with the first word of its reason.
    """

    said: str
    runs: str
    judged_on: str
    verdict: str

    @property
    def parts(self) -> tuple[str, str, str, str]:
        """The four, in the order of the page's columns."""
        return self.said, self.runs, self.judged_on, self.verdict


def cell_of(verdict: Verdict, reasons: Mapping[str, str]) -> TableCell | None:
    """Return a verdict's cell, None for a claim that was not run; `reasons` are the first words of claims' reasons."""
    if verdict.verdict == "not_run":
        return None
    on = "emulation" if verdict.judged_on else {SIMULATOR: "simulator"}.get(verdict.backend, verdict.backend)
    return TableCell(_said(verdict), str(verdict.runs), on, verdict_text(verdict, reasons))


def joined(cells: Sequence[TableCell | None], none: str) -> list[str]:
    """Return the last four columns of a row: what backends say, the simulator first; `none` is the verdict where none says anything."""
    known = [cell.parts for cell in cells if cell is not None]
    if not known:
        return [MISSING, MISSING, MISSING, none]
    return [separator.join(own) or MISSING for separator, own in zip(_SEPARATORS, zip(*known, strict=True), strict=True)]


def split(columns: Sequence[str]) -> tuple[TableCell | None, TableCell | None]:
    """Return the simulator's and the kernel's cell of the last four columns of a row: of two the second is the kernel's."""
    if columns[2] == MISSING:
        return None, None
    own = [TableCell(*parts) for parts in zip(*(text.split(by) for text, by in zip(columns, _SEPARATORS, strict=True)), strict=True)]
    if len(own) > 1:
        return own[0], own[1]
    return (None, own[0]) if own[0].judged_on == KERNEL else (own[0], None)


def verdict_text(verdict: Verdict, reasons: Mapping[str, str]) -> str:
    """Return a verdict in the page's words, with the first word of the reason where it does not hold."""
    shown = VERDICTS[verdict.counted] if verdict.verdict == "holds" else f"**{VERDICTS[verdict.verdict]}**"
    kind = reasons.get(verdict.id, "Headline")
    return shown if verdict.verdict == "holds" or kind == "Headline" else f"{shown}: {kind.lower()}"


def _said(one: Verdict) -> str:
    ends = one.interval or [[]] * len(one.estimate or [])
    labels = [f": {label}".replace("; ", ", ").replace("|", "/") if label else "" for label in one.labels] or [""] * len(ends)
    said = "<br>".join(
        number(value) + (f" ({number(pair[0])} to {number(pair[1])})" if pair and pair[0] != pair[1] else "") + label
        for value, pair, label in zip(one.estimate or [], ends, labels, strict=True)
    )
    return said or MISSING


def reasons_of(page: str) -> dict[str, str]:
    """Return the claims that have a paragraph, as ``li07.c06``, each with the first word of its reason; of one page or several in a row."""
    _, *parts = PAPER.split(page)
    found: dict[str, str] = {}
    for paper, text in zip(parts[::2], parts[1::2], strict=True):
        found |= {f"{paper}.{paragraph['claim']}": paragraph["kind"] for paragraph in _PARAGRAPH.finditer(text)}
    return found
