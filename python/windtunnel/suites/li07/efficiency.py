"""Figures 7 and 8: how much queue a protocol needs to fill the link, and what it loses."""

from windtunnel.experiment import Experiment, Measure, Quick
from windtunnel.plots.declared import Curves, Overlay
from windtunnel.suites.li07.common import BESIDE, NETWORK, QUICK_S, TWO_FLOWS, points, same_rtt, same_rtt_in_minutes

QUEUES = (0.01, 0.02, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0)
_POINTS = points(rate=(100,), rtt=(82,), q=QUEUES)
_MEASURES = (
    *(Measure(name) for name in ("util", "loss_ovh", "bdp_pkts", "qocc", "queue_pkts", "fair_minmax", "goodput_mbps")),
    Measure("thr_mbps"),
    Measure("thr_mbps", flow="sum"),
)
_PARAMETERS = (*NETWORK, *TWO_FLOWS, ("rate", "100 Mbit/s"), ("RTT", "82 ms (BDP 683 packets)"))
_QUEUE_LABEL = "Queue (BDP)"
_QUICK = Quick(scenario=same_rtt_in_minutes, longest_s=QUICK_S)

EXPERIMENTS = (
    Experiment(
        id="li07.fig7",
        title="Efficiency",
        question="How much of the link do two flows use, and where does that collapse as the queue gets smaller?",
        source="Fig. 7; IV.E (i), VI.C, VII.D",
        points=_POINTS,
        beside=BESIDE,
        scenario=same_rtt,
        measures=_MEASURES,
        figures=(
            Curves(
                "efficiency",
                "Aggregate throughput of two flows against queue size",
                metric="thr_mbps",
                fixed={"flow": "sum"},
                x="q",
                x_label=_QUEUE_LABEL,
                y_label="Throughput (Mbit/s)",
                x_log=True,
                baseline=(100.0,),
                theory=(
                    Overlay(
                        "reno, synchronised AIMD", function="aimd_aggregate_mbps", arguments={"keep": 0.5, "rate_mbps": 100.0}, alg="reno"
                    ),
                ),
                caption="1 BDP is 683 packets.",
            ),
        ),
        parameters=_PARAMETERS,
        quick=_QUICK,
        notes=(
            "The paper's collapse below 2 % BDP comes from its hosts' bursts and its router's millisecond clock: `li07.ticks`, not here.",
        ),
    ),
    Experiment(
        id="li07.fig8",
        title="Loss overhead against queue size",
        question="What part of the packets sent is sent again, as the queue gets smaller?",
        source="Fig. 8; VI.D, VII.D",
        points=_POINTS,
        beside=BESIDE,
        scenario=same_rtt,
        measures=_MEASURES,
        figures=(
            Curves(
                "loss-overhead",
                "Loss overhead of two flows against queue size",
                metric="loss_ovh",
                x="q",
                x_label=_QUEUE_LABEL,
                y_label="Retransmitted / sent packets",
                x_log=True,
                y_log=True,
                caption="Without any retransmission the point is 1 / packets sent.",
            ),
        ),
        parameters=_PARAMETERS,
        quick=_QUICK,
    ),
)
