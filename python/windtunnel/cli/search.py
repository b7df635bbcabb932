"""``windtunnel search``: where an algorithm breaks a property."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from windtunnel.cli.grids import algorithms, campaign, local_folder, worker_count
from windtunnel.cli.output import stoppable

if TYPE_CHECKING:
    from windtunnel.search import Case, Found, Trials

MOST_TRIALS = 10_000


def search_command(
    property: Annotated[str, typer.Argument(metavar="PROPERTY", help='What breaks it, as "util < 0.5", or a name: starvation, loss, ...')],
    alg: Annotated[str, typer.Option(metavar="NAMES", help="Protocol of the flows; of several, as bbr,cubic, each in turn.")],
    over: Annotated[list[str], typer.Option(metavar="NAME=FIRST..LAST", help="What is varied; FIRST is where shrinking leads to. Repeat.")],
    trials: Annotated[int, typer.Option(metavar="N", help="Points tried at most, 1 to 10000.")] = 200,
    duration: Annotated[str, typer.Option(metavar="TIME", help="Length of each run; a quarter is left out of means.")] = "60s",
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the optimiser: the same one tries the same points.")] = 1,
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Worker processes, 1 to 256.", show_default="one per core")] = None,
    out: Annotated[str, typer.Option(metavar="DIR", help="Results folder; what it holds already is not run again.")] = "search",
    scheduler: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Dask scheduler whose workers make the runs.")] = None,
    workers: Annotated[int | None, typer.Option(metavar="N", help="Dask workers on this machine, 1 to 256.", show_default="none")] = None,
    linux: Annotated[
        str | None, typer.Option(metavar="KERNEL", help="Run the case found on this built kernel too, as 6.1; newest: the newest.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Look for a path on which an algorithm breaks a property, shrink it to the simplest, and confirm it on fresh seeds.

    Dimensions: rate, rtt, queue (in BDP), loss, flows, spread (RTT of the last flow over the first's), lag (between starts), step
    (delay added from a third of the run on), spike (the same for a second), jitter, last-jitter (of the last flow alone). The case found
    is written as a scenario file, OUT/cases/NAME.toml.
    Exit code 1 when one is found.
    """
    with stoppable("finished runs are kept, the same command goes on where it was"):
        from windtunnel import pool
        from windtunnel.cli.output import note
        from windtunnel.scenario import ScenarioError, units
        from windtunnel.search import Trials, read_dimension, read_property, search, write_case
        from windtunnel.store import writing_results

        processes, names = worker_count(jobs), algorithms(alg) or ()
        if not 1 <= trials <= MOST_TRIALS:
            raise ScenarioError("trials", f"{trials} is out of range; allowed: 1 to {MOST_TRIALS}")
        wanted, dimensions = read_property(property), [read_dimension(one) for one in over]
        twice = [one.name for number, one in enumerate(dimensions) if one.name in [other.name for other in dimensions[:number]]]
        if twice:
            raise ScenarioError("over", f"{twice[0]} comes twice; allowed: each dimension once")
        try:
            length_s = units.parse(duration, "s")
        except ValueError as error:
            raise ScenarioError("duration", str(error)) from None
        with campaign(scheduler, workers) as cluster, writing_results(local_folder(out)) as results, pool.kept(processes):
            asked = Trials(wanted, names, length_s, length_s / 4, results, processes, cluster)
            asked.scenario({one.name: one.first for one in dimensions})
            found = search(asked, dimensions, most=trials, seed=seed, say=note)
        if found.case is not None and linux is not None:
            found = replace(found, case=_on_linux(found.case, linux))
        file = write_case(found.case, Path(out) / "cases") if found.case is not None else None
    _print(asked, found, file, as_json=json)
    if found.case is not None:
        raise typer.Exit(1)


def _on_linux(case: Case, kernel: str) -> Case:
    from windtunnel.search import FRESH, on_linux

    return replace(case, linux=on_linux(case.scenario, case.sought, FRESH, kernel="linux" if kernel == "newest" else f"linux:{kernel}"))


def _print(asked: Trials, found: Found, file: Path | None, *, as_json: bool) -> None:
    from windtunnel.cli.output import cell, note, print_json, print_table
    from windtunnel.search import DIMENSIONS

    case = found.case
    if as_json:
        told: dict[str, object] | None = None
        if case is not None:
            fresh = [_plain(value) for value in case.fresh]
            told = {
                "file": str(file),
                "values": dict(case.values),
                "fresh": fresh,
                "confirmed": case.is_confirmed,
                "linux": _linux_json(case),
            }
        whole = {"property": asked.sought.text, "trials": found.trials, "breaking": found.breaking, "nearest": _plain(found.nearest)}
        print_json(whole | {"case": told})
        return
    metric = asked.sought.metric
    if case is None:
        print(f"none of {found.trials} trials has {asked.sought.text}; the nearest has {metric} = {cell(found.nearest)}")
        return
    rows = [(name, value, DIMENSIONS[name][0], DIMENSIONS[name][1]) for name, value in case.values.items()]
    print_table(f"The simplest case with {asked.sought.text}", ["what", "value", "unit", "meaning"], rows)
    shown = ", ".join(cell(value) for value in case.fresh)
    word = "confirmed" if case.is_confirmed else "not always"
    print(f"{word}: {case.broken} of {len(case.fresh)} fresh seeds break it ({metric}: {shown})")
    if case.linux is not None:
        values = ", ".join(cell(value) for value in case.linux.values)
        broken = f"{case.linux.broken(case.sought)} of {len(case.linux.values)} break it ({metric}: {values})"
        print(f"on {case.linux.kernel}: {f'not run, {case.linux.reason}' if case.linux.reason else broken}")
    note(f"windtunnel run {shlex.quote(str(file))} runs it")


def _linux_json(case: Case) -> dict[str, object] | None:
    own = case.linux
    if own is None:
        return None
    return {"kernel": own.kernel, "values": [_plain(value) for value in own.values], "not_run": own.reason or None}


def _plain(value: float | None) -> float | str | None:
    """Return a value as JSON has it: a time that was not reached is a text."""
    return str(value) if value is not None and value in (float("inf"), float("-inf")) else value
