"""Write a report as a folder of plain files that any browser opens from disk, with nothing fetched from anywhere."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from windtunnel import plots
from windtunnel.records import FolderError, staged
from windtunnel.report.environment import VERDICTS, environment
from windtunnel.report.live import live_figure
from windtunnel.report.making import make
from windtunnel.report.model import Figure, Report, Section
from windtunnel.report.names import Places, file_name, made_of, places_of, run_href, uses_of
from windtunnel.report.pointpage import runs_csv, write_points
from windtunnel.report.runpage import Frame, Task
from windtunnel.report.scripts import data_script
from windtunnel.report.table import to_csv
from windtunnel.report.thumbnail import thumbnail
from windtunnel.report.verdictgrid import grid_of, paper_of

if TYPE_CHECKING:
    from windtunnel.claims import Verdict

INDEX = "index.html"
ASSETS = ("report.css", "report.js")
"""What every kind of report has beside its pages."""
CHARTS = (
    "uplot-1.6.32.min.js",
    "uplot-1.6.32.LICENSE.txt",
    "charts.css",
    "base.js",
    "marks.js",
    "keys.js",
    "series.js",
    "points.js",
    "figure.js",
    "csv.js",
)
"""What draws and drives the charts; its folder is ``charts``."""
FOLDERS = ("experiments", "figures", "tables", "points", "runs", "data", "files", "charts")
_KNOWN = {INDEX, *ASSETS, *FOLDERS}


@dataclass(frozen=True)
class _Shown:
    """A figure as the page names it."""

    stem: str
    title: str
    caption: str
    remarks: Sequence[str]
    alt: str
    live: dict[str, Any] | None
    data: Sequence[str]
    small: str | None


@dataclass(frozen=True)
class _Page:
    """A section with the names of its files."""

    section: Section
    name: str
    figures: Sequence[_Shown]
    counts: Mapping[str, int]
    places: Places


def write(report: Report, folder: str | Path, *, jobs: int = 1, on_step: Callable[[int, int], None] | None = None) -> Path:
    """Write a report, whole or not at all.

    Parameters
    ----------
    report : Report
        What to show.
    folder : str or Path
        A new or empty folder, or one that holds an earlier report, which is replaced in one step.
    jobs : int
        Processes. With more than one, the calling program must be importable, as multiprocessing asks.
    on_step : callable of (int, int), optional
        Is told how many parts are done, of how many: figures, and groups of runs.

    Returns
    -------
    Path
        The overview, index.html.

    Raises
    ------
    windtunnel.records.FolderError
        When the folder holds anything else or cannot be written.
    windtunnel.pool.WorkerLost
        When a worker process died.
    ValueError
        When two experiments would share a page, or a figure has nothing to draw.
    """
    target = Path(folder)
    refuse_foreign(target, _KNOWN)
    pages = _pages(report)
    with staged(target) as temporary:
        for name in FOLDERS:
            (temporary / name).mkdir()
        figures = {shown.stem: figure for page in pages for figure, shown in zip(page.section.figures, page.figures, strict=True)}
        places = {page.section.id: page.places for page in pages}
        runs = [Task(key, report.runs[key], uses) for key, uses in uses_of(report, places).items()]
        sizes = make(figures, runs, temporary, Frame(report.suite, report.made, report.docs), jobs=jobs, on_step=on_step)
        _write_index(report, pages, temporary, sizes)
        for page, shown in zip(pages, _write_pages(report, pages, temporary, sizes), strict=True):
            write_points(environment(), page.places, temporary, shown)
        write_assets(temporary)
    return target / INDEX


def write_assets(folder: Path) -> None:
    """Write what a report has beside its pages into its folder, whose folder ``charts`` exists."""
    assets = files("windtunnel.report").joinpath("assets")
    for name in (*ASSETS, *(f"charts/{name}" for name in CHARTS)):
        (folder / name).write_bytes(assets.joinpath(name).read_bytes())


@dataclass(frozen=True)
class Written:
    """What the pages of experiments lead to.

    Parameters
    ----------
    runs : sequence of Task
        For `windtunnel.report.runpage.write_runs`.
    write_point : callable of str
        Writes the page of a data point, which is named from the report's root, if there is one of that name.
    """

    runs: Sequence[Task]
    write_point: Callable[[str], None]


def write_experiments(report: Report, folder: Path) -> Written:
    """Write the pages of a report's experiments into a folder that has the report's folders, and no page of a point or a run."""
    pages = _pages(report)
    figures = {shown.stem: figure for page in pages for figure, shown in zip(page.section.figures, page.figures, strict=True)}
    sizes = make(figures, [], folder, Frame(report.suite, report.made, report.docs), jobs=1)
    own = _write_pages(report, pages, folder, sizes)
    places = {page.section.id: page.places for page in pages}

    def write_point(name: str) -> None:
        for page, shown in zip(pages, own, strict=True):
            write_points(environment(), page.places, folder, shown, only=name)

    return Written([Task(key, report.runs[key], uses) for key, uses in uses_of(report, places).items()], write_point)


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
        places = places_of(section)
        figures = [_shown(report, places, name, figure) for figure in section.figures]
        pages.append(_Page(section, name, figures, counts_of(section.verdicts), places))
    _refuse_twice("experiment", [page.name for page in pages])
    _refuse_twice("figure", [figure.stem for page in pages for figure in page.figures])
    return pages


def _refuse_twice(what: str, names: Iterable[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"report: {what} {twice[0]!r} is there twice")


def _shown(report: Report, places: Places, page: str, figure: Figure) -> _Shown:
    declaration = figure.declaration
    tabled = bool(places.section.table.rows)
    remarks = plots.remarks(declaration, measures=figure.measures, beside=figure.beside)
    if isinstance(declaration, plots.Histories):
        axes = f"{declaration.y_label or declaration.quantity} against time (s)."
    elif isinstance(declaration, plots.Matrix):
        axes = f"{declaration.metric} by {declaration.y} and {declaration.x}."
    elif isinstance(declaration, plots.Ellipses):
        axes = f"{declaration.y_label or declaration.y} against {declaration.x_label or declaration.x}."
    else:
        across = getattr(declaration, "x_label", "") or declaration.x
        axes = f"{declaration.y_label or declaration.metric} against {across}."
    alt = f"{declaration.title}: {axes}" + (" The numbers are in the table on this page." if tabled else "")
    stem = f"{page}-{file_name(declaration.name)}"
    live, data = live_figure(figure, places, stored=report.runs)
    return _Shown(stem, declaration.title, declaration.caption, remarks, alt, live, data, thumbnail(figure, live))


def counts_of(verdicts: Sequence[Verdict]) -> dict[str, int]:
    """Return how many verdicts count as each of `windtunnel.report.environment.VERDICTS`, in its order."""
    found: Counter[str] = Counter(verdict.counted for verdict in verdicts)
    return {name: found[name] for name in VERDICTS}


def _pixels(sizes: Mapping[str, tuple[float, float]]) -> dict[str, str]:
    """Return each figure's size as attributes of its image, so that a page does not jump while images load."""
    return {stem: Markup(f'width="{width_in * 96:.0f}" height="{height_in * 96:.0f}"') for stem, (width_in, height_in) in sizes.items()}


def _shared(report: Report, pages: Sequence[_Page], sizes: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    totals = {name: sum(page.counts[name] for page in pages) for name in VERDICTS}
    return {"report": report, "pages": pages, "totals": totals, "pixels": _pixels(sizes), "paper_of": paper_of}


def _write_index(report: Report, pages: Sequence[_Page], folder: Path, sizes: Mapping[str, tuple[float, float]]) -> None:
    papers = {paper_of(page.section.id): report.papers.get(paper_of(page.section.id), "") for page in pages}
    template = environment().get_template("index.html")
    index = template.render(_shared(report, pages, sizes), root="", grid=grid_of(report), papers=papers)
    (folder / INDEX).write_text(index, encoding="utf-8")


def _write_pages(report: Report, pages: Sequence[_Page], folder: Path, sizes: Mapping[str, tuple[float, float]]) -> list[Mapping[str, Any]]:
    """Write the pages of experiments, and return what the pages of each one's points share with it."""
    every: list[Mapping[str, Any]] = []
    templates, shared = environment(), _shared(report, pages, sizes)
    places = {page.section.id: page.places for page in pages}
    for number, page in enumerate(pages):
        before = pages[number - 1] if number else None
        after = pages[number + 1] if number + 1 < len(pages) else None
        own = {**shared, "page": page, "run_href": run_href, "made_of": partial(made_of, places)}
        html = templates.get_template("experiment.html").render(own, root="../", before=before, after=after)
        (folder / "experiments" / f"{page.name}.html").write_text(html, encoding="utf-8")
        for figure in page.figures:
            if figure is page.figures[0] and figure.small is not None:
                (folder / "figures" / f"{figure.stem}-small.svg").write_text(figure.small, encoding="utf-8")
            if figure.live is not None:
                (folder / "data" / f"{figure.stem}.js").write_text(data_script(figure.stem, figure.live), encoding="ascii")
        _write_tables(page, folder / "tables", next(iter(report.backends.values()), ""))
        every.append(own)
    return every


def _write_tables(page: _Page, folder: Path, first: str) -> None:
    section = page.section
    if section.table.rows:
        (folder / f"{page.name}.csv").write_text(to_csv(section.table), encoding="utf-8")
    if section.points:
        (folder / f"{page.name}-runs.csv").write_text(runs_csv(section, first), encoding="utf-8")
    if section.source_table is not None:
        shutil.copyfile(section.source_table, folder / f"{page.name}.parquet")
