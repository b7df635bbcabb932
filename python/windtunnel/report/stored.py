"""From a results folder to a report: nothing is run, everything was stored."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from windtunnel.claims import Register, Registered, Verdict, experiments_read, judge, metrics_read
from windtunnel.foreign import shown
from windtunnel.metrics import MEASURES
from windtunnel.plots.declared import Declaration, Ellipses, Histories, History, from_json
from windtunnel.plots.ellipses import clouds_of
from windtunnel.plots.histories import chosen_histories
from windtunnel.records.names import base_rtts_s
from windtunnel.report.criteria import standards_of
from windtunnel.report.model import Figure, Report, Section, Table
from windtunnel.report.points import data_points, measure_headings, stored_runs, with_others
from windtunnel.report.registers import LONGEST_S, registers_of
from windtunnel.report.sensitivity import choices_of
from windtunnel.report.table import table_of
from windtunnel.store import SIMULATOR, Results, ResultsError

HEADINGS = {
    "alg": "Protocol",
    "rate": "Rate (Mbit/s)",
    "rtt": "RTT (ms)",
    "q": "Queue (BDP)",
    "p": "Loss probability",
}
BACKENDS = {"sim": "Simulator", "linux": "Linux kernel", "live": "Live kernel"}
"""What a reader calls a backend."""
_WORD = re.compile(r"[\w-]+")
_UNITLESS = ("1", "name", "fraction", "count")


def verdicts_of(results: Results, register: Register, backend: str, *, needed_only: bool = False) -> list[Verdict]:
    """Judge a register's claims by what one backend measured.

    Parameters
    ----------
    results : Results
        The folder.
    register : Register
        The claims.
    backend : str
        One of the folder's.
    needed_only : bool
        Whether tables that no claim of the register reads are left unread; a damaged one among them is then not told.

    Returns
    -------
    list of Verdict
        In the register's order; a claim that was not run also says what of it the backend cannot express.

    Raises
    ------
    ResultsError
        When a table is damaged.
    """
    own = [id for id in results.experiments(backend) if id in register.experiments]
    asked = set(own) if backend != SIMULATOR else {claim.experiment for claim in register.claims if claim.judge != "sim"}
    declared = {id: results.declaration(id, backend) for id in own if id in asked}
    emulations = {id: str(one.get("emulates", "")) for id, one in declared.items()}
    read = experiments_read(register.claims, register.experiments)
    tables = {id: results.measures(id, backend) for id in own if id in read or not needed_only}
    verdicts = judge(register, tables, backend=backend, emulations=emulations)
    lacking = {id: one.get("left_out", []) for id, one in declared.items()} if backend != SIMULATOR else {}
    return [_explained(verdict, lacking.get(verdict.experiment, [])) for verdict in verdicts]


def _explained(verdict: Verdict, left_out: Sequence[Mapping[str, Any]]) -> Verdict:
    """Add what the backend cannot express of the points that a claim needs: all of them, or those it names."""
    if verdict.verdict != "not_run":
        return verdict
    named = set(_WORD.findall(f"{verdict.predicate} {verdict.reason}"))
    reasons = []
    for one in left_out:
        values = {str(value) for own in one["at"].values() for value in own}
        if not values or named & values:
            reasons.append(_left_out_text(one))
    return replace(verdict, reason="; ".join([verdict.reason, *reasons])) if reasons else verdict


def elsewhere_of(registers: Sequence[Register], ids: Collection[str]) -> dict[str, int]:
    """Return how many claims are about each experiment that is not among some: no section of a report has them.

    Parameters
    ----------
    registers : sequence of Register
        The claims.
    ids : collection of str
        The experiments that a folder has.

    Returns
    -------
    dict of str to int
        By experiment, in the registers' order.
    """
    return dict(Counter(claim.experiment for register in registers for claim in register.claims if claim.experiment not in ids))


def about(register: Register, experiment: str) -> Register:
    """Return a register with the claims about one experiment alone."""
    return replace(register, claims=tuple(claim for claim in register.claims if claim.experiment == experiment))


def assemble(results: Results, given: Register | None = None, *, docs: str = "", only: str | None = None) -> Report:
    """Make a report of a results folder.

    Parameters
    ----------
    results : Results
        The folder.
    given : Register, optional
        Claims to judge in place of those that come with the suites run.
    docs : str
        Address of the documentation that pages lead to; empty for none.
    only : str, optional
        The one experiment to show; all when absent.

    Returns
    -------
    Report
        A section for each measured experiment, in the order they were run.

    Raises
    ------
    ResultsError
        When something stored is missing or damaged.
    """
    facts = results.facts
    registers = registers_of(results) if given is None else [given]
    if only is not None:
        registers = [about(register, only) for register in registers if only in register.experiments]
    published = {id: experiment for register in registers for id, experiment in register.experiments.items()}
    backends = results.backends()
    verdicts = {
        name: [one for register in registers for one in verdicts_of(results, register, name, needed_only=only is not None)]
        for name in backends
    }
    order = {id: index for index, id in enumerate(facts.get("order", []))}
    ids = sorted(results.experiments() if only is None else [only], key=lambda id: (order.get(id, len(order)), id))
    choices = choices_of(results, registers)
    sections = [
        replace(
            _section(
                results,
                id,
                published.get(id),
                metrics_read([claim for register in registers for claim in register.claims], id),
                {name: [one for one in own if one.experiment == id] for name, own in verdicts.items()},
            ),
            choices=choices.get(id, []),
        )
        for id in ids
    ]
    return Report(
        runs=stored_runs(results, sections),
        papers={name: citation for register in registers for name, citation in register.papers.items()},
        title=str(facts.get("title", "Results")),
        subtitle=str(facts.get("subtitle", "")),
        suite=", ".join(facts.get("suites", [])),
        command=str(facts.get("command", "")),
        made=str(facts.get("made", "")),
        facts={str(name): value for name, value in facts.get("facts", [])},
        findings=[str(text) for text in facts.get("findings", [])],
        about={str(text): str(id) for text, id in facts.get("findings_about", {}).items() if str(id) in ids},
        sections=sections,
        backends={name: BACKENDS.get(name, name) for name in backends},
        docs=docs,
        elsewhere=elsewhere_of(registers, ids),
        standards=standards_of(facts, next(iter(verdicts.values()))) if only is None else [],
    )


def _section(
    results: Results, id: str, published: Registered | None, claimed: frozenset[str], verdicts: Mapping[str, Sequence[Verdict]]
) -> Section:
    """Return an experiment's section: its figures and table are of the first backend that measured it."""
    backends = [name for name in verdicts if id in results.experiments(name)]
    stored = results.declaration(id, backends[0])
    first, *others = verdicts
    try:
        measures = results.measures(id, backends[0])
        beside = {BACKENDS.get(name, name): results.measures(id, name) for name in backends[1:]}
        figures = [] if measures.is_empty() else [from_json(declared) for declared in stored["figures"]]
        points = stored["points"]
        drawn, not_drawn = _drawn([_figure(results, declared, measures, list(points), beside) for declared in figures])
        return Section(
            id=id,
            title=stored["title"],
            question=stored["question"],
            source=stored["source"],
            points=with_others(
                data_points(measures, list(points)), {name: data_points(frame, list(points)) for name, frame in beside.items()}
            ),
            measures=measure_headings(measures, figures, heading=_heading),
            censored_at=(published.duration_s if published is not None else None) or LONGEST_S,
            source_table=results.experiment_folder(id, backends[0]) / "measures.parquet",
            parameters=[(name, value) for name, value in stored["parameters"]] + _grid(stored),
            figures=drawn,
            table=_table(measures, points, figures, published, claimed, _headings(stored)),
            verdicts=verdicts[first],
            beside={name: {one.id: one for one in verdicts[name]} for name in others},
            command=stored["command"],
            notes=[*stored["notes"], *not_drawn, *(note for name in backends[1:] for note in _of_other(results, id, name))],
        )
    except ResultsError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        problem = f"is damaged ({type(error).__name__}: {error}); run the suite again to have it written again"
        raise ResultsError(results.folder / "experiments" / id / "experiment.json", problem) from None


def _of_other(results: Results, id: str, backend: str) -> list[str]:
    """Return what to keep in mind of another backend's verdicts."""
    stored = results.declaration(id, backend)
    title = BACKENDS.get(backend, backend)
    repeats = f"repeats: {stored['repeats']}, scale: {stored['scale']}"
    run = [f"{name}: {value}" for name, value in stored["parameters"] if name == "stack run"]
    lacking = [f"{title}; not run: {_left_out_text(one)}." for one in stored.get("left_out", [])]
    return [f"{title}; {'; '.join([*run, repeats])}.", *lacking]


def _left_out_text(one: Mapping[str, Any]) -> str:
    where = ", ".join(f"{name}={'|'.join(shown(str(value)) for value in values)}" for name, values in one["at"].items())
    return f"{where}: {one['reason']}" if where else str(one["reason"])


def _headings(stored: Mapping[str, Any]) -> dict[str, str]:
    return {**HEADINGS, **stored.get("headings", {})}


def _grid(stored: Mapping[str, Any]) -> list[tuple[str, str]]:
    called = _headings(stored)
    swept = [(called.get(name, name), ", ".join(shown(str(value)) for value in values)) for name, values in stored["points"].items()]
    return [*swept, ("repeats", str(stored["repeats"])), ("scale", str(stored["scale"]))]


def _figure(
    results: Results, declared: Declaration, measures: pl.DataFrame, dimensions: Sequence[str], beside: Mapping[str, pl.DataFrame]
) -> Figure:
    if isinstance(declared, Histories):
        return Figure(declared, histories=_histories(results, measures, dimensions))
    return Figure(declared, measures=measures, beside=beside)


def _drawn(figures: Sequence[Figure]) -> tuple[list[Figure], list[str]]:
    """Return the figures that these runs have something for, and a note on each other: not every protocol has every quantity."""
    drawn, notes = [], []
    for figure in figures:
        try:
            if isinstance(figure.declaration, Histories):
                chosen_histories(figure.declaration, figure.histories)
            if isinstance(figure.declaration, Ellipses) and figure.measures is not None:
                clouds_of(figure.declaration, figure.measures)
            drawn.append(figure)
        except ValueError as error:
            notes.append(f"Not drawn: {error}.")
    return drawn, notes


def _histories(results: Results, measures: pl.DataFrame, dimensions: Sequence[str]) -> list[History]:
    """Return the runs of the first repeat, whose samples were stored."""
    first = measures.filter(pl.col("seed") == pl.col("seed").min()).unique([*dimensions, "run"], maintain_order=True)
    histories = []
    for row in first.select(*dimensions, "seed", "run").iter_rows(named=True):
        path = results.runs.find(row["run"], "all")
        if path is None:
            problem = f"lacks run {row['run']} with its samples; run the suite again"
            raise ResultsError(results.runs.folder, problem)
        records = results.runs.read(path)
        point = {name: row[name] for name in dimensions}
        rtts_s = base_rtts_s(records.facts.scenario)
        histories.append(History(point, row["seed"], records.flow_samples, records.flows, row["run"], rtts_s))
    return histories


def _table(
    measures: pl.DataFrame,
    points: Mapping[str, Any],
    figures: Sequence[Declaration],
    published: Registered | None,
    claimed: frozenset[str],
    headings: Mapping[str, str],
) -> Table:
    """Return the table of what the figures show and what claims read of this experiment, in the order they were measured."""
    shown = {figure.metric for figure in figures if not isinstance(figure, Histories | Ellipses)}
    shown |= {metric for figure in figures if isinstance(figure, Ellipses) for metric in (figure.x, figure.y)}
    wanted = shown | claimed
    measured = measures["metric"].unique(maintain_order=True).to_list()
    metrics = {name: _heading(name) for name in measured if name in wanted} or {name: _heading(name) for name in measured}
    across = "alg" if len(points.get("alg", ())) > 1 and len(points) > 1 else None
    dimensions = {name: headings.get(name, name) for name, values in points.items() if name != across and len(values) > 1}
    longest_s = published.duration_s if published is not None else None
    return table_of(measures, dimensions=dimensions, metrics=metrics, across=across, censored_at=longest_s or LONGEST_S)


def _heading(metric: str) -> str:
    known = MEASURES.get(metric)
    return metric if known is None or known.unit in _UNITLESS else f"{metric} ({known.unit})"
