"""The comparison as a folder of static pages: what differs first, a matrix, and a page of numbers and figures for each algorithm."""

from __future__ import annotations

import datetime
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from windtunnel.agreement.compare import Row, row_json
from windtunnel.agreement.figures import draw
from windtunnel.agreement.judging import AGREES, DIFFERS, INCONCLUSIVE, NOT_MEASURED, VERDICTS
from windtunnel.agreement.quantities import QUANTITIES
from windtunnel.agreement.sides import Side
from windtunnel.agreement.study import Study
from windtunnel.foreign import shown
from windtunnel.records import staged
from windtunnel.report import text
from windtunnel.report.names import file_name
from windtunnel.report.writer import ASSETS, INDEX, refuse_foreign
from windtunnel.stats import Summary
from windtunnel.store import open_results
from windtunnel.version import __version__

FOLDERS = ("algorithms", "figures", "rows.json")
CLASSES = {AGREES: "holds", DIFFERS: "fails", INCONCLUSIVE: "inconclusive", NOT_MEASURED: "not_run"}
"""Verdict to the class of the style sheet, whose colours are those of claims."""
MARKS = {AGREES: "✓", DIFFERS: "✕", INCONCLUSIVE: "?", NOT_MEASURED: text.MISSING}
NAMES = {name: name.replace("_", " ") for name in VERDICTS}
WORST = (DIFFERS, INCONCLUSIVE, AGREES, NOT_MEASURED)

NOTES = (
    "A verdict is on the 95 % interval of the difference of the means (Welch): inside the tolerance it agrees, wholly outside it differs, "
    "and between the two there are too few seeds to tell. One flow alone is run once, without jitter: nothing is drawn, and the values "
    "are compared.",
    "Convergence times are compared seed by seed: the start of flow 2, which both sides share, decides most of them.",
    "A share also agrees when {ours}'s mean lies inside {theirs}'s own interval over seeds.",
    "The trajectory is compared in the middle of every round trip up to the second loss; the largest relative distance counts. Several "
    "starts are compared, each with its own on the other side, and the median decides: what stands under it is the smallest and the "
    "largest, no interval. Without jitter a tie decides single starts, such as whether the first retransmission meets a full queue.",
    "The tolerances were set for 250 Mbit/s, 42 ms and a queue of 20 % BDP. A queue of a few packets makes everything chance.",
    "A kernel's windows at a back-off are those of the last look at the socket before it and the first after it, a sample or 10 ms "
    "apart; its mean queue is that of the samples.",
    "The same seed draws the same starts on both sides; jitter is drawn by each side for itself.",
)


@dataclass(frozen=True)
class _Report:
    """What every page says of the whole."""

    title: str
    subtitle: str
    suite: str
    made: str
    command: str
    facts: Mapping[str, Any]
    notes: Sequence[str]
    names: Sequence[str]


@dataclass(frozen=True)
class _Part:
    """One scenario of an algorithm."""

    title: str
    anchor: str
    parameters: Sequence[tuple[str, str]]
    rows: Sequence[Row]
    figure: str
    caption: str


@dataclass(frozen=True)
class _Page:
    """One algorithm."""

    algorithm: str
    name: str
    counts: Mapping[str, int]
    parts: Sequence[_Part]
    thumbnail: str
    sizes: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def write(study: Study, rows: Sequence[Row], folder: Path, *, command: str) -> Path:
    """Write the pages, whole or not at all.

    Parameters
    ----------
    study : Study
        What was compared.
    rows : sequence of Row
        The comparison.
    folder : Path
        The comparison's folder; the pages go to ``report`` in it.
    command : str
        What reruns all of it.

    Returns
    -------
    Path
        The overview, index.html.

    Raises
    ------
    FolderError
        When ``report`` holds anything else or cannot be written.
    ResultsError
        When a run that a figure shows is missing or damaged.
    """
    target = folder / "report"
    refuse_foreign(target, {INDEX, *ASSETS, *FOLDERS})
    with staged(target) as temporary:
        for name in ("algorithms", "figures"):
            (temporary / name).mkdir()
        pages = [_page(study, algorithm, rows, folder, temporary / "figures") for algorithm in study.algorithms]
        _write_pages(_report(study, folder, command), [page for page in pages if page.parts], rows, temporary)
        shown = json.dumps([row_json(row, keys(study)) for row in rows], indent=1, allow_nan=False)
        (temporary / "rows.json").write_text(shown + "\n", encoding="utf-8")
        for name in ASSETS:
            (temporary / name).write_bytes(files("windtunnel.report").joinpath("assets").joinpath(name).read_bytes())
    return target / INDEX


def _report(study: Study, folder: Path, command: str) -> _Report:
    ours, theirs = study.sides
    between = [] if study.beside is None else [study.beside]
    declared = open_results(folder / ours.folder).declaration(study.experiments[0].id)
    facts: dict[str, Any] = {
        "version": __version__,
        ours.name: f"engine {declared['backend_version']}" if ours.backend == "sim" else ours.title,
        **{side.name: side.title for side in (*between, theirs)},
        "grid": study.grid,
        "seeds": study.seeds or max(one.repeats for one in study.experiments),
        "algorithms": ", ".join(study.algorithms),
    }
    facts |= {f"{name} of kernels": f"run by {shown(file)}" for name, file in study.files.items()}
    if study.left_out:
        facts["left out"] = "; ".join(study.left_out)
    return _Report(
        title=f"{_capital(ours.name)} and {theirs.name}, compared",
        subtitle=f"{ours.title} against {theirs.title}{_besides(between)}: the same scenarios, the same measures.",
        suite="agree",
        made=f"Windtunnel {__version__}, {datetime.date.today().isoformat()}",
        command=command,
        facts=facts,
        notes=[note.format(ours=ours.called, theirs=theirs.called) for note in NOTES],
        names=tuple(_capital(side.name) for side in study.shown),
    )


def _besides(sides: Sequence[Side]) -> str:
    return "".join(f", with {side.title} beside them" for side in sides)


def keys(study: Study) -> tuple[str, ...]:
    """Return the names in JSON of both sides, and of the third beside them: of the simulator and kernels, or of no matter which two."""
    ours, theirs = study.sides
    if ours.backend != "sim":
        return "first", "second"
    if theirs.backend != "live":
        return "sim", "linux"
    return ("sim", "live") if study.beside is None else ("sim", "live", "linux")


def _capital(name: str) -> str:
    return name[0].upper() + name[1:]


def _page(study: Study, algorithm: str, rows: Sequence[Row], folder: Path, figures: Path) -> _Page:
    sides = [open_results(folder / side.folder) for side in study.sides]
    names = study.sides[0].name, study.sides[1].name
    own = [row for row in rows if row.algorithm == algorithm]
    parts, sizes = [], {}
    for experiment in study.experiments:
        for point in dict.fromkeys(row.point for row in own if row.experiment == experiment.id):
            there = [row for row in own if row.experiment == experiment.id and row.point == point]
            anchor = _anchor(there[0])
            stem = f"{file_name(algorithm)}-{anchor}"
            size, caption = draw(figures / stem, experiment.id, point, sides, names)
            sizes[stem] = size
            parameters = [(str(name), str(value)) for name, value in experiment.parameters]
            parts.append(_Part(_scenario(there[0], title=experiment.title), anchor, parameters, there, stem, caption))
    return _Page(algorithm, file_name(algorithm), _counts(own), parts, parts[0].figure if parts else "", sizes)


def _counts(rows: Sequence[Row]) -> dict[str, int]:
    found = Counter(row.verdict for row in rows)
    return {name: found[name] for name in VERDICTS}


TITLES = {
    "agree.one": "one flow",
    "agree.starts": "drawn starts",
    "agree.two": "two flows",
    "agree.reno": "against reno",
    "agree.rtts": "two RTTs",
    "agree.brief": "two flows for a minute",
}


def _scenario(row: Row, *, title: str | None = None) -> str:
    _, rate, rtt, q = row.point
    return f"{title or TITLES[row.experiment]}, {rate:g} Mbit/s, {rtt:g} ms, {100 * q:g} % BDP"


def _anchor(row: Row) -> str:
    _, rate, rtt, q = row.point
    return f"{row.experiment.partition('.')[2]}-{rate:g}-{rtt:g}-{100 * q:g}"


def _side(summary: Summary | None) -> str:
    if summary is None:
        return text.MISSING
    return text.mean_and_error(summary.mean, summary.sem) if math.isfinite(summary.mean) else "never"


def _sides(row: Row, names: Sequence[str]) -> list[Summary | None]:
    """Return what stands under the names of the sides."""
    found = row.found
    return [found.sim, found.linux] if len(names) == 2 else [found.sim, row.beside, found.linux]


def _interval(summary: Summary | None) -> str:
    return "" if summary is None else text.interval(summary.low, summary.high)


def _scaled(row: Row, value: float) -> str:
    shown = text.number(100 * value if row.about.relative else value, digits=2)
    return f"{'' if value < 0 else '+'}{shown}{' %' if row.about.relative else ''}"


def _apart(row: Row) -> str:
    return text.MISSING if row.found.difference is None else _scaled(row, row.found.difference)


def _apart_interval(row: Row) -> str:
    if row.found.low is None or row.found.high is None or row.found.low == row.found.high:
        return ""
    return f"[{_scaled(row, row.found.low)}, {_scaled(row, row.found.high)}]"


def _tolerated(row: Row) -> str:
    return "±" + _scaled(row, row.about.tolerance).removeprefix("+")


def in_tolerances(row: Row) -> float:
    """Return how large a difference is in units of what is tolerated; infinite where only one side ever got there."""
    return math.inf if row.found.difference is None else abs(row.found.difference) / row.about.tolerance


def described(row: Row, sides: Sequence[str] = ("", "")) -> tuple[str, ...]:
    """Return a row as text: algorithm, scenario, quantity, what stands under each of the sides' names, difference, tolerance."""
    shown = (_side(summary) for summary in _sides(row, sides))
    return row.algorithm, _scenario(row), row.about.title, *shown, _apart(row), _tolerated(row)


def _matrix(rows: Sequence[Row]) -> dict[str, list[dict[str, str] | None]]:
    matrix: dict[str, list[dict[str, str] | None]] = {}
    for algorithm in dict.fromkeys(row.algorithm for row in rows):
        cells: list[dict[str, str] | None] = []
        for quantity in QUANTITIES:
            there = [row.verdict for row in rows if row.algorithm == algorithm and row.quantity == quantity]
            judged = [verdict for verdict in there if verdict != NOT_MEASURED]
            if not there:
                cells.append(None)
                continue
            agree = f"{sum(verdict == AGREES for verdict in judged)}/{len(judged)}" if judged else "none"
            cells.append({"verdict": min(there, key=WORST.index), "text": agree})
        matrix[algorithm] = cells
    return matrix


def _environment() -> Environment:
    loader = ChoiceLoader([PackageLoader("windtunnel.agreement"), PackageLoader("windtunnel.report")])
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(
        anchor=_anchor,
        apart=_apart,
        apart_interval=_apart_interval,
        interval=_interval,
        scenario=_scenario,
        side=_side,
        sides=_sides,
        slug=file_name,
        tolerated=_tolerated,
    )
    environment.globals.update(classes=CLASSES, marks=MARKS, names=NAMES)
    return environment


def _write_pages(report: _Report, pages: Sequence[_Page], rows: Sequence[Row], folder: Path) -> None:
    environment = _environment()
    sizes = {stem: size for page in pages for stem, size in page.sizes.items()}
    pixels = {stem: Markup(f'width="{width * 96:.0f}" height="{height * 96:.0f}"') for stem, (width, height) in sizes.items()}
    worst = sorted((row for row in rows if row.verdict == DIFFERS), key=in_tolerances, reverse=True)
    shared: dict[str, Any] = {"report": report, "pages": pages, "pixels": pixels, "counts": _counts(rows), "worst": worst}
    shared |= {"matrix": _matrix(rows), "quantities": list(QUANTITIES.values())}
    index = environment.get_template("overview.html").render(shared, root="")
    (folder / INDEX).write_text(index, encoding="utf-8")
    for number, page in enumerate(pages):
        before = pages[number - 1] if number else None
        after = pages[number + 1] if number + 1 < len(pages) else None
        template = environment.get_template("algorithm.html")
        html = template.render(shared | {"counts": page.counts}, root="../", page=page, before=before, after=after)
        (folder / "algorithms" / f"{page.name}.html").write_text(html, encoding="utf-8")
