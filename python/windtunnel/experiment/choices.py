"""What a paper leaves open: the value that was chosen, why, and the values it might as well have had."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windtunnel.scenario import Scenario

Point = Mapping[str, Any]
"""Value of each dimension, in the register's units: alg, rate (Mbit/s), rtt (ms), q (BDP), p, ..."""


@dataclass(frozen=True)
class Alternative:
    """Another value that an open choice might have.

    Parameters
    ----------
    value : str
        In words, with its unit.
    change : callable
        From a scenario laid out with the chosen value, and its point, to the one with this value. A scenario that it returns as it is needs
        no run of its own.
    """

    value: str
    change: Callable[[Scenario, Point], Scenario]


@dataclass(frozen=True)
class Choice:
    """Something a paper does not say, and an experiment had to choose.

    Parameters
    ----------
    name : str
        Unique within its suite; letters, digits and dashes.
    question : str
        What is open.
    value : str
        What was chosen, in words, with its unit.
    reason : str
        Why; a whole sentence.
    alternatives : sequence of Alternative
        What else is plausible.
    """

    name: str
    question: str
    value: str
    reason: str
    alternatives: Sequence[Alternative]

    def declared(self) -> dict[str, Any]:
        """Return what a report needs to know of it, as plain data."""
        return {
            "name": self.name,
            "question": self.question,
            "value": self.value,
            "reason": self.reason,
            "alternatives": [one.value for one in self.alternatives],
        }
