"""What a controller is like: measured, with the paths on which it was."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from windtunnel.run import Run, run
from windtunnel.scenario import Bottleneck, Flow, Scenario

RATE_BPS, RTT_S = 50e6, 0.04
ALONE_S, PAIR_S, WARMUP_S = 120.0, 180.0, 30.0
LOSSES = (3e-4, 1e-3, 3e-3, 1e-2)
"""Probabilities of the response function's points."""
PACKET_BITS = 12_000


@dataclass(frozen=True)
class Trait:
    """A question that a few runs answer.

    Parameters
    ----------
    name : str
        What is measured.
    path : str
        Where, in one line.
    unit : str
        Of the answer; empty for a plain number.
    measure : callable of (str, int) to float
        The answer for an algorithm with a seed; NaN where there is none.
    """

    name: str
    path: str
    unit: str
    measure: Callable[[str, int], float]


def _run(flows: list[Flow], seed: int, *, duration_s: float = PAIR_S, warmup_s: float = WARMUP_S, **link: float) -> Run:
    given: dict[str, Any] = {"rate_bps": RATE_BPS, "queue_bdp": 1.0, **link}
    bottleneck = Bottleneck(**given)
    return run(Scenario(bottleneck=bottleneck, flows=tuple(flows), duration_s=duration_s, warmup_s=warmup_s, sample_s=0.1, seed=seed))


def _flow(algorithm: str, seed: int, *, number: int = 0, rtt_s: float = RTT_S) -> Flow:
    # Starts are spread, so that seeds are different histories.
    start_s = float(np.random.default_rng([seed, number]).uniform(0, 2))
    return Flow(algorithm=algorithm, rtt_s=rtt_s, start_s=start_s)


def _throughputs(ran: Run) -> list[float]:
    return [float(flow["throughput_bps"] or 0.0) for flow in ran.summary["flows"]]


def _alone(algorithm: str, seed: int, **link: float) -> Run:
    return _run([_flow(algorithm, seed)], seed, duration_s=ALONE_S, **link)


def _utilisation(ran: Run) -> float:
    return float(ran.links["utilisation"][0])


def _episodes(ran: Run) -> pl.DataFrame:
    return ran.events.filter((pl.col("kind") == "loss_episode") & (pl.col("t_s") >= WARMUP_S))


def _epoch_s(algorithm: str, seed: int) -> float:
    times = _episodes(_alone(algorithm, seed))["t_s"].to_numpy()
    return float(np.mean(np.diff(times))) if len(times) > 1 else math.nan


def _kept(algorithm: str, seed: int) -> float:
    episodes = _episodes(_alone(algorithm, seed))
    return float((episodes["value2"] / episodes["value"]).mean()) if episodes.height else math.nan  # type: ignore[arg-type]


@functools.lru_cache(maxsize=64)
def _windows(algorithm: str, seed: int) -> list[float]:
    """Return the mean window at each probability of `LOSSES`, packets."""
    runs = [_run([_flow(algorithm, seed)], seed, duration_s=ALONE_S, rate_bps=1e9, loss_probability=loss) for loss in LOSSES]
    return [_throughputs(ran)[0] * RTT_S / PACKET_BITS for ran in runs]


def _slope(algorithm: str, seed: int) -> float:
    windows = _windows(algorithm, seed)
    if min(windows) <= 0:
        return math.nan
    return float(np.polyfit(np.log(LOSSES), np.log(windows), 1)[0])


def _ratio(algorithm: str, seed: int, *, rtts_s: tuple[float, float] = (RTT_S, RTT_S)) -> float:
    rates = _throughputs(_run([_flow(algorithm, seed, number=n, rtt_s=rtt_s) for n, rtt_s in enumerate(rtts_s)], seed))
    return rates[1] / rates[0] if rates[0] > 0 else math.nan


def _smaller_over_larger(algorithm: str, seed: int) -> float:
    ratio = _ratio(algorithm, seed)
    return min(ratio, 1 / ratio) if ratio > 0 else math.nan


def _share_of(other: str, beside: str, seed: int) -> float:
    rates = _throughputs(_run([_flow(other, seed), _flow(beside, seed, number=1)], seed))
    return rates[0] / sum(rates) if sum(rates) > 0 else math.nan


def _harm_to(other: str) -> Callable[[str, int], float]:
    return lambda algorithm, seed: _share_of(other, algorithm, seed) / _share_of(other, other, seed)


def _queue(algorithm: str, seed: int, **link: float) -> float:
    return float(_alone(algorithm, seed, **link).links["mean_queue_packets"][0]) * PACKET_BITS / RATE_BPS


def _convergence_s(algorithm: str, seed: int) -> float:
    """Return how long a second flow takes to 80 % of half the link, seconds; as long as it had, at least, where it does not get there."""
    start_s = 40.0 + float(np.random.default_rng(seed).uniform(0, 2))
    second = Flow(algorithm=algorithm, rtt_s=RTT_S, start_s=start_s)
    ran = _run([_flow(algorithm, seed), second], seed)
    samples = ran.flow_samples.filter((pl.col("flow") == 1) & (pl.col("t_s") >= start_s))
    # Over one second.
    rates = samples["delivered_bytes"].cast(pl.Float64).diff(10) * 8 / 1.0
    reached = samples.filter(rates >= 0.8 * RATE_BPS / 2)
    return float(reached["t_s"][0]) - start_s if reached.height else PAIR_S - start_s


_PATH = "50 Mbit/s, 40 ms, one BDP"
TRAITS = (
    Trait("utilisation", f"alone, {_PATH}", "", lambda alg, seed: _utilisation(_alone(alg, seed))),
    Trait("utilisation, shallow", "alone, a queue of 0.1 BDP", "", lambda alg, seed: _utilisation(_alone(alg, seed, queue_bdp=0.1))),
    Trait("standing queue", f"alone, {_PATH}", "s", _queue),
    Trait("standing queue, deep", "alone, a queue of 5 BDP", "s", lambda alg, seed: _queue(alg, seed, queue_bdp=5.0)),
    Trait("epoch", f"between two losses, alone, {_PATH}", "s", _epoch_s),
    Trait("back-off", f"the threshold over the window at a loss, alone, {_PATH}", "", _kept),
    Trait("response slope", "log window over log loss, 1 Gbit/s, 40 ms, losses of 3e-4 to 1e-2", "", _slope),
    Trait(
        "window at 1e-3",
        "mean window in packets at a loss of one in a thousand, 1 Gbit/s, 40 ms",
        "packets",
        lambda a, s: _windows(a, s)[1],
    ),
    Trait("fairness", f"the smaller over the larger of two equal flows, {_PATH}", "", _smaller_over_larger),
    Trait("RTT fairness", "the flow of 80 ms over that of 20 ms", "", lambda alg, seed: _ratio(alg, seed, rtts_s=(0.02, 0.08))),
    Trait("convergence", "a second flow's time to 80 % of its half", "s", _convergence_s),
    Trait("harm to reno", f"Reno's share beside it over its share beside Reno, {_PATH}", "", _harm_to("reno")),
    Trait("harm to cubic", f"CUBIC's share beside it over its share beside CUBIC, {_PATH}", "", _harm_to("cubic")),
)
"""Those there are: a new one is one entry."""
