"""The basic scenarios (section 4 of the draft), and delay against throughput (5.1)."""

from __future__ import annotations

import functools
from typing import Any

from windtunnel.experiment import Draws, Experiment, Point, Quick
from windtunnel.plots.declared import Compared, Curves
from windtunnel.scenario import Scenario
from windtunnel.suites.paths import bdp_packets
from windtunnel.suites.tcpeval.common import CENTRAL, HEADINGS, LOADS, NETWORKS, RUNS, SUBJECTS, central, chosen

FAST, SLOW = ("data centre", "access", "trans-oceanic"), ("satellite", "dial-up")
BUFFERS = (10, 20, 50, 100, 200)
"""Per cent of the bandwidth-delay product of 100 ms."""
TRAFFIC = (
    "traffic",
    "sessions in place of the draft's traces, with marginals as published of the web: exponential thoughts of 3 s, objects "
    "and sizes by Pareto's "
    "law; a fifth as many the other way",
)
STACK = ("stack", "Linux 6.1's, with SACK, without ECN; packets of 1500 bytes alone, where the draft has 10 % of 536")


def basic(point: Point, draws: Draws, *, whole: bool = False) -> Scenario:
    """Return a basic scenario; `whole` with the draft's own lengths."""
    return central(NETWORKS[point["scenario"]], chosen(point), point["load"], draws, whole=whole)


def delay(point: Point, draws: Draws, *, whole: bool = False) -> Scenario:
    """Return the access scenario at 85 % with a buffer of a part of a BDP (5.1)."""
    packets = max(2, round(bdp_packets(100, 100) * point["buffer"] / 100))
    return central(NETWORKS["access"], chosen(point), 85, draws, whole=whole, queue_s=None, queue_packets=packets)


def _basic(name: str, title: str, scenarios: tuple[str, ...], *, in_quick: bool) -> Experiment:
    shown: dict[str, Any] = {"x": "load", "panels": "scenario", "fixed": {"place": "it"}, "x_label": "nominal load (%)"}
    return Experiment(
        id=f"tcpeval.{name}",
        title=title,
        question="What do utilisation, drops and queueing come to where all traffic is of the algorithm?",
        source="draft-irtf-iccrg-tcpeval-01, 4",
        duration_s=1200.0,
        points={"alg": SUBJECTS, "scenario": scenarios, "load": LOADS, "place": RUNS},
        scenario=basic,
        measures=CENTRAL,
        figures=(
            Curves("util", "Utilisation of the central link", metric="util", y_label="share", y_limits=(0, 1), **shown),
            Curves("drops", "Drops", metric="drop_share", y_label="share of packets", **shown),
            Curves("delay", "Mean queueing delay", metric="qdelay_mean_ms", y_label="ms", **shown),
            Curves("large", "Time of transfers above 100 kB", metric="large_s", y_label="s", y_log=True, **shown),
        ),
        parameters=(
            TRAFFIC,
            STACK,
            ("RTTs", "4, 74, 150, 28, 98, 174, 54, 124, 200 ms and twice the central delay; 40 to 400 us in the data centre"),
            *((one, f"{NETWORKS[one].rate_mbps:g} Mbit/s, buffer {NETWORKS[one].buffer_s * 1e3:g} ms") for one in scenarios),
        ),
        repeats=3,
        kept="queues",
        quick=Quick(points={"load": (60, 110)}, repeats=3) if in_quick else None,
        full=Quick(repeats=3, scenario=functools.partial(basic, whole=True), note="the draft's own durations"),
        headings=HEADINGS,
        notes=("A load is nominal: sessions wait for their pages, so that 110 % of it is not 110 % of packets.",),
    )


EXPERIMENTS = (
    _basic("basic", "Basic scenarios", FAST, in_quick=True),
    _basic("slow", "Basic scenarios: satellite and dial-up", SLOW, in_quick=False),
    Experiment(
        id="tcpeval.delay",
        title="Delay against throughput",
        question="What does a larger buffer buy?",
        source="draft-irtf-iccrg-tcpeval-01, 5.1",
        duration_s=80.0,
        points={"alg": SUBJECTS, "buffer": BUFFERS, "place": RUNS},
        scenario=delay,
        measures=CENTRAL,
        figures=(
            *(
                Curves(name, title, metric=metric, x="buffer", x_label="buffer (% BDP)", y_label=y_label, fixed={"place": "it"})
                for name, title, metric, y_label in (
                    ("util", "Utilisation", "util", "share"),
                    ("delay", "Mean queueing delay", "qdelay_mean_ms", "ms"),
                    ("drops", "Drops", "drop_share", "share of packets"),
                )
            ),
            Compared("pages", "Median time of a page", metric="page_median_s", panels="buffer", y_label="s", fixed={"place": "it"}),
        ),
        parameters=(TRAFFIC, STACK, ("network", "the access scenario at 85 %; a BDP of 100 ms is 833 packets")),
        repeats=3,
        kept="queues",
        quick=Quick(repeats=3),
        full=Quick(repeats=3, scenario=functools.partial(delay, whole=True), note="the draft's own durations"),
        headings=HEADINGS,
    ),
)
