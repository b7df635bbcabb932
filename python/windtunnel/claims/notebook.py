"""A verdict as a notebook shows it: what is claimed, what came out, and why."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Protocol

MARKS = {"holds": "\N{CHECK MARK}", "fails": "\N{BALLOT X}", "inconclusive": "?", "not_run": "\N{EN DASH}"}


class Explained(Protocol):
    """What is shown of a reason; see `windtunnel.claims.Reason`."""

    @property
    def kind(self) -> str:
        """One of the register's kinds."""

    @property
    def text(self) -> str:
        """The reason."""


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
    def why(self) -> Explained | None:
        """What a full run found out about it."""

    @property
    def tolerance(self) -> str:
        """What the predicate allows beside the claim's words."""

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
    labels = one.labels or ("",) * len(one.estimate or ())
    for value, ends, label in zip(one.estimate or (), intervals, labels, strict=True):
        span = f" ({ends[0]:.4g} to {ends[1]:.4g})" if ends else ""
        rows.append(("estimate", f"{value:.4g}{span}" + (f": {escape(label)}" if label else "")))
    rows.append(("runs", f"{one.runs}, {escape(one.backend)}"))
    known = "" if one.why is None or one.verdict == "holds" else f"{one.why.kind}: {one.why.text}"
    beside = (("note", one.reason), ("known of it", known), ("tolerance", one.tolerance), ("decided by", one.predicate))
    rows += [(name, escape(text)) for name, text in beside if text]
    style = "text-align:left;vertical-align:top;overflow-wrap:anywhere"
    cells = "".join(f'<tr><th style="{style};white-space:nowrap">{name}</th><td style="{style}">{text}</td></tr>' for name, text in rows)
    return f"<p>{head}</p><table>{cells}</table>"
