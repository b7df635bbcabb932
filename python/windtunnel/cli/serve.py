"""``windtunnel serve``: the pages of a results folder, made as they are asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from windtunnel.cli.results import DocsOption, Folder

PORT = 8765


def serve_command(
    folder: Folder,
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="Port; 0 for any that is free.")] = PORT,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen; the default is this machine alone.")] = "127.0.0.1",
    no_open: Annotated[bool, typer.Option("--no-open", help="Print the address and open nothing.")] = False,
    docs: DocsOption = None,
) -> None:
    """Show a results folder in the browser: the report's pages, each made when it is asked for. Ctrl-C ends it."""
    import tempfile
    import webbrowser

    from windtunnel.report import docs_address
    from windtunnel.report.serving import Pages, server
    from windtunnel.scenario import ScenarioError
    from windtunnel.store import open_results

    address = docs_address(docs)
    results = open_results(Path(folder))
    with tempfile.TemporaryDirectory(prefix="windtunnel-serve-") as made:
        pages = Pages(results, Path(made), docs=address)
        try:
            serving = server(pages, host=host, port=port)
        except OSError as error:
            problem = f"cannot listen at {host}:{port}: {error.strerror}"
            raise ScenarioError("port", f"{problem}; allowed: a port that is not in use, or 0 for any that is free") from None
        here = f"http://{host}:{serving.server_address[1]}/"
        print(here, flush=True)
        if not no_open and not webbrowser.open(here):
            typer.echo("note: no browser was found", err=True)
        try:
            serving.serve_forever()
        except KeyboardInterrupt:
            typer.echo("stopped", err=True)
        finally:
            serving.server_close()
