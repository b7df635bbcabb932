"""``windtunnel suite diff``: what changed between two results folders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from windtunnel.diff import Diff

MOST_ROWS = 40


def diff_command(
    first: Annotated[str, typer.Argument(metavar="A", help="Results folder, before.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Results folder, after.")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say what changed from one results folder to another, and whether it is more than noise.

    Means over repeats are compared measure by measure, point by point. Exit code 1 when something differs beyond noise, all comparisons
    considered (Holm, 5 %); 0 otherwise, whatever only one of the folders holds.
    """
    from windtunnel import diff
    from windtunnel.cli.output import print_json
    from windtunnel.store import open_results

    found = diff.diff(open_results(Path(first)), open_results(Path(second)))
    if json:
        print_json(diff.diff_json(found))
    else:
        _print(found)
    if found.counts[diff.DIFFERS]:
        raise typer.Exit(1)


def _print(found: Diff) -> None:
    from windtunnel import diff
    from windtunnel.cli.output import print_table
    from windtunnel.diff import shown

    for experiment, backend, before, after in found.versions:
        print(f"{experiment} on {backend}: {before}; then {after}")
    heads = ["experiment", "point", "measure", "A", "B", "B - A", "p", "p (Holm)", "note"]
    differing = found.with_outcome(diff.DIFFERS)
    if differing:
        print_table("What differs beyond noise", heads, [shown.described(row) for row in differing[:MOST_ROWS]])
    if len(differing) > MOST_ROWS:
        print(f"... and {len(differing) - MOST_ROWS} more; --json lists them")
    if found.moved:
        rows = [(one.id, one.backend, one.first.replace("_", " "), one.second.replace("_", " ")) for one in found.moved]
        print_table("Claims with another verdict", ["claim", "backend", "A", "B"], rows)
    for name, places in zip("AB", found.only, strict=True):
        for line in shown.only(places):
            print(f"only in {name}: {line}")
    for line in shown.summary(found):
        print(line)
