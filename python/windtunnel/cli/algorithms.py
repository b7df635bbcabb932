"""``windtunnel algorithms``: what can be run."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from windtunnel.scenario.catalogue import Algorithm, Parameter


def algorithms_command(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="One algorithm, in detail; aliases are accepted, and files (./mine.c).")
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Run one algorithm's portrait and draw it there (svg, pdf, png).")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON list.")] = False,
) -> None:
    """List the algorithms, or describe one: equations, parameters, departures from its source, limits, what was checked."""
    from windtunnel.cli.grids import algorithm_of
    from windtunnel.cli.output import print_json, print_table
    from windtunnel.foreign import is_file, is_made
    from windtunnel.scenario import ScenarioError, algorithm, catalogue
    from windtunnel.scenario.errors import unknown

    known = catalogue()
    chosen = list(known.algorithms.values())
    if name is not None:
        if is_file(name):
            name = algorithm_of(name, "algorithm")
        found = algorithm(name) if is_made(name) else known.find(name.partition(":")[0])
        if found is None:
            raise ScenarioError("algorithm", unknown("protocol", name, known.algorithms))
        chosen = [found]
    if plot is not None:
        _portray(name, plot)
    if json:
        print_json([_as_data(algorithm) for algorithm in chosen])
    elif name is None:
        rows = [(a.name, a.family, a.year, a.source, ", ".join(a.variants), ", ".join(a.signals or ())) for a in chosen]
        print_table("Algorithms", ["name", "family", "year", "source", "variants", "signals"], rows)
    elif plot is None:
        _describe(chosen[0])


def _portray(name: str | None, target: Path) -> None:
    from windtunnel.plots import check_target, save
    from windtunnel.portrait import portrait
    from windtunnel.scenario import ScenarioError

    if name is None:
        raise ScenarioError("plot", "draws one algorithm; allowed: with its NAME")
    check_target(target)
    save(portrait(name), target)


def _as_data(algorithm: Algorithm) -> dict[str, Any]:
    from windtunnel.scenario.pages import pages

    page = pages().get(algorithm.name)
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
        "page": None if page is None else asdict(page),
    }


def _describe(algorithm: Algorithm) -> None:
    from windtunnel.cli.output import cell, print_table
    from windtunnel.scenario.controllers import FAMILY
    from windtunnel.scenario.pages import pages

    aliases = f" (also {', '.join(algorithm.aliases)})" if algorithm.aliases else ""
    print(cell(f"{algorithm.name}{aliases}: {algorithm.summary}"))
    print(cell(f"source: {algorithm.source}"))
    page = pages().get(algorithm.name)
    if page is not None:
        _print_paragraph("Equations", page.equations)
    print()
    if algorithm.family == FAMILY:
        print(cell(f"content and what built it: {', '.join(algorithm.variants)}, the same on every profile"))
        print()
    else:
        print_table("Variants", ["variant", "summary"], list(algorithm.variants.items()))
        print_table("Profiles", ["profile", "variant"], list(algorithm.profiles.items()))
    rows = [(p.name, _defaults(p), p.unit, p.low, p.high, _meaning(p)) for p in algorithm.parameters.values()]
    print_table("Parameters", ["parameter", "default", "unit", "min", "max", "meaning"], rows)
    if page is not None:
        print_table("Departures from the source", ["departure", "reason"], page.departures)
        _print_paragraph("Limits", page.limits)
        _print_paragraph("Checked", page.checked)


def _print_paragraph(title: str, text: str) -> None:
    import textwrap

    from windtunnel.cli.output import cell

    print()
    print(cell(textwrap.fill(f"{title}: {text}", width=100, subsequent_indent="  ")))


def _defaults(parameter: Parameter) -> str:
    """Return the default, or each variant's where they differ."""
    if len(set(parameter.defaults.values())) < 2:
        return "-" if parameter.default is None else _shown(parameter.default)
    return ", ".join(f"{variant} {_shown(value)}" for variant, value in parameter.defaults.items())


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _meaning(parameter: Parameter) -> str:
    return f"{parameter.doc} One of {', '.join(parameter.choices)}." if parameter.choices else parameter.doc
