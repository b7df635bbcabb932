"""``windtunnel report``, ``claims`` and ``sql``: everything that reads a results folder."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windtunnel.cli.grids import worker_count
from windtunnel.cli.output import stoppable
from windtunnel.progress import Progress

if TYPE_CHECKING:
    from windtunnel.claims import Verdict

MOST_FINDINGS = 3
_NEEDED = ("windtunnel.report.making", "windtunnel.plots.picture", "matplotlib.backends.backend_svg", "matplotlib.backends.backend_pdf")
"""What draws pages; loading it takes as long as reading the results does."""

Folder = Annotated[str, typer.Argument(metavar="DIR", help="Results folder, as `windtunnel suite run` writes it, or s3://BUCKET/NAME.")]
DocsOption = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Documentation that pages link to: its address, or the folder of `make site`.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def report_command(
    folder: Folder,
    out: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Where to write the report.", show_default="DIR/report, and report of an object store's"),
    ] = None,
    register: Annotated[
        str | None, typer.Option(metavar="FILE", help="Register of claims.", show_default="those of the suites run")
    ] = None,
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Worker processes, 1 to 256.", show_default="one per core")] = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Pages of the runs of the first N repeats of every point.",
            show_default="all; 1 of more than 10,000 runs",
        ),
    ] = None,
    docs: DocsOption = None,
) -> None:
    """Write the report of a results folder: static pages that open offline. Nothing is run."""
    from windtunnel.pool import readied
    from windtunnel.store import open_results

    workers = worker_count(jobs)
    results = open_results(Path(folder))
    target = Path(out) if out is not None else Path("report") if results.remote is not None else results.folder / "report"
    with stoppable(), readied(workers, _NEEDED), Progress(quiet=False) as shown:
        from windtunnel import report

        given = None if register is None else report.register_for(results, register)
        shown.step("Reading results and judging claims")
        assembled = report.pruned(report.assemble(results, given, docs=report.docs_address(docs)), repeats)
        index = report.write(assembled, target, jobs=workers, on_step=lambda done, total: shown.step("Drawing pages", done, total))
    for text in assembled.findings[:MOST_FINDINGS]:
        print(text)
    print(f"report: {index}")


def claims_command(
    folder: Folder,
    register: Annotated[
        str | None, typer.Option(metavar="FILE", help="Register of claims.", show_default="those of the suites run")
    ] = None,
    backend: Annotated[
        str | None, typer.Option(metavar="NAME", help="Judge only by the measures of this backend.", show_default="each in turn")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="List those that were not run too, with the reason.")] = False,
    json: JsonOption = False,
) -> None:
    """Judge published claims by the stored results, on each backend that has some: holds, fails, inconclusive or not run."""
    from windtunnel import claims, report
    from windtunnel.cli.output import print_json
    from windtunnel.scenario import ScenarioError
    from windtunnel.store import open_results

    results = open_results(Path(folder))
    measured = results.backends()
    if backend is not None and backend not in measured:
        raise ScenarioError("backend", f"{backend!r} has measured nothing in {folder}; allowed: {', '.join(measured)}")
    registers = [report.register_for(results, register)] if register is not None else report.registers_of(results)
    chosen = measured if backend is None else [backend]
    verdicts = [verdict for name in chosen for one in registers for verdict in report.verdicts_of(results, one, name)]
    if json:
        print_json(claims.claims_json(verdicts))
    else:
        _print_verdicts(verdicts, every=every)


def _print_verdicts(verdicts: list[Verdict], *, every: bool) -> None:
    from windtunnel.cli.output import cell, print_table

    def interval(verdict: Verdict) -> str:
        return "; ".join(f"{cell(low)} to {cell(high)}" for low, high in verdict.interval or [])

    def estimates(verdict: Verdict) -> str:
        labels = verdict.labels if len(verdict.estimate or ()) > 1 else ("",)
        return "; ".join(
            f"{cell(value)}{f': {label}' if label else ''}" for value, label in zip(verdict.estimate or (), labels, strict=False)
        )

    def text(verdict: Verdict) -> str:
        on = f"on {verdict.judged_on}" if verdict.judged_on else ""
        put_in = f"by construction: {verdict.by_construction}" if verdict.by_construction else ""
        differs = verdict.verdict in ("fails", "inconclusive")
        known = f"known from a full run: {_kind(verdict)}" if differs and verdict.why else ""
        judged = f"judged with: {verdict.tolerance}" if differs and verdict.tolerance else ""
        said = "; ".join(part for part in (on, put_in, verdict.reason, known, judged) if part)
        return f"{verdict.claim} ({said})" if said else verdict.claim

    rows = [
        (one.id, one.backend, _named(one.counted), one.published, estimates(one) or None, interval(one), one.runs, text(one))
        for one in verdicts
        if every or one.verdict != "not_run"
    ]
    print_table(
        "Claims", ["claim", "backend", "verdict", "published", "estimate", "95 % interval", "runs", "what"], rows, ends_in_prose=True
    )
    counts = Counter(one.counted for one in verdicts)
    left_out = len(verdicts) - len(rows)
    print(", ".join(f"{count} {_named(name)}" for name, count in counts.most_common()) + ("; --all lists them" if left_out else ""))


def _kind(verdict: Verdict) -> str:
    why = verdict.why
    return "" if why is None else f"{why.kind}: {why.about}" if why.about else why.kind


def _named(counted: str) -> str:
    return "holds by construction" if counted == "by_construction" else counted.replace("_", " ")


def sql_command(
    folder: Folder,
    statement: Annotated[str, typer.Argument(metavar="QUERY", help="SQL; tables: measures, runs, flows, links, events, flow_samples, ...")],
    json: JsonOption = False,
) -> None:
    """Answer an SQL query over a results folder (DuckDB; read only)."""
    from windtunnel.cli.output import print_json, print_table
    from windtunnel.store import QueryError, open_results
    from windtunnel.store.sql import query

    columns, rows = query(open_results(Path(folder)), statement)
    if json:
        twice = [name for name, count in Counter(columns).items() if count > 1]
        if twice:
            raise QueryError(f"column {twice[0]!r} comes twice; allowed with --json: columns of different names (name them with AS)")
        print_json([{name: _plain(value) for name, value in zip(columns, row, strict=True)} for row in rows])
    else:
        print_table(f"{len(rows)} rows", columns, rows)


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return value if isinstance(value, (int, float, str, bool, type(None))) else str(value)
