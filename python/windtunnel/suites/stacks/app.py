"""Flows that their application limits: RFC 9002, 7.7 and 7.8, RFC 9438, 5.8."""

from __future__ import annotations

from typing import Any

import numpy as np

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.scenario import Scenario
from windtunnel.suites.stacks.common import NETWORK, NOTE, alone, by_kind
from windtunnel.suites.stacks.subjects import EVERY

CHUNK_BYTES = 25_000
"""2 Mbit/s in chunks of 100 ms, each sent in one round trip: some 17 full packets under way at most."""
ON_S, OFF_S = 1.0, 2.0
CASES = ("chunks", "turns")


def limited(point: Point, draws: Draws) -> Scenario:
    """Return one flow that writes chunks, or in turns."""
    given: dict[str, Any] = {"app_rate_bps": 2e6, "chunk_s": 0.1} if point["case"] == "chunks" else {"on_s": ON_S, "off_s": OFF_S}
    return alone(point["alg"], draws, duration_s=24.0, **given)


def over_need(view: View) -> float | None:
    """Return the largest window over a chunk in full packets of 1448 bytes; of chunks only."""
    cwnd = view.series(0).cwnd_packets
    return float(np.nanmax(cwnd)) / (CHUNK_BYTES / 1448) if view.point["case"] == "chunks" and cwnd.size else None


def restart_burst(view: View) -> float | None:
    """Return the largest queue in the first half round trip of a turn, 1500-byte packets, median over turns after the second."""
    if view.point["case"] != "turns":
        return None
    series, rtt_s, begin_s = view.link_series(view.link), view.base_rtt_s(0), view.start_s(0)
    # What a turn sends is at the queue a quarter of the RTT later. Of a window that is spread over its round trip, even 1.25 times as
    # fast, a third has left by the end of the second quarter; one that is sent at once stands in the queue by then.
    turns = np.arange(begin_s + 2 * (ON_S + OFF_S), view.duration_s - ON_S, ON_S + OFF_S)
    found = [series.queue_bytes[(series.t_s >= at) & (series.t_s < at + 0.5 * rtt_s)].max() / 1500 for at in turns]
    return float(np.median(found)) if found else None


EXPERIMENTS = (
    Experiment(
        id="stacks.app",
        title="Limited by the application",
        question="Does a window grow that is not used, and how does a flow begin again after a pause?",
        source="RFC 9002, 7.7 and 7.8; RFC 9438, 5.8",
        duration_s=24.0,
        points={"alg": EVERY, "case": CASES},
        scenario=limited,
        measures=(Measure("cwnd_over_need", function=over_need), Measure("restart_burst", function=restart_burst), Measure("drops_pkts")),
        figures=(
            *by_kind(
                "need",
                "Largest window over what the application writes at once",
                metric="cwnd_over_need",
                fixed={"case": "chunks"},
                y_label="window / chunk",
                baseline=(1.0, 2.0),
            ),
            *by_kind(
                "burst",
                "Queue in the first half round trip after two idle seconds",
                metric="restart_burst",
                fixed={"case": "turns"},
                y_label="1500-byte packets",
                baseline=(10.0,),
                caption="Line: an initial window, RFC 9002 7.7.",
            ),
        ),
        parameters=(
            *NETWORK,
            ("flows", "1, alone"),
            ("rate", "20 Mbit/s"),
            ("RTT", "40 ms (BDP 67 packets)"),
            ("queue", "1 BDP"),
            ("application", "chunks: 25 000 bytes every 100 ms; turns: 1 s all it can, 2 s nothing"),
            ("duration", "24 s"),
        ),
        repeats=5,
        kept="all",
        quick=Quick(repeats=3),
        notes=(NOTE,),
    ),
)
