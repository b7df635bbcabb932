"""``windtunnel new``: a folder to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def new_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the controller, or the suite, is called.")],
    language: Annotated[
        str | None, typer.Option("--language", metavar="c|python|rust", help="What it is written in.", show_default="c")
    ] = None,
    suite: Annotated[bool, typer.Option("--suite", help="A suite of experiments instead: grids, measures, figures, claims.")] = False,
    to: Annotated[Path | None, typer.Option("--to", help="The new folder; NAME when not given.")] = None,
    sources: Annotated[Path | None, typer.Option("--sources", help="For Rust: a clone of Windtunnel; this one when not given.")] = None,
) -> None:
    """Make a folder with a controller of your own: the law, its test, a scenario, a README, a workflow that checks it."""
    from windtunnel.starters import StarterError, create, create_suite

    folder = to or Path(name)
    if suite:
        from windtunnel.suites import suites

        if language is not None or sources is not None:
            raise StarterError("suite: is written in Python and needs no sources; allowed: --suite without --language and --sources")
        made = create_suite(name, folder, taken=suites())
    else:
        made = create(name, language or "c", folder, sources=sources)
    for file in made:
        print(folder / file)
