"""What the tables of the suite share: the scenarios' links, how long they are run, and what is measured of the central link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from windtunnel.experiment import Draws, Measure
from windtunnel.metrics import View
from windtunnel.metrics.completions import since_warmup
from windtunnel.scenario import Scenario
from windtunnel.suites.tcpeval.traffic import EDGES_MS, LIGHTER, THINK_S, base_rtts_s, prefill, sessions

SUBJECTS = ("cubic", "bbr3")
STANDARD = "reno"
"""Standard TCP: NewReno with SACK, which every table is also run with."""
RUNS = ("it", "standard")
HEADINGS = {
    "scenario": "scenario",
    "load": "load (%)",
    "place": "all flows are",
    "buffer": "buffer (% BDP)",
    "pair": "RTTs",
    "camps": "camp B is",
}
LOADS = (60, 85, 110)
SAMPLE_S = 0.1


@dataclass(frozen=True)
class Network:
    """A basic scenario (4.4 of the draft).

    Parameters
    ----------
    rate_mbps, up_mbps : float
        Of the central link, in the heavier direction and in the other.
    central_s : float
        One-way delay of the central link.
    buffer_s, up_buffer_s : float
        What its buffers hold.
    edges_ms : tuple
        One-way delays of the nodes.
    warmup_s, test_s, fill_s, think_s : float
        What is run here: warm-up, what is measured, the span of the prefill, and a session's mean thought.
    whole_s : mapping of int to (float, float)
        The draft's warm-up after the prefill and duration by load.
    """

    rate_mbps: float
    central_s: float
    buffer_s: float
    test_s: float
    whole_s: Mapping[int, tuple[float, float]]
    up_mbps: float = 0.0
    up_buffer_s: float = 0.0
    edges_ms: tuple[tuple[float, ...], tuple[float, ...]] = EDGES_MS
    warmup_s: float = 20.0
    fill_s: float = 5.0
    think_s: float = THINK_S


_NEAR = ((0.01, 0.01, 0.1), (0.01, 0.1, 0.1))
NETWORKS: Mapping[str, Network] = {
    "data centre": Network(
        1000, 0.0, 0.01, 20, {60: (72, 69), 85: (30.3, 328), 110: (22.6, 663)}, edges_ms=_NEAR, warmup_s=10.0, fill_s=1.0
    ),
    "access": Network(100, 0.002, 0.1, 60, {60: (120.7, 479), 85: (231, 829), 110: (101.3, 1423)}),
    "trans-oceanic": Network(1000, 0.065, 0.1, 20, {60: (229.1, 82.5), 85: (190.2, 252), 110: (245.4, 326)}, warmup_s=15.0, fill_s=2.0),
    "satellite": Network(
        40, 0.3, 0.1, 100, {60: (487.7, 2513), 85: (690, 2184), 110: (893.3, 2481)}, up_mbps=4, up_buffer_s=1.0, warmup_s=40.0, fill_s=10.0
    ),
    "dial-up": Network(
        0.064, 0.005, 1.25, 900, {60: (839, 168804), 85: (1192, 88094), 110: (1537, 69891)}, warmup_s=300.0, fill_s=60.0, think_s=300.0
    ),
}
"""The draft's warm-ups have its prefill in them: prefill_t + warmup. Wireless LAN is not run: no station shares a channel here."""


def central(network: Network, algorithm: str, load: int, draws: Draws, *, whole: bool = False, **given: Any) -> Scenario:
    """Return a basic scenario at a load in per cent; `whole` is the draft's own length, `given` further fields of the bottleneck."""
    warmup_s, test_s = network.whole_s[load] if whole else (network.warmup_s, network.test_s)
    rtts_s, rate_bps = base_rtts_s(network.central_s, network.edges_ms), network.rate_mbps * 1e6
    up_bps = (network.up_mbps or network.rate_mbps) * 1e6
    up_load = min(load / 100 * LIGHTER * rate_bps, load / 100 * up_bps) / up_bps
    flows = prefill(algorithm, load / 100, rate_bps, rtts_s, draws, network.fill_s)
    return Scenario.model_validate(
        {
            "bottleneck": {"rate_bps": rate_bps, "queue_s": network.buffer_s, **given},
            "reverse": {"rate_bps": up_bps, "queue_s": network.up_buffer_s or network.buffer_s},
            "flows": flows,
            "sessions": [
                sessions(algorithm, load / 100, rate_bps, rtts_s, think_s=network.think_s),
                sessions(algorithm, up_load, up_bps, rtts_s, think_s=network.think_s, direction="reverse"),
            ],
            "rtt_s": max(rtts_s),
            "duration_s": warmup_s + test_s,
            "warmup_s": warmup_s,
            "sample_s": SAMPLE_S,
        }
    )


def chosen(point: Any) -> str:
    """Return what all flows of a point are: the algorithm, or standard TCP in its place."""
    return STANDARD if point["place"] == "standard" else str(point["alg"])


def util_up(view: View) -> float | None:
    """Return the utilisation of the central link's other direction, after the warm-up."""
    row = view.reverse_link
    span_s = view.duration_s - float(view.scenario["warmup_s"])
    return None if row is None else row["window_delivered_bytes"] * 8 / (view.reverse_rate_bps * span_s)


def drop_up(view: View) -> float | None:
    """Return the drops over the arrivals at the other direction's queue, over the run."""
    row = view.reverse_link
    if row is None:
        return None
    packets = row["delivered_bytes"] / 1500 + row["dropped_packets"]
    return row["dropped_packets"] / packets if packets else 0.0


def qdelay_up_ms(view: View) -> float | None:
    """Return the mean time that the other direction's queue takes to empty, ms, after the warm-up."""
    row = view.reverse_link
    if row is None:
        return None
    rows = view.link_series(row)
    inside = rows.queue_bytes[rows.t_s >= float(view.scenario["warmup_s"])]
    return float(np.nanmean(inside)) * 8e3 / view.reverse_rate_bps if inside.size else None


def page_median_s(view: View) -> float | None:
    """Return the median time of pages of the heavier direction that began after the warm-up."""
    rows = view.records.pages
    done = None if rows is None else since_warmup(rows, view.records).filter(pl.col("source") == 0)["completion_s"].drop_nulls()
    return None if done is None or not done.len() else float(done.median())  # type: ignore[arg-type]


def large_s(view: View) -> float | None:
    """Return the mean time of transfers above 100 kB of the heavier direction that began after the warm-up."""
    rows = view.records.transfers
    if rows is None:
        return None
    large = since_warmup(rows, view.records).filter((pl.col("source") == 0) & (pl.col("bytes") > 100_000))
    done = large["completion_s"].drop_nulls()
    return float(done.mean()) if done.len() else None  # type: ignore[arg-type]


CENTRAL = (
    Measure("util"),
    Measure("drop_share"),
    Measure("qdelay_mean_ms"),
    *(Measure(one.__name__, function=one) for one in (util_up, drop_up, qdelay_up_ms, page_median_s, large_s)),
)
"""Utilisation, drops and mean queueing delay of both directions (3 of the draft), and how long pages and large transfers take."""
