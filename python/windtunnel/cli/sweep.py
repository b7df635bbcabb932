"""``windtunnel sweep``: a study of one's own from a file."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windtunnel.cli.grids import campaign, progress, repeats, worker_count
from windtunnel.cli.output import stoppable
from windtunnel.cli.trust import trusting

if TYPE_CHECKING:
    import polars as pl

    from windtunnel.experiment import Plan
    from windtunnel.sweeps import Sweep


def sweep_command(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="TOML file: a grid, measures, and a scenario with {dimensions} in it.")],
    seeds: Annotated[int | None, typer.Option(metavar="N", help="Repeats, 1 to 1000.", show_default="the file's, or 5")] = None,
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Worker processes, 1 to 256.", show_default="one per core")] = None,
    out: Annotated[str, typer.Option(metavar="DIR", help="Results folder; what it holds already is not run again.")] = "results",
    figures: Annotated[str | None, typer.Option(metavar="DIR", help="Also draw every figure into this folder, as SVG.")] = None,
    backend: Annotated[str, typer.Option(metavar="NAME", help="What runs it: sim, linux, or linux:KERNEL.")] = "sim",
    scheduler: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Dask scheduler whose workers make the runs.")] = None,
    workers: Annotated[int | None, typer.Option(metavar="N", help="Dask workers on this machine, 1 to 256.", show_default="none")] = None,
    trust: Annotated[bool, typer.Option("--trust", help="Run code that the file names from elsewhere than its folder.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object: a row per run.")] = False,
) -> None:
    """Run a scenario at every point of a grid and measure every run.

    Finished runs are stored as they finish: after Ctrl-C the same command goes on where it was.
    """
    with stoppable("finished runs are kept, the same command goes on where it was"):
        from windtunnel.cli.output import note
        from windtunnel.sweeps import carry_out
        from windtunnel.sweeps.study import read

        processes, given = worker_count(jobs), repeats(seeds)

        def planned(allowed: bool) -> tuple[Sweep, Plan]:
            asked = read(study, trust=allowed, seeds=given)
            return asked, asked.plan(backend=backend)

        asked, plan = trusting(planned, trust)
        for one in (one for own in plan.left_out.values() for one in own):
            note(f"left out on {plan.kind}: {one.where or 'every point'}: {one.reason}")
        said = [f"windtunnel sweep {shlex.quote(str(study))}"]
        said += [f"--seeds {seeds}"] if seeds is not None else []
        said += [f"--backend {shlex.quote(backend)}"] if backend != "sim" else []
        said += [f"--out {shlex.quote(out)}"] if out != "results" else []
        with campaign(scheduler, workers) as cluster, progress(quiet=json) as on_step:
            frame = carry_out(asked, plan, Path(out), jobs=processes, command=" ".join(said), on_step=on_step, campaign=cluster)
        if figures is not None:
            _draw(asked, plan, Path(out), Path(figures))
    _print(asked, plan, frame, out, as_json=json)


def _draw(asked: Sweep, plan: Plan, out: Path, folder: Path) -> None:
    from windtunnel import plots
    from windtunnel.scenario import ScenarioError
    from windtunnel.store import open_results

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ScenarioError("figures", f"{str(folder)!r} cannot be made: {error.strerror}; allowed: a writable folder") from None
    measures = open_results(out).measures(asked.name, plan.kind)
    for figure in plan.experiments[0].figures:
        if measures.filter(measures["metric"] == getattr(figure, "metric", "")).select("value").drop_nulls().height:
            plots.save(plots.draw(figure, measures=measures), folder / f"{figure.name}.svg")


def _print(asked: Sweep, plan: Plan, frame: pl.DataFrame, out: str, *, as_json: bool) -> None:
    from windtunnel.cli.output import note, print_json, print_table

    dimensions = list(asked.points)
    columns = [name for name in frame.columns if name not in (*dimensions, "seed", "run")]
    if as_json:
        rows = [{name: _plain(value) for name, value in row.items()} for row in frame.iter_rows(named=True)]
        print_json({"folder": out, "name": asked.name, "backend": plan.kind, "runs": len(plan.jobs), "rows": rows})
        return
    longest_s = max(job.scenario.duration_s for job in plan.jobs.values())
    grouped = frame.group_by(dimensions, maintain_order=True)
    shown = [(*point, *(_cell(own[name].drop_nulls().to_list(), longest_s) for name in columns)) for point, own in grouped]
    print_table(f"{asked.name}: means over {asked.seeds} seeds, +- their standard errors", [*dimensions, *columns], shown)
    note(f"windtunnel report {shlex.quote(out)} draws the figures; every run is kept in {out}")


def _cell(values: list[Any], longest_s: float) -> str | None:
    from windtunnel.stats import summarise

    if not values:
        return None
    if isinstance(values[0], str):
        return ", ".join(dict.fromkeys(values))
    found = summarise(values, censored_at=longest_s)
    return f"{found.mean:.5g} +- {found.sem:.2g}" if found.sem == found.sem else f"{found.mean:.5g}"


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, float) and value in (float("inf"), float("-inf")) else value
