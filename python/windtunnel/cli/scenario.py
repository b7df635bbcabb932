"""``windtunnel scenario``: look at a scenario file as the engine will take it."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(help="Show scenario files and their schema.", no_args_is_help=True)


@app.command("show")
def show_command(file: Annotated[str, typer.Argument(metavar="FILE", help="Scenario file (TOML, or JSON).")]) -> None:
    """Print a scenario's canonical JSON: SI numbers, defaults filled in. Its SHA-256 (compact form) is the digest."""
    from windtunnel.cli.output import note, print_json
    from windtunnel.scenario import canonical, digest, fill, load

    scenario = load(file)
    for line in fill(scenario).notes:
        note(line)
    note(f"digest {digest(scenario)}")
    print_json(dict(sorted(canonical(scenario).items())))


@app.command("schema")
def schema_command() -> None:
    """Print the JSON schema of scenario files."""
    from windtunnel.cli.output import print_json
    from windtunnel.scenario import json_schema

    print_json(json_schema())
