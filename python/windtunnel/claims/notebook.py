"""A verdict as a notebook shows it: what is claimed, what came out, and why."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Protocol

MARKS = {"holds": "\N{CHECK MARK}", "fails": "\N{BALLOT X}", "inconclusive": "?", "not_run": "\N{EN DASH}"}


class Told(Protocol):
    """What is shown of a verdict; see `windtunnel.claims.Verdict`."""

    @property
    def id(self) -> str:
        """The claim's."""

    @property
    def claim(self) -> str:
        """In words."""

    @property
    def published(self) -> str:
        """The source's number."""

    @property
    def verdict(self) -> str:
        """One of `MARKS`."""

    @property
    def counted(self) -> str:
        """What it counts as."""

    @property
    def estimate(self) -> Sequence[float] | None:
        """What was measured."""

    @property
    def interval(self) -> Sequence[Sequence[float]] | None:
        """Of each estimate."""

    @property
    def labels(self) -> Sequence[str]:
        """What each estimate is."""

    @property
    def runs(self) -> int:
        """How many stand behind it."""

    @property
    def backend(self) -> str:
        """What made them."""

    @property
    def reason(self) -> str:
        """What must be said beside it."""

    @property
    def predicate(self) -> str:
        """What decides."""


def verdict_html(one: Told) -> str:
    """Return a verdict as a small table: mark and claim, each estimate with what it is, runs, what must be said beside it.

    Parameters
    ----------
    one : Verdict
        The verdict.

    Returns
    -------
    str
        HTML; every text is escaped.
    """
    said = "holds by construction" if one.counted == "by_construction" else one.verdict.replace("_", " ")
    head = f"<b>{MARKS[one.verdict]} {said}</b> <code>{escape(one.id)}</code> {escape(one.claim)}"
    rows = [("published", escape(one.published))] if one.published else []
    intervals = one.interval or [()] * len(one.estimate or ())
    labels = one.labels or ("estimate",) * len(one.estimate or ())
    for value, ends, label in zip(one.estimate or (), intervals, labels, strict=True):
        span = f" ({ends[0]:.4g} to {ends[1]:.4g})" if ends else ""
        rows.append((escape(label), f"{value:.4g}{span}"))
    rows.append(("runs", f"{one.runs}, {escape(one.backend)}"))
    rows += [(name, escape(text)) for name, text in (("note", one.reason), ("decided by", one.predicate)) if text]
    cells = "".join(f'<tr><th style="text-align:left">{name}</th><td style="text-align:left">{text}</td></tr>' for name, text in rows)
    return f"<p>{head}</p><table>{cells}</table>"
