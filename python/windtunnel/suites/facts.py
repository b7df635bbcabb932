"""What a results folder says about itself: which suites, at which scale, made how, and what strikes most in them."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Sequence

import polars as pl

from windtunnel.experiment import Experiment, Scale
from windtunnel.store import Results
from windtunnel.suites.finding import Suite
from windtunnel.version import __version__


def store_facts(results: Results, asked: Sequence[tuple[Suite, Sequence[Experiment]]], *, scale: Scale, command: str) -> None:
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
    """
    before = results.facts
    names = sorted({*before.get("suites", []), *(known.name for known, _ in asked)})
    tables = {id: results.measures(id) for id in results.experiments()}
    findings = [text for known, _ in asked for text in known.findings(tables)]
    order = [experiment.id for known, _ in asked for experiment in known.experiments]
    runs = pl.concat([table.select("run") for table in tables.values()]).n_unique()
    declared = [results.declaration(id) for id in tables]
    versions = sorted({f"{one['backend']} {one['backend_version']}" for one in declared})
    facts = [
        ["version", __version__],
        ["backend", ", ".join(versions)],
        ["scale", ", ".join(sorted({str(one["scale"]) for one in declared}))],
        ["experiments", len(tables)],
        ["distinct runs", runs],
        ["repeats", max(int(one["repeats"]) for one in declared)],
        ["machine", f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}"],
    ]
    results.store_facts(
        {
            "title": "TCP congestion control, measured",
            "subtitle": "; ".join(known.title for known, _ in asked),
            "suites": names,
            "order": list(dict.fromkeys([*order, *before.get("order", [])])),
            "command": command,
            "made": f"Windtunnel {__version__}, {datetime.date.today().isoformat()}",
            "facts": facts,
            "findings": findings,
        }
    )
