"""``windtunnel new``: a folder to begin a controller of one's own with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def new_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The controller's name, and the folder's.")],
    language: Annotated[str, typer.Option(metavar="LANGUAGE", help="What it is written in: c.")] = "c",
) -> None:
    """Write a folder with a controller that works: its law, the law's test, a scenario, a page, a workflow."""
    from windtunnel.skeletons import write

    for path in write(name, language, Path(name)):
        print(path)
