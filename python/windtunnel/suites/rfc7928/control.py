"""Section 5: one flow of each kind of transport, and traffic that does not answer."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.scenario import Flow, Scenario
from windtunnel.suites.rfc7928.common import (
    DISCIPLINES,
    DURATION_S,
    HEADINGS,
    HELD,
    NETWORK,
    QUICK,
    QUICK_REPEATS,
    RATE_MBPS,
    REPEATS,
    STEADY,
    WARMUP_S,
    bottleneck,
    by_discipline,
    flows,
    goodput_mbps,
    plane,
    scenario,
)

SHORT_PACKETS = 50
"""Between 10 and 100 (5.1.2)."""
MSS = 1448
SMALL_QUICK = Quick(points={"aqm": QUICK}, repeats=QUICK_REPEATS)


def friendly(point: Point, draws: Draws) -> Scenario:
    """Return one long NewReno flow with an initial window of three segments."""
    return scenario(bottleneck(point["aqm"]), flows("reno", 1, draws, transport={"initial_window": 3}), draws)


def windows(point: Point, draws: Draws) -> Scenario:
    """Return a long flow, and a short one that begins in its steady state with the point's initial window."""
    begin = round(WARMUP_S + 60.0 * draws.uniform("start of the short flow"), 4)
    short = {"algorithm": "reno", "bytes": SHORT_PACKETS * MSS, "start_s": begin, "transport": {"initial_window": point["iw"]}}
    those = (*flows("reno", 1, draws, transport={"initial_window": 3}), Flow.model_validate(short))
    return scenario(bottleneck(point["aqm"]), those, draws)


def aggressive(point: Point, draws: Draws) -> Scenario:
    """Return one long CUBIC flow."""
    return scenario(bottleneck(point["aqm"]), flows("cubic", 1, draws), draws)


def flood(point: Point, draws: Draws) -> Scenario:
    """Return datagrams beyond the link's rate; the flow of one packet is there because a scenario has one."""
    source = {"kind": "udp", "rate_bps": point["load"] * RATE_MBPS * 1e6, "start_s": 0.0}
    return scenario(bottleneck(point["aqm"]), flows("reno", 1, draws, bytes=MSS), draws, traffic=(source,))


def unresponsive(point: Point, draws: Draws) -> Scenario:
    """Return datagrams of a part of the link's rate beside one NewReno flow."""
    source = {"kind": "udp", "rate_bps": point["load"] * RATE_MBPS * 1e6, "start_s": 0.0}
    return scenario(bottleneck(point["aqm"]), flows("reno", 1, draws), draws, traffic=(source,))


def left_share(view: View) -> float | None:
    """Return the flow's goodput over what the datagrams leave of the link, or over a twentieth of it where they leave less."""
    own = goodput_mbps(view, 0, WARMUP_S, DURATION_S)
    return None if own is None else own / (RATE_MBPS * max(1.0 - view.point["load"], 0.05))


def less_than_best_effort(point: Point, draws: Draws) -> Scenario:
    """Return a NewReno flow, and a LEDBAT flow that joins it."""
    late = {"algorithm": "ledbat", "start_s": round(5.0 + draws.uniform("start of LEDBAT"), 4), "parameters": {"target": 0.005}}
    return scenario(bottleneck(point["aqm"]), (*flows("reno", 1, draws), Flow.model_validate(late)), draws)


def ledbat_share(view: View) -> float | None:
    """Return what LEDBAT carries over what both carry."""
    both = [goodput_mbps(view, flow, WARMUP_S, DURATION_S) for flow in (0, 1)]
    return None if None in both or not sum(filter(None, both)) else (both[1] or 0.0) / sum(filter(None, both))


EXPERIMENTS = (
    Experiment(
        id="rfc7928.friendly",
        title="One TCP-friendly flow",
        question="What delay and goodput does one NewReno flow get?",
        source="5.1.1 (must be considered)",
        duration_s=DURATION_S,
        points={"alg": ("reno",), "aqm": DISCIPLINES},
        scenario=friendly,
        measures=HELD,
        figures=(plane(), by_discipline("delay", "Mean queueing delay", "qdelay_mean_ms", "ms")),
        parameters=(*NETWORK, ("flows", "1 NewReno, initial window of 3"), STEADY),
        repeats=REPEATS,
        kept="queues",
        quick=SMALL_QUICK,
        headings=HEADINGS,
    ),
    Experiment(
        id="rfc7928.windows",
        title="A short flow beside a long one, initial windows of 3 and 10",
        question="How long does a short flow take that begins in a long one's steady state?",
        source="5.1.2 (must)",
        duration_s=DURATION_S,
        points={"alg": ("reno",), "aqm": DISCIPLINES, "iw": (3, 10)},
        scenario=windows,
        measures=(Measure("completion_s", flow="2"), *HELD),
        figures=(
            by_discipline("completion", "Completion time of 50 packets", "completion_s", "s", series="iw", fixed={"flow": "2"}),
            plane(panels="iw"),
        ),
        parameters=(*NETWORK, ("flows", f"1 long NewReno, 1 of {SHORT_PACKETS} packets that begins between 30 s and 90 s"), STEADY),
        repeats=2 * REPEATS,
        kept="queues",
        quick=Quick(points={"aqm": QUICK}, repeats=REPEATS),
        headings={**HEADINGS, "iw": "initial window"},
    ),
    Experiment(
        id="rfc7928.aggressive",
        title="One flow that is more aggressive",
        question="What delay and goodput does one CUBIC flow get?",
        source="5.2 (must)",
        duration_s=DURATION_S,
        points={"alg": ("cubic",), "aqm": DISCIPLINES},
        scenario=aggressive,
        measures=HELD,
        figures=(plane(), by_discipline("delay", "Mean queueing delay", "qdelay_mean_ms", "ms")),
        parameters=(*NETWORK, ("flows", "1 CUBIC"), STEADY),
        repeats=REPEATS,
        kept="queues",
        quick=SMALL_QUICK,
        headings=HEADINGS,
    ),
    Experiment(
        id="rfc7928.flood",
        title="Datagrams beyond the link's rate",
        question="Is the queue's delay held where what arrives does not answer?",
        source="5.3 (must), first part",
        duration_s=DURATION_S,
        points={"alg": ("reno",), "aqm": DISCIPLINES, "load": (1.1, 1.5)},
        scenario=flood,
        measures=(Measure("util"), Measure("qdelay_mean_ms"), Measure("qdelay_p95_ms"), Measure("drop_share")),
        figures=(by_discipline("delay", "Mean queueing delay", "qdelay_mean_ms", "ms", series="load"),),
        parameters=(*NETWORK, ("source", "datagrams of 1500 bytes at the load times the link's rate"), STEADY),
        repeats=QUICK_REPEATS,
        kept="queues",
        quick=Quick(points={"aqm": QUICK, "load": (1.1,)}, repeats=QUICK_REPEATS),
        headings={**HEADINGS, "load": "load of datagrams"},
    ),
    Experiment(
        id="rfc7928.unresponsive",
        title="Datagrams beside one NewReno flow",
        question="Does the flow get what the datagrams leave?",
        source="5.3 (must), second part",
        duration_s=DURATION_S,
        points={"alg": ("reno",), "aqm": DISCIPLINES, "load": (0.6, 0.8, 1.0)},
        scenario=unresponsive,
        measures=(*HELD, Measure("left_share", function=left_share)),
        figures=(
            by_discipline(
                "left", "Goodput of the flow over what the datagrams leave", "left_share", "ratio", series="load", baseline=(1.0,)
            ),
            by_discipline("delay", "Mean queueing delay", "qdelay_mean_ms", "ms", series="load"),
        ),
        parameters=(*NETWORK, ("flows", "1 NewReno"), ("source", "datagrams of 1500 bytes at the load times the link's rate"), STEADY),
        repeats=REPEATS,
        kept="queues",
        quick=Quick(points={"aqm": QUICK, "load": (0.6, 1.0)}, repeats=QUICK_REPEATS),
        headings={**HEADINGS, "load": "load of datagrams"},
        notes=("At a load of 1 the datagrams leave nothing: the ratio is to a twentieth of the link.",),
    ),
    Experiment(
        id="rfc7928.lbe",
        title="A less-than-best-effort flow beside NewReno",
        question="Does LEDBAT still give way where the queue is short?",
        source="5.4 (may)",
        duration_s=DURATION_S,
        points={"alg": ("reno",), "aqm": DISCIPLINES},
        scenario=less_than_best_effort,
        measures=(Measure("ledbat_share", function=ledbat_share), Measure("util"), Measure("qdelay_mean_ms")),
        figures=(by_discipline("share", "LEDBAT's share of what both carry", "ledbat_share", "share", baseline=(0.5,), y_limits=(0, 1)),),
        parameters=(
            *NETWORK,
            ("flows", "1 NewReno; 1 LEDBAT from 5 s on, target 5 ms; its gain is 1, the most RFC 6817 allows, where the text has 10"),
            STEADY,
        ),
        repeats=REPEATS,
        kept="queues",
        quick=SMALL_QUICK,
        headings=HEADINGS,
    ),
)
