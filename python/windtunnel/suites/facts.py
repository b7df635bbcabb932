"""What a results folder says about itself: which suites, at which scale, made how, and what strikes most in them."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from windtunnel.claims import completed, text_of, whole_text
from windtunnel.experiment import Experiment, Scale
from windtunnel.store import SIMULATOR, Results
from windtunnel.suites.finding import Suite, suite, suites
from windtunnel.version import __version__


def store_facts(
    results: Results, asked: Sequence[tuple[Suite, Sequence[Experiment]]], *, scale: Scale, command: str, backend: str = SIMULATOR
) -> None:
    """Store what the report's first page needs.

    Parameters
    ----------
    results : Results
        The folder, opened for writing, with the experiments measured.
    asked : sequence of (Suite, sequence of Experiment)
        What was asked for.
    scale : Scale
        How much of it.
    command : str
        The command that did it.
    backend : str
        What made the runs.
    """
    for known, _ in asked:
        if known.claims is not None:
            results.keep_register(known.name, whole_text(known.claims, declared=known.declarations()))
    before = results.facts
    here = [known for known, _ in asked]
    here += [suite(name) for name in before.get("suites", []) if name in suites() and name not in {known.name for known in here}]
    backends = results.backends()
    tables = {backend: {id: results.measures(id, backend) for id in results.experiments(backend)} for backend in backends}
    # What strikes most is told of the report's figures, which are the first backend's.
    findings = [text for known in here for text in known.findings(tables[backends[0]])]
    # Each is found in one experiment: it says so where it has no other.
    about = {text: id for known in here for id, table in tables[backends[0]].items() for text in known.findings({id: table})}
    order = [experiment.id for known in here for experiment in known.experiments]
    runs = pl.concat([table.select("run") for own in tables.values() for table in own.values()]).n_unique()
    declared = [results.declaration(id, backend) for backend, own in tables.items() for id in own]
    versions = dict.fromkeys(one.get("backend_title") or f"{one['backend']} {one['backend_version']}" for one in declared)
    commands = _commands(before)
    commands[backend] = "\n".join(dict.fromkeys([*commands.get(backend, "").splitlines(), command]))
    facts = [
        ["version", __version__],
        ["backend", ", ".join(versions)],
        ["scale", ", ".join(sorted({str(one["scale"]) for one in declared}))],
        ["experiments", len(results.experiments())],
        ["distinct runs", runs],
        ["repeats", max(int(one["repeats"]) for one in declared)],
        ["machine", f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}"],
    ]
    followed = dict(before.get("followed", {}))
    for known, _ in asked:
        if known.followed is not None:
            own = _measured(tables, known)
            document = completed(known.followed.register(known.name, own), known.declarations())
            results.keep_register(known.name, text_of(document))
            followed[known.name] = known.followed.facts(known.name, own)
    results.store_facts(
        {
            "followed": followed,
            "title": "TCP congestion control, measured",
            "subtitle": "; ".join(known.title for known in here),
            "suites": sorted({*before.get("suites", []), *(known.name for known in here)}),
            "order": list(dict.fromkeys([*order, *before.get("order", [])])),
            "command": "\n".join(commands[name] for name in backends if name in commands),
            "commands": commands,
            "made": f"Windtunnel {__version__}, {datetime.date.today().isoformat()}",
            "facts": facts,
            "findings": findings,
            "findings_about": about,
        }
    )


def _measured(tables: Mapping[str, Mapping[str, pl.DataFrame]], known: Suite) -> list[str]:
    """Return the algorithms that a folder holds measures of a suite for, in the order of its experiments."""
    ids = [one.id for one in known.experiments]
    about = "alg" if known.followed is None else known.followed.dimension
    frames = [own[id] for own in tables.values() for id in ids if id in own and about in own[id].columns]
    return list(dict.fromkeys(name for frame in frames for name in frame[about].drop_nulls().to_list()))


def _commands(facts: Mapping[str, Any]) -> dict[str, str]:
    """Return the commands by backend, one a line; a folder that is older than the second backend was the simulator's."""
    known = facts.get("commands")
    if isinstance(known, dict):
        return {str(name): str(text) for name, text in known.items()}
    return {SIMULATOR: str(facts["command"])} if facts.get("command") else {}
