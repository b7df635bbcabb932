"""From a scenario as written to one with every default filled in, its digest, and the engine's integers: all of it is the core's work."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from windtunnel import foreign, native
from windtunnel.scenario.controllers import needed, stack_libraries
from windtunnel.scenario.errors import ScenarioError
from windtunnel.scenario.models import Scenario

_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class Resolved:
    """A scenario with defaults filled in, and what had to be adjusted on the way (one line each)."""

    scenario: Scenario
    notes: tuple[str, ...]


def asked(call: Callable[[str], _Answer], scenario: Scenario) -> _Answer:
    """Hand a scenario to a function of the core.

    Parameters
    ----------
    call : callable
        A function of `windtunnel.native` that takes a scenario as JSON.
    scenario : Scenario
        As written or filled in; fields that were not given are left to the core.

    Returns
    -------
    object
        What the function returns.

    Raises
    ------
    ScenarioError
        When the core refuses the scenario.
    """
    try:
        return call(scenario.model_dump_json(exclude_unset=True))
    except ValueError as error:
        field, problem, *_ = error.args
        raise ScenarioError(field, problem) from error.__cause__


def guests(scenario: Scenario) -> list[tuple[str, str]]:
    """Return names and libraries of the controllers from files that a scenario runs.

    Raises
    ------
    ScenarioError
        When one is not in the cache any more.
    """
    flows, sources = [one.algorithm for one in scenario.flows], [*scenario.arrivals, *scenario.sessions]
    named = [one.stack for one in scenario.flows if one.stack is not None]
    return [*needed([*flows, *(one.algorithm for one in sources)]), *stack_libraries(named)]


def runs_here(scenario: Scenario) -> bool:
    """Return whether a scenario runs a class that was handed over: no other process has it."""
    sources = [*scenario.arrivals, *scenario.sessions]
    names = [*(one.algorithm for one in scenario.flows), *(one.algorithm for one in sources)]
    found = (foreign.controller(name) for name in dict.fromkeys(names) if foreign.is_made(name))
    return any(one is not None and one.described is not None for one in found)


def fill(scenario: Scenario) -> Resolved:
    """Fill in every default: RTT and profile of each flow, `count` and `streams` expanded, queue limits, the reverse link.

    Parameters
    ----------
    scenario : Scenario
        As written.

    Returns
    -------
    Resolved
        The scenario that names the run. Filling it in again changes nothing.

    Raises
    ------
    ScenarioError
        When a queue's computed size exceeds the largest the engine takes.
    """
    text, notes, _ = asked(native.fill, scenario)
    return Resolved(Scenario.model_validate(json.loads(text)), tuple(notes))


def canonical(scenario: Scenario) -> dict[str, Any]:
    """Return the scenario with defaults filled in, as plain data in SI units (no ``42ms``)."""
    text, _, _ = asked(native.fill, scenario)
    full: dict[str, Any] = json.loads(text)
    return full


def canonical_json(scenario: Scenario) -> str:
    """Return the canonical JSON text: sorted keys, no spaces, defaults filled in."""
    return asked(native.canonical_json, scenario)


def digest(scenario: Scenario) -> str:
    """Return the SHA-256 of the canonical JSON, in hexadecimal: the scenario's name."""
    _, _, name = asked(native.fill, scenario)
    return name


def resolve(scenario: Scenario) -> dict[str, Any]:
    """Return what the engine takes: integers in nanoseconds, packets and bytes.

    Parameters
    ----------
    scenario : Scenario
        As written or filled in.

    Returns
    -------
    dict
        Plain data, ready for JSON.
    """
    spec: dict[str, Any] = json.loads(asked(native.spec, scenario))
    return spec
