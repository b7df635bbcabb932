"""What the experiments of RFC 7928 share: the disciplines, one path, the levels of congestion, and what is measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from windtunnel.experiment import Draws, Measure
from windtunnel.metrics import View
from windtunnel.plots.declared import Compared, Ellipses
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.suites.paths import bdp_packets, drawn_rtt_s, jitter_s

DISCIPLINES = (
    *("drop-tail", "drop-head", "red", "ared", "pie", "codel", "cobalt"),
    *("fq", "fq-codel", "fq-pie", "cake", "dualpi2"),
)
"""All of the catalogue that manage a queue; ack-filter, policer and shaper do not."""
REFERENCE = "drop-tail"
RATE_MBPS, RTT_MS = 10, 100
"""The text gives no rate but in 8.2.6; 100 ms is its first category of round-trip times (6.2)."""
BUFFER_PACKETS = round(bdp_packets(RATE_MBPS, RTT_MS))
"""A bandwidth-delay product of the largest RTT, the same for every discipline (3.2): 83 packets, 100 ms."""
LONGEST_RTT_MS = 560
WINDOW = BUFFER_PACKETS + round(bdp_packets(RATE_MBPS, RTT_MS))
"""S of 8.2: the packets of the path and its buffer."""
LEVELS: Mapping[str, int] = {"mild": round(0.036 * WINDOW), "medium": round(0.081 * WINDOW), "heavy": round(0.114 * WINDOW)}
"""Flows of the levels of congestion (8.2.1): 6, 13 and 19."""
WARMUP_S, DURATION_S = 30.0, 120.0
"""Reno needs 166 round trips of up to 200 ms from half its largest window to all of it, alone: two epochs are measured."""
STARTS_S = 1.0
SAMPLE_S = 0.05
REPEATS = 10
QUICK_REPEATS = 3
QUICK = (REFERENCE, "red", "pie", "codel", "fq-codel", "dualpi2")

NETWORK = (
    ("network", f"dumbbell, {RATE_MBPS} Mbit/s, base RTT {RTT_MS} ms; the text gives neither"),
    ("buffer", f"{BUFFER_PACKETS} packets for every discipline: a bandwidth-delay product (3.2)"),
    ("disciplines", "with the defaults of their own texts, none tuned (4.3)"),
    ("stack", "Linux 6.1's, with SACK"),
)
STEADY = ("duration", f"{DURATION_S:g} s, measured from {WARMUP_S:g} s: all flows are in congestion avoidance (8.2.1)")
HEADINGS = {"aqm": "discipline"}

HELD = (
    Measure("goodput_mbps"),
    Measure("util"),
    Measure("qdelay_mean_ms"),
    Measure("qdelay_p95_ms"),
    Measure("drop_share"),
)
"""What every scenario measures: goodput, the queue's delay, drops (2.2 to 2.6)."""


def bottleneck(aqm: str, *, rate_mbps: float = RATE_MBPS, buffer_packets: int = BUFFER_PACKETS, **given: Any) -> Bottleneck:
    """Return the bottleneck under a discipline; `given` are further fields of the link."""
    return Bottleneck.model_validate({"rate_bps": rate_mbps * 1e6, "queue_packets": buffer_packets, "discipline": aqm, **given})


def start_s(draws: Draws, number: int) -> float:
    """Return when a flow starts, seconds."""
    return round(STARTS_S * draws.uniform(f"start of flow {number}"), 4)


def flows(algorithm: str, count: int, draws: Draws, *, first: int = 1, **given: Any) -> tuple[Flow, ...]:
    """Return so many long flows with starts drawn; `given` are further fields of each, `first` the number of the first."""
    numbers = range(first, first + count)
    return tuple(Flow.model_validate({"algorithm": algorithm, "start_s": start_s(draws, number), **given}) for number in numbers)


def scenario(link: Bottleneck, those: Sequence[Flow], draws: Draws, **given: Any) -> Scenario:
    """Return a run over the path; `given` are further fields of the scenario."""
    jitter = jitter_s(RATE_MBPS, RTT_MS)
    fields = {
        "rtt_s": drawn_rtt_s(RTT_MS, jitter=jitter, draws=draws),
        "duration_s": DURATION_S,
        "warmup_s": WARMUP_S,
        "sample_s": SAMPLE_S,
        "jitter_s": jitter,
        **given,
    }
    return Scenario.model_validate({"bottleneck": link, "flows": tuple(those), **fields})


def goodput_mbps(view: View, flow: int, t0: float, t1: float) -> float | None:
    """Return what one flow or source delivered between two times, Mbit/s of payload, from its samples."""
    rows = view.series(flow)
    at = np.interp((t0, t1), rows.t_s, np.nan_to_num(rows.delivered_bytes)) if rows.t_s.size else None
    return None if at is None else float(at[1] - at[0]) * 8e-6 / (t1 - t0)


def plane(name: str = "plane", **given: Any) -> Ellipses:
    """Return the figure of section 2.7: goodput against queueing delay, an ellipse for each discipline."""
    labels = {"x_label": "mean queueing delay (ms)", "y_label": "goodput (Mbit/s)"}
    fields = {"title": "Delay and goodput", "x": "qdelay_mean_ms", "y": "goodput_mbps", "series": "aqm", **labels, **given}
    return Ellipses(name=name, **fields)


def by_discipline(name: str, title: str, metric: str, y_label: str, **given: Any) -> Compared:
    """Return a figure of a metric by discipline."""
    fields = {"x": "aqm", "series": "aqm", "x_label": "discipline", **given}
    return Compared(name=name, title=title, metric=metric, y_label=y_label, **fields)
