"""What is run: a flow alone, two of a kind, one beside reno, one beside cubic, and one beside the competition that was named."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from windtunnel.advise.measures import others_mbps, own_mbps, own_share, resent_percent
from windtunnel.advise.path import Network
from windtunnel.experiment import Draws, Experiment, Measure, Point
from windtunnel.scenario import Flow, Scenario

ALONE, EQUAL, RENO, CUBIC, BESIDE = "advise.alone", "advise.equal", "advise.reno", "advise.cubic", "advise.beside"
WINDOW_FROM = 0.5
"""Share of a run that every mean leaves out."""
STARTS_WITHIN = 0.05
"""Flows that share start at random within this part of the run, so that none is the newcomer."""
SECOND_START = (0.1, 0.2)
"""The second of two equal flows starts at random within this part."""
SAMPLE_S = 0.1
"""Of a pair: as often as a convergence time needs."""
MOST_SAMPLES = 10_000
REPEATS = 4


def _scenario(network: Network, flows: Sequence[Flow], *, sample_s: float = 0.0) -> Scenario:
    # Up to a packet's time of jitter: less leaves two flows locked in phase (Floyd and Jacobson, 1992).
    jitter_s = min(1 / network.packets_s, 0.1 * network.rtt_s)
    end_s = network.duration_s
    return Scenario(
        bottleneck=network.link, flows=tuple(flows), duration_s=end_s, warmup_s=WINDOW_FROM * end_s, sample_s=sample_s, jitter_s=jitter_s
    )


def _flow(network: Network, name: str, draws: Draws, number: int, within: tuple[float, float] = (0.0, STARTS_WITHIN)) -> Flow:
    drawn = draws.uniform(f"start of flow {number}")
    start_s = round(network.duration_s * (within[0] + (within[1] - within[0]) * drawn), 6)
    return Flow(algorithm=name, rtt_s=network.rtt_s, start_s=start_s)


def alone(point: Point, draws: Draws, *, network: Network) -> Scenario:
    """Return one flow, its queue sampled five times per round trip."""
    sample_s = round(min(SAMPLE_S, max(network.rtt_s / 5, network.duration_s / MOST_SAMPLES)), 6)
    return _scenario(network, [_flow(network, point["alg"], draws, 1)], sample_s=sample_s)


def equal(point: Point, draws: Draws, *, network: Network) -> Scenario:
    """Return a flow, joined by another of its kind."""
    flows = [_flow(network, point["alg"], draws, number, within) for number, within in ((1, (0.0, 0.0)), (2, SECOND_START))]
    return _scenario(network, flows, sample_s=SAMPLE_S)


def beside(point: Point, draws: Draws, *, network: Network, others: Sequence[str]) -> Scenario:
    """Return a flow among others, all started within the same part of the run."""
    names = (point["alg"], *others)
    return _scenario(network, [_flow(network, name, draws, number) for number, name in enumerate(names, start=1)])


def experiments(network: Network, algorithms: Sequence[str]) -> tuple[Experiment, ...]:
    """Declare what is run for some protocols on a path.

    Parameters
    ----------
    network : Network
        The path.
    algorithms : sequence of str
        The protocols.

    Returns
    -------
    tuple of Experiment
        The one beside the competition only where there is some.
    """
    same: dict[str, Any] = {
        "source": "windtunnel advise",
        "points": {"alg": tuple(algorithms)},
        "parameters": (("path", network.words), ("duration", f"{network.duration_s:g} s"), ("means", "over the second half of each run")),
        "repeats": REPEATS,
    }
    t0, t1 = WINDOW_FROM * network.duration_s, network.duration_s
    found = [
        Experiment(
            id=ALONE,
            title="Alone",
            question="What does one flow carry, at what delay and loss?",
            scenario=partial(alone, network=network),
            measures=(
                *(Measure(name, t0=t0, t1=t1) for name in ("goodput_mbps", "qdelay_mean_ms", "qdelay_p95_ms")),
                Measure("resent_percent", function=resent_percent),
            ),
            kept="all",
            **same,
        ),
        Experiment(
            id=EQUAL,
            title="Two of a kind",
            question="How soon does a second flow have its share?",
            scenario=partial(equal, network=network),
            measures=(Measure("conv80_s@fair_share"),),
            kept="rates",
            **same,
        ),
    ]
    for id, name, title in ((RENO, "reno", "Reno"), (CUBIC, "cubic", "CUBIC")):
        found.append(
            Experiment(
                id=id,
                title=f"Beside {title}",
                question=f"How does one flow share the path with one of {title}?",
                scenario=partial(beside, network=network, others=(name,)),
                measures=(Measure("own_share", function=own_share),),
                **same,
            )
        )
    if network.competition:
        others = tuple(name for name, count in network.competition for _ in range(count))
        found.append(
            Experiment(
                id=BESIDE,
                title=f"Beside {network.beside}",
                question="What does one flow get among them, and what does it leave to each?",
                scenario=partial(beside, network=network, others=others),
                measures=(Measure("own_mbps", function=own_mbps), Measure("others_mbps", function=others_mbps)),
                **same,
            )
        )
    return tuple(found)
