"""Figures 4 to 6: how a second flow of a hybrid algorithm comes to its share."""

from typing import Any

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Histories
from windtunnel.scenario import Scenario
from windtunnel.suites.leith08.common import ONE_RUN, STACK, drawn_start_s, queue_packets, run
from windtunnel.suites.paths import with_memories

ILLINOIS_EPOCH_S = 600.0
FIRST_START_S = 50.0


def illinois_pair(_point: Point, draws: Draws) -> Scenario:
    """Return two Illinois flows, the second from anywhere in an epoch of the first; 1500 s of both."""
    start_s = drawn_start_s(draws, earliest_s=FIRST_START_S, span_s=ILLINOIS_EPOCH_S)
    queue = queue_packets(250, 100, 1.0)
    return run(
        draws, rate=250, rtt=100, queue=queue, algorithms=("illinois", "illinois"), starts_s=(0.0, start_s), duration_s=start_s + 1500
    )


def joined_at_100_s(point: Point, draws: Draws) -> Scenario:
    """Return two flows of the point's protocol, the second from 100 s, as the figure has it."""
    queue = queue_packets(200, 100, 1.0)
    return run(draws, rate=200, rtt=100, queue=queue, algorithms=(point["alg"],) * 2, starts_s=(0.0, 100.0), duration_s=1500.0)


def small_queue(_point: Point, draws: Draws) -> Scenario:
    """Return two Compound flows over a tenth of a BDP of buffer, the second from 50 s to 150 s."""
    start_s = drawn_start_s(draws, earliest_s=FIRST_START_S, span_s=100.0)
    queue = queue_packets(200, 200, 0.1)
    return run(draws, rate=200, rtt=200, queue=queue, algorithms=("ctcp", "ctcp"), starts_s=(0.0, start_s), duration_s=600.0)


def _windows(title: str, **more: Any) -> Histories:
    return Histories("cwnd", title, quantity="cwnd_packets", y_label="cwnd (packets)", caption="One of the repeats.", **more)


EXPERIMENTS = (
    Experiment(
        id="leith08.fig4",
        title="Convergence of Illinois",
        question="How long does a second Illinois flow take to its share?",
        source="Fig. 4; IV.B",
        duration_s=1500.0,
        source_repeats=1,
        points={"alg": ("illinois",)},
        scenario=illinois_pair,
        measures=(*with_memories("conv80_s"), *(Measure(name) for name in ("fair_final", "fair_minmax", "epoch_s", "util"))),
        figures=(_windows("Two Illinois flows, 250 Mbit/s, 100 ms"),),
        parameters=(
            *STACK,
            ("flows", "2; the second starts at random within an epoch of the first (50 s to 650 s); the paper does not say when"),
            ("rate, RTT, queue", "250 Mbit/s, 100 ms, 1 BDP"),
            ("duration", "1500 s from the start of the second flow"),
        ),
        kept="all",
        quick=Quick(repeats=3),
        notes=(ONE_RUN, "The paper calls its 300 s the best case: the new flow skips the first back-off."),
    ),
    Experiment(
        id="leith08.fig5",
        title="Convergence of Compound with a queue of one BDP",
        question="Does Compound with a large queue behave as Reno does?",
        source="Fig. 5; IV.B",
        duration_s=1500.0,
        source_repeats=1,
        points={"alg": ("ctcp", "reno")},
        scenario=joined_at_100_s,
        measures=(*with_memories("conv80_s"), *(Measure(name) for name in ("epoch_s", "dwnd_frac", "fair_final", "util"))),
        figures=(_windows("Two flows, 200 Mbit/s, 100 ms, queue 1 BDP", panels="alg"),),
        parameters=(
            *STACK,
            ("flows", "2; the second starts at 100 s"),
            ("rate, RTT, queue", "200 Mbit/s, 100 ms, 1 BDP"),
            ("duration", "1500 s"),
        ),
        kept="all",
        quick=Quick(repeats=3),
        notes=("The paper ran Vista; this is the algorithm of its draft. The repeats differ in the path's delay only.",),
    ),
    Experiment(
        id="leith08.fig6",
        title="Convergence of Compound with a small queue",
        question="Does Compound converge faster where the delay window is in use?",
        source="Fig. 6; IV.B",
        source_repeats=1,
        points={"alg": ("ctcp",)},
        scenario=small_queue,
        measures=tuple(Measure(name) for name in ("fair_300", "fair_final", "wnd_fill_s", "util")),
        figures=(_windows("Two Compound flows, 200 Mbit/s, 200 ms, queue 0.1 BDP"),),
        parameters=(
            *STACK,
            ("flows", "2; the second starts at random between 50 s and 150 s; the paper does not say when"),
            ("rate, RTT, queue", "200 Mbit/s, 200 ms, 0.1 BDP (333 packets)"),
            ("duration", "600 s"),
        ),
        kept="all",
        quick=Quick(repeats=3),
        notes=(ONE_RUN, "The paper's pipe of 2500 packets does not match 200 Mbit/s and 200 ms, which are 3333 packets."),
    ),
)
