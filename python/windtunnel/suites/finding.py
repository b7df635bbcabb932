"""Find suites and experiments: a package beside this file is a suite, and its modules hold EXPERIMENTS; so is a user's.

What a paper leaves open is in the module ``choices`` of its package: CHOICES, by experiment. Unit and meaning of the measures that a suite
defines itself are in its METRICS, by name. A suite that needs what not every machine has says so in its package: ``present`` makes of an
experiment what can be run here, ``skipped`` names what cannot. A suite of a standard has FOLLOWED, its criteria, from which its
register of claims is written for whichever algorithms were run. Its `planned` says what a plan of runs costs.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl

from windtunnel.claims import Register, build, packaged_register, register
from windtunnel.experiment import Experiment, Plan
from windtunnel.scenario.errors import unknown
from windtunnel.suites import users
from windtunnel.suites.criteria import Followed
from windtunnel.suites.declared import declared
from windtunnel.suites.errors import SuiteError


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
    claims : Path, optional
        Of a user's suite: its register of claims. A paper's comes with the package.
    skipped : callable
        Returns a line for each part that this machine has not what it needs for, and raises `SuiteError` when nothing is left.
    metrics : mapping of str to (str, str)
        Unit and meaning of the measures that it defines itself.
    followed : Followed, optional
        Of a standard's suite: its text and criteria.
    planned : callable
        From the plan of its runs to lines that are said before they begin, such as what they cost.
    """

    name: str
    title: str
    experiments: tuple[Experiment, ...]
    findings: Callable[[Mapping[str, pl.DataFrame]], list[str]]
    claims: Path | None = None
    skipped: Callable[[], list[str]] = list
    metrics: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    followed: Followed | None = None
    planned: Callable[[Plan], list[str]] = field(default=lambda _: [])

    def declarations(self) -> dict[str, Any]:
        """Return what its register takes from it: its experiments and metrics, as a register has them."""
        return declared(self.experiments, self.metrics)

    def register(self) -> Register | None:
        """Return its register of claims, None when it has none.

        Raises
        ------
        RegisterError
            When a user's cannot be accepted.
        """
        if self.claims is not None:
            return register(self.claims, declared=self.declarations())
        if self.followed is not None:
            return self.register_for(self.usual_algorithms)
        return packaged_register(self.name) if self.name in _packaged() else None

    @property
    def usual_algorithms(self) -> tuple[str, ...]:
        """The algorithms that its experiments run where none is named, each once."""
        if self.followed is not None and self.followed.dimension != "alg":
            return tuple(dict.fromkeys(name for one in self.experiments for name in one.points.get(self.followed.dimension, ())))
        own = (one.unasked or one.points.get("alg", ()) for one in self.experiments)
        return tuple(dict.fromkeys(name for names in own for name in names))

    def register_for(self, algorithms: Sequence[str]) -> Register | None:
        """Return the register of a standard's criteria for some algorithms, None where the suite is no standard's.

        Parameters
        ----------
        algorithms : sequence of str
            As measures have them.
        """
        if self.followed is None:
            return None
        return build(self.followed.register(self.name, algorithms), file=self.name, declared=self.declarations())


STUDIES = ("bbr-draft", "l4s", "now", "rfc7928", "rfc8867", "rfc9743", "stacks", "tcpeval", "wireless")
"""Suites that come with the package and are no paper's: only who names them gets them."""


def _packaged() -> tuple[str, ...]:
    """Return the names of the suites that come with the package."""
    here = str(Path(__file__).parent)
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules([here]) if module.ispkg))


def _package(name: str) -> ModuleType:
    """Return the package of a suite that comes with ours; a dash of its name is an underscore there."""
    return importlib.import_module(f"windtunnel.suites.{name.replace('-', '_')}")


def suites() -> tuple[str, ...]:
    """Return the names of all suites: those of papers, those that installed packages bring, and those that were asked for by a path."""
    return tuple(sorted({*_packaged(), *users.installed(), *users.loaded()}))


def default_suites() -> tuple[str, ...]:
    """Return the names of the suites that are meant where none is named: all but studies that need what not every machine has."""
    return tuple(name for name in suites() if name not in STUDIES)


def suite(name: str) -> Suite:
    """Return a suite by its name, or a user's by the path of its folder.

    Raises
    ------
    SuiteError
        When there is none, or a user's cannot be accepted.
    """
    if name in _packaged():
        return _made(name, _package(name), None)
    if users.is_path(name) or name in suites():
        own, package, claims = users.found(name, papers=_packaged())
        with users.refusing(own):
            made = _made(own, package, claims)
        made.register()
        return made
    raise SuiteError(unknown("suite", name, suites()) + "; or the path of a folder with one of your own")


def packaged_declarations() -> dict[str, dict[str, Any]]:
    """Return what the registers of the package take from its suites, by suite, whatever of it this machine can run."""
    found = {}
    for name in _packaged():
        package = _package(name)
        found[name] = declared(_declared(name, package), getattr(package, "METRICS", {}))
    return found


def _made(name: str, package: ModuleType, claims: Path | None) -> Suite:
    found = _declared(name, package)
    found = [getattr(package, "present", _as_it_is)(experiment) for experiment in found]
    metrics = getattr(package, "METRICS", {})
    own = Suite(name, package.TITLE, tuple(found), getattr(package, "findings", _nothing), claims, metrics=metrics)
    return replace(
        own,
        skipped=getattr(package, "skipped", own.skipped),
        followed=getattr(package, "FOLLOWED", None),
        planned=getattr(package, "planned", own.planned),
    )


def _declared(name: str, package: ModuleType) -> list[Experiment]:
    """Return the experiments of a suite as its files declare them, in its order."""
    modules = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    found: list[Experiment] = []
    for module in modules:
        found += getattr(importlib.import_module(f"{package.__name__}.{module}"), "EXPERIMENTS", ())
    if name not in _packaged():
        users.check(name, found)
    order = {id: index for index, id in enumerate(getattr(package, "ORDER", ()))}
    found.sort(key=lambda experiment: order.get(experiment.id, len(order)))
    if "choices" in modules:
        open_to = importlib.import_module(f"{package.__name__}.choices").CHOICES
        found = [replace(experiment, choices=(*experiment.choices, *open_to.get(experiment.id, ()))) for experiment in found]
    return found


def _as_it_is(experiment: Experiment) -> Experiment:
    return experiment


def _nothing(_: Mapping[str, pl.DataFrame]) -> list[str]:
    return []


def chosen(names: Sequence[str]) -> list[tuple[Suite, tuple[Experiment, ...]]]:
    """Return the experiments that names ask for: a suite's name means all of it, ``li07.fig4`` one experiment.

    Parameters
    ----------
    names : sequence of str
        Names of suites or experiments; of a user's the path of its folder, ``./mine`` or ``./mine.fig1``.

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
    known: dict[str, Suite] = {}
    for name in names:
        place, dot, rest = _split(name)
        own = suite(place)
        known[own.name] = own
        if not dot:
            asked[own.name] = None
            continue
        ids, id = [experiment.id for experiment in own.experiments], f"{own.name}.{rest}"
        if id not in ids:
            raise SuiteError(unknown("experiment", id, ids))
        wanted = asked.setdefault(own.name, set())
        if wanted is not None:
            wanted.add(id)
    return [(known[head], _some(known[head], wanted)) for head, wanted in asked.items()]


def _split(name: str) -> tuple[str, str, str]:
    """Split a name into that of the suite, or its path, and that of the experiment."""
    if users.is_path(name):
        if Path(name).is_dir():
            return name, "", ""
        head, dot, rest = name.rpartition(".")
        return (head, dot, rest) if head and "/" not in rest and Path(head).is_dir() else (name, "", "")
    head, dot, rest = name.partition(".")
    return (head, dot, rest) if head in suites() else (name, "", "")


def _some(known: Suite, wanted: set[str] | None) -> tuple[Experiment, ...]:
    return tuple(experiment for experiment in known.experiments if wanted is None or experiment.id in wanted)
