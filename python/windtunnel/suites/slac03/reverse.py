"""Table 4: a transfer to Florida, with sixteen streams coming back for its first half."""

from __future__ import annotations

import functools

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View, measure
from windtunnel.plots.declared import Compared
from windtunnel.scenario import Scenario
from windtunnel.suites.linux24 import FAST_NOTE, flow
from windtunnel.suites.published import cells
from windtunnel.suites.slac03.common import COMPETITORS, EMULATES, NETWORK, NOTES, REPEATS, SETTLING_S, over, packets

HALF_S = 600.0
SHORTER_HALF_S = 300.0
_WINDOW = "8MB"


def two_ways(point: Point, _draws: Draws, *, half_s: float = HALF_S) -> Scenario:
    """Return a transfer of the point's stack, and sixteen parallel streams the other way until the middle of the run."""
    limit = packets(_WINDOW)
    back = flow("ptcp", window_packets=limit, direction="reverse", stop_s=half_s)
    return over("UFL", (flow(point["alg"], window_packets=limit), back)).model_copy(update={"duration_s": 2 * half_s})


def throughput(view: View) -> float | None:
    """Return the throughput in the half of the run that the point names, Mbit/s."""
    half_s = view.scenario["duration_s"] / 2
    begin = 0.0 if view.point["case"] == "with_reverse" else half_s
    return measure("thr_mbps", view, t0=begin + SETTLING_S, t1=begin + half_s)


EXPERIMENTS = (
    Experiment(
        id="slac03.tab4",
        title="Reverse traffic",
        question="How much does each stack lose when its ACKs share the reverse path with sixteen streams?",
        source="Table 4; 5.3",
        duration_s=1200.0,
        source_repeats=1,
        points={"alg": COMPETITORS, "case": ("with_reverse", "without_reverse")},
        scenario=two_ways,
        measures=(Measure("thr_mbps", function=throughput),),
        figures=(
            Compared(
                "reverse",
                "Throughput to UFL with and without reverse traffic",
                metric="thr_mbps",
                series="case",
                y_label="Throughput (Mbit/s)",
                published=cells("slac03.tab4", "table_4.with_reverse", "table_4.without_reverse"),
                caption="Hollow: Table 4, with the standard deviation of its samples of 5 s.",
            ),
        ),
        parameters=(
            *NETWORK,
            ("flows", "1 (ptcp: 16 streams) to UFL; 16 streams back in the first 600 s, through a queue like the forward one"),
            ("window limit", "8 MB per stream"),
            ("duration", "1200 s; each half is measured from 10 s after its beginning"),
        ),
        repeats=REPEATS,
        kept="rates",
        quick=Quick(
            repeats=1, scenario=functools.partial(two_ways, half_s=SHORTER_HALF_S), note="At this quick scale runs last ten minutes."
        ),
        notes=(*NOTES, FAST_NOTE, "Both rows of the table come from one run: the reverse streams stop in its middle."),
        emulates=EMULATES,
    ),
)
