"""``windtunnel new``: a folder to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def new_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the controller is called.")],
    language: Annotated[str, typer.Option("--language", metavar="c|python|rust", help="What it is written in.")] = "c",
    to: Annotated[Path | None, typer.Option("--to", help="The new folder; NAME when not given.")] = None,
    sources: Annotated[Path | None, typer.Option("--sources", help="For Rust: a clone of Windtunnel; this one when not given.")] = None,
) -> None:
    """Make a folder with a controller of your own: the law, its test, a scenario, a README, a workflow that checks it."""
    from windtunnel.starters import create

    folder = to or Path(name)
    for file in create(name, language, folder, sources=sources):
        print(folder / file)
