"""Trials of a search: a scenario for each point, run, kept and measured like an experiment's."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from windtunnel import experiment
from windtunnel.campaign import Campaign
from windtunnel.experiment import Experiment, Measure, Scale
from windtunnel.metrics import View
from windtunnel.scenario import Arrivals, Bottleneck, Flow, Scenario
from windtunnel.search.properties import Property
from windtunnel.store import Results

Values = Mapping[str, float]
"""A value for each dimension of a search."""
DEFAULTS: Values = {"rate": 50e6, "rtt": 0.04, "queue": 1.0, "loss": 0.0, "spread": 1.0, "lag": 0.0, "step": 0.0, "spike": 0.0, "load": 0.0}
"""What is not searched. Of flows there are as many as the property needs."""
TRANSFERS: Mapping[str, object] = {"algorithm": "cubic", "mean_bytes": 30e3, "max_bytes": 10_000_000}
"""The transfers of a load: sizes of the web, many short and few long ones."""
ID = "search"
SPIKE_S = 1.0
"""How long a spike of delay lasts, in short runs a twelfth of the run: some round trips, so that every flow measures it."""


@dataclass(frozen=True)
class Trials:
    """What makes trials.

    Parameters
    ----------
    sought : Property
        What is measured.
    algorithms : tuple of str
        Of the flows, in turn.
    duration_s, warmup_s : float
        Of every run.
    results : Results
        Where runs are kept, opened for writing; what it holds is not made again.
    jobs : int
        Worker processes.
    campaign : Campaign, optional
        Whose workers make the runs in place of them.
    on_step : callable, optional
        Told of progress.
    """

    sought: Property
    algorithms: tuple[str, ...]
    duration_s: float
    warmup_s: float
    results: Results
    jobs: int = 1
    campaign: Campaign | None = None
    on_step: Callable[[experiment.Step], None] = lambda step: None

    def scenario(self, values: Values) -> Scenario:
        """Return the scenario of some values; dimensions without one have their default.

        Raises
        ------
        ScenarioError
            When it cannot be run.
        """
        all_ = {"flows": float(max(self.sought.flows, len(self.algorithms))), **DEFAULTS, **values}
        count, rtt_s = int(all_["flows"]), all_["rtt"]
        link = Bottleneck(
            rate_bps=all_["rate"], queue_bdp=all_["queue"], loss_probability=all_["loss"], delay_steps=self._delay_steps(all_)
        )
        flows = [
            Flow(
                algorithm=self.algorithms[number % len(self.algorithms)],
                rtt_s=rtt_s * all_["spread"] ** (number / max(count - 1, 1)),
                start_s=all_["lag"] * number,
                jitter_s=all_.get("last-jitter") if number == count - 1 else None,
            )
            for number in range(count)
        ]
        return Scenario(
            bottleneck=link,
            flows=flows,
            duration_s=self.duration_s,
            warmup_s=self.warmup_s,
            sample_s=0.1,
            jitter_s=all_.get("jitter"),
            arrivals=[Arrivals.model_validate({**TRANSFERS, "load": all_["load"], "rtts_s": [rtt_s]})] if all_["load"] > 0 else [],
        )

    def _delay_steps(self, values: Values) -> list[dict[str, float]]:
        """Return when the path grows longer, and by how much: for a second before the warm-up ends, and from a third of the run on."""
        at_s = round(self.duration_s / 6, 3)
        spike = [{"at_s": at_s, "extra_s": values["spike"]}, {"at_s": round(at_s + min(SPIKE_S, self.duration_s / 12), 3), "extra_s": 0.0}]
        step = [{"at_s": round(self.duration_s / 3, 3), "extra_s": values["step"]}]
        return [*(spike if values["spike"] > 0 else []), *(step if values["step"] > 0 else [])]

    def measured(self, cases: Sequence[Values], repeats: int) -> list[list[float | None]]:
        """Run cases, each with the seeds from 1 on, and return what the property measures of them.

        Parameters
        ----------
        cases : sequence of Values
            At least one.
        repeats : int
            Number of seeds.

        Returns
        -------
        list of list of float
            For each case a value per seed; None where there is none.

        Raises
        ------
        ScenarioError
            When a case cannot be run.
        RunsFailed
            When a controller from a file ended runs early.
        """
        names = dict.fromkeys(name for values in cases for name in values)
        given = [Measure(name, function=functools.partial(_of_case, tuple(values.get(name) for values in cases))) for name in names]
        asked = Experiment(
            id=ID,
            title=f"Search: {self.sought.text}",
            question=f"Where does {', '.join(self.algorithms)} have {self.sought.text}?",
            source="a search",
            points={"case": tuple(range(len(cases)))},
            scenario=lambda point, draws: self.scenario(cases[int(point["case"])]),
            measures=(self.sought.measure(), *given),
            repeats=repeats,
            kept="all",
            quick=None,
        )
        plan = experiment.plan([asked], Scale())
        experiment.execute(plan, self.results, jobs=self.jobs, command="windtunnel search", on_step=self.on_step, campaign=self.campaign)
        table = self.results.measures(ID).filter(pl.col("metric") == self.sought.metric)
        found = {(int(case), seed): value for case, seed, value in table.select("case", "seed", "value").iter_rows()}
        return [[found[case, seed] for seed in range(1, repeats + 1)] for case in range(len(cases))]


def _of_case(values: Sequence[float | None], view: View) -> float | None:
    """Return what a case was given."""
    return values[int(view.point["case"])]
