"""What changed, as text and as JSON."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

from windtunnel.diff.compare import Diff, Row
from windtunnel.diff.judging import LEVEL
from windtunnel.diff.reading import Place
from windtunnel.report import text
from windtunnel.stats import Summary


def side(summary: Summary | None) -> str:
    """Return a mean with its standard error and its interval."""
    if summary is None:
        return text.MISSING
    return " ".join(filter(None, (text.mean_and_error(summary.mean, summary.sem), text.interval(summary.low, summary.high))))


def apart(row: Row) -> str:
    """Return the difference with its interval."""
    found = row.found.difference
    if found is None:
        return text.MISSING
    sign = "" if found.estimate < 0 else "+"
    ends = text.interval(found.low, found.high) if math.isfinite(found.low) and found.low != found.high else ""
    return " ".join(filter(None, (f"{sign}{text.number(found.estimate)}", ends)))


def described(row: Row) -> tuple[str, ...]:
    """Return a row as text: experiment, point, measure, both sides, difference, p-value alone and among all, note."""
    place, found = row.place, row.found
    experiment = place.experiment if place.backend == "sim" else f"{place.experiment} on {place.backend}"
    ps = [text.MISSING if p is None else f"{p:.2g}" for p in (found.p, row.p_holm)]
    return experiment, place.where, place.measure, side(found.first), side(found.second), apart(row), *ps, found.note


def summary(found: Diff) -> list[str]:
    """Return how many comparisons came out how, in sentences."""
    counts = found.counts
    said = [f"{len(found.rows)} measures in both, {counts['same']} of them the same to the bit."]
    if found.tested:
        by_chance = LEVEL * found.tested
        said.append(
            f"Of {found.tested} comparisons {found.alone} differ at 95 % (by chance alone some {by_chance:.2g} would), "
            f"{counts['differs']} of them beyond noise (Holm)."
        )
    if counts["not_judged"]:
        said.append(f"{counts['not_judged']} changed and cannot be judged: one repeat, or a name.")
    return said


def only(found: Iterable[Place]) -> list[str]:
    """Return where a folder is alone, a line per experiment."""
    by = Counter((place.experiment, place.backend, place.where) for place in found)
    lines = []
    for experiment, backend in dict.fromkeys((id, name) for id, name, _ in by):
        points = [where for id, name, where in by if (id, name) == (experiment, backend)]
        measures = sum(count for (id, name, _), count in by.items() if (id, name) == (experiment, backend))
        shown = "; ".join(points[:3]) + ("; ..." if len(points) > 3 else "")
        where = experiment if backend == "sim" else f"{experiment} on {backend}"
        lines.append(f"{where}: {measures} measures at {len(points)} points ({shown})")
    return lines


def diff_json(found: Diff) -> dict[str, Any]:
    """Return it as JSON types; what is not there is null. Rows that are the same to the bit are counted, not listed."""
    return {
        "counts": found.counts,
        "tested": found.tested,
        "differ_alone": found.alone,
        "changed": [_row_json(row) for row in found.rows if row.outcome != "same"],
        "verdicts": [{"id": one.id, "backend": one.backend, "first": one.first, "second": one.second} for one in found.moved],
        "only_first": [_place_json(place) for place in found.only[0]],
        "only_second": [_place_json(place) for place in found.only[1]],
        "versions": [
            {"experiment": experiment, "backend": backend, "first": first, "second": second}
            for experiment, backend, first, second in found.versions
        ],
    }


def _row_json(row: Row) -> dict[str, Any]:
    apart = row.found.difference
    ends = None if apart is None else {"estimate": apart.estimate, "low": _finite(apart.low), "high": _finite(apart.high)}
    return {
        **_place_json(row.place),
        "outcome": row.outcome,
        "first": _summary_json(row.found.first),
        "second": _summary_json(row.found.second),
        "difference": ends,
        "p": row.found.p,
        "p_holm": row.p_holm,
        "note": row.found.note,
    }


def _place_json(place: Place) -> dict[str, Any]:
    return {"experiment": place.experiment, "backend": place.backend, "point": dict(place.point), "measure": place.measure}


def _summary_json(summary: Summary | None) -> dict[str, Any] | None:
    if summary is None:
        return None
    return {"mean": summary.mean, "sem": _finite(summary.sem), "low": _finite(summary.low), "high": _finite(summary.high), "n": summary.n}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
