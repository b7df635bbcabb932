"""Section IV.C: what two sources of UDP got through the TeraGrid path before the runs of figures 14 and 15."""

from __future__ import annotations

from functools import partial

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.metrics.datagrams import sources
from windtunnel.plots.declared import Compared, Published
from windtunnel.scenario import Bottleneck, Scenario
from windtunnel.suites.fast04.common import QUEUE, SETTLING_S
from windtunnel.suites.fast04.joining import TERAGRID
from windtunnel.suites.linux24 import PROFILE, flow

OFFERED_BPS = 1e9
CLOCKS_APART = 1e-4
"""Two Ethernet clocks may differ by 100 parts in a million each (IEEE 802.3)."""
PUBLISHED_MBPS = (348.0, 335.0)


def two_sources(_point: Point, draws: Draws) -> Scenario:
    """Return two sources of UDP that start within a second of each other, and a transfer of one packet, for a scenario has a flow."""
    second_s = round(draws.uniform("start of source 2"), 3)
    rates = (OFFERED_BPS, OFFERED_BPS * (1 - CLOCKS_APART))
    traffic = tuple({"kind": "udp", "rate_bps": rate, "start_s": start} for rate, start in zip(rates, (0.0, second_s), strict=True))
    return Scenario.model_validate(
        {
            "bottleneck": Bottleneck(rate_bps=TERAGRID.rate * 1e6, queue_packets=QUEUE),
            "flows": (flow("reno", bytes=1448),),
            "traffic": traffic,
            "rtt_s": TERAGRID.rtts[0] * 1e-3,
            "duration_s": 30.0,
            "warmup_s": SETTLING_S,
            "sample_s": 0.5,
            "profile": PROFILE,
        }
    )


def source_mbps(number: int, view: View) -> float:
    """Return what a source delivered, Mbit/s; the first is number 0."""
    return float(sources(view.records)["throughput_bps"][number]) / 1e6


EXPERIMENTS = (
    Experiment(
        id="fast04.udp",
        title="Two sources of UDP, TeraGrid",
        question="How much do two sources of UDP get, each of which sends more than the path carries?",
        source="IV.C",
        duration_s=30.0,
        source_repeats=1,
        along={"flow": (1, 2)},
        points={"alg": ("udp",)},
        scenario=two_sources,
        measures=tuple(Measure("thr_mbps", flow=str(number + 1), function=partial(source_mbps, number)) for number in (0, 1)),
        figures=(
            Compared(
                "throughput",
                "Throughput of two sources of UDP",
                metric="thr_mbps",
                x="flow",
                x_label="source",
                series="flow",
                y_label="Throughput (Mbit/s)",
                published=tuple(Published({"flow": str(number + 1)}, value) for number, value in enumerate(PUBLISHED_MBPS)),
                caption="Hollow: the published numbers.",
            ),
        ),
        parameters=(
            ("network", "one drop-tail queue of 2000 packets, 1500-byte packets"),
            ("rate", "683 Mbit/s, the sum of the two published numbers"),
            ("sources", "2, of 1 Gbit/s each; the second within a second of the first"),
            ("duration", "30 s (the paper: short), measured from 10 s"),
        ),
        repeats=3,
        quick=Quick(repeats=1),
        notes=(
            "The path's capacity is what the paper measured in this very way: that the sum comes out says nothing, the shares do.",
            "The second source's clock is slower by 100 parts in a million, as Ethernet allows: with equal clocks the two lock their "
            "phase, and one may get everything.",
        ),
        emulates="the TeraGrid path, by one queue of 2000 packets at the 683 Mbit/s that the paper's own probe gives",
    ),
)
