"""``windtunnel queues``: the queue disciplines of a link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from windtunnel.scenario.catalogue import Discipline


def queues_command(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One discipline, with its parameters.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON list.")] = False,
) -> None:
    """List the queue disciplines beside drop-tail, or describe one: give it as --aqm NAME[,KEY=VALUE...]."""
    from windtunnel.cli.output import print_json, print_table
    from windtunnel.scenario import ScenarioError, catalogue
    from windtunnel.scenario.errors import unknown

    known = catalogue().disciplines
    if name is not None and name not in known:
        raise ScenarioError("queue", unknown("queue discipline", name, known))
    chosen = list(known.values()) if name is None else [known[name]]
    if json:
        print_json([_as_data(discipline) for discipline in chosen])
        return
    rows = [(d.name, d.year, d.source, d.summary) for d in chosen]
    print_table("Queue disciplines", ["name", "year", "source", "what it does"], rows)
    if name is not None:
        parameters = [(p.name, p.default, p.unit, p.low, p.high, p.doc) for p in chosen[0].parameters.values()]
        print_table("Parameters", ["name", "default", "unit", "min", "max", ""], parameters)


def _as_data(discipline: Discipline) -> dict[str, Any]:
    return {
        "name": discipline.name,
        "year": discipline.year,
        "source": discipline.source,
        "summary": discipline.summary,
        "parameters": [
            {"name": p.name, "default": p.default, "unit": p.unit, "min": p.low, "max": p.high, "doc": p.doc}
            for p in discipline.parameters.values()
        ],
    }
