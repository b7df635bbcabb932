"""``windtunnel check``: the battery that every controller passes."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from windtunnel.battery import Battery


def check_command(
    name: Annotated[
        str, typer.Argument(metavar="FILE|NAME", help="A controller: a file (./mine.c, ./libmine.so, ./mine.py) or a built-in one.")
    ],
    seeds: Annotated[int, typer.Option("--seeds", min=1, max=100, help="Runs of each measurement.")] = 3,
    beside: Annotated[str, typer.Option("--beside", help="Built-in controllers to measure too, by commas; none with ''.")] = "reno,cubic",
    only: Annotated[bool, typer.Option("--invariants", help="Only look at what no controller may break.")] = False,
    page: Annotated[
        Path | None, typer.Option("--page", help="Write the answer as a page (Markdown) there, with the portrait beside it.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object.")] = False,
) -> None:
    """Test a controller: what must hold in every history, then what it is like, measured. Exit code 1 when something broke."""
    from windtunnel.battery import TRAITS, carry_out
    from windtunnel.cli.grids import algorithm_of, algorithms, keys_beside
    from windtunnel.cli.output import print_json, stoppable
    from windtunnel.progress import Progress

    algorithm = algorithm_of(name, "controller")
    others = () if only or not beside else tuple(one for one in algorithms(beside) or () if one != algorithm)
    if page is not None:
        _check_target(page)
    with stoppable(), Progress(quiet=json) as shown:
        on_step = lambda what, done, of: shown.step("Checking", done, of)  # noqa: E731
        battery = carry_out(algorithm, called=name, seeds=seeds, traits=() if only else TRAITS, beside=others, on_step=on_step)
        if page is not None:
            from windtunnel.battery.page import write

            shown.step("Drawing the page")
            command = f"windtunnel check {shlex.quote(name)} --seeds {seeds} --page {shlex.quote(str(page))}"
            write(battery, algorithm, page, command=command + keys_beside((algorithm,)))
    print_json(battery.as_data()) if json else _print(battery)
    if not battery.holds:
        raise typer.Exit(1)


def _check_target(page: Path) -> None:
    from windtunnel.scenario import ScenarioError

    if page.suffix != ".md":
        raise ScenarioError("page", f"{page} is no page; allowed: a file that ends in .md")
    if not page.parent.is_dir():
        raise ScenarioError("page", f"there is no folder {page.parent}")


def _print(battery: Battery) -> None:
    from windtunnel.battery.words import value
    from windtunnel.cli.output import print_table

    rows = [(a.history, a.what, a.acks, a.happened, "; ".join(a.broken) or "nothing") for a in battery.answers]
    print_table("What no history may break", ["history", "what happens", "ACKs", "times", "broken"], rows)
    if battery.traits:
        measured = zip(battery.traits, *battery.beside.values(), strict=True)
        table = [(row[0].trait.name, row[0].trait.path, *map(value, row)) for row in measured]
        print_table("What it is, measured", ["", "where", battery.algorithm, *battery.beside], table)
