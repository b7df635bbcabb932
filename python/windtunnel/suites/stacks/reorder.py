"""Packets that arrive late and are not lost: RFC 9002, 6.1."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.scenario import Scenario
from windtunnel.suites.stacks.common import NETWORK, Path, alone, by_kind
from windtunnel.suites.stacks.subjects import EVERY

LATE_S = {"none": 0.0, "1ms": 0.001, "5ms": 0.005, "20ms": 0.02}
"""By how much one packet in a hundred is late: 1 ms is less than two full packets, 5 ms is eight of them and an eighth of the RTT, 20 ms
half of it."""
PROBABILITY = 0.01


def disordered(point: Point, draws: Draws) -> Scenario:
    """Return one flow of whose packets one in a hundred arrives late."""
    late_s = LATE_S[point["case"]]
    link = {"reorder_probability": PROBABILITY, "reorder_s": late_s} if late_s else {}
    return alone(point["alg"], draws, duration_s=30.0, path=Path(link=link))


def wrongly_lost(view: View) -> float | None:
    """Return packets declared lost that were not, over packets sent."""
    row = view.row(0)
    return float(max(row["retransmitted_packets"] - row["lost_packets"], 0) / row["sent_packets"])


EXPERIMENTS = (
    Experiment(
        id="stacks.reorder",
        title="Reordering",
        question="What does a controller take for a loss when packets only arrive late, and what does that cost?",
        source="RFC 9002, 6.1.1 and 6.1.2",
        duration_s=25.0,
        points={"alg": EVERY, "case": tuple(LATE_S)},
        scenario=disordered,
        measures=(Measure("goodput_mbps"), Measure("wrongly_lost", function=wrongly_lost), Measure("util")),
        figures=(
            *by_kind(
                "goodput",
                "Goodput when one packet in a hundred is late",
                metric="goodput_mbps",
                x="case",
                x_label="late by",
                y_label="Goodput (Mbit/s)",
            ),
            *by_kind(
                "wrong",
                "Declared lost and not lost, over packets sent",
                metric="wrongly_lost",
                x="case",
                x_label="late by",
                y_label="share of packets",
            ),
        ),
        parameters=(
            *NETWORK,
            ("flows", "1, alone"),
            ("rate", "20 Mbit/s"),
            ("RTT", "40 ms (BDP 67 packets)"),
            ("queue", "1 BDP"),
            ("disorder", "one packet in a hundred arrives late, behind the queue"),
            ("duration", "30 s, measured from 10 s"),
        ),
        repeats=5,
        quick=Quick(points={"case": ("none", "1ms", "20ms")}, repeats=3),
        headings={"case": "late by"},
    ),
)
