"""Two results folders, place by place: what differs beyond noise among so many comparisons, and what only one of them holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from windtunnel.diff.judging import CHANCE, DIFFERS, LEVEL, NOT_JUDGED, OUTCOMES, SAME, WITHIN, Judgement, judge
from windtunnel.diff.reading import Place, places, versions
from windtunnel.report import registers_of, verdicts_of
from windtunnel.stats import holm
from windtunnel.store import Results


@dataclass(frozen=True)
class Row:
    """One place that both folders hold.

    Parameters
    ----------
    place : Place
        Where.
    found : Judgement
        Both sides and their difference.
    p_holm : float or None
        The p-value adjusted for the number of comparisons.
    outcome : str
        One of `OUTCOMES`.
    """

    place: Place
    found: Judgement
    p_holm: float | None
    outcome: str


@dataclass(frozen=True)
class Moved:
    """A claim whose verdict is another one.

    Parameters
    ----------
    id, backend : str
        The claim, and what made the runs it was judged by.
    first, second : str
        Its verdicts.
    """

    id: str
    backend: str
    first: str
    second: str


@dataclass(frozen=True)
class Diff:
    """All that changed.

    Parameters
    ----------
    rows : tuple of Row
        Places of both folders, in the order of the first.
    only : tuple of (tuple of Place, tuple of Place)
        Places of the first folder only, and of the second only.
    moved : tuple of Moved
        Claims with another verdict.
    versions : tuple of (str, str, str, str)
        Experiment, backend, and what made its runs in each folder, where that differs.
    """

    rows: tuple[Row, ...]
    only: tuple[tuple[Place, ...], tuple[Place, ...]]
    moved: tuple[Moved, ...]
    versions: tuple[tuple[str, str, str, str], ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many places have each outcome."""
        found = Counter(row.outcome for row in self.rows)
        return {name: found[name] for name in OUTCOMES}

    @property
    def tested(self) -> int:
        """How many comparisons could go wrong: all but those that are the same to the bit or have no test."""
        return sum(row.p_holm is not None for row in self.rows)

    @property
    def alone(self) -> int:
        """How many differ at 95 % when each is taken alone."""
        return sum(row.found.p is not None and row.found.p <= LEVEL for row in self.rows)

    def with_outcome(self, outcome: str) -> list[Row]:
        """Return the rows of an outcome, the least probable first."""
        chosen = [row for row in self.rows if row.outcome == outcome]
        return sorted(chosen, key=lambda row: 1.0 if row.found.p is None else row.found.p)


def diff(first: Results, second: Results) -> Diff:
    """Compare two results folders.

    Parameters
    ----------
    first, second : Results
        The folders; changes are from the first to the second.

    Returns
    -------
    Diff
        What is the same to the bit in both is not counted among the comparisons: it could not have differed by chance.

    Raises
    ------
    ResultsError
        When something stored is missing or damaged.
    """
    ours, theirs = places(first), places(second)
    shared = [place for place in ours if place in theirs]
    found = [judge(ours[place], theirs[place]) for place in shared]
    tested = [one.p for one in found if one.p is not None]
    adjusted = iter(holm(tested))
    rows = []
    for place, one in zip(shared, found, strict=True):
        p_holm = next(adjusted) if one.p is not None else None
        rows.append(Row(place, one, p_holm, _outcome(one, p_holm)))
    only = tuple(place for place in ours if place not in theirs), tuple(place for place in theirs if place not in ours)
    return Diff(tuple(rows), only, tuple(_moved(first, second)), tuple(_versions(first, second)))


def _outcome(found: Judgement, p_holm: float | None) -> str:
    if found.is_same:
        return SAME
    if found.p is None or p_holm is None:
        return NOT_JUDGED
    return DIFFERS if p_holm <= LEVEL else CHANCE if found.p <= LEVEL else WITHIN


def _moved(first: Results, second: Results) -> Iterable[Moved]:
    verdicts = [
        {
            (one.id, backend): one.verdict
            for backend in side.backends()
            for register in registers_of(side)
            for one in verdicts_of(side, register, backend)
        }
        for side in (first, second)
    ]
    for id, backend in dict.fromkeys([*verdicts[0], *verdicts[1]]):
        before, after = (side.get((id, backend), "not_run") for side in verdicts)
        if before != after:
            yield Moved(id, backend, before, after)


def _versions(first: Results, second: Results) -> Iterable[tuple[str, str, str, str]]:
    ours, theirs = versions(first), versions(second)
    for key in ours:
        if key in theirs and ours[key] != theirs[key]:
            yield (*key, ours[key], theirs[key])
