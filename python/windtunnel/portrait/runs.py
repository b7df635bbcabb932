"""The runs behind a portrait: 100 Mbit/s, 60 ms and one BDP of queue alone and in two; 400 Mbit/s under random loss."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from windtunnel.foreign import is_file, is_made
from windtunnel.plots import draw_portrait
from windtunnel.run import run
from windtunnel.scenario import Bottleneck, Flow, Scenario, catalogue
from windtunnel.scenario import algorithm as known
from windtunnel.scenario.checks import algorithm_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RATE_BPS, RTT_S = 100e6, 0.06
ALONE_S, PAIR_S, SECOND_START_S = 120.0, 240.0, 40.0
LOSS_RATE_BPS, LOSS_RUN_S, LOSS_WARMUP_S = 400e6, 300.0, 60.0
LOSS = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
"""Probabilities of the response function's points."""
MARK_BDP = 0.2
"""Step of congestion marks, for algorithms that look at these first."""
REFERENCE = "reno"
"""Drawn beside every other algorithm's response."""


def portrait(algorithm: str, *, seed: int = 1) -> Figure:
    """Run an algorithm's portrait and draw it.

    Parameters
    ----------
    algorithm : str
        ``name`` or ``name:variant``; of a bare name the variant of profile linux-6.1. Or a file.
    seed : int
        Seed of every run.

    Returns
    -------
    matplotlib.figure.Figure
        Window and queue of one flow, goodput of two, throughput against random loss beside Reno's.

    Raises
    ------
    ScenarioError
        When there is no such algorithm.
    """
    algorithm = algorithm_name(algorithm) if is_file(algorithm) else algorithm  # A file is made once.
    path = Bottleneck(rate_bps=RATE_BPS, queue_bdp=1.0, mark_bdp=MARK_BDP if _lives_on_marks(algorithm) else None)
    first = Flow(algorithm=algorithm, rtt_s=RTT_S)
    second = Flow(algorithm=algorithm, rtt_s=RTT_S, start_s=SECOND_START_S)
    alone = Scenario(bottleneck=path, flows=(first,), duration_s=ALONE_S, sample_s=0.05, seed=seed)
    pair = Scenario(bottleneck=path, flows=(first, second), duration_s=PAIR_S, sample_s=0.1, seed=seed)
    drawn = dict.fromkeys((REFERENCE, algorithm))
    response = {name: [(p, _throughput_mbps(name, p, seed)) for p in LOSS] for name in drawn}
    return draw_portrait(algorithm, run(alone).records, run(pair).records, response)


@functools.cache
def _throughput_mbps(algorithm: str, loss: float, seed: int) -> float:
    """Return what one flow carries whose packets are lost with this probability, Mbit/s."""
    scenario = Scenario(
        bottleneck=Bottleneck(rate_bps=LOSS_RATE_BPS, queue_bdp=1.0, loss_probability=loss),
        flows=(Flow(algorithm=algorithm, rtt_s=RTT_S),),
        duration_s=LOSS_RUN_S,
        warmup_s=LOSS_WARMUP_S,
        sample_s=0,
        seed=seed,
    )
    return sum(float(flow["throughput_bps"]) for flow in run(scenario).summary["flows"]) * 1e-6


def _lives_on_marks(algorithm: str) -> bool:
    found = known(algorithm) if is_made(algorithm) else catalogue().find(algorithm.partition(":")[0])
    return found is not None and list(found.signals or ())[:1] == ["ecn"]
