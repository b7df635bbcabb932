"""``windtunnel report``, ``claims`` and ``sql``: everything that reads a results folder."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windtunnel.cli.grids import worker_count
from windtunnel.cli.output import stoppable

if TYPE_CHECKING:
    from windtunnel.claims import Verdict

MOST_FINDINGS = 3

Folder = Annotated[str, typer.Argument(metavar="DIR", help="Results folder, as `windtunnel suite run` writes it.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def report_command(
    folder: Folder,
    out: Annotated[str | None, typer.Option(metavar="DIR", help="Where to write the report.", show_default="DIR/report")] = None,
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Worker processes, 1 to 256.", show_default="one per core")] = None,
) -> None:
    """Write the report of a results folder: static pages that open offline. Nothing is run."""
    from windtunnel import report
    from windtunnel.store import open_results

    workers = worker_count(jobs)
    results = open_results(Path(folder))
    target = Path(out) if out is not None else results.folder / "report"
    with stoppable():
        assembled = report.assemble(results)
        index = report.write(assembled, target, jobs=workers)
    for text in assembled.findings[:MOST_FINDINGS]:
        print(text)
    print(f"report: {index}")


def claims_command(
    folder: Folder,
    register: Annotated[
        str | None, typer.Option(metavar="FILE", help="Register of claims.", show_default="those of the suites run")
    ] = None,
    backend: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only by what this one measured.", show_default="each in turn")
    ] = None,
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
    registers = [claims.register(register)] if register is not None else report.registers_of(results)
    chosen = measured if backend is None else [backend]
    verdicts = [verdict for name in chosen for one in registers for verdict in report.verdicts_of(results, one, name)]
    if json:
        print_json(claims.claims_json(verdicts))
    else:
        _print_verdicts(verdicts)


def _print_verdicts(verdicts: list[Verdict]) -> None:
    from windtunnel.cli.output import cell, print_table

    def interval(verdict: Verdict) -> str:
        return "; ".join(f"{cell(low)} to {cell(high)}" for low, high in verdict.interval or [])

    def text(verdict: Verdict) -> str:
        on = f"on {verdict.judged_on}" if verdict.judged_on else ""
        put_in = f"by construction: {verdict.by_construction}" if verdict.by_construction else ""
        said = "; ".join(part for part in (on, put_in, verdict.reason) if part)
        return f"{verdict.claim} ({said})" if said else verdict.claim

    rows = [
        (one.id, one.backend, _named(one.counted), one.published, cell(one.estimate), interval(one), one.runs, text(one))
        for one in verdicts
    ]
    print_table("Claims", ["claim", "backend", "verdict", "published", "estimate", "95 % interval", "runs", "what"], rows)
    counts = Counter(one.counted for one in verdicts)
    print(", ".join(f"{count} {_named(name)}" for name, count in counts.most_common()))


def _named(counted: str) -> str:
    return "holds by construction" if counted == "by_construction" else counted.replace("_", " ")


def sql_command(
    folder: Folder,
    statement: Annotated[str, typer.Argument(metavar="QUERY", help="SQL; tables: measures, flows, links, events, flow_samples, ...")],
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
