"""The page's file, and addresses of it that show a scenario."""

from __future__ import annotations

from pathlib import Path

from windtunnel.scenario import Scenario, ScenarioError, canonical_json, guests
from windtunnel.scenario.addresses import packed


def page() -> Path:
    """Return the page's file.

    Returns
    -------
    pathlib.Path
        ``playground.html``, which a browser opens from the disk.
    """
    return Path(__file__).parent / "playground.html"


def link(scenario: Scenario) -> str:
    """Return an address at which the page runs a scenario.

    Parameters
    ----------
    scenario : Scenario
        What to run.

    Returns
    -------
    str
        A ``file:`` address; the scenario in it has every default filled in.

    Raises
    ------
    ScenarioError
        When it runs code from files, or a whole stack: a browser has the built-in algorithms alone.
    """
    foreign = [name for name, _ in guests(scenario)]
    if foreign:
        raise ScenarioError("flows", f"{foreign[0]} does not run in a browser; allowed: built-in algorithms, on the simulator's stack")
    return page().as_uri() + packed(canonical_json(scenario))
