"""What a search varies: quantities of a path, each over a range whose first end is the simplest value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from windtunnel.scenario import ScenarioError, units
from windtunnel.scenario.errors import shown, unknown

DIMENSIONS: Mapping[str, tuple[str, str]] = {
    "rate": ("bit/s", "rate of the bottleneck"),
    "rtt": ("s", "base RTT of the first flow"),
    "queue": ("bdp", "queue, in bandwidth-delay products"),
    "loss": ("", "independent loss of each packet"),
    "flows": ("count", "number of flows"),
    "spread": ("", "base RTT of the last flow over that of the first; those between lie between"),
    "lag": ("s", "time between the starts of two flows"),
    "step": ("s", "propagation added from a third of the run on"),
    "spike": ("s", "propagation added for a second, at a sixth of the run"),
    "jitter": ("s", "each ACK later by up to this"),
    "last-jitter": ("s", "the same of the last flow alone; none overtakes another"),
    "load": ("", "short transfers beside the flows, as a share of the link's rate"),
}
"""Dimensions by name: unit, and what it is."""
_LOG_FROM = 15.0
"""A range over more than this ratio is searched by ratios."""
_DECADES = 4.0
"""Of a range from zero: so many decades below its other end, and zero itself in a tenth of the draws."""
_ZERO = 0.1


@dataclass(frozen=True)
class Dimension:
    """A quantity and its range.

    Parameters
    ----------
    name : str
        A key of `DIMENSIONS`.
    first, last : float
        The ends in SI; the first is where shrinking leads to.
    """

    name: str
    first: float
    last: float

    def value(self, share: float) -> float:
        """Return the value at a share of the range: 0 the first end, 1 the last; to three digits, flows in whole numbers."""
        if share in (0.0, 1.0):
            return self.last if share else self.first
        if self.name == "flows":
            return float(round(self.first + share * (self.last - self.first)))
        return float(f"{self._between(share):.3g}")

    def _between(self, share: float) -> float:
        ends = (self.first, self.last)
        if min(ends) > 0 and max(ends) / min(ends) > _LOG_FROM:
            return self.first * math.pow(self.last / self.first, share)
        if min(ends) == 0 and self.name not in ("queue", "lag", "load"):
            part = share if self.first == 0 else 1 - share
            return max(ends) * math.pow(10.0, -_DECADES * (1 - (part - _ZERO) / (1 - _ZERO))) if part > _ZERO else 0.0
        return self.first + share * (self.last - self.first)


def read_dimension(text: str) -> Dimension:
    """Read a dimension, as ``rate=1Mbit..10Gbit``.

    Parameters
    ----------
    text : str
        ``NAME=FIRST..LAST``; a unit at the end holds for both.

    Raises
    ------
    ScenarioError
        When it is none.
    """
    name, equals, ends = (part.strip() for part in text.partition("="))
    if name not in DIMENSIONS or not equals:
        raise ScenarioError("over", unknown("dimension", name, DIMENSIONS))
    first, dots, last = (part.strip() for part in ends.partition(".."))
    if not dots or not first or not last:
        raise ScenarioError("over", f"{shown(text)} is no range; allowed: {name}=FIRST..LAST, as rate=1Mbit..10Gbit")
    one, other = (_number(name, text, end, last) for end in (first, last))
    if one == other or min(one, other) < 0 or (name in ("rate", "rtt", "flows", "spread") and min(one, other) <= 0):
        raise ScenarioError("over", f"{shown(text)} is no range; allowed: two different values, none below 0, of {name} above 0")
    if name == "flows" and not (one.is_integer() and other.is_integer()):
        raise ScenarioError("over", f"{shown(text)} is no range of flows; allowed: whole numbers")
    return Dimension(name, one, other)


def _number(name: str, text: str, end: str, last: str) -> float:
    unit = DIMENSIONS[name][0]
    if unit == "bdp":
        plain = end.removesuffix("bdp")
        return _parsed(name, text, plain.removesuffix("%"), "") / (100 if plain.endswith("%") else 1)
    if unit in ("bit/s", "s") and end[-1:].isdigit():
        end += last.lstrip("+-.eE0123456789")
    return _parsed(name, text, end, unit if unit in ("bit/s", "s") else "")


def _parsed(name: str, text: str, end: str, unit: str) -> float:
    try:
        return units.parse(end, unit)
    except ValueError as error:
        raise ScenarioError("over", f"{shown(text)}: {name}: {error}") from None
