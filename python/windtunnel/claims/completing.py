"""What a register of claims takes from elsewhere: experiments and metrics of its suite, metrics of the project.

The grid of an experiment, its repeats and its measures are declared once, by its suite. A register that belongs to one holds claims only.
One that stands alone, for measures that no suite of this project made, has `experiments` and `metrics` of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from windtunnel.claims.derived import DERIVED
from windtunnel.claims.grammar import DIMENSIONS
from windtunnel.claims.model import Metric
from windtunnel.claims.several import OF_POINTS, SEVERAL
from windtunnel.metrics import MEASURES
from windtunnel.scenario import catalogue

DECLARED = Path(__file__).parent / "data" / "declared.json"
"""What the suites of the package declare, by suite; ``make declarations`` writes it."""


@lru_cache(maxsize=1)
def packaged_declarations() -> dict[str, Any]:
    """Return what the registers of the package take from their suites, by suite."""
    text = (resources.files("windtunnel.claims") / "data" / DECLARED.name).read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def completed(document: Mapping[str, Any], declared: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a register with what it takes from its suite filled in.

    Parameters
    ----------
    document : mapping
        What the file holds.
    declared : mapping or None
        ``experiments`` and ``metrics`` of its suite, as a register has them; None when it has no suite.

    Returns
    -------
    dict
        The same document where it has experiments of its own. Otherwise the suite's, each with the published numbers that the register
        has of it under ``published``.
    """
    whole = dict(document)
    if declared is None or "experiments" in document:
        return whole
    published = whole.pop("published", None)
    known = [one["id"] for one in declared["experiments"]]
    stray = [name for name in published if name not in known] if isinstance(published, Mapping) else []
    if published is not None and (not isinstance(published, Mapping) or stray):
        whole["published"] = published  # Refused where all keys are: it is no mapping, or of an experiment that the suite has not.
        return whole
    whole["experiments"] = [{**one, **_mapping((published or {}).get(one["id"]))} for one in declared["experiments"]]
    if isinstance(document.get("papers"), Mapping):
        whole["papers"] = {**{one["paper"]: one["paper"] for one in declared["experiments"]}, **document["papers"]}
    whole["metrics"] = {**declared["metrics"], **_mapping(document.get("metrics", {}))}
    points = [one["points"] for one in declared["experiments"]]
    whole["dimensions"] = {**_dimensions(points), **_mapping(document.get("dimensions", {}))}
    whole["algorithms"] = list(dict.fromkeys([*_senders(points), *document.get("algorithms", [])]))
    return whole


def _dimensions(points: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the dimensions of some experiments that are no other register's, and what their values are."""
    own: dict[str, list[Any]] = {}
    for one in points:
        for name, values in one.items():
            if name not in DIMENSIONS:
                own.setdefault(name, []).extend(values)
    return {name: "name" if any(isinstance(value, str) for value in values) else "number" for name, values in own.items()}


def _senders(points: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return what some experiments compare that no catalogue of protocols has, such as the stacks of a study."""
    names = [str(value).partition(":")[0] for one in points for key in ("alg", "opponent") for value in one.get(key, ())]
    return [name for name in dict.fromkeys(names) if name not in catalogue().algorithms]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def text_of(document: Mapping[str, Any]) -> str:
    """Return a completed register as a file holds it."""
    text: str = yaml.safe_dump(dict(document), sort_keys=False, allow_unicode=True, width=140)
    return text


def known_metrics() -> dict[str, Metric]:
    """Return the metrics that every register may name: what runs give, and what is made of several points."""
    found = {name: Metric(name, one.unit, one.meaning, one.can_be_infinite) for name, one in MEASURES.items()}
    return found | {name: Metric(name, unit, meaning) for name, (unit, meaning) in OF_POINTS.items()}


def made_of(measures: tuple[str, ...], dimensions: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the metrics of several points that an experiment has because of what it measures and the dimensions it has."""
    swept = [name for name, (over, of) in DERIVED.items() if of in measures and over in dimensions]
    several = [name for name, one in SEVERAL.items() if one.of in measures and all(over in dimensions for over in one.over)]
    return tuple(name for name in (*swept, *several) if name not in measures)


def made_from(metric: str) -> tuple[str, ...]:
    """Return the metric that a metric of several points is made of, none for one of a single point."""
    if metric in DERIVED:
        return (DERIVED[metric][1],)
    return (SEVERAL[metric].of,) if metric in SEVERAL else ()
