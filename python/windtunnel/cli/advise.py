"""``windtunnel advise``: which algorithm for a path."""

from __future__ import annotations

import contextlib
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from windtunnel.cli.grids import algorithm_of, algorithms, keys_beside, local_folder, progress, repeats, worker_count
from windtunnel.cli.output import stoppable

if TYPE_CHECKING:
    from windtunnel.advise import Advice


def advise_command(
    rate: Annotated[str | None, typer.Option(metavar="RATE", help="Bottleneck rate, as 1Gbit.")] = None,
    rtt: Annotated[str | None, typer.Option(metavar="TIME", help="Base round-trip time of every flow, as 100ms.")] = None,
    queue: Annotated[str, typer.Option(metavar="SIZE", help="Queue: 175 (packets), 50%bdp, 50ms, 256kB.")] = "100%bdp",
    path: Annotated[
        str | None, typer.Option(metavar="FILE", help="In place of these a scenario file, as windtunnel fit writes it: its link and RTT.")
    ] = None,
    loss: Annotated[
        list[str] | None, typer.Option(metavar="P|MODEL,...", help="Loss: 1e-4, or periodic,every=5000; repeat for more.")
    ] = None,
    competition: Annotated[
        str | None, typer.Option(metavar="NAME:COUNT,...", help="Who else is on the path, as cubic:4 or cubic:2,bbr.")
    ] = None,
    alg: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Only these protocols or files, as cubic,./mine.c; eight when absent.")
    ] = None,
    include: Annotated[
        list[str] | None, typer.Option(metavar="NAME|FILE", help="One more beside these, as ./mine.c; repeat for more.")
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Rank by goodput, delay, resent, reno, cubic, convergence, own or others."),
    ] = None,
    duration: Annotated[str | None, typer.Option(metavar="TIME", help="Length of every run; by rate and RTT when absent.")] = None,
    seeds: Annotated[int | None, typer.Option(metavar="N", help="Repeats, 1 to 1000; 4 when absent.")] = None,
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Worker processes, 1 to 256; one per core when absent.")] = None,
    out: Annotated[
        str | None, typer.Option(metavar="DIR", help="Write the page and keep the runs here; what it holds is not run again.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Compare algorithms on a path: goodput, delay, loss, fairness to Reno and to CUBIC, convergence.

    The runs are made on the spot, in the simulator: about a minute on two cores for 1 Gbit/s and 100 ms. Differences that are no more than
    noise are not told; an algorithm that another one makes needless is marked.
    """
    kept = "nothing was kept" if out is None else "finished runs are kept, the same command goes on where it was"
    with stoppable(kept):
        from windtunnel import advise
        from windtunnel.cli.output import note, print_json
        from windtunnel.cli.run import link_table
        from windtunnel.store import writing_results

        if path is not None:
            network = advise.network_of(path, competition=competition, duration=duration, given=(rate, rtt, *(loss or [])))
        else:
            link = link_table({"rate": _needed("rate", rate), "queue": queue}, loss or [])
            network = advise.network(link, _needed("rtt", rtt), competition=competition, duration=duration)
        count, workers = repeats(seeds), worker_count(jobs)
        named = algorithms(alg) or advise.ALGORITHMS
        added = tuple(algorithm_of(name, "include") for name in include or [])
        study = advise.make(network, (*named, *added), by=by, repeats=count)
        plan = study.plan()
        given = {"path": path, "rate": rate, "rtt": rtt, "queue": None if queue == "100%bdp" else queue, "competition": competition}
        command = _command({**given, "alg": alg, "by": by, "duration": duration, "seeds": seeds, "out": out}, loss or [], include or [])
        command += keys_beside((*named, *added))
        if not json:
            note(f"{network.words}: {study.ran(plan)}")
        with _folder(out) as folder:
            with writing_results(folder) as results, progress(quiet=json) as on_step:
                advice = advise.carry_out(study, plan, results, jobs=workers, command=command, on_step=on_step)
            index = None if out is None else advise.write(study, plan, advice, folder, command=command)
    if json:
        print_json(advise.advice_json(study, plan, advice))
        return
    _print(advice)
    if index is None:
        note("the runs were not kept; --out DIR keeps them and writes a page")
    else:
        print(f"report: {index}")


def _needed(name: str, value: str | None) -> str:
    from windtunnel.scenario import ScenarioError

    if value is None:
        raise ScenarioError(name, f"is missing; allowed: --{name}, or --path FILE with a scenario")
    return value


@contextlib.contextmanager
def _folder(out: str | None) -> Iterator[Path]:
    if out is not None:
        yield local_folder(out)
        return
    with tempfile.TemporaryDirectory(prefix="windtunnel-") as name:
        yield Path(name) / "results"


def _command(given: dict[str, str | int | None], losses: list[str], included: list[str]) -> str:
    parts = [f"--{name} {shlex.quote(str(value))}" for name, value in given.items() if value is not None]
    several = [("loss", one) for one in losses] + [("include", one) for one in included]
    return " ".join(["windtunnel advise", *parts, *(f"--{name} {shlex.quote(one)}" for name, one in several)])


def _print(advice: Advice) -> None:
    from windtunnel.advise import words
    from windtunnel.cli.output import print_table

    heads = ["rank", "algorithm", "dominated by", *(f"{column.heading} [{words.best(column)}]" for column in advice.columns)]
    rows = []
    for row in advice.rows:
        found = [(row.found.get(column.name), column) for column in advice.columns]
        cells = [" ".join(filter(None, (words.value(one, column), words.detail(one)))) for one, column in found]
        rows.append((words.rank(row), row.algorithm, ", ".join(row.dominated_by) or None, *cells))
    print_table(f"Ranked by {advice.by.title}: means (95 % intervals over seeds), [which way is better]", heads, rows)
    loads = [(one.discipline, one.algorithm, one.rtt_ms.mean, one.rate_mbps.mean) for one in advice.loads]
    print_table("Under load, two flows", ["discipline", "algorithm", "round trip (ms)", "both carry (Mbit/s)"], loads)
    for one in advice.leaders:
        print(f"{words.wish(one.column)}: {words.leaders(one)}")
    for line in words.conclusions(advice):
        print(line)
