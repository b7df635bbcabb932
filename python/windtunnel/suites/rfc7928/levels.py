"""Section 8: levels of congestion, those that vary, and a capacity that varies; and ECN (4.5)."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.scenario import Scenario
from windtunnel.suites.paths import bdp_packets
from windtunnel.suites.rfc7928.common import (
    DISCIPLINES,
    DURATION_S,
    HEADINGS,
    HELD,
    LEVELS,
    NETWORK,
    QUICK,
    QUICK_REPEATS,
    REPEATS,
    RTT_MS,
    STEADY,
    bottleneck,
    by_discipline,
    flows,
    goodput_mbps,
    plane,
    scenario,
    start_s,
)

PHASE_S = 20.0
PHASES = ("mild", "medium", "heavy", "mild", "medium", "heavy")
FAST_S = 0.1
RATES_MBPS = (100, 10)
CAPACITY_BUFFER = round(bdp_packets(RATES_MBPS[0], RTT_MS))
CAPACITY_FLOWS = LEVELS["mild"]


def level(point: Point, draws: Draws) -> Scenario:
    """Return as many flows as the level of congestion asks for."""
    ecn: dict[str, Any] = {"transport": {"ecn": "classic"}} if point["ecn"] == "on" else {}
    return scenario(bottleneck(point["aqm"]), flows(point["alg"], LEVELS[point["level"]], draws, **ecn), draws)


def varying(point: Point, draws: Draws) -> Scenario:
    """Return flows that join and leave, so that the level of congestion changes every 20 s."""
    those = [*flows("reno", LEVELS["mild"], draws)]
    number = LEVELS["mild"]
    for round_s in (0.0, 3 * PHASE_S):
        for begins, more in ((1, LEVELS["medium"] - LEVELS["mild"]), (2, LEVELS["heavy"] - LEVELS["medium"])):
            for _ in range(more):
                number += 1
                begin = round_s + begins * PHASE_S + start_s(draws, number)
                stop: dict[str, Any] = {"stop_s": 3 * PHASE_S + start_s(draws, number)} if not round_s else {}
                those += flows("reno", 1, draws, start_s=round(begin, 4), **stop)
    return scenario(bottleneck(point["aqm"]), those, draws, warmup_s=0.0)


def capacity(point: Point, draws: Draws) -> Scenario:
    """Return flows over a link whose rate alternates between 100 and 10 Mbit/s."""
    step_s = PHASE_S if point["every"] == "20 s" else FAST_S
    times = np.arange(1, round(DURATION_S / step_s)) * step_s
    steps = [{"at": round(float(at), 6), "rate": RATES_MBPS[number % 2] * 1e6} for number, at in enumerate(times, start=1)]
    link = bottleneck(point["aqm"], rate_mbps=RATES_MBPS[0], buffer_packets=CAPACITY_BUFFER, rate_steps=steps)
    return scenario(link, flows("reno", CAPACITY_FLOWS, draws), draws, warmup_s=PHASE_S)


def delay_ms(view: View, t0: float, t1: float) -> float | None:
    """Return the mean time the queue's bytes take at the rate of that time, milliseconds.

    The registered metric takes the link's first rate; here the rate steps count.
    """
    series = view.link_series(view.link)
    inside = (series.t_s >= t0) & (series.t_s < t1)
    if not inside.any():
        return None
    steps = view.scenario["bottleneck"].get("rate_steps", ())
    at = np.array([0.0, *(float(step["at_s"]) for step in steps)])
    rates = np.array([view.rate_bps, *(float(step["rate_bps"]) for step in steps)])
    now = rates[np.searchsorted(at, series.t_s[inside] + 1e-9, side="right") - 1]
    return float((series.queue_bytes[inside] * 8e3 / now).mean())


def _phase_delay(view: View, *, t0: float, t1: float) -> float | None:
    """Return the mean queueing delay of a phase at the rate of that time, milliseconds."""
    return delay_ms(view, t0, t1)


def _phase_goodput(view: View, *, t0: float, t1: float) -> float | None:
    """Return the goodput of all flows together in a phase, Mbit/s."""
    parts = [goodput_mbps(view, flow, t0, t1) for flow in view.foreground]
    return sum(part for part in parts if part is not None) if any(part is not None for part in parts) else None


def _phase_rows() -> Iterator[Measure]:
    for number in range(len(PHASES)):
        t0, t1 = number * PHASE_S, (number + 1) * PHASE_S
        state = f"phase {number + 1}"
        yield Measure("phase_delay_ms", state=state, function=functools.partial(_phase_delay, t0=t0, t1=t1))
        yield Measure("phase_goodput_mbps", state=state, function=functools.partial(_phase_goodput, t0=t0, t1=t1))


def whole_delay(view: View) -> float | None:
    """Return the mean queueing delay from 20 s on at the rate of each time, milliseconds."""
    return delay_ms(view, PHASE_S, DURATION_S)


EXPERIMENTS = (
    Experiment(
        id="rfc7928.levels",
        title="Mild, medium and heavy congestion, without and with ECN",
        question="What delay and goodput does a discipline give 6, 13 and 19 flows, and what does ECN change?",
        source="8.2.2 to 8.2.4; 4.5 (must be discussed)",
        duration_s=DURATION_S,
        points={"alg": ("reno", "cubic"), "aqm": DISCIPLINES, "level": tuple(LEVELS), "ecn": ("off", "on")},
        scenario=level,
        measures=(*HELD, Measure("mark_share"), Measure("jain"), Measure("lambda_sync")),
        figures=(
            plane("plane-reno", title="Delay and goodput, NewReno without ECN", panels="level", algs=("reno",), fixed={"ecn": "off"}),
            plane("plane-cubic", title="Delay and goodput, CUBIC without ECN", panels="level", algs=("cubic",), fixed={"ecn": "off"}),
            plane("plane-ecn", title="Delay and goodput, NewReno with ECN", panels="level", algs=("reno",), fixed={"ecn": "on"}),
            by_discipline(
                "drops",
                "Share of packets dropped, NewReno, 19 flows",
                "drop_share",
                "share",
                series="ecn",
                algs=("reno",),
                fixed={"level": "heavy"},
            ),
            by_discipline(
                "sync",
                "Share of congestion events at which a flow backs off",
                "lambda_sync",
                "share",
                series="level",
                algs=("reno",),
                fixed={"ecn": "off"},
            ),
        ),
        parameters=(
            *NETWORK,
            (
                "level",
                ", ".join(f"{name} {count} flows" for name, count in LEVELS.items())
                + "; N = 0.036, 0.081, 0.114 S (8.2.1), S of BDP and buffer",
            ),
            STEADY,
        ),
        repeats=REPEATS,
        kept="queues",
        quick=Quick(points={"alg": ("reno",), "aqm": QUICK}, repeats=QUICK_REPEATS),
        headings={**HEADINGS, "level": "congestion", "ecn": "ECN"},
    ),
    Experiment(
        id="rfc7928.varying",
        title="Congestion that varies",
        question="Are delay and goodput held in each phase where the level of congestion changes every 20 s?",
        source="8.2.5 (must)",
        duration_s=DURATION_S,
        points={"alg": ("reno",), "aqm": DISCIPLINES},
        scenario=varying,
        measures=(*_phase_rows(), Measure("drop_share"), Measure("util", t0=0.0, t1=DURATION_S)),
        figures=(
            by_discipline("delay", "Mean queueing delay of each phase", "phase_delay_ms", "ms", series="state"),
            by_discipline("goodput", "Goodput of each phase", "phase_goodput_mbps", "Mbit/s", series="state"),
        ),
        parameters=(
            *NETWORK,
            ("phases", "mild 0 to 20 s, medium to 40 s, heavy to 60 s, then the same again; flows join and leave within a second"),
            ("duration", "120 s, all of it measured, phase by phase"),
        ),
        repeats=REPEATS,
        kept="queues",
        quick=Quick(points={"aqm": QUICK}, repeats=QUICK_REPEATS),
        headings=HEADINGS,
    ),
    Experiment(
        id="rfc7928.capacity",
        title="Capacity that varies",
        question="Are delay and goodput held where the link's rate jumps between 100 and 10 Mbit/s?",
        source="8.2.6 (must)",
        duration_s=DURATION_S,
        points={"alg": ("reno",), "aqm": DISCIPLINES, "every": ("20 s", "100 ms")},
        scenario=capacity,
        measures=(
            Measure("whole_delay_ms", function=whole_delay),
            Measure("goodput_mbps"),
            Measure("drop_share"),
            *_phase_rows(),
        ),
        figures=(
            plane("plane", x="whole_delay_ms", panels="every"),
            by_discipline(
                "delay", "Mean queueing delay of each phase, 20 s", "phase_delay_ms", "ms", series="state", fixed={"every": "20 s"}
            ),
            by_discipline(
                "goodput", "Goodput of each phase, 20 s", "phase_goodput_mbps", "Mbit/s", series="state", fixed={"every": "20 s"}
            ),
        ),
        parameters=(
            ("network", f"dumbbell, 100 and 10 Mbit/s in turn, base RTT {RTT_MS} ms"),
            ("buffer", f"{CAPACITY_BUFFER} packets: a BDP at 100 Mbit/s, one second at 10"),
            *NETWORK[2:],
            ("flows", f"{CAPACITY_FLOWS} NewReno, as for mild congestion at 10 Mbit/s"),
            ("duration", "120 s; phases of 20 s from the start, the whole from 20 s on"),
        ),
        repeats=3,
        kept="queues",
        quick=Quick(points={"aqm": QUICK}, repeats=QUICK_REPEATS),
        headings={**HEADINGS, "every": "rate changes"},
        notes=(
            "The simulator's PIE takes the queue's delay from the rate the link begins with, 100 Mbit/s. At 10 Mbit/s it holds ten times "
            "its target; RFC 8033 (4.3) estimates the rate of departures, and would not.",
        ),
    ),
)
