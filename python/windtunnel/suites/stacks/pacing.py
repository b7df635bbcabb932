"""Bursts at the bottleneck: RFC 9002, 7.7."""

from __future__ import annotations

import numpy as np

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.scenario import Scenario
from windtunnel.suites.stacks.common import NETWORK, Path, alone, by_kind
from windtunnel.suites.stacks.subjects import EVERY

HALF = 0.5
"""While a window is below half a BDP a flow that spreads it over its round trip leaves no queue, even at twice the rate."""


def deep(point: Point, draws: Draws) -> Scenario:
    """Return the first two seconds of one flow on a path with room for all it sends, sampled every millisecond."""
    return alone(point["alg"], draws, duration_s=2.0, path=Path(rate_mbps=100, q=2.0)).model_copy(update={"sample_s": 0.001})


def first_burst(view: View) -> float | None:
    """Return the largest queue that the first flight leaves, 1500-byte packets."""
    series, link = view.series(0), view.link_series(view.link)
    arrived = np.flatnonzero(series.delivered_bytes > 0)
    if not arrived.size:
        return None
    # What the first ACKs release is at the queue three quarters of a round trip after their data was read.
    until = float(series.t_s[arrived[0]]) + view.base_rtt_s(0) / 4
    return float(link.queue_bytes[link.t_s < until].max()) / 1500


def start_burst(view: View) -> float | None:
    """Return the largest queue while the window is below half a BDP, 1500-byte packets; windows in packets of 1448 bytes of payload."""
    series, link = view.series(0), view.link_series(view.link)
    grown = np.flatnonzero(series.cwnd_packets > HALF * view.bdp_packets)
    if not series.t_s.size:
        return None
    until = float(series.t_s[grown[0]]) if grown.size else view.duration_s
    within = link.queue_bytes[link.t_s < until]
    return float(within.max()) / 1500 if within.size else None


EXPERIMENTS = (
    Experiment(
        id="stacks.pacing",
        title="Bursts at the bottleneck",
        question="How large a queue does a flow leave while its window is below half of what the path holds?",
        source="RFC 9002, 7.7",
        duration_s=2.0,
        points={"alg": EVERY},
        scenario=deep,
        measures=(Measure("first_burst", function=first_burst), Measure("start_burst", function=start_burst)),
        figures=(
            *by_kind(
                "first",
                "Largest queue of the first flight",
                metric="first_burst",
                y_label="1500-byte packets",
                baseline=(10.0,),
                caption="Line: the initial window, the largest burst RFC 9002 7.7 allows.",
            ),
            *by_kind(
                "start",
                "Largest queue while the window is below half a BDP",
                metric="start_burst",
                y_label="1500-byte packets",
                baseline=(10.0,),
                caption="Line: the initial window, the largest burst RFC 9002 7.7 allows.",
            ),
        ),
        parameters=(
            *NETWORK,
            ("flows", "1, alone"),
            ("rate", "100 Mbit/s"),
            ("RTT", "40 ms (BDP 333 packets)"),
            ("queue", "2 BDP, sampled every millisecond"),
            ("duration", "2 s"),
        ),
        repeats=5,
        kept="all",
        quick=Quick(repeats=3),
        notes=("Linux 6.1 paces BBR itself; CUBIC and Reno it paces only where the host's queue discipline is fq, which is not run here.",),
    ),
)
