"""Sections 6.2 and 4.4: flows of different round-trip times, and packets of different sizes."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.plots.declared import Curves
from windtunnel.scenario import Flow, Scenario
from windtunnel.suites.paths import bdp_packets
from windtunnel.suites.rfc7928.common import (
    DISCIPLINES,
    DURATION_S,
    HEADINGS,
    HELD,
    LEVELS,
    LONGEST_RTT_MS,
    NETWORK,
    QUICK,
    QUICK_REPEATS,
    RATE_MBPS,
    REPEATS,
    RTT_MS,
    STEADY,
    WARMUP_S,
    bottleneck,
    by_discipline,
    flows,
    goodput_mbps,
    scenario,
    start_s,
)

RTTS_MS = (5, 10, 20, 50, 100, 200, 560)
RTT_BUFFER = round(bdp_packets(RATE_MBPS, LONGEST_RTT_MS))
RTT_WARMUP_S, RTT_DURATION_S = 60.0, 300.0
SMALL_BYTES = 576


def two_rtts(point: Point, draws: Draws) -> Scenario:
    """Return a flow of 100 ms, category I, and one of the point's round-trip time, category II."""
    first = flows("reno", 1, draws)
    second = Flow.model_validate({"algorithm": "reno", "start_s": start_s(draws, 2), "rtt": f"{point['rtt']}ms"})
    link = bottleneck(point["aqm"], buffer_packets=RTT_BUFFER)
    return scenario(link, (*first, second), draws, duration_s=RTT_DURATION_S, warmup_s=RTT_WARMUP_S)


def second_over_first(view: View) -> float | None:
    """Return the goodput of category II over that of category I, from the end of the warm-up on."""
    one, two = (goodput_mbps(view, flow, RTT_WARMUP_S, RTT_DURATION_S) for flow in (0, 1))
    return two / one if one and two is not None else None


def two_sizes(point: Point, draws: Draws) -> Scenario:
    """Return the flows of mild congestion, the first half with packets of 576 bytes."""
    half = LEVELS["mild"] // 2
    those = (*flows("reno", half, draws, mtu_bytes=SMALL_BYTES), *flows("reno", half, draws, first=half + 1))
    return scenario(bottleneck(point["aqm"]), those, draws)


def _lost_share(view: View, flows_of: range) -> float | None:
    rows = [view.row(flow) for flow in flows_of]
    sent, lost = sum(row["sent_packets"] for row in rows), sum(row["lost_packets"] for row in rows)
    return lost / sent if sent else None


def small_over_large_loss(view: View) -> float | None:
    """Return the share of packets lost of the flows of 576 bytes over that of the flows of 1500, over the whole run."""
    half = LEVELS["mild"] // 2
    small, large = _lost_share(view, range(half)), _lost_share(view, range(half, 2 * half))
    return small / large if large and small is not None else None


def small_over_large_goodput(view: View) -> float | None:
    """Return the goodput of the flows of 576 bytes over that of the flows of 1500."""
    half = LEVELS["mild"] // 2
    small, large = (
        sum(goodput_mbps(view, flow, WARMUP_S, DURATION_S) or 0.0 for flow in part) for part in (range(half), range(half, 2 * half))
    )
    return small / large if large else None


EXPERIMENTS = (
    Experiment(
        id="rfc7928.rtt",
        title="Fairness between round-trip times",
        question="How do two flows share whose round-trip times differ?",
        source="6.2 (must)",
        duration_s=RTT_DURATION_S,
        points={"alg": ("reno",), "aqm": DISCIPLINES, "rtt": RTTS_MS},
        scenario=two_rtts,
        measures=(
            Measure("second_over_first", function=second_over_first),
            Measure("util"),
            Measure("qdelay_mean_ms"),
            Measure("drop_share"),
        ),
        figures=(
            Curves(
                "ratio",
                "Goodput of the second category over the first",
                metric="second_over_first",
                x="rtt",
                series="aqm",
                x_label="RTT of the second category (ms)",
                y_label="ratio",
                x_log=True,
                y_log=True,
                baseline=(1.0,),
            ),
            Curves(
                "delay",
                "Mean queueing delay",
                metric="qdelay_mean_ms",
                x="rtt",
                series="aqm",
                x_label="RTT of the second category (ms)",
                y_label="ms",
                x_log=True,
                y_log=True,
            ),
        ),
        parameters=(
            NETWORK[0],
            ("buffer", f"{RTT_BUFFER} packets for every discipline: a BDP of the largest RTT, {LONGEST_RTT_MS} ms (3.2)"),
            *NETWORK[2:],
            ("flows", f"2 NewReno: category I of {RTT_MS} ms, category II of 5 to 560 ms"),
            ("duration", f"{RTT_DURATION_S:g} s, measured from {RTT_WARMUP_S:g} s"),
        ),
        repeats=REPEATS,
        kept="queues",
        quick=Quick(points={"aqm": QUICK}, repeats=QUICK_REPEATS),
        headings={**HEADINGS, "rtt": "RTT of category II (ms)"},
    ),
    Experiment(
        id="rfc7928.sizes",
        title="Packets of two sizes",
        question="Does a discipline drop small and large packets alike?",
        source="4.4; scenario of 8.2.2, half the flows of 576 bytes",
        duration_s=DURATION_S,
        points={"alg": ("reno",), "aqm": DISCIPLINES},
        scenario=two_sizes,
        measures=(
            Measure("small_over_large_loss", function=small_over_large_loss),
            Measure("small_over_large_goodput", function=small_over_large_goodput),
            *HELD,
        ),
        figures=(
            by_discipline("loss", "Share of packets lost, 576 bytes over 1500", "small_over_large_loss", "ratio", baseline=(1.0,)),
            by_discipline("goodput", "Goodput, 576 bytes over 1500", "small_over_large_goodput", "ratio", baseline=(1 / 3, 1.0)),
        ),
        parameters=(*NETWORK, ("flows", f"{LEVELS['mild'] // 2} NewReno of 576 bytes, {LEVELS['mild'] // 2} of 1500"), STEADY),
        repeats=REPEATS,
        kept="queues",
        quick=Quick(points={"aqm": QUICK}, repeats=QUICK_REPEATS),
        headings=HEADINGS,
        notes=(
            "The text has packets of 500 bytes; a path carries 576 at least here (IPv4).",
            "The buffer counts packets, as its limit in Linux does.",
        ),
    ),
)
