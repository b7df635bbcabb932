"""The page of a data point: its repeats with their runs, and where it lies among its neighbours."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment

from windtunnel.plots.declared import Curves
from windtunnel.plots.live import both
from windtunnel.plots.style import look
from windtunnel.report.model import DataPoint, Estimate, Repeat, Section
from windtunnel.report.names import Places, PointPage, run_href, value_title
from windtunnel.report.table import estimate


@dataclass(frozen=True)
class Neighbour:
    """A point beside this one on a scale: percentages of the scale's length.

    Parameters
    ----------
    label : str
        What differs from this point.
    href : str
        Its page, from the report's root; empty for this point itself.
    colour : list of str
        On light and on dark.
    mean, low, high : float
        Where its mean and its interval's ends lie, per cent.
    repeats : sequence of float
        Where its repeats lie, per cent.
    value : Estimate
        The number.
    """

    label: str
    href: str
    colour: list[str]
    mean: float
    low: float
    high: float
    repeats: Sequence[float]
    value: Estimate


def write_points(environment: Environment, places: Places, folder: Path, shared: Mapping[str, Any], only: str | None = None) -> None:
    """Write the pages of an experiment's points.

    Parameters
    ----------
    environment : jinja2.Environment
        The templates.
    places : Places
        The points.
    folder : Path
        The report's folder.
    shared : mapping
        What every page of the experiment shows.
    only : str, optional
        The one page to write, from the report's root; all when absent.
    """
    section = places.section
    template = environment.get_template("point.html")
    if places.pages:
        (folder / places.pages[0].href).parent.mkdir(parents=True, exist_ok=True)
    for number, page in enumerate(places.pages):
        if only not in (None, page.href):
            continue
        html = template.render(
            shared,
            root="../../",
            places=places,
            current=page,
            before=places.pages[number - 1] if number else None,
            after=places.pages[number + 1] if number + 1 < len(places.pages) else None,
            groups=_groups(page.point, section, shared["report"].backends),
            axes=_axes(places, page),
            beside=_beside(places, page),
            lead_title=_lead_title(section),
            run_href=run_href,
        )
        (folder / page.href).write_text(html, encoding="utf-8")


@dataclass(frozen=True)
class Group:
    """What one backend measured at a point.

    Parameters
    ----------
    title : str
        What a reader calls it; empty where it is the only one.
    repeats : sequence of Repeat
        In order of their seeds.
    measured : sequence of (str, str, Estimate or None)
        Heading, label and mean of every measure that some repeat has.
    """

    title: str
    repeats: Sequence[Repeat]
    measured: Sequence[tuple[str, str, Estimate | None]]


def _groups(point: DataPoint, section: Section, backends: Mapping[str, str]) -> list[Group]:
    first = next(iter(backends.values()), "")
    named = {first: point.repeats, **point.beside}
    return [
        Group(
            title if point.beside else "",
            repeats,
            [
                (heading, label, _estimate(repeats, label, section))
                for label, heading in section.measures.items()
                if any(label in repeat.values for repeat in repeats)
            ],
        )
        for title, repeats in named.items()
        if repeats
    ]


def _lead_title(section: Section) -> str:
    """Return what the first measure is: what its figure's axis calls it, and its name."""
    label, heading = next(iter(section.measures.items()), ("", ""))
    for figure in section.figures:
        declared = figure.declaration
        if isinstance(declared, Curves) and declared.metric == label and declared.y_label:
            return f"{declared.y_label} ({label})"
    return heading


def _estimate(repeats: Sequence[Repeat], label: str, section: Section) -> Estimate | None:
    values = [repeat.values[label] for repeat in repeats if label in repeat.values]
    numbers = [value for value in values if not isinstance(value, str)]
    return estimate(numbers, section.censored_at) if numbers else None


def _axes(places: Places, page: PointPage) -> list[tuple[str, list[tuple[str, str, bool]]]]:
    """Return each swept dimension with its values: text, link to the point that differs in it alone, and whether it is this one."""
    axes = []
    for name, values in places.swept.items():
        if name not in page.point.values:
            continue
        here = page.point.values[name]
        steps = [
            (value_title(name, value), places.href({**page.point.values, name: value}), value == here)
            for value in values
            if value == here or places.href({**page.point.values, name: value})
        ]
        axes.append((name, steps))
    return axes


def _beside(places: Places, page: PointPage) -> tuple[list[Neighbour], tuple[float, float]] | None:
    """Return the points that differ in the protocol alone and the ends of their scale; of one protocol, those along a swept dimension."""
    section = places.section
    across = "alg" if "alg" in places.swept else next(iter(places.swept), None)
    if across is None or not section.measures:
        return None
    label = next(iter(section.measures))
    log = any(isinstance(one.declaration, Curves) and one.declaration.metric == label and one.declaration.y_log for one in section.figures)
    by_href = {one.href: one for one in places.pages}
    found = []
    for value in places.swept[across] if across in page.point.values else ():
        href = places.href({**page.point.values, across: value})
        known = _estimate(by_href[href].point.repeats, label, section) if href else None
        if known is not None and math.isfinite(known.mean) and (known.mean > 0 or not log):
            found.append((value, href, known, by_href[href].point))
    ends = [end for _, _, known, _ in found for end in (known.mean - _spread(known), known.mean + _spread(known)) if end > 0 or not log]
    if len(found) < 2:
        return None
    ends += [one for _, _, _, point in found for one in _numbers(point, label) if one > 0 or not log]
    low, high = min(ends), max(ends)
    if not log:
        low = min(low, 0.0)

    def place(value: float) -> float:
        if not high > low:
            return 50.0
        share = math.log(max(value, low) / low) / math.log(high / low) if log else (value - low) / (high - low)
        return round(100 * min(max(share, 0.0), 1.0), 2)

    neighbours = [
        Neighbour(
            label=value_title(across, value),
            href="" if href == page.href else href,
            colour=both(look(str(point.values.get("alg", "")))[0]),
            mean=place(known.mean),
            low=place(known.mean - _spread(known)),
            high=place(known.mean + _spread(known)),
            repeats=[place(one) for one in _numbers(point, label)],
            value=known,
        )
        for value, href, known, point in found
    ]
    return neighbours, (low, high)


def _spread(known: Estimate) -> float:
    return known.sem if math.isfinite(known.sem) else 0.0


def _numbers(point: DataPoint, label: str) -> list[float]:
    values = [repeat.values.get(label) for repeat in point.repeats]
    return [value for value in values if isinstance(value, float | int) and math.isfinite(value)]


def runs_csv(section: Section, first: str = "Simulator") -> str:
    """Write every measure of every repeat in full precision.

    Parameters
    ----------
    section : Section
        The experiment.
    first : str
        What a reader calls the first backend.

    Returns
    -------
    str
        Comma-separated, a heading first: the point's dimensions, the backend where there is more than one, seed, run, then a column per
        measure; empty where there is no value.
    """
    dimensions = list(dict.fromkeys(name for point in section.points for name in point.values))
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    several = any(point.beside for point in section.points)
    writer.writerow([*dimensions, *(["backend"] if several else []), "seed", "run", *section.measures.values()])
    for point in section.points:
        here = [point.values.get(name) for name in dimensions]
        for backend, repeats in {first: point.repeats, **point.beside}.items():
            for repeat in repeats:
                values = (repeat.values.get(label) for label in section.measures)
                writer.writerow([*here, *([backend] if several else []), repeat.seed, repeat.run, *values])
    return buffer.getvalue()
