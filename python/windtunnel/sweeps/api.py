"""A study of one's own: every point of a grid run, kept, measured, and returned as a frame."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel import experiment, pool
from windtunnel.campaign import Campaign, connected
from windtunnel.experiment import Experiment, Measure, Plan, Scale
from windtunnel.plots import Declaration
from windtunnel.progress import progress as shown_progress
from windtunnel.remarks import say
from windtunnel.scenario import Scenario, ScenarioError
from windtunnel.scenario.errors import unknown
from windtunnel.store import KEPT, Results, open_results, writing_results
from windtunnel.sweeps import figures as default_figures
from windtunnel.sweeps import grid
from windtunnel.sweeps.frame import wide
from windtunnel.sweeps.measures import Asked
from windtunnel.sweeps.measures import read as read_measures
from windtunnel.sweeps.notebook import SweepFrame
from windtunnel.version import __version__

if TYPE_CHECKING:
    import polars as pl
    from distributed import Client

MOST_JOBS = 256
SOURCE = "a sweep"


@dataclass(frozen=True)
class Sweep:
    """A sweep that was checked and not carried out yet.

    Parameters
    ----------
    name : str
        What it is called in its folder.
    points : mapping of str to tuple
        The grid.
    scenario : callable
        From a point and the repeat's draws to what is run.
    measures : tuple of Measure
        What is measured.
    seeds : int
        Repeats of each point.
    kept : str
        What of each run is stored.
    question : str
        What it asks, for the report.
    figures : tuple of Declaration, optional
        How it is shown; by the grid's dimensions when absent.
    headings : mapping of str to str
        What dimensions are called with their units; by their names when absent.
    """

    name: str
    points: Mapping[str, tuple[Any, ...]]
    scenario: Callable[[experiment.Point, experiment.Draws], Scenario]
    measures: tuple[Measure, ...]
    seeds: int
    kept: str = "all"
    question: str = ""
    figures: tuple[Declaration, ...] | None = None
    headings: Mapping[str, str] = field(default_factory=dict)

    def experiment(self, *, longest_s: float) -> Experiment:
        """Return it as an experiment; figures count a time that was not reached as `longest_s` seconds."""
        figures = self.figures
        if figures is None:
            figures = default_figures.declared(self.points, self.measures, longest_s=longest_s, headings=self.headings)
        return Experiment(
            id=self.name,
            title=self.name,
            question=self.question,
            source=SOURCE,
            points=self.points,
            scenario=self.scenario,
            measures=self.measures,
            figures=figures,
            repeats=self.seeds,
            kept=self.kept,
            quick=None,
            headings=self.headings,
            notes=("Windows begin where the scenario's warm-up ends, unless a measure says otherwise.",),
        )

    def plan(self, *, backend: str = "sim") -> Plan:
        """Lay out its runs.

        Raises
        ------
        ScenarioError
            When a scenario cannot be run, or the backend can express none.
        """
        laid_out = experiment.plan([self.experiment(longest_s=1.0)], Scale(), backend=backend)
        if not laid_out.jobs:
            why = "; ".join(f"{one.where or 'every point'}: {one.reason}" for own in laid_out.left_out.values() for one in own)
            raise ScenarioError("backend", f"{backend} can run none of it: {why}; allowed: sim")
        longest_s = max(job.scenario.duration_s for job in laid_out.jobs.values())
        return replace(laid_out, experiments=(self.experiment(longest_s=longest_s),))


def checked(
    make: Callable[..., Scenario],
    *,
    over: Mapping[str, Any],
    seeds: int,
    measures: Sequence[Asked],
    name: str = "sweep",
    kept: str = "all",
    question: str = "",
    figures: Sequence[Declaration] | None = None,
    headings: Mapping[str, str] | None = None,
) -> Sweep:
    """Check what is asked for, as `sweep` takes it, without laying out runs; raises ScenarioError."""
    if kept not in KEPT:
        raise ScenarioError("kept", unknown("amount", kept, KEPT))
    points, behind = grid.read(over, seeds=grid.check_seeds(seeds))
    asked = read_measures(measures)
    twice = [one.metric for one in asked if one.metric in points]
    if twice:
        raise ScenarioError("measures", f"{twice[0]!r} is a dimension too; allowed: another name")
    scenario = grid.layout(make, list(points), behind)
    declared = None if figures is None else tuple(figures)
    return Sweep(grid.check_name(name), points, scenario, asked, seeds, kept, question, declared, headings or {})


def carry_out(
    asked: Sweep,
    plan: Plan,
    folder: Path,
    *,
    jobs: int,
    command: str,
    on_step: Callable[[experiment.Step], None],
    campaign: Campaign | None = None,
) -> pl.DataFrame:
    """Run what is missing of a sweep, measure it, and return its frame.

    Parameters
    ----------
    asked : Sweep
        The sweep.
    plan : Plan
        Its runs.
    folder : Path
        The results folder; what it holds already is not run again.
    jobs : int
        Worker processes.
    command : str
        What asks for it.
    on_step : callable
        Told of progress.
    campaign : Campaign, optional
        Whose workers make the runs.

    Raises
    ------
    ResultsError
        When the folder cannot be used.
    CampaignError
        When the campaign's cluster cannot be used.
    WorkerLost
        When a run died; what was finished is kept.
    MeasureFailed
        When a user's measure fails; finished runs are kept.
    RunsFailed
        When a controller from a file ended runs early; all others were made and measured.
    """
    with writing_results(folder) as results:
        escaped = command.replace("{", "{{").replace("}", "}}")
        fault: experiment.RunsFailed | None = None
        try:
            experiment.execute(plan, results, jobs=jobs, command=escaped, on_step=on_step, campaign=campaign)
        except experiment.RunsFailed as error:
            fault = error
        if fault is None or asked.name in results.experiments(plan.kind):
            _store_facts(results, asked, plan, command)
        if fault is not None:
            raise fault
        return SweepFrame(wide(results.measures(asked.name, plan.kind), list(asked.points)))


def _store_facts(results: Results, asked: Sweep, plan: Plan, command: str) -> None:
    """Store what the report's first page says; of a folder that has suites too, they stay what it is about."""
    before = results.facts
    order = list(dict.fromkeys([*before.get("order", []), asked.name]))
    commands = "\n".join(dict.fromkeys([*str(before.get("command", "")).splitlines(), command]))
    by_backend = dict(before.get("commands", {}))
    by_backend[plan.kind] = "\n".join(dict.fromkeys([*str(by_backend.get(plan.kind, "")).splitlines(), command]))
    shared = {"order": order, "command": commands, "commands": by_backend}
    if before.get("suites"):
        results.store_facts({key: value for key, value in before.items() if key != "format"} | shared)
        return
    facts: list[list[Any]] = [["version", __version__], ["experiments", len(results.experiments())], ["runs of the last", len(plan.jobs)]]
    results.store_facts(
        {
            **shared,
            "title": "Sweeps" if len(order) > 1 else f"Sweep: {asked.name}",
            "subtitle": asked.question,
            "suites": [],
            "made": f"Windtunnel {__version__}, {datetime.date.today().isoformat()}",
            "facts": facts,
            "findings": [],
        }
    )


def sweep(
    make: Callable[..., Scenario],
    *,
    over: Mapping[str, Any],
    seeds: int = 5,
    measures: Sequence[Asked],
    out: str | Path = "results",
    name: str = "sweep",
    kept: str = "all",
    figures: Sequence[Declaration] | None = None,
    question: str = "",
    backend: str = "sim",
    jobs: int | None = None,
    client: Client | str | None = None,
    progress: bool = True,
) -> pl.DataFrame:
    """Run a scenario at every point of a grid, several times, and measure every run.

    Every run is kept in a folder as it ends; what the folder holds already is not run again, so that a stopped sweep goes on where it was,
    and a larger grid costs what is new. The folder is a results folder: `windtunnel report`, `sql` and `suite diff` read it.

    Parameters
    ----------
    make : callable
        Takes the dimensions by name and returns a `Scenario`. If it has an argument ``seed``, it gets the number of the repeat, from 1; if
        it has one ``draws``, the repeat's `windtunnel.experiment.Draws`. The scenario's own seed is set to the repeat.
    over : mapping of str to (sequence or mapping)
        Values of each dimension, numbers or texts; a mapping gives names to anything else. Of the register's dimensions figures and tables
        say the unit: ``rate`` is in Mbit/s, ``rtt`` in ms, ``q`` in BDP.
    seeds : int
        Repeats of each point.
    measures : sequence of str, callable or Measure
        Names of metrics (docs/reference/metrics.md), with what selects a flow or a window behind a comma (``"thr_mbps,flow=2"``,
        ``"util,t0=20s"``); or functions of a `Run`, that return a number, a text or None and are known by their name. A metric's window
        begins where the scenario's `warmup_s` ends, unless it has one of its own.
    out : str or Path
        The results folder.
    name : str
        What the sweep is called in it; a sweep of the same name is replaced, its runs are used again.
    kept : {"all", "queues", "rates", "totals"}
        What of each run is stored: everything; of samples the delivered bytes; no samples. Functions see what is stored.
    figures : sequence of Curves, Compared or Histories, optional
        Those of the report; by the dimensions when absent.
    question : str
        What is asked, for the report.
    backend : str
        What makes the runs.
    jobs : int, optional
        Worker processes; one per core when absent.
    client : distributed.Client or str, optional
        Of a Dask cluster, or the address of its scheduler: its workers make the runs, in place of processes here. Functions of `measures`
        are called here. The extra ``windtunnel[dask]``.
    progress : bool
        Whether to show a bar, in a terminal on stderr, in a notebook below the cell.

    Returns
    -------
    polars.DataFrame
        A row per run: the dimensions, ``seed``, a column per measure (null: none; may be infinite), ``run`` (key of the stored run).

    Raises
    ------
    ScenarioError
        When something of it cannot be accepted, before anything runs.
    ResultsError
        When the folder cannot be used.
    WorkerLost
        When a worker process died; what was finished is kept.
    CampaignError
        When the cluster cannot be used, or has no worker with the same engine.
    MeasureFailed
        When a function of `measures` fails; runs are kept.
    """
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or not 1 <= jobs <= MOST_JOBS):
        raise ScenarioError("jobs", f"{jobs!r} is out of range; allowed: 1 to {MOST_JOBS}")
    asked = checked(make, over=over, seeds=seeds, measures=measures, name=name, kept=kept, question=question, figures=figures)
    plan = asked.plan(backend=backend)
    command = f"windtunnel.sweep({getattr(make, '__name__', 'make')}, name={name!r}, ...)  # in Python"
    with _campaign(client) as campaign, shown_progress(quiet=not progress, log=False) as on_step:
        return carry_out(asked, plan, Path(out), jobs=jobs or pool.cores(), command=command, on_step=on_step, campaign=campaign)


@contextlib.contextmanager
def _campaign(client: Client | str | None) -> Iterator[Campaign | None]:
    if client is None:
        yield None
    elif isinstance(client, str):
        with connected(client, note=say) as campaign:
            yield campaign
    elif not hasattr(client, "scheduler_info") or client.asynchronous:
        raise ScenarioError("client", f"{client!r} is no client; allowed: a distributed.Client that is not asynchronous, tcp://HOST:8786")
    else:
        yield Campaign(client, say)


def load_sweep(out: str | Path = "results", name: str = "sweep", *, backend: str | None = None) -> pl.DataFrame:
    """Read a sweep's frame back from its folder; nothing is run.

    Parameters
    ----------
    out : str or Path
        The results folder.
    name : str
        What the sweep, or any experiment, is called in it.
    backend : str, optional
        Whose measures; those of the first that has some when absent.

    Returns
    -------
    polars.DataFrame
        As `sweep` returned it.

    Raises
    ------
    ResultsError
        When the folder is no results folder, or damaged.
    ScenarioError
        When it holds no such sweep.
    """
    results = open_results(Path(out))
    if name not in results.experiments(backend):
        raise ScenarioError("name", unknown("sweep of the folder", name, results.experiments(backend)))
    return SweepFrame(wide(results.measures(name, backend), list(results.declaration(name, backend)["points"])))
