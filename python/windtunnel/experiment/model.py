"""What an experiment is: a question, a grid of points, a scenario for each, what is measured, and how it is shown."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pydantic import ValidationError

from windtunnel.experiment.choices import Choice, Point
from windtunnel.foreign import is_made, shown
from windtunnel.metrics import View
from windtunnel.plots.declared import Declaration
from windtunnel.scenario import Scenario, ScenarioError


@dataclass(frozen=True)
class Draws:
    """The random draws of one repeat: the same for every point, so that protocols meet the same conditions (common random numbers).

    Parameters
    ----------
    seed : int
        The repeat, from 1.
    """

    seed: int

    def uniform(self, name: str) -> float:
        """Return the draw of this name, in [0, 1)."""
        return random.Random(f"{name}/{self.seed}").random()


@dataclass(frozen=True)
class Measure:
    """One measured quantity of every run of an experiment.

    Parameters
    ----------
    metric : str
        Its name in the register.
    flow : str, optional
        Which flow: the 1-based number in order of start, ``sum``, or an algorithm; the metric's own choice when absent.
    state : str, optional
        A variant the register names.
    t0, t1 : float, optional
        Seconds from the start of the run, in place of the default window.
    function : callable, optional
        Measures it in place of the metric of that name; for unit checks of a law.
    """

    metric: str
    flow: str | None = None
    state: str | None = None
    t0: float | None = None
    t1: float | None = None
    function: Callable[[View], float | str | None] | None = None


@dataclass(frozen=True)
class Quick:
    """The quick scale: fewer points and repeats of the same experiment.

    Parameters
    ----------
    points : mapping of str to sequence
        Dimensions with fewer values; the others keep all.
    repeats : int
        Number of repeats.
    scenario : callable, optional
        In place of the experiment's, where that takes long.
    note : str
        What a reader of the quick scale must know.
    longest_s : float, optional
        Runs end then, seconds, where they would be longer.
    only : callable, optional
        Whether a point is one at this scale, where the experiment's own answer does not fit it.
    """

    points: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    repeats: int = 3
    scenario: Callable[[Point, Draws], Scenario] | None = None
    note: str = ""
    longest_s: float | None = None
    only: Callable[[Point], bool] | None = None

    def notes(self) -> list[str]:
        """Return what a reader must know, one text each."""
        shorter = [] if self.longest_s is None else [f"At this quick scale no run is longer than {self.longest_s:g} s."]
        return [*([self.note] if self.note else []), *shorter]


@dataclass(frozen=True)
class Experiment:
    """A declared experiment. It never runs, loops, draws or writes: `windtunnel.experiment` does.

    Parameters
    ----------
    id : str
        ``paper.figure``, as in the register of claims.
    title, question : str
        What is shown, and what is asked, in a sentence.
    source : str
        Where in the paper.
    points : mapping of str to sequence
        The grid: values of each dimension, in the register's units, in the order of figures and tables.
    scenario : callable
        From a point and the repeat's draws to what is run. Its `warmup_s` is the start of the default measurement window.
    measures : sequence of Measure
        What is measured on every run.
    duration_s : float
        Length of a run of the source, seconds: what a time that was not reached counts as in a mean. 0 for a check of a law.
    source_repeats : int, optional
        Repeats of the source where it had fewer than ours: a verdict needs no more.
    beside : mapping of str to sequence
        Values among `points` that the source does not have. They are run and shown; no claim is about them.
    along : mapping of str to sequence
        Dimensions that are no part of the grid because every run holds them whole, such as its flows; claims go over them too.
    by_site : mapping of str to mapping of str to sequence
        Of a dimension whose values differ by site: by site, those that there are.
    compared_with : str
        The id of the experiment whose same points some metrics of this one compare with, such as those without cross traffic.
    rate_mbps : float, optional
        The link's rate, Mbit/s, where `points` has no dimension ``rate`` and a claim needs it.
    figures : sequence of Curves, Compared or Histories
        How it is shown.
    parameters : sequence of (str, str)
        What stays the same at every point, for the reader.
    repeats : int
        Repeats at the paper's scale; 0 for a unit check of laws, which is run once.
    kept : {"totals", "rates", "queues", "all"}
        What of each run's samples is stored (`windtunnel.store.KEPT`).
    quick : Quick or None
        The quick scale; None leaves the experiment out of it.
    notes : sequence of str
        What a reader must know of the result.
    full : Quick, optional
        The whole grid, where the experiment's own is a fraction of it; run with ``--full``.
    only : callable, optional
        Whether a point of the grid is one: a window limit that a site did not offer is none. All are when absent.
    emulates : str
        What the runs stand for and how, in a line, where the paper's path or hosts are emulated: claims that only an emulation can judge
        are judged then, and say so. Empty: they are not run.
    choices : sequence of Choice
        What the paper leaves open; `windtunnel suite sensitivity` runs the alternatives.
    headings : mapping of str to str
        What a reader calls dimensions, with their units; the register's words where absent.
    unasked : sequence of str
        Of an experiment about whichever algorithm is named: those that are run where none is named. Empty: all of them are.
    """

    id: str
    title: str
    question: str
    source: str
    points: Mapping[str, Sequence[Any]]
    scenario: Callable[[Point, Draws], Scenario]
    measures: Sequence[Measure]
    duration_s: float = 600.0
    source_repeats: int | None = None
    beside: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    along: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    by_site: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    compared_with: str = ""
    rate_mbps: float | None = None
    figures: Sequence[Declaration] = ()
    parameters: Sequence[tuple[str, str]] = ()
    repeats: int = 5
    kept: str = "totals"
    quick: Quick | None = field(default_factory=Quick)
    full: Quick | None = None
    notes: Sequence[str] = ()
    only: Callable[[Point], bool] | None = None
    emulates: str = ""
    choices: Sequence[Choice] = ()
    headings: Mapping[str, str] = field(default_factory=dict)
    unasked: Sequence[str] = ()


@dataclass(frozen=True)
class Scale:
    """How much of an experiment is run.

    Parameters
    ----------
    quick : bool
        The quick scale instead of the paper's.
    algorithms : sequence of str, optional
        Only these values of the dimension ``alg``. Controllers from files are added to it where an experiment compares protocols; one of a
        single protocol, whose claims and figures are about that one, is left as it is.
    repeats : int, optional
        In place of the experiment's own number.
    full : bool
        The whole grid of experiments that declare a fraction of it.
    at : mapping of str to sequence of str, optional
        Of these dimensions only these values, as text; experiments without the dimension are left as they are.
    longest_s : float, optional
        Runs end then, seconds, where they would be longer.
    files : mapping of str to str
        Controllers from files that run in place of protocols, by the protocol: experiments and claims are those of the protocol.
    where : callable, optional
        Only the points of which this is true: those that claims read (`windtunnel.claims.places`).
    """

    quick: bool = False
    algorithms: Sequence[str] | None = None
    repeats: int | None = None
    full: bool = False
    at: Mapping[str, Sequence[str]] = field(default_factory=dict)
    longest_s: float | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    where: Callable[[Point], bool] | None = None

    @property
    def name(self) -> str:
        """``quick``, ``full`` or ``paper``."""
        return "quick" if self.quick else "full" if self.full else "paper"

    def _other(self, experiment: Experiment) -> Quick | None:
        """Return what this scale changes of an experiment, None where it is run as declared."""
        return experiment.quick if self.quick else experiment.full if self.full else None

    def points(self, experiment: Experiment) -> dict[str, tuple[Any, ...]]:
        """Return the grid of an experiment at this scale."""
        grid = {name: tuple(values) for name, values in experiment.points.items()}
        other = self._other(experiment)
        if other is not None:
            grid |= {name: tuple(values) for name, values in other.points.items()}
        if self.algorithms is not None and "alg" in grid:
            files = tuple(filter(is_made, self.algorithms)) if len(experiment.points["alg"]) > 1 else ()
            grid["alg"] = tuple(name for name in grid["alg"] if name in self.algorithms) + files
        elif experiment.unasked and "alg" in grid:
            grid["alg"] = tuple(name for name in grid["alg"] if name in experiment.unasked)
        for name, wanted in self.at.items():
            if name in grid:
                grid[name] = tuple(value for value in grid[name] if str(value) in wanted)
        return grid

    def seeds(self, experiment: Experiment) -> tuple[int, ...]:
        """Return the repeats of an experiment at this scale; the single repeat of a unit check is 0."""
        if experiment.repeats == 0:
            return (0,)
        other = self._other(experiment)
        return tuple(range(1, (self.repeats or (other or experiment).repeats) + 1))

    def notes(self, experiment: Experiment) -> list[str]:
        """Return what a reader must know of an experiment at this scale."""
        other = self._other(experiment)
        shorter = [] if self.longest_s is None else [f"Runs were ended after {self.longest_s:g} s: --longest."]
        run_by = [f"{name} is run by {shown(file)}, not by the backend's own: --alg." for name, file in self.files.items()]
        fewer = [] if self.where is None else ["Of the points only those were run that claims read."]
        return [*experiment.notes, *(other.notes() if other is not None else []), *shorter, *fewer, *run_by]

    def scenario(self, experiment: Experiment) -> Callable[[Point, Draws], Scenario]:
        """Return what lays out the runs of an experiment at this scale."""
        other = self._other(experiment)
        laid_out = (other.scenario if other is not None else None) or experiment.scenario
        if self.files:
            laid_out = partial(_run_by, laid_out, self.files)
        if other is not None and other.longest_s is not None:
            laid_out = partial(_ended, laid_out, other.longest_s)
        return laid_out if self.longest_s is None else partial(_ended, laid_out, self.longest_s)

    def grid(self, experiment: Experiment) -> Iterator[tuple[dict[str, Any], int]]:
        """Yield every point and repeat of an experiment at this scale, in the order of its dimensions."""
        points, other = self.points(experiment), self._other(experiment)
        only = other.only if other is not None and other.only is not None else experiment.only
        for values in itertools.product(*points.values()):
            point = dict(zip(points, values, strict=True))
            if only is None or only(point):
                for seed in self.seeds(experiment):
                    yield dict(point), seed


def _ended(laid_out: Callable[[Point, Draws], Scenario], longest_s: float, point: Point, draws: Draws) -> Scenario:
    """Return a run that ends earlier.

    Raises
    ------
    ScenarioError
        When nothing of what is measured would be left.
    """
    scenario = laid_out(point, draws)
    if scenario.duration_s <= longest_s:
        return scenario
    begins_s = max([scenario.warmup_s, *(flow.start_s for flow in scenario.flows)])
    if longest_s <= begins_s:
        raise ScenarioError("longest", f"{longest_s:g}s is before what is measured begins, at {begins_s:g} s; allowed: more")
    flows = tuple(
        flow.model_copy(update={"stop_s": None}) if flow.stop_s is not None and flow.stop_s >= longest_s else flow
        for flow in scenario.flows
    )
    return scenario.model_copy(update={"duration_s": longest_s, "flows": flows})


def _run_by(laid_out: Callable[[Point, Draws], Scenario], files: Mapping[str, str], point: Point, draws: Draws) -> Scenario:
    """Return a run with controllers from files in place of protocols, in the TCP that is the backend's.

    Raises
    ------
    ScenarioError
        When a file's controller does not take what is set of the protocol.
    """

    def one_by(one: Any) -> Any:
        file = files.get(one.algorithm) if getattr(one, "stack", None) is None else None
        if file is None:
            return one
        try:
            return type(one).model_validate({name: getattr(one, name) for name in type(one).model_fields} | {"algorithm": file})
        except ValidationError as error:
            problem = error.errors()[0]["msg"]
            raise ScenarioError("alg", f"{shown(file)} cannot run in place of {one.algorithm}: {problem}") from None

    scenario = laid_out(point, draws)
    return scenario.model_copy(update={name: tuple(map(one_by, getattr(scenario, name))) for name in ("flows", "arrivals", "sessions")})
