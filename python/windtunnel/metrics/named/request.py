"""What is asked of a run, and what a metric of the register is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from windtunnel.metrics.view import View

MEGA = 1e6
MILLI = 1e-3

Value = float | None


@dataclass(frozen=True)
class Request:
    """One value asked of a run.

    Parameters
    ----------
    view : View
        The run.
    flows : tuple of int, optional
        The flows selected, numbers from 0; None when no flow was selected.
    given : tuple of float or None, shape (2,)
        Beginning and end of the window as selected, seconds.
    """

    view: View
    flows: tuple[int, ...] | None
    given: tuple[float | None, float | None]

    @property
    def window(self) -> tuple[float, float]:
        """The window selected, the default one where nothing was, seconds."""
        begin, end = self.view.window_s
        return (begin if self.given[0] is None else self.given[0], end if self.given[1] is None else self.given[1])

    @property
    def tested(self) -> tuple[int, ...]:
        """The flows selected, else those of the algorithm under test."""
        return self.view.under_test if self.flows is None else self.flows

    @property
    def shown(self) -> tuple[int, ...]:
        """The flows selected, else all foreground flows."""
        return self.view.foreground if self.flows is None else self.flows

    def applications(self, flows: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """Return the applications that some flows belong to, each with those of its flows, in order of start."""
        parts = (tuple(flow for flow in whole if flow in flows) for whole in self.view.applications)
        return tuple(part for part in parts if part)


@dataclass(frozen=True)
class Defined:
    """One metric of the register.

    Parameters
    ----------
    unit : str
        As the register writes it.
    function : callable
        From a `Request` to the value; None where the run has none. A name only where the unit is ``name``.
    meaning : str
        What it is, in a line, and where it comes from.
    can_be_infinite : bool
        Whether infinity is a value: a time that was not reached.
    by_flow : bool
        Whether a flow may be selected.
    windowed : bool
        Whether the beginning and end of the window may be selected.
    """

    unit: str
    function: Callable[[Request], float | str | None]
    meaning: str
    can_be_infinite: bool = False
    by_flow: bool = False
    windowed: bool = True


def mbps(rate_bps: Value) -> Value:
    """Return a rate in Mbit/s."""
    return None if rate_bps is None else rate_bps / MEGA


def milliseconds(time_s: Value) -> Value:
    """Return a time in milliseconds."""
    return None if time_s is None else time_s / MILLI


def mean_of(values: Sequence[Value]) -> Value:
    """Return the mean over those that have a value."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def each(function: Callable[[View, int, float, float], Value]) -> Callable[[Request], Value]:
    """Return the mean over flows of a metric of one flow and a window."""
    return lambda request: mean_of([function(request.view, flow, *request.window) for flow in request.tested])
