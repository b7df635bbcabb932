"""The criteria of standards with what a folder's claims say of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from windtunnel.report.model import CriterionRow, Standard

if TYPE_CHECKING:
    from windtunnel.claims import Verdict


def standards_of(facts: Mapping[str, Any], verdicts: Sequence[Verdict]) -> list[Standard]:
    """Return the standards that a folder's suites follow, each criterion with its verdicts.

    Parameters
    ----------
    facts : mapping
        The folder's own, as `windtunnel.suites.store_facts` stored them.
    verdicts : sequence of Verdict
        The first backend's; a claim that is not among them is left out.
    """
    by_id = {one.id: one for one in verdicts}
    return [_standard(str(name), stored, by_id) for name, stored in facts.get("followed", {}).items()]


def _standard(name: str, stored: Mapping[str, Any], by_id: Mapping[str, Verdict]) -> Standard:
    rows = [
        CriterionRow(
            key=str(row["key"]),
            title=str(row["title"]),
            section=str(row["section"]),
            level=str(row["level"]),
            verdicts=[(by_id[id], str(row["whose"][id])) for id in row["claims"] if id in by_id],
            not_evaluated=str(row["not_evaluated"]),
        )
        for row in stored["rows"]
    ]
    return Standard(name, str(stored["edition"]), list(stored["left_out"]), list(stored["algorithms"]), rows)
