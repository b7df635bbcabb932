"""The advice as a page: the table, its figure, who leads what, and what was run."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from windtunnel.advise import words
from windtunnel.advise.columns import Column
from windtunnel.advise.ranking import Advice
from windtunnel.advise.study import Study, advice_json
from windtunnel.experiment import Plan
from windtunnel.foreign import shown
from windtunnel.plots import Plane, Spot, draw_tradeoffs, write_forms
from windtunnel.records import staged
from windtunnel.report.names import file_name
from windtunnel.report.writer import ASSETS, INDEX, refuse_foreign
from windtunnel.stats import Summary
from windtunnel.version import __version__

FOLDER = "advice"
NUMBERS = "advice.json"
FIGURE = "tradeoffs"
FILES = (INDEX, *ASSETS, "figures", NUMBERS)

NOTES = (
    "A protocol is dominated when another is nowhere worse by a difference that counts, and somewhere better by one, beyond noise. Nothing "
    "is added up: what a millisecond of delay is worth against a megabit per second is yours to say.",
    "Beyond noise: the 95 % interval of the difference of the two means over seeds (Welch) leaves zero out. The intervals are of one "
    "comparison each, not of all of them together.",
    "A protocol's rank in the column ranked by is one more than the number of those that are better in it, so that ranks are shared.",
    "Alone: one flow on the path. Beside Reno, beside CUBIC: two flows that start at random within the first twentieth of the run, so "
    "that none is the newcomer; the share is the protocol's of what both deliver, and the closer to one half the better.",
    "Time of a second flow to 80 %: a flow of the same protocol joins after a tenth to a fifth of the run; the time from its start until "
    "its short-term throughput is 80 % of half the link's rate. What is not reached counts as nine tenths of the run: a lower bound.",
    "The stack is that of Linux 6.1 in the simulator, hosts are ideal, and flows are bulk transfers with the same round-trip time.",
)


@dataclass(frozen=True)
class _Report:
    """What the layout says of the whole."""

    title: str
    subtitle: str
    suite: str
    made: str
    command: str
    facts: Mapping[str, Any]
    notes: Sequence[str]


def write(study: Study, plan: Plan, advice: Advice, folder: Path, *, command: str) -> Path:
    """Write the page, whole or not at all.

    Parameters
    ----------
    study : Study
        The question.
    plan : Plan
        Its runs.
    advice : Advice
        The answer.
    folder : Path
        The results folder; the page goes to ``advice`` in it.
    command : str
        What reruns all of it.

    Returns
    -------
    Path
        The page, index.html.

    Raises
    ------
    FolderError
        When ``advice`` holds anything else or cannot be written.
    """
    target = folder / FOLDER
    refuse_foreign(target, set(FILES))
    with staged(target) as temporary:
        (temporary / "figures").mkdir()
        width, height = write_forms(draw_tradeoffs(planes(advice)), temporary / "figures" / FIGURE, (".svg",))
        html = (
            _environment()
            .get_template("advice.html")
            .render(
                root="",
                report=_report(study, plan, command),
                advice=advice,
                conclusions=words.conclusions(advice),
                figure=f"figures/{FIGURE}.svg",
                numbers=NUMBERS,
                pixels=Markup(f'width="{width * 96:.0f}" height="{height * 96:.0f}"'),
            )
        )
        (temporary / INDEX).write_text(html, encoding="utf-8")
        shown = json.dumps(advice_json(study, plan, advice), indent=1, allow_nan=False)
        (temporary / NUMBERS).write_text(shown + "\n", encoding="utf-8")
        for name in ASSETS:
            (temporary / name).write_bytes(files("windtunnel.report").joinpath("assets").joinpath(name).read_bytes())
    return target / INDEX


def _report(study: Study, plan: Plan, command: str) -> _Report:
    facts = {
        "path": study.network.words,
        "competition": study.network.beside or "none",
        "algorithms": ", ".join(shown(name, study.algorithms) for name in study.algorithms),
        "ran": study.ran(plan),
        "version": __version__,
    }
    return _Report(
        title="Which algorithm for this path",
        subtitle=study.network.words + (f", beside {study.network.beside}" if study.network.competition else ""),
        suite="advise",
        made=f"Windtunnel {__version__}, {datetime.date.today().isoformat()}",
        command=command,
        facts=facts,
        notes=NOTES,
    )


def planes(advice: Advice) -> list[Plane]:
    """Return the panels of the figure: goodput against delay, and the share beside CUBIC against that beside Reno."""
    named = {column.name: column for column in advice.columns}
    goodput, delay, reno, cubic = (named[name] for name in ("goodput", "delay", "reno", "cubic"))
    return [
        Plane("One flow alone; up and to the left is better", _label(delay), _label(goodput), _spots(advice, delay, goodput)),
        Plane("Two flows; the middle is fair", _label(reno), _label(cubic), _spots(advice, reno, cubic), is_share=True),
    ]


def _label(column: Column) -> str:
    return column.heading[:1].upper() + column.heading[1:]


def _spots(advice: Advice, x: Column, y: Column) -> list[Spot]:
    spots = []
    for row in advice.rows:
        across, up = row.found.get(x.name), row.found.get(y.name)
        if across is not None and up is not None:
            spots.append(Spot(row.algorithm, across.mean, up.mean, _ends(across), _ends(up), is_hollow=bool(row.dominated_by)))
    return spots


def _ends(summary: Summary) -> tuple[float, float] | None:
    return (summary.low, summary.high) if math.isfinite(summary.low) and math.isfinite(summary.high) else None


def _environment() -> Environment:
    loader = ChoiceLoader([PackageLoader("windtunnel.advise"), PackageLoader("windtunnel.report")])
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(
        value=words.value, detail=words.detail, rank=words.rank, best=words.best, wish=words.wish, label=_label, slug=file_name
    )
    return environment
