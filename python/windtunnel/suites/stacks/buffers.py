"""Shallow and deep buffers."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.scenario import Scenario
from windtunnel.suites.stacks.common import NETWORK, Path, alone, curves_by_kind
from windtunnel.suites.stacks.subjects import EVERY

QUEUES = (0.1, 0.25, 0.5, 1.0, 4.0)


def buffered(point: Point, draws: Draws) -> Scenario:
    """Return one flow through the point's queue."""
    return alone(point["alg"], draws, duration_s=30.0, path=Path(q=point["q"]))


_SHARED = {"x": "q", "x_label": "Queue (BDP)", "x_log": True}

EXPERIMENTS = (
    Experiment(
        id="stacks.buffers",
        title="Shallow and deep buffers",
        question="How much of the link does one flow use, and how long does it make packets wait, from a tenth of a BDP to four?",
        source="RFC 9438, 5.1 and 5.4; RFC 9743, 5.1",
        duration_s=30.0,
        points={"alg": EVERY, "q": QUEUES},
        scenario=buffered,
        measures=(Measure("util"), Measure("qdelay_mean_ms"), Measure("qdelay_p95_ms"), Measure("drops_pkts")),
        figures=(
            *curves_by_kind(
                "util", "Use of the link against the queue", metric="util", y_label="share of the link", y_limits=(0.5, 1.0), **_SHARED
            ),
            *curves_by_kind("delay", "Mean queueing delay against the queue", metric="qdelay_mean_ms", y_label="ms", y_log=True, **_SHARED),
        ),
        parameters=(
            *NETWORK,
            ("flows", "1, alone"),
            ("rate", "20 Mbit/s"),
            ("RTT", "40 ms (BDP 67 packets)"),
            ("duration", "30 s, measured from 10 s"),
        ),
        repeats=5,
        kept="all",
        quick=Quick(points={"q": (0.1, 1.0, 4.0)}, repeats=3),
    ),
)
