"""Figures 8 and 9: one FAST flow from Atlanta to Japan."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Histories
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.suites.fast04.common import DURATION_S, SETTLING_S
from windtunnel.suites.linux24 import FAST_NOTE, PROFILE, STACK, flow

ALPHA = 100.0
QUEUE = 10_000
RTT_S = 0.16
PARAMETERS = (
    (
        "network",
        "one drop-tail queue of 10000 packets, the transmit queue of the sending host; 1500-byte packets, no losses of the path's own",
    ),
    STACK,
    ("fast", "alpha 100 packets"),
    ("rate", "1 Gbit/s"),
    ("RTT", "160 ms"),
)
NOTES = (
    FAST_NOTE,
    "The published path was the Internet2 from Atlanta to Japan; what limited it was the sender's own interface, which is run here.",
)


def to_japan(*flows: Flow, duration_s: float, warmup_s: float, rtt_s: float = RTT_S) -> Scenario:
    """Return flows over the path to Japan."""
    return Scenario(
        bottleneck=Bottleneck(rate_bps=1e9, queue_packets=QUEUE),
        flows=flows,
        rtt_s=rtt_s,
        duration_s=duration_s,
        warmup_s=warmup_s,
        sample_s=0.1,
        profile=PROFILE,
    )


def alone(_point: Point, _draws: Draws) -> Scenario:
    """Return one FAST flow."""
    return to_japan(flow("fast", parameters={"alpha": ALPHA}), duration_s=DURATION_S, warmup_s=SETTLING_S)


EXPERIMENTS = (
    Experiment(
        id="fast04.fig8",
        title="One FAST flow to Japan",
        question="Does one FAST flow fill a gigabit at 160 ms, and how steady is it?",
        source="Fig. 8; IV",
        points={"alg": ("fast",)},
        scenario=alone,
        measures=tuple(Measure(name) for name in ("thr_mbps", "thr_cov", "util", "rtt_sd_ms", "queue_pkts", "loss_ovh")),
        figures=(
            Histories("goodput", "One FAST flow, 1 Gbit/s, 160 ms: goodput", quantity="goodput_mbps", y_label="Goodput (Mbit/s)"),
            Histories("rtt", "One FAST flow, 1 Gbit/s, 160 ms: round-trip time", quantity="srtt_s", y_label="Smoothed RTT (ms)"),
        ),
        parameters=(*PARAMETERS, ("duration", "600 s, measured from 10 s")),
        repeats=1,
        kept="all",
        quick=Quick(repeats=1),
        notes=NOTES,
    ),
    Experiment(
        id="fast04.fig9",
        title="Window of one FAST flow",
        question="How does the window of one FAST flow move over ten minutes?",
        source="Fig. 9; IV",
        points={"alg": ("fast",)},
        scenario=alone,
        measures=(Measure("cwnd_cov"), Measure("cwnd_pkts"), Measure("cwnd_max_pkts")),
        figures=(
            Histories("cwnd", "One FAST flow, 1 Gbit/s, 160 ms: congestion window", quantity="cwnd_packets", y_label="cwnd (packets)"),
        ),
        parameters=(*PARAMETERS, ("duration", "600 s, measured from 10 s")),
        repeats=1,
        kept="all",
        quick=Quick(repeats=1),
        notes=(*NOTES, "The run is that of figure 8."),
    ),
)
