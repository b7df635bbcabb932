"""Assertions on a controller's state over time: which phase follows which, how long it lasts, what holds while it does.

A run's samples carry the state that each algorithm shows under its own names (`mode`, `pacing_gain`, `inflight_long`, ...). `States` is
that of one flow; `follows`, `lasts`, `keeps` and `never` make measures of it, 1 where the assertion holds, 0 where it does not, and no
value where the run never came to what it is about. A suite declares them as `Measure(name, function=follows(...))`, and a register asks
``M('name') == 1``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from windtunnel.metrics.backoffs import Array
from windtunnel.metrics.view import MSS_BYTES, View

Check = Callable[[View], float | None]
"""What a suite declares as a measure: 1, 0, or None where there was nothing to see."""
MODE = "mode"
"""The column in which algorithms with phases show theirs, a number of their own."""


@dataclass(frozen=True)
class Episode:
    """A stretch of time in one phase.

    Parameters
    ----------
    start_s, end_s : float
        First sample of it, and the first sample after it; the last sample of the run where it did not end.
    value : float
        The phase.
    after : float or None
        The phase that follows; None where the run ended in this one.
    """

    start_s: float
    end_s: float
    value: float
    after: float | None

    @property
    def length_s(self) -> float:
        """How long it lasted, to one sampling interval at each end, seconds."""
        return self.end_s - self.start_s


@dataclass(frozen=True)
class States:
    """The state of one flow over time.

    Parameters
    ----------
    view : View
        A run that took samples.
    flow : int
        The flow's number.
    columns : mapping of str to array, optional
        Columns that the records do not have, made of others; a name among them hides the records'.
    """

    view: View
    flow: int = 0
    columns: Mapping[str, Array] = field(default_factory=dict)

    @cached_property
    def t_s(self) -> Array:
        """Times of the samples, seconds."""
        return self.view.series(self.flow).t_s

    def has(self, *names: str) -> bool:
        """Return whether the run shows all these columns, with a value at some time."""
        known = self.view.records.flow_samples.columns
        return bool(self.t_s.size) and all(name in self.columns or name in known for name in names)

    def column(self, name: str) -> Array:
        """Return a column, NaN where the run has no value; shape (samples,)."""
        return self.columns[name] if name in self.columns else self.view.variable(self.flow, name)

    def at(self, name: str, t_s: float) -> float:
        """Return a column's value at a time: that of the last sample not after it."""
        index = max(0, int(np.searchsorted(self.t_s, t_s + 1e-9, side="right")) - 1)
        return float(self.column(name)[index])

    def between(self, name: str, start_s: float, end_s: float) -> Array:
        """Return a column's samples from a time to before another."""
        return self.column(name)[(self.t_s >= start_s - 1e-9) & (self.t_s < end_s - 1e-9)]

    def episodes(self, *values: float, column: str = MODE) -> list[Episode]:
        """Return the stretches in which a column has one of some values, in order; all stretches where none is named."""
        phase = self.column(column)
        known = np.flatnonzero(np.isfinite(phase))
        if not known.size:
            return []
        times, phase = self.t_s[known], phase[known]
        begins = np.concatenate(([0], np.flatnonzero(np.diff(phase)) + 1))
        ends = np.concatenate((begins[1:], [phase.size]))
        found = []
        for begin, end in zip(begins, ends, strict=True):
            over = end < phase.size
            own = float(phase[begin])
            if not values or own in values:
                found.append(Episode(float(times[begin]), float(times[min(end, times.size - 1)]), own, float(phase[end]) if over else None))
        return found

    def rounds(self, start_s: float, end_s: float) -> int:
        """Return how many packet-timed round trips pass: each ends when what was in flight at its start is delivered."""
        packets = self.column("delivered_bytes") / MSS_BYTES
        flying = self.column("inflight_packets")
        count, index = 0, int(np.searchsorted(self.t_s, start_s - 1e-9))
        while index < self.t_s.size:
            index = int(np.searchsorted(packets, packets[index] + max(1.0, flying[index])))
            if index >= self.t_s.size or self.t_s[index] > end_s + 1e-9:
                break
            count += 1
        return count


def _said(holds: bool | np.bool_ | None) -> float | None:
    return None if holds is None else float(bool(holds))


def follows(before: float, after: Sequence[float], *, column: str = MODE, flow: int = 0) -> Check:
    """Return the assertion that every stretch of one phase that ends is followed by one of others.

    Parameters
    ----------
    before : float
        The phase, as the column numbers it.
    after : sequence of float
        The phases that may follow.
    column : str
        The column of phases.
    flow : int
        Number of the flow.
    """
    return functools.partial(_follows, before=before, after=tuple(after), column=column, flow=flow)


def _follows(view: View, *, before: float, after: tuple[float, ...], column: str, flow: int) -> float | None:
    states = States(view, flow)
    ended = [one for one in states.episodes(before, column=column) if one.after is not None] if states.has(column) else []
    return _said(all(one.after in after for one in ended) if ended else None)


def lasts(value: float, least_s: float, most_s: float, *, column: str = MODE, flow: int = 0) -> Check:
    """Return the assertion that every stretch of a phase that ends lasts so many seconds; other arguments as in `follows`."""
    return functools.partial(_lasts, value=value, least_s=least_s, most_s=most_s, column=column, flow=flow)


def _lasts(view: View, *, value: float, least_s: float, most_s: float, column: str, flow: int) -> float | None:
    states = States(view, flow)
    ended = [one for one in states.episodes(value, column=column) if one.after is not None] if states.has(column) else []
    slack = 2 * view.sample_s
    return _said(all(least_s - slack <= one.length_s <= most_s + slack for one in ended) if ended else None)


def keeps(
    quantity: str, low: float, high: float, *, value: float | None = None, after_s: float = 0.0, column: str = MODE, flow: int = 0
) -> Check:
    """Return the assertion that a column stays within bounds.

    Parameters
    ----------
    quantity : str
        The column.
    low, high : float
        Bounds in the column's own unit; -inf and inf for none.
    value : float, optional
        Only while the phase is this one; at all times when absent.
    after_s : float
        What is left out at the start of each stretch, seconds.
    column, flow
        As in `follows`.
    """
    return functools.partial(_keeps, quantity=quantity, low=low, high=high, value=value, after_s=after_s, column=column, flow=flow)


def _keeps(
    view: View, *, quantity: str, low: float, high: float, value: float | None, after_s: float, column: str, flow: int
) -> float | None:
    states = States(view, flow)
    if not states.has(quantity, *(() if value is None else (column,))):
        return None
    stretches = (
        [(after_s, float("inf"))]
        if value is None
        else [(one.start_s + after_s, one.end_s) for one in states.episodes(value, column=column)]
    )
    samples = np.concatenate([states.between(quantity, *one) for one in stretches] or [np.empty(0)])
    samples = samples[np.isfinite(samples)]
    return _said(((samples >= low) & (samples <= high)).all() if samples.size else None)


def never(*values: float, start_s: float = 0.0, end_s: float = float("inf"), column: str = MODE, flow: int = 0) -> Check:
    """Return the assertion that no sample from a time to before another is in one of some phases; other arguments as in `follows`."""
    return functools.partial(_never, values=values, start_s=start_s, end_s=end_s, column=column, flow=flow)


def _never(view: View, *, values: tuple[float, ...], start_s: float, end_s: float, column: str, flow: int) -> float | None:
    states = States(view, flow)
    samples = states.between(column, start_s, end_s) if states.has(column) else np.empty(0)
    samples = samples[np.isfinite(samples)]
    return _said(not np.isin(samples, values).any() if samples.size else None)
