"""``windtunnel pack``: many small runs in few files."""

from __future__ import annotations

from typing import Annotated

import typer

from windtunnel.cli.output import stoppable
from windtunnel.progress import Progress


def pack_command(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="Results folder, as `windtunnel suite run` writes it.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Put the runs of a results folder into packs: hundreds of files in place of hundreds of thousands, and every answer the same."""
    from windtunnel.cli.output import print_json
    from windtunnel.store import open_results, writing_results

    open_results(folder)  # Which is made by a command that makes runs.
    with stoppable(), writing_results(folder) as results, Progress(quiet=json) as shown:
        before = len(results.runs.loose())
        made = results.runs.pack(lambda done, total: shown.step("Packing runs", done, total))
        left = len(results.runs.loose())
    facts = {"folder": folder, "packed": before - left, "packs": len(made), "left": left}
    if json:
        print_json(facts)
    else:
        print(f"{folder}: {before - left} runs put into {len(made)} packs; {left} have folders of their own")
