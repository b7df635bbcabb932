"""Find suites and experiments: a package beside this file is a suite, and its modules hold EXPERIMENTS.

What a paper leaves open is in the module ``choices`` of its package: CHOICES, by experiment.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from windtunnel.experiment import Experiment
from windtunnel.scenario.errors import unknown


class SuiteError(ValueError):
    """A suite or experiment that does not exist; its text is one line with the names there are."""


@dataclass(frozen=True)
class Suite:
    """The experiments of one source.

    Parameters
    ----------
    name : str
        As in ``windtunnel suite run NAME``.
    title : str
        The source.
    experiments : tuple of Experiment
        In the order of the source.
    findings : callable
        From the measures of experiments by id to sentences, the most striking first.
    """

    name: str
    title: str
    experiments: tuple[Experiment, ...]
    findings: Callable[[Mapping[str, pl.DataFrame]], list[str]]


def suites() -> tuple[str, ...]:
    """Return the names of all suites."""
    here = str(Path(__file__).parent)
    return tuple(sorted(module.name for module in pkgutil.iter_modules([here]) if module.ispkg))


def suite(name: str) -> Suite:
    """Return a suite by name.

    Raises
    ------
    SuiteError
        When there is none.
    """
    if name not in suites():
        raise SuiteError(unknown("suite", name, suites()))
    package = importlib.import_module(f"windtunnel.suites.{name}")
    modules = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    found: list[Experiment] = []
    for module in modules:
        found += getattr(importlib.import_module(f"{package.__name__}.{module}"), "EXPERIMENTS", ())
    order = {id: index for index, id in enumerate(package.ORDER)}
    found.sort(key=lambda experiment: order[experiment.id])
    if "choices" in modules:
        open_to = importlib.import_module(f"{package.__name__}.choices").CHOICES
        found = [replace(experiment, choices=(*experiment.choices, *open_to.get(experiment.id, ()))) for experiment in found]
    return Suite(name, package.TITLE, tuple(found), package.findings)


def chosen(names: Sequence[str]) -> list[tuple[Suite, tuple[Experiment, ...]]]:
    """Return the experiments that names ask for: a suite's name means all of it, ``li07.fig4`` one experiment.

    Parameters
    ----------
    names : sequence of str
        Names of suites or experiments.

    Returns
    -------
    list of (Suite, tuple of Experiment)
        Each suite once, its experiments in its own order, each once.

    Raises
    ------
    SuiteError
        When a name is not known.
    """
    asked: dict[str, set[str] | None] = {}
    for name in names:
        head, dot, _ = name.partition(".")
        known = suite(head if head in suites() else name)
        if not dot:
            asked[head] = None
            continue
        ids = [experiment.id for experiment in known.experiments]
        if name not in ids:
            raise SuiteError(unknown("experiment", name, ids))
        wanted = asked.setdefault(head, set())
        if wanted is not None:
            wanted.add(name)
    return [(suite(head), _some(suite(head), wanted)) for head, wanted in asked.items()]


def _some(known: Suite, wanted: set[str] | None) -> tuple[Experiment, ...]:
    return tuple(experiment for experiment in known.experiments if wanted is None or experiment.id in wanted)
