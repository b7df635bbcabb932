"""What is compared: arrangements of flows over a grid of paths, the same scenarios for both backends.

The quick grid is the reference path (250 Mbit/s, 42 ms, a queue of 20 % BDP) and 10 Mbit/s beside it, with one flow and with two. A
kernel takes 0.145 CPU seconds for a virtual second at 250 Mbit/s and 0.015 at 10 Mbit/s, 0.05 more where it is sampled twenty times per
round trip, the simulator next to nothing. Fourteen algorithms therefore need 14 x ((60 + 5 x 25) s x 0.26 + 5 x 150 s x 0.16) = 2360 CPU
seconds: just below 20 minutes on two cores, which it may take.

The live grid is two flows at 10, 100 and 250 Mbit/s: each run takes its duration in real time, and none is the same twice, so that a flow
alone without any draw shows nothing there. The brief one runs them for a minute: five repeats of an algorithm in 16 minutes in place of 40.

The full grid is 14 x (10, 50, 250 Mbit/s) x (16, 42, 162 ms) x (20 %, 100 %) x five arrangements; at 250 Mbit/s alone it is 14 CPU hours,
a night on two cores. It uses again what the quick grid ran into the same folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from windtunnel.agreement.measures import MEASURES, RETRANSMITTED, first_of
from windtunnel.backends.linux.profiles import PROFILE
from windtunnel.experiment import Draws, Experiment, Measure, Point
from windtunnel.scenario import Bottleneck, Flow, Scenario

ALGORITHMS = (
    "reno",
    "cubic",
    "bic",
    "htcp",
    "hstcp",
    "scalable",
    "illinois",
    "vegas",
    "yeah",
    "westwood",
    "lp",
    "veno",
    "hybla",
    "bbr",
)
"""The kernel's algorithms that are asked for when none is named."""

GRIDS: Mapping[str, Mapping[str, Sequence[float]]] = {
    "quick": {"rate": (250, 10), "rtt": (42,), "q": (0.2,)},
    "full": {"rate": (250, 50, 10), "rtt": (42, 16, 162), "q": (0.2, 1.0)},
    "live": {"rate": (250, 100, 10), "rtt": (42,), "q": (0.2,)},
    "live-brief": {"rate": (250, 100, 10), "rtt": (42,), "q": (0.2,)},
}
"""Paths by grid: Mbit/s, ms, BDP. The reference comes first."""

ONE, STARTS, TWO, RENO, RTTS, BRIEF = "agree.one", "agree.starts", "agree.two", "agree.reno", "agree.rtts", "agree.brief"
SHAPES: Mapping[str, Sequence[str]] = {
    "quick": (ONE, STARTS, TWO),
    "full": (ONE, STARTS, TWO, RENO, RTTS),
    "live": (TWO,),
    "live-brief": (BRIEF,),
}
"""Arrangements by grid."""

ALONE_S = 60.0
"""A flow alone: the slow start, the first epoch and, where that is short, some more."""
STARTED_S = 25.0
"""A flow alone that starts elsewhere: the slow start and, on the reference path, the first epoch even of reno."""
STARTED_SPAN_S = 1.0
"""It starts at random within the first second: at any place between two steps of a clock."""
SHORT_S, LONG_S = 150.0, 300.0
"""Flows together: the long one where two reno flows have fewer than eight epochs in the short one's window."""
FEWEST_EPOCHS = 8
EARLIEST_S, SPAN_S = 10.0, 20.0
"""Flow 2 starts at random within the span."""
FROM_S = 40.0
"""Where the window of the means begins, ten seconds after the latest start."""
BRIEF_S = 60.0
"""Two flows in real time."""
BRIEF_EARLIEST_S, BRIEF_SPAN_S, BRIEF_FROM_S = 3.0, 5.0, 20.0
"""As `EARLIEST_S`, `SPAN_S` and `FROM_S`, of these."""
ALONE_FROM_S = 10.0
SAMPLES_PER_RTT = 20
SAMPLE_S = 0.1
REPEATS = 5


def _packets_s(point: Point) -> float:
    return float(point["rate"]) * 1e6 / 12_000


def _bottleneck(point: Point) -> Bottleneck:
    """Return the bottleneck of a point; what is computed below two packets is two, or two flows cannot be distinguished by the queue."""
    packets = point["q"] * _packets_s(point) * point["rtt"] * 1e-3
    return Bottleneck(rate_bps=point["rate"] * 1e6, queue_packets=max(2, round(packets)))


def together_s(point: Point) -> float:
    """Return how long two flows run at a point, seconds.

    Two synchronised reno flows lose half of a full pipe of N packets and gain two per round trip: their epoch is N^2 packets over four
    times the rate.
    """
    full = _packets_s(point) * point["rtt"] * 1e-3 * (1 + point["q"])
    epoch_s = full**2 / (4 * _packets_s(point))
    return SHORT_S if FEWEST_EPOCHS * epoch_s <= SHORT_S - FROM_S else LONG_S


def alone(point: Point, draws: Draws) -> Scenario:
    """Return one flow without jitter, sampled twenty times per round trip: what a law does is then exact on both sides."""
    return Scenario(
        bottleneck=_bottleneck(point),
        flows=(Flow(algorithm=point["alg"], rtt_s=point["rtt"] * 1e-3),),
        duration_s=ALONE_S,
        warmup_s=ALONE_FROM_S,
        sample_s=round(point["rtt"] * 1e-3 / SAMPLES_PER_RTT, 6),
        jitter_s=0.0,
    )


def started(point: Point, draws: Draws) -> Scenario:
    """Return the flow of `alone` with a start drawn to the nanosecond, so that no tie decides all repeats."""
    scenario = alone(point, draws)
    start_s = round(STARTED_SPAN_S * draws.uniform("start of flow 1"), 9)
    flows = tuple(flow.model_copy(update={"start_s": start_s}) for flow in scenario.flows)
    return scenario.model_copy(update={"flows": flows, "duration_s": STARTED_S})


def _second_start_s(draws: Draws, earliest_s: float, span_s: float) -> float:
    return round(earliest_s + span_s * draws.uniform("start of flow 2"), 3)


def _pair(point: Point, draws: Draws, *, algorithms: tuple[str, str], rtts_ms: tuple[float, float]) -> Scenario:
    start_s = _second_start_s(draws, EARLIEST_S, SPAN_S)
    # Up to a packet's time of jitter: less leaves two flows locked in phase (Floyd and Jacobson, 1992).
    jitter_s = min(1 / _packets_s(point), 0.1 * min(rtts_ms) * 1e-3)
    flows = zip(algorithms, rtts_ms, (0.0, start_s), strict=True)
    return Scenario(
        bottleneck=_bottleneck(point),
        flows=tuple(Flow(algorithm=name, rtt_s=rtt * 1e-3, start_s=start) for name, rtt, start in flows),
        duration_s=together_s(point),
        warmup_s=FROM_S,
        sample_s=SAMPLE_S,
        jitter_s=jitter_s,
    )


def equal(point: Point, draws: Draws) -> Scenario:
    """Return two flows of the algorithm."""
    return _pair(point, draws, algorithms=(point["alg"], point["alg"]), rtts_ms=(point["rtt"], point["rtt"]))


def brief(point: Point, draws: Draws) -> Scenario:
    """Return two flows of the algorithm for a minute."""
    scenario = equal(point, draws)
    first, second = scenario.flows
    flows = (first, second.model_copy(update={"start_s": _second_start_s(draws, BRIEF_EARLIEST_S, BRIEF_SPAN_S)}))
    return scenario.model_copy(update={"flows": flows, "duration_s": BRIEF_S, "warmup_s": BRIEF_FROM_S})


def against_reno(point: Point, draws: Draws) -> Scenario:
    """Return a flow of the algorithm, joined by one of reno."""
    return _pair(point, draws, algorithms=(point["alg"], "reno"), rtts_ms=(point["rtt"], point["rtt"]))


def two_rtts(point: Point, draws: Draws) -> Scenario:
    """Return two flows of the algorithm, the second with half the round-trip time."""
    return _pair(point, draws, algorithms=(point["alg"], point["alg"]), rtts_ms=(point["rtt"], point["rtt"] / 2))


_ONLY_FIRST = ("cwnd_pkts", "backoff_factor", "epoch_s")
"""Against reno these are of the algorithm's own flow."""


def _measures(names: Sequence[str], *, of_first: Sequence[str] = ()) -> tuple[Measure, ...]:
    return tuple(Measure(name, function=partial(first_of if name in of_first else MEASURES[name], name)) for name in names)


_TOGETHER = ("share", "util", "loss_ovh", "qocc", "cwnd_pkts", "backoff_factor", "epoch_s", "conv80_s")
_ALONE = ("util", "loss_ovh", RETRANSMITTED, "qocc", "cwnd_pkts", "backoff_factor", "epoch_s")
_JOINED = ("flows", f"2; flow 2 starts at random between {EARLIEST_S:g} and {EARLIEST_S + SPAN_S:g} s")
_WINDOW = ("means", f"from {FROM_S:g} s to the end")
_SOURCE = "the same scenario on both backends"


def _on(profile: str, scenario: Callable[[Point, Draws], Scenario], point: Point, draws: Draws) -> Scenario:
    return scenario(point, draws).model_copy(update={"profile": profile})


def experiments(grid: str, algorithms: Sequence[str], profile: str = PROFILE) -> tuple[Experiment, ...]:
    """Return the comparison's experiments.

    Parameters
    ----------
    grid : str
        A name of `GRIDS`.
    algorithms : sequence of str
        The protocols.
    profile : str, optional
        The simulator's stack.

    Returns
    -------
    tuple of Experiment
        One per arrangement of flows; points are alg, rate (Mbit/s), rtt (ms) and q (BDP).
    """
    points: dict[str, Sequence[Any]] = {"alg": tuple(algorithms), **GRIDS[grid]}

    def made(id: str, title: str, question: str, **own: Any) -> Experiment:
        if profile != PROFILE:
            own["scenario"] = partial(_on, profile, own["scenario"])
        return Experiment(id=id, title=title, question=question, source=_SOURCE, points=points, kept="all", quick=None, **own)

    known = {
        # A single run: without jitter nothing is drawn.
        ONE: made(
            ONE,
            "One flow",
            "Does a flow alone use the link alike?",
            scenario=alone,
            measures=_measures(_ALONE),
            parameters=(("flows", "1, no jitter"), ("duration", f"{ALONE_S:g} s"), ("means", f"from {ALONE_FROM_S:g} s to the end")),
            repeats=0,
        ),
        STARTS: made(
            STARTS,
            "One flow, at drawn starts",
            "Does the window take the same course, whenever the flow starts?",
            scenario=started,
            measures=_measures(("cwnd_pkts",)),
            parameters=(("flows", f"1, no jitter; starts at random within {STARTED_SPAN_S:g} s"), ("duration", f"{STARTED_S:g} s")),
            repeats=REPEATS,
        ),
        TWO: made(
            TWO,
            "Two flows",
            "Do two flows of the algorithm share and fill the link alike?",
            scenario=equal,
            measures=_measures(_TOGETHER),
            parameters=(_JOINED, _WINDOW),
            repeats=REPEATS,
        ),
        RENO: made(
            RENO,
            "Against reno",
            "Does the algorithm take as much from reno?",
            scenario=against_reno,
            measures=_measures(_TOGETHER, of_first=_ONLY_FIRST),
            parameters=(_JOINED, ("flow 2", "reno"), _WINDOW),
            repeats=REPEATS,
        ),
        RTTS: made(
            RTTS,
            "Two round-trip times",
            "Is the longer flow at the same disadvantage?",
            scenario=two_rtts,
            measures=_measures(_TOGETHER),
            parameters=(_JOINED, ("flow 2", "half the round-trip time"), _WINDOW),
            repeats=REPEATS,
        ),
        BRIEF: made(
            BRIEF,
            "Two flows for a minute",
            "Do two flows of the algorithm share and fill the link alike?",
            scenario=brief,
            measures=_measures(_TOGETHER),
            parameters=(
                ("flows", f"2; flow 2 starts at random between {BRIEF_EARLIEST_S:g} and {BRIEF_EARLIEST_S + BRIEF_SPAN_S:g} s"),
                ("duration", f"{BRIEF_S:g} s"),
                ("means", f"from {BRIEF_FROM_S:g} s to the end"),
            ),
            repeats=REPEATS,
        ),
    }
    return tuple(known[shape] for shape in SHAPES[grid])
