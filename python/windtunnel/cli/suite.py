"""``windtunnel suite``: list experiments and run them."""

from __future__ import annotations

import shlex
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windtunnel.cli.decide import kernel_command
from windtunnel.cli.diff import diff_command
from windtunnel.cli.grids import campaign, each_of, options, progress, repeats, with_files, worker_count
from windtunnel.cli.helping import Command, new_app
from windtunnel.cli.output import stoppable
from windtunnel.cli.sensitivity import sensitivity_command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from windtunnel.experiment import Experiment, Plan, Scale
    from windtunnel.store import Results

app = new_app(help="Experiments of papers and standards: list them, run them.")
app.command("diff", cls=Command)(diff_command)
app.command("kernel", cls=Command)(kernel_command)
app.command("sensitivity", cls=Command)(sensitivity_command)
OUTCOMES = ("holds", "by_construction", "fails", "inconclusive", "not_run")


@app.command("list", cls=Command)
def list_command(
    quick: Annotated[bool, typer.Option("--quick", help="Show the quick scale.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List suites and their experiments."""
    from windtunnel.cli.output import print_json, print_table
    from windtunnel.experiment import Scale
    from windtunnel.suites import suite, suites

    scale = Scale(quick=quick)
    rows: list[dict[str, Any]] = []
    for name in suites():
        for one in suite(name).experiments:
            if quick and one.quick is None:
                continue
            runs = sum(1 for _ in scale.grid(one))
            rows.append({"id": one.id, "title": one.title, "source": one.source, "runs": runs, "question": one.question})
    if json:
        print_json(rows)
        return
    for name in suites():
        own = [row for row in rows if row["id"].startswith(f"{name}.")]
        print_table(suite(name).title, ["experiment", "title", "source", "runs"], [tuple(row.values())[:4] for row in own])


@app.command("run", cls=Command)
def run_command(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Suites (li07) or experiments (li07.fig4); your own by path.")],
    alg: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help="Only these protocols or files, as reno,./mine.c or cubic@quinn; a file runs one by bic=./mine.c."
        ),
    ] = None,
    seeds: Annotated[int | None, typer.Option(metavar="N", help="Repeats, 1 to 1000.", show_default="each experiment's own")] = None,
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Worker processes, 1 to 256.", show_default="one per core")] = None,
    out: Annotated[str, typer.Option(metavar="DIR", help="Results folder; what it holds already is not run again.")] = "results",
    quick: Annotated[bool, typer.Option("--quick", help="Fewer points and repeats: minutes.")] = False,
    full: Annotated[bool, typer.Option("--full", help="The whole grid of experiments that declare a fraction: a cluster's work.")] = False,
    at: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE,...", help="Only these values of a grid's dimension, as rtt=42,82; repeat for more."),
    ] = None,
    longest: Annotated[
        str | None, typer.Option(metavar="TIME", help="Longer runs end at this time, for backends in real time.", show_default="none")
    ] = None,
    backend: Annotated[str, typer.Option(metavar="NAME", help="What runs it: sim, linux, linux:KERNEL, live, or live:HOSTS.")] = "sim",
    scheduler: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Dask scheduler whose workers make the runs.")] = None,
    workers: Annotated[int | None, typer.Option(metavar="N", help="Dask workers on this machine, 1 to 256.", show_default="none")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Run experiments, measure them and judge their claims.

    Finished runs are stored as they finish: after Ctrl-C the same command goes on where it was.
    """
    with stoppable("finished runs are kept, the same command goes on where it was"):
        from windtunnel import experiment
        from windtunnel.cli.output import note
        from windtunnel.scenario import ScenarioError
        from windtunnel.store import writing_results
        from windtunnel.suites import chosen, store_facts

        scale = replace(_scale(quick=quick, full=full, alg=alg, seeds=seeds), longest_s=_longest_s(longest))
        processes = worker_count(jobs)
        asked = chosen(names)
        for line in [text for own, _ in asked for text in own.skipped()]:
            note(line)
        wanted = [one for _, experiments in asked for one in experiments if not (quick and one.quick is None and one.id not in names)]
        scale = replace(scale, at=_at(at or [], scale, wanted))
        plan = experiment.plan(wanted, scale, backend=backend)
        if not plan.jobs and not any(plan.left_out.values()):
            raise ScenarioError("alg", f"{alg!r} leaves nothing to run; allowed: protocols of the experiments asked for")
        if full and all(one.full is None for one in wanted):
            raise ScenarioError("full", "these experiments are whole as declared; allowed: --full with one that declares a fraction (now)")
        for line in [text for own, _ in asked for text in own.planned(plan)]:
            note(line)
        said = _left_out(plan)
        if not plan.jobs:
            raise ScenarioError("backend", f"{backend} can run none of it: {'; '.join(said)}; allowed: --backend sim")
        for line in said:
            note(f"left out on {plan.kind}: {line}")
        given = options(scale, out, backend, alg=alg)
        each = f"windtunnel suite run {each_of(names, [own.name for own, _ in asked])}{given.replace('{', '{{').replace('}', '}}')}"
        with campaign(scheduler, workers) as cluster, writing_results(Path(out)) as results, progress(quiet=json) as on_step:
            fault: Exception | None = None
            try:
                experiment.execute(plan, results, jobs=processes, command=each, on_step=on_step, campaign=cluster)
            except experiment.RunsFailed as error:
                fault = error  # Said when the others have been judged.
            store_facts(results, asked, scale=scale, command=f"windtunnel suite run {shlex.join(names)}{given}", backend=plan.kind)
        _print_summary(results, plan, out, as_json=json)
        if fault is not None:
            raise fault


def _scale(*, quick: bool, full: bool, alg: str | None, seeds: int | None) -> Scale:
    from windtunnel.experiment import Scale
    from windtunnel.scenario import ScenarioError

    if quick and full:
        raise ScenarioError("full", "cannot be asked for with --quick; allowed: one of the two")
    names, files = with_files(alg)
    return Scale(quick=quick, algorithms=names, repeats=repeats(seeds), full=full, files=files)


def _at(given: list[str], scale: Scale, wanted: list[Experiment]) -> dict[str, tuple[str, ...]]:
    """Return ``--at``, by dimension; a dimension or a value that no experiment has is refused."""
    from windtunnel.scenario import ScenarioError

    grids = [scale.points(one) for one in wanted]
    found: dict[str, tuple[str, ...]] = {}
    for one in given:
        name, equals, values = one.partition("=")
        if not (name and equals and values) or name in found:
            raise ScenarioError("at", f"{one!r} names no dimension with its values, or one twice; allowed: as rtt=42,82")
        known = list(dict.fromkeys(str(value) for grid in grids for value in grid.get(name, ())))
        if not known:
            names = dict.fromkeys(name for grid in grids for name in grid)
            raise ScenarioError("at", f"{name!r} is no dimension of these experiments; allowed: {', '.join(names)}")
        found[name] = tuple(_values(name, values, known))
    return found


def _values(name: str, given: str, known: list[str]) -> Iterator[str]:
    """Yield the values that a text with commas between them names; a value may have commas itself."""
    from windtunnel.scenario import ScenarioError

    parts = [part.strip() for part in given.split(",")]
    while parts:
        taken = next((count for count in range(len(parts), 0, -1) if ", ".join(parts[:count]) in known), None)
        if taken is None:
            raise ScenarioError("at", f"{parts[0]!r} is no {name} of these experiments; allowed: {'; '.join(known)}")
        yield ", ".join(parts[:taken])
        del parts[:taken]


def _longest_s(given: str | None) -> float | None:
    """Return ``--longest``, seconds."""
    from windtunnel.scenario import ScenarioError
    from windtunnel.scenario.units import EXAMPLES, parse

    if given is None:
        return None
    try:
        seconds = parse(given, "s")
    except ValueError as error:
        raise ScenarioError("longest", f"{given!r}: {error}; allowed: as {EXAMPLES['s']}") from None
    if seconds <= 0:
        raise ScenarioError("longest", f"{given!r} leaves nothing; allowed: above 0")
    return seconds


def _left_out(plan: Plan) -> list[str]:
    """Return what the plan's backend cannot express, a line per reason with its experiments."""
    found: dict[str, list[str]] = {}
    for id, entries in plan.left_out.items():
        for one in entries:
            found.setdefault(f"{one.where or 'every point'}: {one.reason}", []).append(id)
    return [f"{line} ({', '.join(ids)})" for line, ids in found.items()]


def _print_summary(results: Results, plan: Plan, out: str, *, as_json: bool) -> None:
    from windtunnel.claims import claims_json
    from windtunnel.cli.output import note, print_json, print_table
    from windtunnel.report import registers_of, verdicts_of

    verdicts = [
        one for register in registers_of(results) for one in verdicts_of(results, register, plan.kind) if one.experiment in plan.cells
    ]
    if as_json:
        cells = {id: len(cells) for id, cells in plan.cells.items()}
        left_out = {id: [{"at": one.at, "reason": one.reason} for one in entries] for id, entries in plan.left_out.items() if entries}
        whole = {"folder": out, "backend": plan.kind, "experiments": cells, "runs": len(plan.jobs), "left_out": left_out}
        print_json(whole | {"claims": claims_json(verdicts)})
        return
    rows = []
    for experiment in plan.experiments:
        counts: Counter[str] = Counter(one.counted for one in verdicts if one.experiment == experiment.id)
        rows.append((experiment.id, experiment.title, len(plan.cells[experiment.id]), *(counts[name] for name in OUTCOMES)))
    print_table("Experiments", ["experiment", "title", "runs", *(name.replace("_", " ") for name in OUTCOMES)], rows)
    note(f"windtunnel report {shlex.quote(out)} draws the figures; windtunnel claims {shlex.quote(out)} lists the verdicts")
