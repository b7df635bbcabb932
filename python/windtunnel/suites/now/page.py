"""Write what a results folder holds of the benchmark as one page: ``python -m windtunnel.suites.now.page RESULTS PAGE.md [BESIDE]``.

BESIDE is another folder, with runs on Linux and of whole stacks at some of the points.

A ranking for each of the seven questions, with intervals, and no single score. A rank is a range: from one more than the algorithms whose
intervals are all better, to as many as are not all worse.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from windtunnel import plots
from windtunnel.foreign import shown
from windtunnel.metrics.backoffs import Array
from windtunnel.plots.declared import Compared
from windtunnel.stats import bootstrap_indices
from windtunnel.store import Results, ResultsError
from windtunnel.suites.now.asked import POINT, QUESTIONS, UNITS, Question, number
from windtunnel.suites.now.beside import beside_lines
from windtunnel.suites.now.grids import FRACTION, LONG_RTT, RATES
from windtunnel.suites.now.questions import is_of_epochs
from windtunnel.suites.written import write_page
from windtunnel.version import __version__

RESAMPLES = 1000
_NAMED = 4
"""So many names in a cell of the first table."""
_SHOWN: Mapping[str, Mapping[str, str | float | int]] = {"same": {"queue": "drop-tail", "q": 0.2}, "loss": {"p": 1e-3}}
"""The points of a figure that has one panel: the paper's queue of 20 % BDP, and a loss of 0.1 %."""
_SAID = {"same": ", queue 20 % BDP", "loss": ", a loss of 0.1 %"}
HEAD = (
    "The seven tests of Li, Leith and Shorten (IEEE/ACM ToN 15(5), 2007) for every algorithm of one flow that the simulator has, "
    "with Linux 6.1's stack, and for the whole QUIC stacks that were built (NAME@STACK). "
    "[How it is made, how to make it again, and what surprises in it](guides/now.md).",
    "A number is the mean over all points of the question (round trips, queues, drop-tail and FQ-CoDel: [below](#what-was-run)); in "
    "brackets the 95 % interval over resamples of the repeats. A rank is a range: algorithms whose intervals overlap are "
    "not distinguished. There is no single score: who is first in one question is last in another. †n: at n points no run held one whole "
    "congestion epoch of an algorithm whose rate is made of epochs, so that its mean is of a part of one.",
)
"""What every page says before its tables."""


@dataclass(frozen=True)
class Place:
    """What an algorithm comes to in one question at one rate: mean over points, its interval, ranks, and points without a whole epoch."""

    value: float
    low: float
    high: float
    ranks: tuple[int, int]
    takes: bool
    unfinished: int


def ranking(frame: pl.DataFrame, question: Question, *, duration_s: float) -> dict[str, Place]:
    """Rank the algorithms of an experiment.

    Parameters
    ----------
    frame : polars.DataFrame
        Its measures.
    question : Question
        Which of the seven.
    duration_s : float
        What an infinite time counts as.

    Returns
    -------
    dict of str to Place
        The best first; of those with a value at every point that others have.
    """
    for name, value in question.fixed.items():
        frame = frame.filter(pl.col(name) == value)
    sampled = {name: _resampled(rows, question, duration_s) for name, rows in _by_algorithm(frame, question.metric)}
    most = max((one[1] for one in sampled.values()), default=0)
    whole = {name: values for name, (values, points) in sampled.items() if points == most and values.size}
    sign = -1.0 if question.better == "more" else 1.0
    found = {name: (values[0], *np.percentile(values, [2.5, 97.5])) for name, values in whole.items()}
    order = sorted(found, key=lambda name: sign * found[name][0])
    ends = {name: sorted(sign * np.asarray(found[name][1:])) for name in order}
    epochs = dict(_by_algorithm(frame, "epochs"))
    places = {}
    for name in order:
        first = 1 + sum(ends[other][1] < ends[name][0] for other in order)
        last = len(order) - sum(ends[other][0] > ends[name][1] for other in order)
        takes = question.better == "equal" and _mean_log(frame, name, question.metric) > 0
        mean, *interval = map(float, found[name])
        places[name] = Place(mean, interval[0], interval[1], (first, last), takes, _unfinished(name, epochs.get(name)))
    return places


def _by_algorithm(frame: pl.DataFrame, metric: str) -> Iterator[tuple[str, pl.DataFrame]]:
    rows = frame.filter((pl.col("metric") == metric) & pl.col("flow").is_null() & pl.col("value").is_not_null())
    for (name,), own in rows.group_by(["alg"], maintain_order=True):
        yield str(name), own


def _resampled(rows: pl.DataFrame, question: Question, duration_s: float) -> tuple[Array, int]:
    """Return the mean over points, then over each resample of the repeats, and the number of points."""
    by = [name for name in POINT if name in rows.columns]
    points = []
    for _, own in rows.sort("seed").group_by(by, maintain_order=True):
        values = np.where(np.isinf(own["value"].to_numpy()), duration_s, own["value"].to_numpy())
        if question.better == "equal":
            values = np.abs(np.log(np.clip(values, 1e-3, 1e3)))
        draws = bootstrap_indices(values.size, RESAMPLES, name=question.title)
        points.append(np.concatenate(([values.mean()], values[draws].mean(axis=1))))
    if not points:
        return np.empty(0), 0
    mean = np.mean(points, axis=0)
    scale = 100.0 if question.metric == "loss_ovh" else 1.0
    return np.exp(mean) if question.better == "equal" else mean * scale, len(points)


def _mean_log(frame: pl.DataFrame, name: str, metric: str) -> float:
    rows = frame.filter((pl.col("metric") == metric) & (pl.col("alg") == name) & pl.col("value").is_not_null())
    return float(np.log(np.clip(rows["value"].to_numpy(), 1e-3, 1e3)).mean()) if rows.height else 0.0


def _unfinished(name: str, rows: pl.DataFrame | None) -> int:
    """Return at how many points no repeat had a whole epoch, of an algorithm whose rate is made of epochs."""
    if rows is None or not is_of_epochs(name):
        return 0
    by = [one for one in POINT if one in rows.columns]
    return rows.group_by(by).agg(pl.col("value").max()).filter(pl.col("value") < 1).height


def table(question: Question, places: Mapping[int, Mapping[str, Place]]) -> list[str]:
    """Return a question's table in Markdown, the algorithms in the order of the first rate."""
    rates = [rate for rate in places if places[rate]]
    if not rates:
        return ["Not run.", ""]
    names = list(dict.fromkeys(name for rate in rates for name in places[rate]))
    heads = " | ".join(f"rank | {_rate(rate)}" for rate in rates)
    lines = [f"| algorithm | {heads} |", "|---" * (1 + 2 * len(rates)) + "|"]
    for name in names:
        cells = " | ".join(_cell(question, places[rate].get(name)) for rate in rates)
        lines.append(f"| {shown(name)} | {cells} |")
    return [*lines, ""]


def _rate(mbps: int) -> str:
    return f"{mbps} Mbit/s" if mbps < 1000 else f"{mbps // 1000} Gbit/s"


def _cell(question: Question, place: Place | None) -> str:
    if place is None:
        return "| "
    first, last = place.ranks
    whose = "" if question.kind != "old" or place.value < 1.05 else (" more" if place.takes else " less")
    mark = f" †{place.unfinished}" if place.unfinished else ""
    value, low, high = (number(one, question.digits) for one in (place.value, place.low, place.high))
    return f"{first if first == last else f'{first}-{last}'} | {value}{whose} ({low} to {high}){mark}"


def page(results: Results, folder: Path, *, today: datetime.date, beside: Results | None = None) -> str:
    """Return the page, and draw its figures into a folder ``figures`` beside it.

    Parameters
    ----------
    results : Results
        A folder with some of the suite's experiments.
    folder : Path
        Where the page will be.
    today : datetime.date
        The date on it.
    beside : Results, optional
        A folder with runs on Linux and of whole stacks, if it is another one.

    Raises
    ------
    ResultsError
        When it holds none of them.
    """
    ids = [id for id in results.experiments("sim") if id.startswith("now.")]
    if not ids:
        raise ResultsError(results.folder, "holds nothing of the suite now; run: windtunnel suite run now")
    tables = {id: results.measures(id, "sim") for id in ids}
    runs = pl.concat([one.select("run") for one in tables.values()]).n_unique()
    scales = sorted({str(results.declaration(id, "sim")["scale"]) for id in ids})
    ran = sorted({int(id.rpartition("-")[2]) for id in ids})
    absent = [_rate(rate) for rate in RATES if rate not in ran]
    ranked = [
        (
            question,
            {
                rate: ranking(tables[f"now.{question.kind}-{rate}"], question, duration_s=FRACTION[question.kind, rate].duration_s)
                for rate in RATES
                if f"now.{question.kind}-{rate}" in tables
            },
        )
        for question in QUESTIONS
    ]
    lines = [*_head(today, runs, scales, ran, absent), *in_short(ranked, ran)]
    for question, places in ranked:
        lines += [f"## {question.title}", "", question.asks, "", *_figure(question, tables, ran[0], folder), *table(question, places)]
    return "\n".join([*lines, *beside_lines(beside or results), *_ran({id: results.declaration(id, "sim") for id in ids})])


def in_short(ranked: Sequence[tuple[Question, Mapping[int, Mapping[str, Place]]]], rates: Sequence[int]) -> list[str]:
    """Return a table of those that no other algorithm is distinguished from at either end, a row a question."""
    lines = ["## In short", "", "Of each question the algorithms that may be first, and those that may be last.", ""]
    lines += [f"| question | {' | '.join(map(_rate, rates))} |", "|---" * (1 + len(rates)) + "|"]
    for question, places in ranked:
        cells = " | ".join(_ends(places.get(rate, {})) for rate in rates)
        lines.append(f"| {question.title} | {cells} |")
    return [*lines, ""]


def _ends(places: Mapping[str, Place]) -> str:
    if not places:
        return "not run"
    first = [shown(name) for name, one in places.items() if one.ranks[0] == 1]
    last = [shown(name) for name, one in places.items() if one.ranks[1] == len(places)]
    return f"first: {_few(first)}; last: {_few(last[::-1])}"


def _few(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= _NAMED else f"{', '.join(names[: _NAMED - 1])} and {len(names) - _NAMED + 1} more"


def _ran(declared: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the table of what was run, a row an experiment."""
    lines = ["## What was run", "", "| experiment | round trips (ms) | queues (BDP) | loss | repeats | length (s) |", "|---" * 6 + "|"]
    for kind, rate in FRACTION:
        one = declared.get(f"now.{kind}-{rate}")
        if one is None:
            continue
        points = one["points"]
        trips, queues, losses = (", ".join(f"{value:g}" for value in points.get(name, ())) for name in ("rtt", "q", "p"))
        managed = "; FQ-CoDel: 1" if "fq-codel" in points.get("queue", ()) else ""
        lines.append(
            f"| `now.{kind}-{rate}` | {trips or LONG_RTT} | {queues or '0.2'}{managed} | {losses} | {one['repeats']} "
            f"| {FRACTION[kind, rate].duration_s:.0f} |"
        )
    return [*lines, ""]


def _head(today: datetime.date, runs: int, scales: Sequence[str], ran: Sequence[int], absent: Sequence[str]) -> list[str]:
    return [
        "# The benchmark of 2007 as of today",
        "",
        f"Generated {today.isoformat()} with Windtunnel {__version__} from {runs} runs at the scale {', '.join(scales)}; "
        f"rates run: {', '.join(map(_rate, ran))}." + (f" Not run for this page: {', '.join(absent)}." if absent else ""),
        "",
        *(line for text in HEAD for line in (text, "")),
    ]


def _figure(question: Question, tables: Mapping[str, pl.DataFrame], rate: int, folder: Path) -> list[str]:
    frame = tables.get(f"now.{question.kind}-{rate}")
    if frame is None:
        return []
    name = f"now-{question.title.lower().replace(' ', '-')}"
    fixed: dict[str, str | float | int] = {**question.fixed, **_SHOWN.get(question.kind, {})}
    declared = Compared(
        name,
        f"{question.title}, {_rate(rate)}",
        metric=question.metric,
        x="alg",
        x_label="",
        y_label=UNITS[question.metric].replace("% sent", "share sent"),
        panels=None if question.kind in _SHOWN else "q",
        y_log=question.better == "equal",
        baseline=(1.0,) if question.better == "equal" else (),
        fixed=fixed,
        censored_at=FRACTION[question.kind, rate].duration_s if question.metric == "conv80_s" else None,
    )
    (folder / "figures").mkdir(exist_ok=True)
    plots.render(declared, folder / "figures" / name, measures=frame, suffixes=(".svg",))
    return [f"![{question.title} at {_rate(rate)}, means over round trips{_SAID.get(question.kind, '')}](figures/{name}.svg)", ""]


def main() -> None:
    """Write the page that the command line names."""
    write_page(
        lambda results, folder, *beside: page(results, folder, today=datetime.date.today(), beside=next(iter(beside), None)), "BESIDE"
    )


if __name__ == "__main__":
    main()
