"""Where everything in a report lies: file names, and the pages of data points and of runs."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from windtunnel.foreign import shown
from windtunnel.plots.axes import panel_title
from windtunnel.plots.declared import Value
from windtunnel.report.model import DataPoint, Report, Section


def file_name(name: str) -> str:
    """Return a file name made of an experiment's or a figure's name: letters, digits, dots, dashes, underscores.

    Parameters
    ----------
    name : str
        Any text.

    Returns
    -------
    str
        Never empty, and never hidden.
    """
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-") or "unnamed"


def value_title(dimension: str, value: Value) -> str:
    """Return a coordinate with its unit, such as ``RTT 42 ms``; a protocol is its name."""
    return shown(str(value)) if dimension == "alg" else panel_title(dimension, value)


@dataclass(frozen=True)
class PointPage:
    """A data point with the names of its page.

    Parameters
    ----------
    point : DataPoint
        The point.
    href : str
        The page, from the report's root.
    title : str
        Its coordinates.
    """

    point: DataPoint
    href: str
    title: str


@dataclass(frozen=True)
class Use:
    """What a run is measured for: the experiment, the page of the data point, its title, and the repeat."""

    experiment: str
    href: str
    title: str
    seed: int


@dataclass
class Places:
    """The points of one experiment, found by some of their coordinates."""

    section: Section
    pages: Sequence[PointPage]
    _found: dict[tuple[str, ...], dict[tuple[Value, ...], str | None]] = field(default_factory=dict)

    @cached_property
    def swept(self) -> dict[str, list[Value]]:
        """Every dimension with more than one value, and its values in order."""
        values: dict[str, dict[Value, None]] = {}
        for page in self.pages:
            for name, value in page.point.values.items():
                values.setdefault(name, {})[value] = None
        return {name: _ordered(list(known)) for name, known in values.items() if len(known) > 1}

    def href(self, place: Mapping[str, Value] | None) -> str:
        """Return the page of the only point with these coordinates, from the report's root; empty when there is none or more than one."""
        if place is None:
            return ""
        names = tuple(sorted(place))
        if names not in self._found:
            known: dict[tuple[Value, ...], str | None] = {}
            for page in self.pages:
                if all(name in page.point.values for name in names):
                    key = tuple(page.point.values[name] for name in names)
                    known[key] = None if key in known else page.href
            self._found[names] = known
        return self._found[names].get(tuple(place[name] for name in names)) or ""


def _ordered(values: list[Value]) -> list[Value]:
    return values if any(isinstance(value, str) for value in values) else sorted(values, key=float)


def places_of(section: Section) -> Places:
    """Name the pages of an experiment's points.

    Parameters
    ----------
    section : Section
        The experiment.

    Returns
    -------
    Places
        Every point has a page of its own, named by the coordinates that vary.
    """
    several = {
        name
        for name in dict.fromkeys(name for point in section.points for name in point.values)
        if len({point.values.get(name) for point in section.points}) > 1 or name == "alg"
    }
    folder = f"points/{file_name(section.id)}"
    taken: set[str] = set()
    pages = []
    for point in section.points:
        shown = {name: value for name, value in point.values.items() if name in several} or dict(point.values)
        stem = file_name("-".join(f"{value:g}" if isinstance(value, int | float) else value for value in shown.values()))
        name, number = stem, 2
        while name.lower() in taken:
            name, number = f"{stem}-{number}", number + 1
        taken.add(name.lower())
        title = ", ".join(value_title(dimension, value) for dimension, value in shown.items()) or section.title
        pages.append(PointPage(point, f"{folder}/{name}.html", title))
    return Places(section, pages)


def made_of(places: Mapping[str, Places], runs: Collection[str], *, experiment: str) -> list[PointPage]:
    """Return the pages of the data points that were measured on these runs and on no others, those of an experiment first.

    Experiments share runs: a point of another one is left out when all its runs are of points before it.
    """
    found: list[PointPage] = []
    covered: set[str] = set()
    for one in sorted(places.values(), key=lambda one: one.section.id != experiment):
        for page in one.pages:
            own = {repeat.run for repeat in page.point.repeats}
            if own and own <= set(runs) and not own <= covered:
                found.append(page)
        covered |= {repeat.run for page in found for repeat in page.point.repeats}
    return found


def uses_of(report: Report, places: Mapping[str, Places]) -> dict[str, list[Use]]:
    """Return, for every stored run, the data points measured on it, in the order of the report."""
    uses: dict[str, list[Use]] = {key: [] for key in report.runs}
    for section in report.sections:
        for page in places[section.id].pages:
            for repeat in page.point.every_repeat:
                if repeat.run in uses:
                    uses[repeat.run].append(Use(section.id, page.href, page.title, repeat.seed))
    return uses


def run_href(key: str) -> str:
    """Return the page of a run, from the report's root."""
    return f"runs/{file_name(key)}.html"
