"""``windtunnel play``: the simulator in a browser."""

from __future__ import annotations

from typing import Annotated

import typer


def play_command(
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="Scenario file (TOML or JSON), or an address of the page.")] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Print the page's address and open nothing.")] = False,
) -> None:
    """Open the page that simulates in the browser, without a server: ten lessons, or a scenario of your own."""
    import webbrowser

    from windtunnel.playground import link, page
    from windtunnel.scenario import load

    address = page().as_uri() if file is None else link(load(file))
    if not no_open and not webbrowser.open(address):
        typer.echo("note: no browser was found", err=True)
    print(address)
