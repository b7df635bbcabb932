"""``windtunnel scenario``: look at a scenario file as the engine will take it."""

from __future__ import annotations

from typing import Annotated

import typer

from windtunnel.cli.helping import Command, new_app
from windtunnel.cli.trust import trusting

app = new_app(help="Show scenario files and their schema.")


@app.command("show", cls=Command)
def show_command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Scenario file (TOML, or JSON).")],
    trust: Annotated[bool, typer.Option("--trust", help="Build code that it names from elsewhere.")] = False,
) -> None:
    """Print a scenario's canonical JSON: SI numbers, defaults filled in. Its SHA-256 (compact form) is the digest."""
    from windtunnel.cli.output import note, print_json
    from windtunnel.scenario import canonical, digest, fill, load

    scenario = trusting(lambda trusted: load(file, trust=trusted), trust)
    for line in fill(scenario).notes:
        note(line)
    note(f"digest {digest(scenario)}")
    print_json(dict(sorted(canonical(scenario).items())))


@app.command("schema", cls=Command)
def schema_command() -> None:
    """Print the JSON schema of scenario files."""
    from windtunnel.cli.output import print_json
    from windtunnel.scenario import json_schema

    print_json(json_schema())


@app.command("trace", cls=Command)
def trace_command(
    spans: Annotated[list[str], typer.Argument(metavar="TIME=RATE...", help="Rates that follow each other, as 10s=5Mbit 500ms=0.")],
) -> None:
    """Print a trace of deliveries in mahimahi's format, for --trace: the milliseconds at which 1500 bytes may leave at these rates."""
    from windtunnel.scenario import ScenarioError, traces, units

    read: list[tuple[float, float]] = []
    for span in spans:
        length, _, rate = span.partition("=")
        try:
            read.append((units.parse(length, "s"), units.parse(rate, "bit/s")))
        except ValueError as error:
            raise ScenarioError(span, f"cannot be read: {error}; allowed: TIME=RATE, as 10s=5Mbit") from None
        if read[-1][0] <= 0 or read[-1][1] < 0:
            raise ScenarioError(span, "is out of range; allowed: a time above 0 s, a rate of at least 0 bit/s")
    print(traces.text(traces.of_rates(read)), end="")
