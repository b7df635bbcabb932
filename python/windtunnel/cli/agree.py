"""``windtunnel agree``: the simulator against the real Linux stack, or one Linux against another."""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from windtunnel.cli.grids import campaign, keys_beside, local_folder, progress, repeats, with_files, worker_count
from windtunnel.cli.output import stoppable

if TYPE_CHECKING:
    from windtunnel.agreement import Row


def agree_command(
    alg: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Only these protocols or C files, as reno,./mine.c; bic=./mine.c runs on kernels alone. The kernel's 14 when absent.",
        ),
    ] = None,
    grid: Annotated[
        str,
        typer.Option(metavar="GRID", help="quick (20 minutes on two cores), full (a night); with --live it is live, or live-brief."),
    ] = "quick",
    kernel: Annotated[
        list[str] | None,
        typer.Option(metavar="KERNEL", help="Which built kernel; the newest when absent. Given twice: these two, without the simulator."),
    ] = None,
    live: Annotated[
        bool, typer.Option("--live", help="By this machine's own kernel, in real time; a built one is shown beside it.")
    ] = False,
    seeds: Annotated[int | None, typer.Option(metavar="N", help="Repeats of what is drawn, 1 to 1000; 5 when absent.")] = None,
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Worker processes, 1 to 256; one per core when absent.")] = None,
    out: Annotated[str, typer.Option(metavar="DIR", help="Where to; what it holds already is not run again.")] = "agreement",
    scheduler: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Dask scheduler whose workers make the runs.")] = None,
    workers: Annotated[int | None, typer.Option(metavar="N", help="Dask workers on this machine, 1 to 256.", show_default="none")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the comparisons as JSON.")] = False,
) -> None:
    """Run the same scenarios in the simulator and on a Linux kernel, or on two kernels, and compare what came out.

    Exit code 1 when something differs. Finished runs are stored as they finish: after Ctrl-C the same command goes on where it was.
    """
    with stoppable("finished runs are kept, the same command goes on where it was"):
        from windtunnel import agreement
        from windtunnel.cli.output import print_json
        from windtunnel.scenario import ScenarioError

        if grid not in agreement.GRIDS:
            raise ScenarioError("grid", f"{grid!r} is not a grid; allowed: {', '.join(agreement.GRIDS)}")
        kernels = kernel or []
        if live and len(kernels) > 1:
            raise ScenarioError("kernel", f"{len(kernels)} of them with --live; allowed: one, which is shown beside it")
        if live and (scheduler is not None or workers is not None):
            raise ScenarioError("live", "its runs follow each other on this machine; allowed: without --scheduler and --workers")
        if live and grid != "live-brief":
            grid = "live"
        if len(kernels) > 2:
            raise ScenarioError("kernel", f"{len(kernels)} of them; allowed: one, or two that are compared with each other")
        (chosen, files), count, processes = with_files(alg), repeats(seeds), worker_count(jobs)
        study = agreement.make(grid, chosen, kernels=kernels, seeds=count, live=live, files=files)
        command = _command(alg=alg, grid=grid, kernels=kernels, live=live, seeds=seeds, out=out) + keys_beside(
            [*(chosen or ()), *files.values()]
        )
        with campaign(scheduler, workers) as cluster, progress(quiet=json) as on_step:
            rows = agreement.carry_out(study, local_folder(out), jobs=processes, command=command, on_step=on_step, campaign=cluster)
        index = agreement.write(study, rows, Path(out), command=command)
        if json:
            print_json([agreement.row_json(row, agreement.keys(study)) for row in rows])
        else:
            _print(rows, [side.name for side in study.shown])
            print(f"report: {index}")
    if any(row.verdict == "differs" for row in rows):
        raise typer.Exit(1)


def _command(*, alg: str | None, grid: str, kernels: list[str], live: bool, seeds: int | None, out: str) -> str:
    parts = ["windtunnel agree"]
    parts += [f"--alg {shlex.quote(alg)}"] if alg is not None else []
    parts += ["--live"] if live else []
    parts += [f"--grid {grid}"] if grid not in ("quick", "live") else []
    parts += [f"--kernel {shlex.quote(kernel)}" for kernel in kernels]
    parts += [f"--seeds {seeds}"] if seeds is not None else []
    parts += [f"--out {shlex.quote(out)}"] if out != "agreement" else []
    return " ".join(parts)


def _print(rows: list[Row], sides: list[str]) -> None:
    from windtunnel.agreement.page import described
    from windtunnel.cli.output import print_table

    found = [described(row, sides) for row in rows if row.verdict == "differs"]
    if found:
        print_table("What differs", ["algorithm", "scenario", "quantity", *sides, "difference", "tolerated"], found)
    counts = Counter(row.verdict.replace("_", " ") for row in rows)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.most_common()) or "nothing was compared")
