"""Figure 10: how long a transfer takes that joins a long-lived flow, by its size."""

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Curves
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.suites.open08.common import PROFILE, STACK, WAN, WAN_NOTE, wan
from windtunnel.suites.paths import jitter_s

JOINS_S = 5.0
DSL_RATE, DSL_UPLINK_RATE = 3.0, 0.256
DSL_RTTS_MS = (20.0, 50.0)
DSL_QUEUE_PACKETS = 75
"""0.3 s at the downlink's rate: the deep queue of a home line; the paper does not state it."""
DSL_UPLINK_PACKETS = 20


def _pair(point: Point) -> tuple[Flow, Flow]:
    size = round(point["size_mb"] * 1e6)
    return Flow(algorithm=point["alg"]), Flow(algorithm=point["alg"], start_s=JOINS_S, bytes=size, handshake=True)


def joins_on_wan(point: Point, draws: Draws) -> Scenario:
    """Return a long-lived flow and, 5 s later, a transfer of the point's size."""
    return wan(draws, _pair(point), duration_s=600.0, warmup_s=JOINS_S + 10.0)


def joins_on_dsl(point: Point, draws: Draws) -> Scenario:
    """Return the same over a home line of 3 Mbit/s down and 256 kbit/s up."""
    low, high = DSL_RTTS_MS
    rtt_ms = low + (high - low) * draws.uniform("delay of the path")
    return Scenario(
        bottleneck=Bottleneck(rate_bps=DSL_RATE * 1e6, queue_packets=DSL_QUEUE_PACKETS),
        reverse=Bottleneck(rate_bps=DSL_UPLINK_RATE * 1e6, queue_packets=DSL_UPLINK_PACKETS),
        flows=_pair(point),
        rtt_s=round(rtt_ms * 1e-3, 9),
        duration_s=600.0,
        warmup_s=JOINS_S + 10.0,
        sample_s=0.1,
        jitter_s=jitter_s(DSL_RATE, low),
        profile=PROFILE,
    )


def _times(title: str) -> Curves:
    return Curves(
        "completion",
        title,
        metric="completion_s",
        fixed={"flow": "2"},
        x="size_mb",
        x_label="Size of the transfer (MB)",
        y_label="Completion time (s)",
        x_log=True,
        y_log=True,
    )


_MEASURES = (Measure("completion_s"), Measure("completion_s", flow="2"), Measure("util"))
_FLOWS = ("flows", "one from 0 s without end, one of the swept size that opens its connection at 5 s")

EXPERIMENTS = (
    Experiment(
        id="open08.fig10a",
        title="Completion time on the wide-area path",
        question="How long does a transfer take that starts 5 s after a long-lived flow, at 100 Mbit/s?",
        source="Fig. 10(a); III",
        points={"alg": ("cubic", "htcp"), "size_mb": (1, 2, 5, 10, 20, 50, 100, 200)},
        scenario=joins_on_wan,
        measures=_MEASURES,
        figures=(_times("Completion time of a transfer beside a long-lived flow, 100 Mbit/s"),),
        parameters=(*STACK, *WAN, _FLOWS, ("duration", "600 s")),
        repeats=10,
        kept="totals",
        quick=Quick(points={"size_mb": (1, 5, 20, 100)}, repeats=3),
        notes=(WAN_NOTE, "The paper's sizes are in its figure only; these span it."),
    ),
    Experiment(
        id="open08.fig10b",
        title="Completion time on a home line",
        question="How long does a transfer take that starts 5 s after a long-lived flow, on a DSL line?",
        source="Fig. 10(b); III",
        duration_s=3600.0,
        points={"alg": ("cubic", "htcp"), "size_mb": (0.2, 0.5, 1, 2, 5, 10, 20)},
        scenario=joins_on_dsl,
        measures=_MEASURES,
        figures=(_times("Completion time of a transfer beside a long-lived flow, DSL"),),
        parameters=(
            *STACK,
            ("network", "3 Mbit/s down with 75 packets (0.3 s) of drop-tail queue, 256 kbit/s up with 20; the queues are not stated"),
            ("RTT", "drawn for each repeat between 20 and 50 ms; not stated"),
            _FLOWS,
            ("duration", "600 s"),
        ),
        repeats=10,
        kept="totals",
        quick=Quick(points={"size_mb": (0.2, 1, 5, 20)}, repeats=3),
        notes=("Published on a real line; this is an emulation.",),
    ),
)
