"""What is run at which rate: a fraction that two cores make in an hour, and the whole grid, for a cluster.

The cost is an estimate: packets that the link may carry, at the time that a packet takes on the machine this was measured on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from windtunnel.experiment import Plan
from windtunnel.experiment.plan import Job
from windtunnel.suites.paths import reno_epoch_s

RATES = (10, 250, 1000, 10000)
"""Mbit/s."""
LONG_RTT = 162
FAIR = "same"
QUESTIONS = (FAIR, "rtt", "old", "loss")
"""Two equal flows (symmetric fairness, efficiency, loss overhead, convergence); two round trips; beside Reno and CUBIC; random loss."""


@dataclass(frozen=True)
class Grid:
    """The points of one question at one rate.

    Parameters
    ----------
    rtts : sequence of float
        ms.
    queues : sequence of float
        BDP, drop-tail.
    managed : sequence of float
        BDP, FQ-CoDel.
    repeats : int
        Seeds.
    duration_s : float
        Length of a run.
    losses : sequence of float
        Probabilities, of the question of random loss.
    """

    rtts: Sequence[float]
    queues: Sequence[float] = ()
    managed: Sequence[float] = ()
    repeats: int = 2
    duration_s: float = 120.0
    losses: Sequence[float] = ()


FRACTION: Mapping[tuple[str, int], Grid] = {
    (FAIR, 10): Grid((16, 42, 162), (0.05, 0.2, 1.0, 2.0), (1.0,), 5, 600.0),
    (FAIR, 250): Grid((16, 42, 162), (0.05, 0.2, 1.0, 2.0), (1.0,), 5, 400.0),
    (FAIR, 1000): Grid((16, 42, 162), (0.05, 0.2, 1.0), (1.0,), 4, 200.0),
    (FAIR, 10000): Grid((16, 100), (0.05, 1.0), (1.0,), 2, 120.0),
    ("rtt", 10): Grid((16, 42), (0.2, 1.0), (), 5, 600.0),
    ("rtt", 250): Grid((16, 42), (0.2, 1.0), (), 3, 400.0),
    ("rtt", 1000): Grid((16, 42), (0.2, 1.0), (), 2, 200.0),
    ("old", 10): Grid((42, 162), (0.2, 1.0), (), 5, 600.0),
    ("old", 250): Grid((42, 162), (0.2, 1.0), (), 3, 400.0),
    ("old", 1000): Grid((42, 162), (0.2, 1.0), (), 3, 200.0),
    ("loss", 10): Grid((LONG_RTT,), (0.2,), (), 3, 300.0, (1e-4, 1e-3, 1e-2)),
    ("loss", 250): Grid((LONG_RTT,), (0.2,), (), 3, 300.0, (1e-5, 1e-4, 1e-3, 1e-2)),
    ("loss", 1000): Grid((LONG_RTT,), (0.2,), (), 2, 200.0, (1e-5, 1e-4, 1e-3)),
}
"""At 10 Gbit/s two equal flows alone: they take a third of the time that all of it may."""
_RTTS, _QUEUES, _LOSSES = (16, 22, 42, 82, 162, 324), (0.05, 0.1, 0.2, 0.5, 1.0, 2.0), (1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
WHOLE: Mapping[tuple[str, int], Grid] = {
    (question, rate): Grid(
        (LONG_RTT,) if question == "loss" else _RTTS,
        (0.2,) if question == "loss" else _QUEUES,
        () if question == "loss" else _QUEUES,
        10 if rate < 1000 else 5,
        3600.0 if rate < 1000 else 600.0,
        _LOSSES if question == "loss" else (),
    )
    for question in QUESTIONS
    for rate in RATES
    if (question, rate) in FRACTION
}

_NS, _RATED_NS, _MANAGED_NS = 28.0, 95.0, 55.0
"""Nanoseconds a packet: of a law of the window, of one of the rate, and what FQ-CoDel adds. Measured at 1 Gbit/s, 42 ms."""
_RUN_S = 0.1
"""Of a run beside its packets: its start, its measures, its files."""
RATED = ("bbr", "bbr3", "copa", "fast", "prague", "areno")


def cost_s(job: Job) -> float:
    """Return about how many core-seconds a run takes; of a whole stack fifty times as many, its own program being what runs."""
    link, names = job.scenario.bottleneck, {flow.algorithm for flow in job.scenario.flows}
    packet_ns = (_RATED_NS if names & set(RATED) else _NS) + (_MANAGED_NS if link.discipline == "fq-codel" else 0.0)
    foreign = 50.0 if any(flow.stack for flow in job.scenario.flows) else 1.0
    return _RUN_S + job.weight * packet_ns * 1e-9 * foreign


def planned(plan: Plan) -> list[str]:
    """Return what the plan costs by rate, and where its runs are shorter than an epoch of Reno, a line each."""
    lines, whole = [], 0.0
    spent: dict[int, tuple[int, float]] = {}
    short: dict[int, tuple[float, float]] = {}
    for job in plan.jobs.values():
        rate = round(job.scenario.bottleneck.rate_bps / 1e6)
        runs, seconds = spent.get(rate, (0, 0.0))
        spent[rate] = (runs + 1, seconds + cost_s(job))
        whole += cost_s(job)
        longest = max(flow.rtt_s or 0.0 for flow in job.scenario.flows) * 1e3
        q = (job.scenario.bottleneck.queue_packets or 0) * 12 / (rate * longest) if longest else 0.0
        epoch_s = reno_epoch_s(rate, longest, q)
        if epoch_s > job.scenario.duration_s:
            short[rate] = max(short.get(rate, (0.0, 0.0)), (epoch_s, job.scenario.duration_s))
    for rate in sorted(spent):
        runs, seconds = spent[rate]
        late = f"; too short for an epoch of Reno of up to {short[rate][0] / 60:.0f} min" if rate in short else ""
        lines.append(f"{rate} Mbit/s: {runs} runs, about {seconds:.0f} core-seconds, {seconds / whole:.0%} of all{late}")
    return [*lines, f"together about {whole:.0f} core-seconds: {whole / 120:.0f} min on two cores"]
