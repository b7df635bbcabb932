"""Write what a results folder holds of the study as one page: ``python -m windtunnel.suites.stacks.page RESULTS PAGE.md``.

Every expectation against every program, and each difference beyond noise with the figure that shows it and the lines of the RFC that it
touches. Figures are written into a folder ``figures`` beside the page; those of an earlier page are removed.
"""

from __future__ import annotations

import datetime
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from windtunnel import plots, report
from windtunnel.metrics import MEASURES
from windtunnel.plots.declared import Histories, Matrix
from windtunnel.store import SIMULATOR, Results, ResultsError
from windtunnel.suites.stacks import METRICS
from windtunnel.suites.stacks.common import KINDS
from windtunnel.suites.written import write_page
from windtunnel.version import __version__

if TYPE_CHECKING:
    from windtunnel.claims import Verdict
    from windtunnel.report import Figure, Report, Section

_PREFIX = "stacks-study-"
"""What the names of the page's figures begin with: no other page has such."""
_SHOWN = {"holds": "{}", "fails": "**{}**", "inconclusive": "*{}*", "not_run": ""}
_WHAT = (
    "The CUBIC, Reno and BBR of whole QUIC stacks, each its own program, unmodified, beside Linux's: `cubic`, `reno` and `bbr` are the "
    "simulator's Linux 6.1, `bbr3` its draft-ietf-ccwg-bbr; NAME@STACK is that stack's own, at its defaults. "
    "[How it is measured, causes that were found in the sources, and what is not measured](guides/stacks-study.md)."
)
_HOW = (
    "A number is what was measured: plain where the expectation holds, **bold** where it fails in at least 95 % of the resamples of the "
    "repeats, *slanted* where the repeats do not decide; nothing where it was not run. An expectation that fails is a difference on this "
    "path between a program and the text of an RFC, many of whose lines are SHOULD; it says nothing of other paths. *Holds where* is what "
    "the numbers must keep, in the names of the table below these three, with the point of the grid in brackets. Of two numbers in a cell "
    "each is of one of its conditions; of several points it is that which is nearest to failing."
)
_TABLES = (
    "Each question has the expectations that do not hold, below the figure that shows them, the first repeat over time, then every number: "
    "means of the repeats, **bold** where no repeat is among those of Linux's law of that kind and the means are more than a tenth apart."
)


def page(study: Report, *, figures: Mapping[tuple[str, str], str], today: datetime.date) -> str:
    """Return the page.

    Parameters
    ----------
    study : Report
        Of a folder with some of the study's experiments.
    figures : mapping of (str, str) to str
        Address of each figure by its experiment's id and its name; those that are not there are left out.
    today : datetime.date
        The date on it.

    Returns
    -------
    str
        Markdown.
    """
    verdicts = [one for section in study.sections for one in section.verdicts]
    counts = Counter(one.verdict for one in verdicts)
    lines = [
        "# One name, many programs",
        "",
        f"Generated {today.isoformat()} with Windtunnel {__version__} from {len(study.runs)} runs. {_WHAT}",
        "",
        f"{counts['holds']} expectations hold, {counts['fails']} fail, {counts['inconclusive']} are undecided, "
        f"{counts['not_run']} were not run.",
        "",
        *_again(study),
        *(line for text in ("## What strikes", "", *(f"- {one}" for one in study.findings), "") for line in (text,) if study.findings),
        "## Every expectation, every program",
        "",
        _HOW,
        "",
    ]
    for _, called, algs in KINDS:
        lines += _grid(called, algs, verdicts)
    lines += _meanings(study)
    lines += ["## Each difference, and the figure that shows it", "", _TABLES, ""]
    for section in study.sections:
        lines += _differences(section, figures)
    return "\n".join(lines)


def _again(study: Report) -> Iterator[str]:
    """Yield the builds, and the commands that make the page again."""
    builds = dict.fromkeys(row for section in study.sections for row in section.parameters if row[0].startswith("build of "))
    yield "| stack | build |"
    yield "|---|---|"
    for name, text in builds:
        yield f"| {name.removeprefix('build of ')} | {text} |"
    scales = dict.fromkeys(
        f"{value} repeats" if name == "repeats" else value
        for s in study.sections
        for name, value in s.parameters
        if name in ("repeats", "scale")
    )
    yield ""
    yield f"Scale: {', '.join(scales)}. Again, with the same stacks built ([how](guides/stacks.md#what-can-be-built)):"
    yield ""
    yield from (
        f"    windtunnel suite run {' '.join(ids)}{' --quick' if scale == 'quick' else ''}" for scale, ids in _scales(study).items()
    )
    yield "    python -m windtunnel.suites.stacks.page results docs/stacks.md"
    yield ""


def _scales(study: Report) -> dict[str, list[str]]:
    """Return the experiments of each scale: the suite's own name where one scale has all of them."""
    found: dict[str, list[str]] = {}
    for section in study.sections:
        found.setdefault(dict(section.parameters)["scale"], []).append(section.id)
    return {scale: ["stacks"] if len(ids) == len(study.sections) else ids for scale, ids in found.items()}


def _program(verdict: Verdict) -> str:
    """Return which program an expectation is of, by the end of its id: ``stacks.beta.quinn-cubic``."""
    stack, _, law = verdict.id.rpartition(".")[2].rpartition("-")
    return law if stack == "sim" else f"{law}@{stack}"


def _asks(verdict: Verdict) -> str:
    """Return what an expectation asks, of whichever program."""
    name = _program(verdict)
    return re.sub(rf"(?<![\w@]){re.escape(name)}(?![\w@])", "the program", verdict.claim, count=1)


def holds_where(verdict: Verdict) -> str:
    """Return the condition of an expectation, of whichever program: ``abs(beta_step-0.7) <= 0.02``, ``wrongly_lost(1ms) <= 0.0005``.

    Parameters
    ----------
    verdict : Verdict
        Of one program.
    """
    name = _program(verdict)

    def metric(found: re.Match[str]) -> str:
        given = [argument.partition("=") for argument in found[2].split(",") if argument]
        points = [
            value.strip("'") if value.startswith("'") else "=".join(dict.fromkeys((key, value)))
            for key, _, value in given
            if (key, value) != ("alg", f"'{name}'")
        ]
        rest = ", ".join("the program" if point == name else point for point in points)
        return f"{found[1]}({rest})" if rest else found[1]

    return re.sub(r"M\('(\w+)',?([^()]*)\)", metric, verdict.predicate)


def _meanings(study: Report) -> Iterator[str]:
    """Yield what each number is, by the names that conditions and headings have."""
    names = dict.fromkeys(label for section in study.sections for label in section.measures)
    said = {name: (one.unit, one.meaning) for name, one in MEASURES.items()} | METRICS
    yield "### What the numbers are"
    yield ""
    yield "| number | unit | what it is |"
    yield "|---|---|---|"
    yield from (f"| `{name}` | {said[name][0]} | {said[name][1]} |" for name in names if name in said)
    yield ""


def _grid(called: str, algs: Sequence[str], verdicts: Sequence[Verdict]) -> Iterator[str]:
    known = {(one.id.split(".")[1], _program(one)): one for one in verdicts}
    columns = [name for name in algs if any(one.verdict != "not_run" for (_, program), one in known.items() if program == name)]
    if not columns:
        return
    groups = dict.fromkeys(group for group, program in known if program in columns)
    yield f"### {called}"
    yield ""
    yield f"| expected | holds where | lines | {' | '.join(f'`{name}`' for name in columns)} |"
    yield "|---" * (3 + len(columns)) + "|"
    for group in groups:
        row = [known.get((group, name)) for name in columns]
        first = next(one for one in row if one is not None)
        text = _asks(first)
        cells = " | ".join("" if one is None else _cell(one) for one in row)
        yield f"| {text[0].upper()}{text[1:]} | `{holds_where(first)}` | {first.section} | {cells} |"
    yield ""


def _cell(verdict: Verdict) -> str:
    text = "; ".join(map(_number, verdict.estimate or ()))
    return _SHOWN[verdict.verdict].format(text) if text else ""


def _number(value: float) -> str:
    return (
        f"{value:.3g}"
        if math.isfinite(value) and 1e-3 <= abs(value) < 1e4
        else f"{value:.2g}"
        if math.isfinite(value) and value
        else f"{value:g}"
    )


def shows(section: Section, verdict: Verdict) -> Figure | None:
    """Return the figure with an expectation's program that shows it best: of a metric that it reads, else of samples, else any.

    Parameters
    ----------
    section : Section
        The experiment.
    verdict : Verdict
        Of one of its expectations.
    """
    algs = {one.declaration.name: getattr(one.declaration, "algs", ()) for one in section.figures}
    with_it = [one for one in section.figures if not algs[one.declaration.name] or _program(verdict) in algs[one.declaration.name]]
    read = [one for one in with_it if f"'{getattr(one.declaration, 'metric', None)}'" in verdict.predicate]
    samples = [one for one in with_it if isinstance(one.declaration, Histories)]
    return next(iter((*read, *samples, *with_it)), None)


def series(section: Section) -> list[Figure]:
    """Return the figures of samples over time of those kinds of controllers of which some program differs."""
    apart = {_program(one) for one in section.verdicts if one.verdict in ("fails", "inconclusive")}
    return [one for one in section.figures if isinstance(one.declaration, Histories) and apart & set(one.declaration.algs)]


def _differences(section: Section, figures: Mapping[tuple[str, str], str]) -> Iterator[str]:
    judged = [one for one in section.verdicts if one.verdict in ("fails", "inconclusive")]
    pairs = [one for one in section.figures if isinstance(one.declaration, Matrix)]
    yield f"### {section.title}"
    yield ""
    yield f"{section.question} ({section.source}; `{section.id}`)"
    yield ""
    by_figure: dict[str, list[Verdict]] = {one.declaration.name: [] for one in pairs}
    for one in judged:
        figure = shows(section, one)
        by_figure.setdefault("" if figure is None else figure.declaration.name, []).append(one)
    for figure in series(section):
        by_figure.setdefault(figure.declaration.name, [])
    titles = {one.declaration.name: one.declaration.title for one in section.figures}
    for name, own in by_figure.items():
        if (section.id, name) in figures:
            yield f"![{titles[name]}]({figures[section.id, name]})"
            yield ""
        for one in own:
            yield f"- {_difference(one)}"
        if own:
            yield ""
    if not pairs:
        yield from _numbers(section)


def _difference(verdict: Verdict) -> str:
    ends = verdict.interval or []
    numbers = [
        f"{_number(value)} ({_number(ends[number][0])} to {_number(ends[number][1])})" if number < len(ends) else _number(value)
        for number, value in enumerate(verdict.estimate or ())
    ]
    how = "Not so" if verdict.verdict == "fails" else "Undecided"
    reason = f"; {verdict.reason}" if verdict.reason else ""
    return f"{how}: {verdict.claim}. Measured {'; '.join(numbers)}{reason}. {verdict.section}."


def _numbers(section: Section) -> Iterator[str]:
    """Yield a row for each program: means of what the experiment measures at each point, those beyond Linux's of its kind in bold."""
    found: dict[tuple[str, str], dict[str, list[float]]] = {}
    for point in section.points:
        rest = ", ".join(_at(name, value) for name, value in point.values.items() if name != "alg")
        for label in section.measures:
            values = [one.values[label] for one in point.repeats if label in one.values]
            numbers = [float(one) for one in values if not isinstance(one, str)]
            if numbers:
                found.setdefault((label, rest), {})[str(point.values["alg"])] = numbers
    columns = [place for place, own in found.items() if len(own) > 1]
    names = [name for _, _, algs in KINDS for name in algs if any(name in found[place] for place in columns)]
    yield f"| | {' | '.join(_heading(section, *place) for place in columns)} |"
    yield "|---" * (1 + len(columns)) + "|"
    for name in names:
        reference = _reference(name)
        yield f"| `{name}` | {' | '.join(_compared(found[place].get(name), found[place].get(reference, [])) for place in columns)} |"
    yield ""


def _at(name: str, value: str | float) -> str:
    return value if isinstance(value, str) else f"{name}={value:g}"


def _heading(section: Section, label: str, rest: str) -> str:
    heading = section.measures[label]
    return f"{heading}, {rest}" if rest else heading


def _reference(name: str) -> str:
    """Return Linux's law of a program's kind."""
    return next(key for key, _, algs in KINDS if name in algs)


def _compared(own: Sequence[float] | None, reference: Sequence[float]) -> str:
    """Return the mean of the repeats, in bold where none of them is among the reference's and the means are more than a tenth apart."""
    if not own:
        return ""
    mean = sum(own) / len(own)
    if not reference:
        return _number(mean)
    beside = sum(reference) / len(reference)
    is_apart = (min(own) > max(reference) or max(own) < min(reference)) and not math.isclose(mean, beside, rel_tol=0.1)
    return f"**{_number(mean)}**" if is_apart else _number(mean)


def drawn(study: Report, folder: Path) -> dict[tuple[str, str], str]:
    """Draw the figures that the page shows; those that an earlier page left are removed.

    Parameters
    ----------
    study : Report
        As of `page`.
    folder : Path
        Where the page will be.

    Returns
    -------
    dict of (str, str) to str
        Address of each by its experiment's id and its name.
    """
    place = folder / "figures"
    place.mkdir(exist_ok=True)
    for old in place.glob(f"{_PREFIX}*.svg"):
        old.unlink()
    found = {}
    for section in study.sections:
        asked = [shows(section, one) for one in section.verdicts if one.verdict in ("fails", "inconclusive")]
        asked += [*series(section), *(one for one in section.figures if isinstance(one.declaration, Matrix))]
        for figure in {one.declaration.name: one for one in asked if one is not None}.values():
            name = f"{_PREFIX}{section.id.partition('.')[2]}-{figure.declaration.name}"
            plots.render(figure.declaration, place / name, measures=figure.measures, histories=figure.histories, suffixes=(".svg",))
            found[section.id, figure.declaration.name] = f"figures/{name}.svg"
    return found


def main() -> None:
    """Write the page that the command line names."""
    write_page(_written)


def _written(results: Results, folder: Path) -> str:
    if not any(id.startswith("stacks.") for id in results.experiments(SIMULATOR)):
        raise ResultsError(results.folder, "holds nothing of the study of stacks; run: windtunnel suite run stacks")
    study = report.assemble(results)
    return page(study, figures=drawn(study, folder), today=datetime.date.today())


if __name__ == "__main__":
    main()
