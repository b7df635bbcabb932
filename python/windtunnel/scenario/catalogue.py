"""What the engine offers, as data: algorithms, variants, parameters, profiles, transport options.

The file `catalogue.json` beside this module is generated from the engine: tables of names and ranges that reviews and pages read too.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any


@dataclass(frozen=True)
class Parameter:
    """One number or word an algorithm can be given; `low` and `high` are None where there is no bound, `choices` empty for a number.

    Only whole numbers are allowed where `is_whole`.
    `defaults` gives the default of each variant that has its own.
    """

    name: str
    default: float | str | None
    unit: str
    low: float | None
    high: float | None
    doc: str
    defaults: Mapping[str, float | str] = field(default_factory=dict)
    choices: tuple[str, ...] = ()
    is_whole: bool = False


@dataclass(frozen=True)
class Algorithm:
    """One protocol under its one name.

    `variants` maps a variant's name to its summary, `variant_aliases` another spelling to that name, `constants` a variant to the
    numbers of its law that cannot be set, `profiles` a stack profile to the variant it selects; the profiles in `borrowed` have no
    variant of their own and select the paper's.
    """

    name: str
    aliases: tuple[str, ...]
    family: str
    year: int | None
    source: str
    summary: str
    variants: Mapping[str, str]
    parameters: Mapping[str, Parameter]
    profiles: Mapping[str, str]
    signals: Any = None
    variant_aliases: Mapping[str, str] = field(default_factory=dict)
    borrowed: frozenset[str] = frozenset()
    constants: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class TransportOption:
    """One option of the common transport: its kind is choice, integer, boolean or duration_s."""

    name: str
    kind: str
    choices: tuple[Any, ...]
    low: float | None
    high: float | None
    default: Any
    doc: str


@dataclass(frozen=True)
class Profile:
    """A stack profile: variants and transport options chosen together."""

    name: str
    summary: str
    transport: Mapping[str, Any]


@dataclass(frozen=True)
class Discipline:
    """One queue discipline under its one name; `qdisc` is what stands for it in a Linux kernel, as the discipline's file says it."""

    name: str
    year: int
    source: str
    summary: str
    parameters: Mapping[str, Parameter]
    qdisc: Mapping[str, Any] | None = None


DROP_TAIL = "drop-tail"
"""What every link has: no row of the catalogue, and no parameters."""


@dataclass(frozen=True)
class Catalogue:
    """Everything the engine offers, by name, in the engine's order."""

    engine_version: int
    algorithms: Mapping[str, Algorithm]
    profiles: Mapping[str, Profile]
    transport_options: Mapping[str, TransportOption]
    disciplines: Mapping[str, Discipline] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)

    def find(self, name: str) -> Algorithm | None:
        """Return the algorithm of this name or alias, or None."""
        return self.algorithms.get(self.aliases.get(name, name))


def from_json(text: str) -> Catalogue:
    """Read a catalogue from the engine's JSON.

    Parameters
    ----------
    text : str
        What the engine's ``catalogue()`` returns.

    Returns
    -------
    Catalogue
        The same, typed.
    """
    data = json.loads(text)
    algorithms = {entry["name"]: _algorithm(entry) for entry in data["algorithms"]}
    return Catalogue(
        engine_version=int(data["engine_version"]),
        algorithms=algorithms,
        profiles={p["name"]: Profile(p["name"], p.get("summary", ""), dict(p.get("transport") or {})) for p in data["profiles"]},
        transport_options={entry["name"]: _option(entry) for entry in data["transport_options"]},
        disciplines={entry["name"]: _discipline(entry) for entry in data["disciplines"]},
        aliases={alias: a.name for a in algorithms.values() for alias in a.aliases},
    )


def _algorithm(entry: dict[str, Any]) -> Algorithm:
    return Algorithm(
        name=entry["name"],
        aliases=tuple(entry.get("aliases") or ()),
        family=entry.get("family", ""),
        year=entry.get("year"),
        source=entry.get("source", ""),
        summary=entry.get("summary", ""),
        variants={v["name"]: v.get("summary", "") for v in entry.get("variants") or ()},
        parameters={p["name"]: _parameter(p) for p in entry.get("parameters") or ()},
        profiles=dict(entry.get("profiles") or {}),
        signals=entry.get("signals"),
        variant_aliases={alias: v["name"] for v in entry.get("variants") or () for alias in v.get("aliases") or ()},
        borrowed=frozenset(profile for profile, own in (entry.get("profile_belongs") or {}).items() if not own),
        constants=_constants(entry.get("constants") or ()),
    )


def _discipline(entry: dict[str, Any]) -> Discipline:
    parameters = {p["name"]: _parameter(p) for p in entry["parameters"]}
    return Discipline(entry["name"], int(entry["year"]), entry["source"], entry["summary"], parameters, entry.get("qdisc"))


def _constants(entries: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    constants: dict[str, dict[str, float]] = {}
    for entry in entries:
        constants.setdefault(entry["variant"], {})[entry["name"]] = float(entry["value"])
    return constants


def _parameter(entry: dict[str, Any]) -> Parameter:
    return Parameter(
        name=entry["name"],
        default=entry.get("default"),
        unit=entry.get("unit") or "",
        low=entry.get("min"),
        high=entry.get("max"),
        doc=entry.get("doc") or "",
        defaults=dict(entry.get("defaults") or {}),
        choices=tuple(entry.get("choices") or ()),
    )


def _option(entry: dict[str, Any]) -> TransportOption:
    return TransportOption(
        name=entry["name"],
        kind=entry["kind"],
        choices=tuple(entry.get("choices") or ()),
        low=entry.get("min"),
        high=entry.get("max"),
        default=entry.get("default"),
        doc=entry.get("doc") or "",
    )


@functools.cache
def catalogue() -> Catalogue:
    """Return the catalogue shipped with the package (read once)."""
    text = resources.files(__package__).joinpath("catalogue.json").read_text(encoding="utf-8")
    return from_json(text)
