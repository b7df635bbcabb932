"""A results folder as places with repeats: one measure at one point of one experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from windtunnel.store import Results

ABOUT = ("seed", "metric", "flow", "state", "t0", "t1", "value", "text", "run", "digest")
"""Columns of a measures table that are no dimension of a point."""
SELECTORS = ("flow", "state", "t0", "t1")
Value = float | str | None


@dataclass(frozen=True)
class Place:
    """Where something was measured.

    Parameters
    ----------
    experiment, backend : str
        By their names.
    point : tuple of (str, str or float)
        Dimension and value, in the order of the grid.
    measure : str
        The metric with its selectors, as ``thr_mbps flow=2``.
    """

    experiment: str
    backend: str
    point: tuple[tuple[str, Any], ...]
    measure: str

    @property
    def where(self) -> str:
        """The point in words."""
        return ", ".join(f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}" for name, value in self.point)


@dataclass(frozen=True)
class Repeats:
    """What was measured at a place.

    Parameters
    ----------
    values : dict of int to (float, str or None)
        By seed; None where the run had none, infinite is a time that was not reached.
    digests : set of str
        Of the records of these runs, where they were stored.
    """

    values: dict[int, Value]
    digests: set[str] = field(default_factory=set)

    @property
    def is_drawn(self) -> bool:
        """Whether chance had a part: a check of a law has the one seed 0, and runs without draws have the same records."""
        return set(self.values) != {0} and not (len(self.values) > 1 and len(self.digests) == 1)


def places(results: Results) -> dict[Place, Repeats]:
    """Return what a folder holds, in its order.

    Parameters
    ----------
    results : Results
        The folder.

    Returns
    -------
    dict of Place to Repeats

    Raises
    ------
    ResultsError
        When a table is missing or damaged.
    """
    found: dict[Place, Repeats] = {}
    for backend in results.backends():
        for experiment in results.experiments(backend):
            frame = results.measures(experiment, backend)
            dimensions = [name for name in frame.columns if name not in ABOUT]
            for row in frame.iter_rows(named=True):
                point = tuple((name, row[name]) for name in dimensions)
                place = Place(experiment, backend, point, _measure(row))
                there = found.setdefault(place, Repeats({}))
                there.values[int(row["seed"])] = row["value"] if row.get("text") is None else row["text"]
                if row.get("digest") is not None:
                    there.digests.add(str(row["digest"]))
    return found


def _measure(row: Mapping[str, Any]) -> str:
    chosen = [f"{name}={row[name]:g}" if name in ("t0", "t1") else f"{name}={row[name]}" for name in SELECTORS if row.get(name) is not None]
    return " ".join([str(row["metric"]), *chosen])


def versions(results: Results) -> dict[tuple[str, str], str]:
    """Return what made each experiment's runs, by experiment and backend: the backend and the version of its results.

    Raises
    ------
    ResultsError
        When a declaration is missing or damaged.
    """
    found = {}
    for backend in results.backends():
        for experiment in results.experiments(backend):
            declared = results.declaration(experiment, backend)
            title = declared.get("backend_title", backend)
            found[experiment, backend] = f"{title}, version {declared['backend_version']}"
    return found
