"""Figures 2 to 4: how full two flows keep a link, its queue, and what they lose, against the size of the queue."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Curves, Overlay
from windtunnel.scenario import Bottleneck, Scenario
from windtunnel.suites.fast04.common import DURATION_S, NETWORK, PROTOCOLS, RATE, REPEATS, RTT, SETTLING_S
from windtunnel.suites.linux24 import FAST_NOTE, PROFILE, flow

QUEUES = (50, 100, 200, 400, 800, 1000, 2000, 4000, 8000)
_POINTS = {"alg": PROTOCOLS, "qpkt": QUEUES}
_MEASURES = (
    *(Measure(name) for name in ("util", "queue_pkts", "qocc", "drops_pkts", "jain", "thr_mbps", "loss_ovh")),
    Measure("thr_mbps", flow="sum"),
)
_PARAMETERS = (
    *NETWORK,
    ("flows", "2, started within a second of each other"),
    ("rate", "800 Mbit/s"),
    ("RTT", "200 ms (BDP 13333 packets)"),
    ("duration", "600 s (the paper does not state it), measured from 10 s after the start of flow 2"),
)
_QUEUE_LABEL = "Queue (packets)"


def two_flows(point: Point, draws: Draws) -> Scenario:
    """Return two flows of the point's protocol through the point's queue."""
    second_s = round(draws.uniform("start of flow 2"), 3)
    return Scenario(
        bottleneck=Bottleneck(rate_bps=RATE * 1e6, queue_packets=point["qpkt"]),
        flows=tuple(flow(point["alg"], start_s=start) for start in (0.0, second_s)),
        rtt_s=RTT * 1e-3,
        duration_s=DURATION_S,
        warmup_s=second_s + SETTLING_S,
        sample_s=0.1,
        profile=PROFILE,
    )


_QUICK = Quick(points={"qpkt": (200, 800, 2000, 8000)}, repeats=1, longest_s=300.0)


def _experiment(figure: str, title: str, question: str, curves: Curves, *notes: str) -> Experiment:
    return Experiment(
        id=f"fast04.{figure}",
        title=title,
        question=question,
        source=f"Fig. {figure.removeprefix('fig')}; III.A",
        source_repeats=1,
        points=_POINTS,
        scenario=two_flows,
        measures=_MEASURES,
        figures=(curves,),
        parameters=_PARAMETERS,
        repeats=REPEATS,
        quick=_QUICK,
        notes=(FAST_NOTE, *notes),
    )


EXPERIMENTS = (
    _experiment(
        "fig2",
        "Throughput against queue size",
        "How much of a long fast link do two flows carry, as its queue grows?",
        Curves(
            "throughput",
            "Aggregate throughput of two flows against queue size",
            metric="thr_mbps",
            fixed={"flow": "sum"},
            x="qpkt",
            x_label=_QUEUE_LABEL,
            y_label="Throughput (Mbit/s)",
            x_log=True,
            y_limits=(0.0, 840.0),
            baseline=(800.0,),
            caption="800 Mbit/s, 200 ms.",
        ),
        "The paper's throughput is very low at 50 packets because its hosts sent in bursts: those of `fast04.ticks` do, these do not.",
        "One reno flow needs twenty minutes from a halving to a full path here: what it carries in ten is what slow start left it.",
    ),
    _experiment(
        "fig3",
        "Queue occupancy",
        "What part of its queue does each protocol keep filled?",
        Curves(
            "occupancy",
            "Mean queue over queue size",
            metric="qocc",
            x="qpkt",
            x_label=_QUEUE_LABEL,
            y_label="Mean queue / queue size",
            x_log=True,
            y_limits=(0.0, 1.0),
            theory=(Overlay("fast: 400 packets", function="fast_occupancy", arguments={"alpha": 200.0, "flows": 2}, alg="fast"),),
            caption="Dashed: alpha packets of each FAST flow, where the queue holds them.",
        ),
        "The runs are those of figure 2.",
    ),
    _experiment(
        "fig4",
        "Packets lost",
        "How many packets does each protocol lose, as the queue grows?",
        Curves(
            "losses",
            "Packets dropped in ten minutes",
            metric="drops_pkts",
            x="qpkt",
            x_label=_QUEUE_LABEL,
            y_label="Packets dropped",
            x_log=True,
            y_log=True,
            caption="Slow start included.",
        ),
        "The runs are those of figure 2.",
    ),
)
