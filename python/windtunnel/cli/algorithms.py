"""``windtunnel algorithms``: what can be run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from windtunnel.scenario.catalogue import Algorithm, Parameter


def algorithms_command(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One algorithm, in detail; aliases are accepted.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON list.")] = False,
) -> None:
    """List the algorithms, or describe one."""
    from windtunnel.cli.output import print_json, print_table
    from windtunnel.scenario import ScenarioError, catalogue
    from windtunnel.scenario.errors import unknown

    known = catalogue()
    chosen = list(known.algorithms.values())
    if name is not None:
        found = known.find(name.partition(":")[0])
        if found is None:
            raise ScenarioError("algorithm", unknown("protocol", name, known.algorithms))
        chosen = [found]
    if json:
        print_json([_as_data(algorithm) for algorithm in chosen])
    elif name is None:
        rows = [(a.name, a.family, a.year, ", ".join(a.variants), a.summary) for a in chosen]
        print_table("Algorithms", ["name", "family", "year", "variants", "summary"], rows)
    else:
        _describe(chosen[0])


def _as_data(algorithm: Algorithm) -> dict[str, Any]:
    return {
        "name": algorithm.name,
        "aliases": list(algorithm.aliases),
        "family": algorithm.family,
        "year": algorithm.year,
        "source": algorithm.source,
        "summary": algorithm.summary,
        "variants": [{"name": name, "summary": summary} for name, summary in algorithm.variants.items()],
        "parameters": [
            {"name": p.name, "default": p.default, "defaults": dict(p.defaults), "unit": p.unit, "min": p.low, "max": p.high, "doc": p.doc}
            | ({"choices": list(p.choices)} if p.choices else {})
            for p in algorithm.parameters.values()
        ],
        "profiles": dict(algorithm.profiles),
        "signals": algorithm.signals,
    }


def _describe(algorithm: Algorithm) -> None:
    from windtunnel.cli.output import cell, print_table

    aliases = f" (also {', '.join(algorithm.aliases)})" if algorithm.aliases else ""
    print(cell(f"{algorithm.name}{aliases}: {algorithm.summary}"))
    print(cell(f"source: {algorithm.source}"))
    print()
    print_table("Variants", ["variant", "summary"], list(algorithm.variants.items()))
    print_table("Profiles", ["profile", "variant"], list(algorithm.profiles.items()))
    rows = [(p.name, _defaults(p), p.unit, p.low, p.high, _meaning(p)) for p in algorithm.parameters.values()]
    print_table("Parameters", ["parameter", "default", "unit", "min", "max", "meaning"], rows)


def _defaults(parameter: Parameter) -> str:
    """Return the default, or each variant's where they differ."""
    if len(set(parameter.defaults.values())) < 2:
        return "-" if parameter.default is None else _shown(parameter.default)
    return ", ".join(f"{variant} {_shown(value)}" for variant, value in parameter.defaults.items())


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _meaning(parameter: Parameter) -> str:
    return f"{parameter.doc} One of {', '.join(parameter.choices)}." if parameter.choices else parameter.doc
