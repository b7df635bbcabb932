"""One question about a path, and how it is answered by runs."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from windtunnel import experiment
from windtunnel.advise import queues
from windtunnel.advise.arrangements import REPEATS, experiments
from windtunnel.advise.columns import Column, columns
from windtunnel.advise.path import Network
from windtunnel.advise.ranking import Advice, Row, advise
from windtunnel.experiment import Experiment, Plan, Scale, Step
from windtunnel.foreign import shown
from windtunnel.scenario import ScenarioError
from windtunnel.stats import Summary
from windtunnel.store import Results
from windtunnel.version import __version__

ALGORITHMS = ("reno", "cubic", "htcp", "illinois", "westwood", "vegas", "bbr", "bbr3")
"""What is compared when none is named: Linux's that an engineer may choose, one of each idea, and the next BBR."""


@dataclass(frozen=True)
class Study:
    """A question.

    Parameters
    ----------
    network : Network
        The path.
    algorithms : tuple of str
        The protocols, each once.
    by : str
        The column ranked by.
    repeats : int
        Seeds.
    """

    network: Network
    algorithms: tuple[str, ...]
    by: str
    repeats: int

    @property
    def columns(self) -> tuple[Column, ...]:
        """What is compared."""
        return columns(self.network)

    @property
    def experiments(self) -> tuple[Experiment, ...]:
        """What is run: the algorithms, and what loads the link behind each discipline."""
        of_algorithms = experiments(self.network, self.algorithms)
        first = of_algorithms[0]
        return (*of_algorithms, queues.under_load(self.network, {name: getattr(first, name) for name in queues.SAME}))

    def plan(self) -> Plan:
        """Lay out the runs; raises ScenarioError when one cannot be run."""
        return experiment.plan(self.experiments, Scale(repeats=self.repeats))

    def ran(self, plan: Plan) -> str:
        """Return what was run, in a sentence or two."""
        end_s = self.network.duration_s
        rounds, epochs = end_s / self.network.rtt_s, end_s / self.network.epoch_s
        said = f"{len(plan.jobs)} runs of {end_s:g} s, {rounds:.0f} round trips, means over the second half; {self.repeats} seeds."
        if epochs < 2:
            said += f" A run is {epochs:.2g} epochs of two Reno flows: what fills so long a path slowly is seen on its way (--duration)."
        if self.repeats == 1:
            said += " One seed has no interval: no difference counts."
        return said


def make(network: Network, algorithms: Sequence[str] | None = None, *, by: str | None = None, repeats: int | None = None) -> Study:
    """Ask a question.

    Parameters
    ----------
    network : Network
        The path.
    algorithms : sequence of str, optional
        The protocols, those of `ALGORITHMS` when absent.
    by : str, optional
        Name of the column ranked by; the goodput alone when absent, the rate beside the competition where there is some.
    repeats : int, optional
        Seeds.

    Raises
    ------
    ScenarioError
        When there is no such column.
    """
    names = [column.name for column in columns(network)]
    chosen = by if by is not None else "own" if network.competition else "goodput"
    if chosen not in names:
        raise ScenarioError("by", f"{chosen!r} is not a column; allowed: {', '.join(names)}")
    return Study(network, tuple(dict.fromkeys(ALGORITHMS if algorithms is None else algorithms)), chosen, repeats or REPEATS)


def carry_out(study: Study, plan: Plan, results: Results, *, jobs: int, command: str, on_step: Callable[[Step], None]) -> Advice:
    """Run what is missing and compare.

    Parameters
    ----------
    study : Study
        The question.
    plan : Plan
        Its runs.
    results : Results
        Where, opened for writing; what is stored already is not run again.
    jobs : int
        Worker processes.
    command : str
        The command line that asks for it.
    on_step : callable
        Told of progress.

    Raises
    ------
    ResultsError
        When the folder cannot be used.
    WorkerLost
        When a run died; what was finished is kept.
    """
    escaped = command.replace("{", "{{").replace("}", "}}")
    experiment.execute(plan, results, jobs=jobs, command=escaped, on_step=on_step)
    results.store_facts(
        {
            "title": "Which algorithm for this path",
            "subtitle": study.network.words,
            "suites": ["advise"],
            "order": [one.id for one in plan.experiments],
            "command": command,
            "made": f"Windtunnel {__version__}, {datetime.date.today().isoformat()}",
            "facts": [["ran", study.ran(plan)]],
            "findings": [],
        }
    )
    names = {name: shown(name, study.algorithms) for name in study.algorithms}
    values = {(names[name], column): found for (name, column), found in _values(study, results).items()}
    advice = advise(tuple(names.values()), study.columns, values, by=study.by)
    loads = queues.found(results)
    return replace(advice, loads=loads, operator=tuple(queues.sentences(advice, loads, study.network)))


def _values(study: Study, results: Results) -> dict[tuple[str, str], list[float]]:
    found: dict[tuple[str, str], list[float]] = {}
    tables = {one.id: results.measures(one.id) for one in study.experiments}
    for column in study.columns:
        for row in tables[column.experiment].sort("seed").iter_rows(named=True):
            if row["metric"] == column.metric and row["value"] is not None:
                found.setdefault((str(row["alg"]), column.name), []).append(float(row["value"]))
    return found


def advice_json(study: Study, plan: Plan, advice: Advice) -> dict[str, Any]:
    """Return the advice as JSON types; what is not there is null, and a mean that is mostly never reached too."""
    network = study.network
    return {
        "path": {
            "rate_bps": network.link.rate_bps,
            "rtt_s": network.rtt_s,
            "queue_packets": network.queue_packets,
            "loss_probability": network.link.loss_probability,
            "competition": [{"algorithm": name, "flows": count} for name, count in network.competition],
        },
        "ran": {"runs": len(plan.jobs), "duration_s": network.duration_s, "seeds": study.repeats, "words": study.ran(plan)},
        "columns": [
            {"name": one.name, "title": one.title, "unit": one.unit, "better": one.better, "matters": one.matters} for one in advice.columns
        ],
        "by": advice.by.name,
        "algorithms": [_row_json(row, advice) for row in advice.rows],
        "under_load": [
            {
                "discipline": one.discipline,
                "algorithm": one.algorithm,
                "rtt_ms": _summary_json(one.rtt_ms),
                "rate_mbps": _summary_json(one.rate_mbps),
            }
            for one in advice.loads
        ],
        "operator": list(advice.operator),
        "leaders": {one.column.name: [one.first, *one.equals] for one in advice.leaders},
    }


def _row_json(row: Row, advice: Advice) -> dict[str, Any]:
    return {
        "algorithm": row.algorithm,
        "rank": row.rank,
        "dominated_by": list(row.dominated_by),
        "values": {column.name: _summary_json(row.found.get(column.name)) for column in advice.columns},
    }


def _summary_json(summary: Summary | None) -> dict[str, Any] | None:
    if summary is None:
        return None
    numbers = {"mean": summary.mean, "low": summary.low, "high": summary.high}
    return {**{name: value if math.isfinite(value) else None for name, value in numbers.items()}, "n": summary.n, "never": summary.infinite}
