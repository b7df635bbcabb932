"""Which registers judge a results folder: those of the suites that were run, or one from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from windtunnel.claims import Register, RegisterError, packaged_declarations, packaged_register, register
from windtunnel.claims.reading import read_document
from windtunnel.store import Results

LONGEST_S = 600.0
"""What an infinite time counts as in a mean where no suite gives the length of a run, seconds."""


def registers_of(results: Results) -> list[Register]:
    """Return the registers of the papers and suites whose experiments a folder holds: its own, and those that come with the package.

    Parameters
    ----------
    results : Results
        The folder.

    Returns
    -------
    list of Register
        In the order of their names; an experiment of no paper has none.

    Raises
    ------
    RegisterError
        When one that the folder keeps is none.
    ResultsError
        When one that the folder keeps is damaged.
    """
    found = []
    for paper in _papers(results):
        own = results.kept_register(paper)
        try:
            found.append(packaged_register(paper) if own is None else register(own))
        except RegisterError:
            if own is not None:
                raise
            continue
    return found


def register_for(results: Results, path: str | Path) -> Register:
    """Return a register from a file, for the experiments of a folder.

    Parameters
    ----------
    results : Results
        The folder: grids, repeats and measures of its experiments are what a register that holds claims only takes them from.
    path : str or Path
        The register's file.

    Raises
    ------
    RegisterError
        When it is none.
    ResultsError
        When a stored table or register is damaged.
    """
    return register(path, declared=_declared(results))


def _papers(results: Results) -> list[str]:
    return sorted({experiment.partition(".")[0] for experiment in results.experiments()})


def _declared(results: Results) -> dict[str, Any]:
    """Return what the suites of a folder's experiments declare: papers' suites, registers that it keeps, and for others what was stored."""
    metrics: dict[str, Any] = {}
    experiments: dict[str, Any] = {}
    for paper in _papers(results):
        kept = results.kept_register(paper)
        known = packaged_declarations().get(paper, {}) if kept is None else read_document(kept)
        metrics |= known.get("metrics", {})
        experiments |= {one["id"]: one for one in known.get("experiments", [])}
    for id in results.experiments():
        if id not in experiments:
            experiments[id] = _stored(results, id)
            metrics |= {name: {"unit": "as measured", "definition": name} for name in experiments[id]["measures"] if name not in metrics}
    return {"metrics": metrics, "experiments": list(experiments.values())}


def _stored(results: Results, id: str) -> dict[str, Any]:
    backend = next(name for name in results.backends() if id in results.experiments(name))
    stored = results.declaration(id, backend)
    measured = results.measures(id, backend)["metric"].unique(maintain_order=True).to_list()
    return {
        "id": id,
        "paper": id.partition(".")[0],
        "title": str(stored["title"]),
        "duration_s": LONGEST_S,
        "repeats": int(stored["repeats"]),
        "points": {name: list(values) for name, values in stored["points"].items()},
        "measures": list(dict.fromkeys(str(name).partition("@")[0] for name in measured)),
    }
