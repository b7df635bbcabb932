"""Write a report as a folder of plain files that any browser opens from disk, with nothing fetched from anywhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from windtunnel import plots
from windtunnel.records import FolderError, staged
from windtunnel.report import text
from windtunnel.report.model import Figure, Report, Section
from windtunnel.report.table import to_csv

if TYPE_CHECKING:
    from windtunnel.claims import Verdict

VERDICTS = {"holds": "holds", "fails": "fails", "inconclusive": "inconclusive", "not_run": "not run"}
"""Verdict to what is shown, in the order of the counts."""

INDEX = "index.html"
ASSETS = ("report.css", "report.js")
_KNOWN = {INDEX, *ASSETS, "experiments", "figures", "tables"}


@dataclass(frozen=True)
class _Shown:
    """A figure as the page names it."""

    stem: str
    title: str
    caption: str
    remarks: Sequence[str]
    alt: str


@dataclass(frozen=True)
class _Page:
    """A section with the names of its files."""

    section: Section
    name: str
    figures: Sequence[_Shown]
    counts: Mapping[str, int]


def write(report: Report, folder: str | Path, *, jobs: int = 1) -> Path:
    """Write a report, whole or not at all.

    Parameters
    ----------
    report : Report
        What to show.
    folder : str or Path
        A new or empty folder, or one that holds an earlier report, which is replaced in one step.
    jobs : int
        Processes that draw figures. With more than one, the calling program must be importable, as multiprocessing asks.

    Returns
    -------
    Path
        The overview, index.html.

    Raises
    ------
    windtunnel.records.FolderError
        When the folder holds anything else or cannot be written.
    ValueError
        When two experiments would share a page, or a figure has nothing to draw.
    """
    target = Path(folder)
    refuse_foreign(target, _KNOWN)
    pages = _pages(report)
    with staged(target) as temporary:
        for name in ("experiments", "figures", "tables"):
            (temporary / name).mkdir()
        sizes = _draw(pages, temporary / "figures", jobs)
        _write_pages(report, pages, temporary, sizes)
        for name in ASSETS:
            (temporary / name).write_bytes(files("windtunnel.report").joinpath("assets").joinpath(name).read_bytes())
    return target / INDEX


def refuse_foreign(target: Path, known: Iterable[str]) -> None:
    """Refuse a folder that holds anything but an earlier report.

    Parameters
    ----------
    target : Path
        The folder; it need not exist.
    known : iterable of str
        The names a report writes into it.

    Raises
    ------
    windtunnel.records.FolderError
        When it holds another, or cannot be read.
    """
    try:
        names = sorted(entry.name for entry in target.iterdir()) if target.exists() else []
    except OSError as error:
        raise FolderError(target, f"cannot be used: {error.strerror}; allowed: a new or empty folder") from None
    foreign = [name for name in names if name not in set(known)]
    if foreign or (names and INDEX not in names):
        shown = foreign[0] if foreign else names[0]
        raise FolderError(target, f"is not empty (it holds {shown}); allowed: a new or empty folder, or an earlier report")


def _pages(report: Report) -> list[_Page]:
    pages = []
    for section in report.sections:
        name = file_name(section.id)
        figures = [_shown(name, figure, tabled=bool(section.table.rows)) for figure in section.figures]
        pages.append(_Page(section, name, figures, _counts(section.verdicts)))
    _refuse_twice("experiment", [page.name for page in pages])
    _refuse_twice("figure", [figure.stem for page in pages for figure in page.figures])
    return pages


def _refuse_twice(what: str, names: Iterable[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"report: {what} {twice[0]!r} is there twice")


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


def _shown(page: str, figure: Figure, *, tabled: bool) -> _Shown:
    declaration = figure.declaration
    remarks = plots.remarks(declaration, measures=figure.measures)
    if isinstance(declaration, plots.Histories):
        axes = f"{declaration.y_label or declaration.quantity} against time (s)."
    else:
        axes = f"{declaration.y_label or declaration.metric} against {declaration.x_label or declaration.x}."
    alt = f"{declaration.title}: {axes}" + (" The numbers are in the table on this page." if tabled else "")
    return _Shown(f"{page}-{file_name(declaration.name)}", declaration.title, declaration.caption, remarks, alt)


def _counts(verdicts: Sequence[Verdict]) -> dict[str, int]:
    found: Counter[str] = Counter(verdict.verdict for verdict in verdicts)
    return {name: found[name] for name in VERDICTS}


def _draw(pages: Sequence[_Page], folder: Path, jobs: int) -> dict[str, tuple[float, float]]:
    """Draw every figure; return the sizes by name, inches."""
    figures = [(shown.stem, figure) for page in pages for figure, shown in zip(page.section.figures, page.figures, strict=True)]
    if jobs <= 1 or len(figures) <= 1:
        return {stem: _draw_one(figure, folder / stem) for stem, figure in figures}
    from multiprocessing import get_context

    # A forked child would inherit the locks of the threads that read the tables, and wait for them for ever.
    with ProcessPoolExecutor(min(jobs, len(figures)), mp_context=get_context("spawn")) as pool:
        drawn = {stem: pool.submit(_draw_one, figure, folder / stem) for stem, figure in figures}
        return {stem: future.result() for stem, future in drawn.items()}


def _draw_one(figure: Figure, stem: Path) -> tuple[float, float]:
    return plots.render(figure.declaration, stem, measures=figure.measures, histories=figure.histories)


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("windtunnel.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(cell=text.cell, detail=text.detail, slug=file_name)
    environment.tests["numeric"] = text.is_number
    environment.globals.update(estimates=text.estimates, usual_repeats=text.usual_repeats, verdict_names=VERDICTS)
    return environment


def _pixels(sizes: Mapping[str, tuple[float, float]]) -> dict[str, str]:
    """Return each figure's size as attributes of its image, so that a page does not jump while images load."""
    return {stem: Markup(f'width="{width_in * 96:.0f}" height="{height_in * 96:.0f}"') for stem, (width_in, height_in) in sizes.items()}


def _write_pages(report: Report, pages: Sequence[_Page], folder: Path, sizes: Mapping[str, tuple[float, float]]) -> None:
    environment = _environment()
    totals = {name: sum(page.counts[name] for page in pages) for name in VERDICTS}
    shared: dict[str, Any] = {"report": report, "pages": pages, "totals": totals, "pixels": _pixels(sizes)}
    index = environment.get_template("index.html").render(shared, root="")
    (folder / INDEX).write_text(index, encoding="utf-8")
    for number, page in enumerate(pages):
        before = pages[number - 1] if number else None
        after = pages[number + 1] if number + 1 < len(pages) else None
        html = environment.get_template("experiment.html").render(shared, root="../", page=page, before=before, after=after)
        (folder / "experiments" / f"{page.name}.html").write_text(html, encoding="utf-8")
        if page.section.table.rows:
            (folder / "tables" / f"{page.name}.csv").write_text(to_csv(page.section.table), encoding="utf-8")
