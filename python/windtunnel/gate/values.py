"""What one side gave: every quantity of every cell, by seed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

DIGITS = 6
"""Significant digits of a value, here and in baselines, so that what was written compares equal to what is measured again."""

Series = dict[int, float | None]
"""By seed; None where a run had no value."""


@dataclass(frozen=True)
class Values:
    """What a side gave.

    Parameters
    ----------
    controller : str
        Its name for a reader.
    backend : str
        What made the runs, with its version, for a reader.
    engine : str
        The version of the backend's results.
    kind : str
        The backend's name, ``sim`` or ``linux``.
    plan : str
        The plan's name.
    cells : mapping of str to mapping of str to Series
        By cell and quantity.
    left_out : mapping of str to str
        Why the backend cannot run a cell.
    """

    controller: str
    backend: str
    engine: str
    kind: str
    plan: str
    cells: Mapping[str, Mapping[str, Series]]
    left_out: Mapping[str, str] = field(default_factory=dict)


def rounded(value: float | None) -> float | None:
    """Return a value with the digits that are kept."""
    if value is None or not math.isfinite(value):
        return value
    return float(f"{value:.{DIGITS}g}")
