"""Figures 6 and 7: long flows beside web sessions, their windows and how they converge."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Compared, Histories
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.suites.open08.common import DUMBBELL, PROFILE, STACK, levels
from windtunnel.suites.paths import bdp_packets, drawn_rtt_s, jitter_s, with_memories

RATE, RTT = 250, 200
QUEUE = round(bdp_packets(RATE, RTT))
SESSIONS = 25
STARTS_S = (0.0, 5.0, 10.0)
AFTER_S = 1800.0
"""Three epochs of two Reno flows on this path, from the start of the second flow."""
WEB = (
    "web traffic",
    "25 sessions of Reno flows, objects one by one: Pareto sizes of 14.5 kB with shape 1.2, 1 s of thought between (exponential)",
)
WEB_NOTE = "The paper names 25 web sessions and nothing of them. They are those of ns-2's example of web traffic, some 2 Mbit/s together."


def _beside_web(draws: Draws, algorithm: str, starts_s: tuple[float, ...], duration_s: float) -> Scenario:
    jitter = jitter_s(RATE, RTT)
    return Scenario(
        bottleneck=Bottleneck(rate_bps=RATE * 1e6, queue_packets=QUEUE),
        flows=tuple(Flow(algorithm=algorithm, start_s=start) for start in starts_s),
        sessions=({"algorithm": "reno", "count": SESSIONS},),
        rtt_s=drawn_rtt_s(RTT, jitter=jitter, draws=draws),
        duration_s=duration_s,
        warmup_s=max(starts_s) + 10.0,
        sample_s=0.1,
        jitter_s=jitter,
        profile=PROFILE,
    )


def three_flows(point: Point, draws: Draws) -> Scenario:
    """Return three long flows, started 5 s apart, beside web sessions."""
    return _beside_web(draws, point["alg"], STARTS_S, 600.0)


def joined(point: Point, draws: Draws) -> Scenario:
    """Return a long flow, and from 100 s to 200 s on a second one, beside web sessions."""
    start_s = round(100.0 + 100.0 * draws.uniform("start of flow 2"), 3)
    return _beside_web(draws, point["alg"], (0.0, start_s), start_s + AFTER_S)


EXPERIMENTS = (
    Experiment(
        id="open08.fig6",
        title="Windows of CUBIC and H-TCP beside web traffic",
        question="Are the windows of CUBIC and of H-TCP with CUBIC's back-off distributed alike?",
        source="Fig. 6; II.B",
        points={"alg": ("cubic", "htcp:beta08", "htcp")},
        scenario=three_flows,
        measures=(*levels(), Measure("cov"), Measure("median"), Measure("util")),
        figures=(
            Histories("cwnd", "Three flows beside 25 web sessions", quantity="cwnd_packets", panels="alg", y_label="cwnd (packets)"),
            Compared("cov", "Spread of the window", metric="cov", y_label="Coefficient of variation"),
            Compared("median", "Median window", metric="median", y_label="Median (packets)"),
        ),
        parameters=(
            *STACK,
            *DUMBBELL,
            ("flows", "3, started 5 s apart; the paper does not say when"),
            WEB,
            ("rate, RTT, queue", "250 Mbit/s, 200 ms, 1 BDP (4167 packets)"),
            ("duration", "600 s (not stated)"),
        ),
        repeats=5,
        kept="all",
        quick=Quick(repeats=3),
        notes=(WEB_NOTE,),
    ),
    Experiment(
        id="open08.fig7",
        title="Convergence of CUBIC and Compound beside web traffic",
        question="How long does a second flow take to its share beside web traffic?",
        source="Fig. 7; III",
        source_repeats=1,
        points={"alg": ("cubic", "ctcp")},
        scenario=joined,
        measures=(*with_memories("conv80_s"), Measure("fair_final"), Measure("util")),
        figures=(
            Histories("cwnd", "A second flow beside 25 web sessions", quantity="cwnd_packets", panels="alg", y_label="cwnd (packets)"),
        ),
        parameters=(
            *STACK,
            *DUMBBELL,
            ("flows", "2; the second starts at random between 100 s and 200 s; the paper does not say when"),
            WEB,
            ("rate, RTT, queue", "250 Mbit/s, 200 ms, 1 BDP (4167 packets)"),
            ("duration", "1800 s from the start of the second flow"),
        ),
        repeats=5,
        kept="all",
        quick=Quick(repeats=3),
        notes=("The paper shows one run; the repeats differ in when the second flow starts, and in the web traffic.", WEB_NOTE),
    ),
)
