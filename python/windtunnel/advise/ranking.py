"""From repeats to advice: who is better at what beyond noise, who is dominated, who leads each column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from windtunnel.advise.columns import Column
from windtunnel.stats import Difference, Summary, difference, summarise

Values = Mapping[tuple[str, str], Sequence[float]]
"""Repeats by protocol and column's name; infinite is a time that was not reached."""


@dataclass(frozen=True)
class Row:
    """One protocol.

    Parameters
    ----------
    algorithm : str
        The protocol.
    rank : int or None
        One more than the number of protocols that are better in the column ranked by, beyond noise and by what matters; None where nothing
        was measured.
    dominated_by : tuple of str
        Those that are nowhere worse by what matters, and somewhere better beyond noise and by what matters.
    found : mapping of str to Summary
        By column's name, with bootstrap intervals; columns without a value are not there.
    """

    algorithm: str
    rank: int | None
    dominated_by: tuple[str, ...]
    found: Mapping[str, Summary]


@dataclass(frozen=True)
class Leaders:
    """Who leads a column: the best mean, and those that no difference beyond noise and by what matters sets apart from it."""

    column: Column
    first: str
    equals: tuple[str, ...]


@dataclass(frozen=True)
class Load:
    """Two flows of one algorithm behind one discipline.

    Parameters
    ----------
    discipline, algorithm : str
        The names.
    rtt_ms : Summary
        Their round-trip time under this load, mean over the second half of a run, ms.
    rate_mbps : Summary
        What both carry, Mbit/s.
    """

    discipline: str
    algorithm: str
    rtt_ms: Summary
    rate_mbps: Summary


@dataclass(frozen=True)
class Advice:
    """The answer: rows by rank, leaders by column, and what the operator of the network can do, in sentences."""

    by: Column
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    leaders: tuple[Leaders, ...]
    loads: tuple[Load, ...] = ()
    operator: tuple[str, ...] = ()

    @property
    def front(self) -> tuple[Row, ...]:
        """The rows that nothing dominates."""
        return tuple(row for row in self.rows if not row.dominated_by)


@dataclass(frozen=True)
class _Field:
    """All repeats, as more-is-better."""

    values: Values

    def good(self, algorithm: str, column: Column) -> Summary | None:
        values = self.values.get((algorithm, column.name), ())
        return summarise([column.good(value) for value in values]) if values else None

    def lead(self, first: str, second: str, column: Column) -> Difference | None:
        """Return by how much the first is better; None where one of them has no value."""
        ours, theirs = self.good(first, column), self.good(second, column)
        return None if ours is None or theirs is None else difference(ours, theirs)

    def is_better(self, first: str, second: str, column: Column) -> bool:
        """Whether the first is better by what matters, beyond noise."""
        found = self.lead(first, second, column)
        return found is not None and found.estimate > column.matters and found.low > 0

    def is_worse(self, first: str, second: str, column: Column) -> bool:
        """Whether the first's mean is worse by what matters, noise or not."""
        found = self.lead(first, second, column)
        return found is not None and found.estimate < -column.matters

    def dominates(self, first: str, second: str, columns: Sequence[Column]) -> bool:
        if any(self.is_worse(first, second, column) for column in columns):
            return False
        return any(self.is_better(first, second, column) for column in columns)


def advise(algorithms: Sequence[str], columns: Sequence[Column], values: Values, *, by: str) -> Advice:
    """Rank protocols by one column and mark those that another one makes needless.

    Parameters
    ----------
    algorithms : sequence of str
        The protocols.
    columns : sequence of Column
        What they are compared by.
    values : mapping of (str, str) to sequence of float
        Repeats by protocol and column.
    by : str
        Name of the column ranked by.

    Returns
    -------
    Advice
        Differences are judged by Welch's 95 % interval; with one repeat there is none, none is better than another and all are first.

    Notes
    -----
    Source: V. Pareto, "Manuale di economia politica", 1906, chapter 6, for dominance.
    """
    field = _Field(values)
    key = next(column for column in columns if column.name == by)
    rows = []
    for name in algorithms:
        others = [other for other in algorithms if other != name]
        ahead = sum(field.is_better(other, name, key) for other in others)
        found = {column.name: shown for column in columns if (shown := _shown(values.get((name, column.name), ()), column)) is not None}
        dominated_by = tuple(other for other in others if field.dominates(other, name, columns))
        rows.append(Row(name, ahead + 1 if key.name in found else None, dominated_by, found))
    rows.sort(key=lambda row: -good.mean if (good := field.good(row.algorithm, key)) is not None else float("inf"))
    leaders = [one for column in columns if (one := _leaders(field, algorithms, column)) is not None]
    return Advice(key, tuple(columns), tuple(rows), tuple(leaders))


def _shown(values: Sequence[float], column: Column) -> Summary | None:
    """Return what is shown of a column."""
    return summarise(values, censored_at=column.longest) if values else None


def _leaders(field: _Field, algorithms: Sequence[str], column: Column) -> Leaders | None:
    known = {name: good for name in algorithms if (good := field.good(name, column)) is not None}
    if not known:
        return None
    first = max(known, key=lambda name: known[name].mean)
    equals = tuple(name for name in known if name != first and not field.is_better(first, name, column))
    return Leaders(column, first, equals)
