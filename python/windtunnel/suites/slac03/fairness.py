"""Table 2 and Figure 5: two transfers of the same stack, started together."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Compared, Histories
from windtunnel.scenario import Scenario
from windtunnel.suites.linux24 import FAST_NOTE, flow
from windtunnel.suites.published import cells
from windtunnel.suites.slac03.common import (
    COMPETITORS,
    LASTING,
    LIMITS,
    NETWORK,
    NOTES,
    REPEATS,
    SITES,
    WINDOWS,
    offered,
    over,
    packets,
    second_start_s,
)

_FLOWS = ("flows", "2 (ptcp: 2 of 16 streams), started within a second")


def pair(point: Point, draws: Draws) -> Scenario:
    """Return two transfers of the point's stack with the point's window limit."""
    starts = (0.0, second_start_s(draws))
    return over(point["site"], tuple(flow(point["alg"], window_packets=packets(point["win"]), start_s=start) for start in starts))


def to_florida(point: Point, draws: Draws) -> Scenario:
    """Return two transfers of the point's stack to UFL with windows of 8 MB."""
    return pair({**point, "site": "UFL", "win": "8MB"}, draws).model_copy(update={"sample_s": 0.1})


EXPERIMENTS = (
    Experiment(
        id="slac03.tab2",
        title="Fairness within a stack",
        question="Do two transfers of the same stack that start together share equally?",
        source="Table 2; 5.1",
        duration_s=1200.0,
        source_repeats=1,
        by_site={"win": LIMITS},
        points={"alg": COMPETITORS, "site": tuple(SITES), "win": WINDOWS},
        scenario=pair,
        measures=(Measure("jain"), Measure("thr_mbps")),
        figures=(
            Compared(
                "fairness",
                "Jain's index of two transfers of the same stack",
                metric="jain",
                series="win",
                panels="site",
                y_label="Jain's index",
                y_limits=(0.75, 1.01),
                baseline=(1.0,),
                published=cells("slac03.tab2", "table_2"),
                caption="1 is equal sharing, 0.5 all for one. Hollow: Table 2.",
            ),
        ),
        parameters=(*NETWORK, _FLOWS, LASTING),
        repeats=REPEATS,
        kept="rates",
        quick=Quick(
            points={"site": ("Caltech", "Manchester"), "win": ("256KB", "4MB", "12MB")},
            repeats=1,
            longest_s=300.0,
        ),
        notes=(*NOTES, FAST_NOTE),
        only=offered,
    ),
    Experiment(
        id="slac03.fig5",
        title="Two transfers to UFL over time",
        question="Do two FAST transfers, and two of HighSpeed TCP, take turns at taking more?",
        source="Fig. 5; 5.1",
        duration_s=1200.0,
        points={"alg": ("fast", "hstcp")},
        scenario=to_florida,
        measures=(Measure("jain"), Measure("n_crossings"), Measure("thr_mbps")),
        figures=(
            Histories(
                "goodput", "Two transfers to UFL, windows of 8 MB", quantity="goodput_mbps", panels="alg", y_label="Goodput (Mbit/s)"
            ),
            Histories("rtt", "Round-trip time to UFL, windows of 8 MB", quantity="srtt_s", panels="alg", y_label="Smoothed RTT (ms)"),
        ),
        parameters=(*NETWORK, _FLOWS, LASTING, ("window limit", "8 MB")),
        repeats=1,
        kept="all",
        quick=Quick(repeats=1),
        notes=(*NOTES, FAST_NOTE),
    ),
)
