"""``windtunnel suite kernel``: the papers' claims on a Linux kernel, in the cheapest form that decides them."""

from __future__ import annotations

import math
import shlex
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from windtunnel.cli.grids import progress, worker_count
from windtunnel.cli.output import stoppable

if TYPE_CHECKING:
    from windtunnel.store import RunStore
    from windtunnel.suites.deciding import Open, Outcome


def kernel_command(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Suites (li07) or experiments (li07.fig4); all when absent.")
    ] = None,
    kernel: Annotated[str | None, typer.Option(metavar="KERNEL", help="Which built kernel; the newest when absent.")] = None,
    hours: Annotated[float | None, typer.Option(metavar="H", help="CPU hours that all of it may take; no limit when absent.")] = None,
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Worker processes, 1 to 256.", show_default="one per core")] = None,
    out: Annotated[str, typer.Option(metavar="DIR", help="Results folder; what it holds already is not run again.")] = "results",
    list_only: Annotated[bool, typer.Option("--list", help="Only say what it would cost.")] = False,
) -> None:
    """Judge the papers' claims on a Linux kernel: of each experiment the points that claims read, with more repeats while one is open.

    Prints its cost first, the cheapest experiments come first. After Ctrl-C the same command goes on where it was.
    """
    with stoppable("finished runs are kept, the same command goes on where it was"):
        from windtunnel.backends.linux import store as kernels
        from windtunnel.cli.output import note
        from windtunnel.scenario import ScenarioError
        from windtunnel.store import RunStore, writing_results
        from windtunnel.suites import chosen, default_suites
        from windtunnel.suites.deciding import carry_out, claimed, opened

        if hours is not None and not 0 < hours <= 10_000:
            raise ScenarioError("hours", f"{hours:g} is out of range; allowed: above 0, at most 10000")
        workers = worker_count(jobs)
        backend = f"linux:{kernels.find(kernel).digest}"
        asked = claimed(chosen(names or default_suites()))
        todo = opened(asked, backend)
        if not todo:
            raise ScenarioError("name", "no claim about any of it can be judged on this kernel; allowed: windtunnel suite list")
        _print_costs(todo, RunStore(Path(out) / "runs"))
        known = {one.experiment.id for one in todo}
        none = [one.id for _, one in asked if one.id not in known]
        if none:
            note(f"no claim about {', '.join(none)} can be judged on a Linux kernel")
        if list_only:
            return
        command = " ".join(["windtunnel suite kernel", *(shlex.quote(name) for name in names or ()), f"--out {shlex.quote(out)}"])
        most_s = math.inf if hours is None else 3600 * hours
        with writing_results(Path(out)) as results, progress(quiet=False) as on_step:
            for found in carry_out(results, todo, most_s=most_s, jobs=workers, command=command, on_step=on_step):
                print(_told(found), flush=True)


def _print_costs(todo: list[Open], stored: RunStore) -> None:
    from windtunnel.cli.output import print_table
    from windtunnel.suites.deciding import together_s

    rows = []
    for one in todo:
        costs = [form.cost_s(stored) for form in one.forms]
        first, last = one.forms[0], one.forms[-1]
        rows.append((costs[0], one.experiment.id, first.name, len(first.plan.jobs), len(last.plan.jobs), max(costs)))
    shown = [(id, name, runs, _minutes(least), of_all, _minutes(most)) for least, id, name, runs, of_all, most in sorted(rows)]
    print_table("CPU minutes of what is not stored yet", ["experiment", "first", "runs", "minutes", "runs of all", "minutes of all"], shown)
    least_s, most_s = (together_s([one.forms[which] for one in todo], stored) / 3600 for which in (0, -1))
    print(
        f"first forms: {least_s:.1f} CPU hours; if nothing is decided by them, all: {most_s:.1f}; runs that several share once", flush=True
    )


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.1f}"


def _told(found: Outcome) -> str:
    counts = Counter(one.counted.replace("_", " ") for one in found.verdicts)
    verdicts = ", ".join(f"{count} {name}" for name, count in counts.most_common()) or "its claims read another experiment too"
    return f"{found.id} ({found.form.name}, {len(found.form.plan.jobs)} runs): {verdicts}" + (
        f"; {len(found.undecided)} open" if found.undecided else ""
    )
