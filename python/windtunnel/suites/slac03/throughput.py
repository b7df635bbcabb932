"""Table 1 and Figures 1 and 3: one transfer to each site, by stack and window limit."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Compared
from windtunnel.scenario import Scenario
from windtunnel.suites.linux24 import FAST_NOTE, flow
from windtunnel.suites.published import cells
from windtunnel.suites.slac03.common import (
    EMULATES,
    LASTING,
    LIMITS,
    NETWORK,
    NOTES,
    PROTOCOLS,
    REPEATS,
    SITES,
    WINDOWS,
    offered,
    over,
    packets,
)

_POINTS = {"alg": PROTOCOLS, "site": tuple(SITES), "win": WINDOWS}
_SLOW = ("reno", "hstcp-lp")
_MEASURES = tuple(Measure(name) for name in ("thr_mbps", "sd_mbps", "stability", "goodput_mbps"))
_PARAMETERS = (*NETWORK, ("flows", "1 (ptcp: 16 streams, each with the window limit)"), LASTING)


def alone(point: Point, _draws: Draws) -> Scenario:
    """Return one transfer of the point's stack with the point's window limit."""
    return over(point["site"], (flow(point["alg"], window_packets=packets(point["win"])),))


def alone_shorter(point: Point, draws: Draws) -> Scenario:
    """Return the same transfer of five minutes, of twenty where the stack needs more than that to grow."""
    return alone(point, draws).model_copy(update={"duration_s": 60.0 * (20 if point["alg"] in _SLOW else 5)})


QUICK = Quick(repeats=1, scenario=alone_shorter, note="At this quick scale runs of all but Reno and HSTCP-LP last five minutes.")
"""Of whatever is asked about one transfer: the runs are the same."""

EXPERIMENTS = (
    Experiment(
        id="slac03.tab1",
        title="Throughput by stack, path and window limit",
        question="How much does one transfer carry on each path, and where does its window limit it?",
        source="Table 1, Fig. 1; 4.4",
        duration_s=1200.0,
        source_repeats=1,
        by_site={"win": LIMITS},
        points=_POINTS,
        scenario=alone,
        measures=_MEASURES,
        figures=(
            Compared(
                "throughput",
                "Throughput of one transfer to each site",
                metric="thr_mbps",
                series="win",
                panels="site",
                y_label="Throughput (Mbit/s)",
                published=cells("slac03.tab1", "table_1"),
                caption="Hollow: Table 1, with the standard deviation of its samples of 5 s.",
            ),
        ),
        parameters=_PARAMETERS,
        repeats=REPEATS,
        kept="rates",
        quick=QUICK,
        notes=(*NOTES, FAST_NOTE, "H-TCP's column of Table 1 is not given in the register."),
        only=offered,
        emulates=EMULATES,
    ),
    Experiment(
        id="slac03.fig3",
        title="Stability",
        question="How much does the throughput of one transfer vary from one interval of 5 s to the next?",
        source="Fig. 3; 4.6",
        duration_s=1200.0,
        source_repeats=1,
        along={"size": (1, 2, 3)},
        by_site={"win": LIMITS},
        points=_POINTS,
        scenario=alone,
        measures=(Measure("stability"), Measure("thr_mbps")),
        figures=(
            Compared(
                "stability",
                "Standard deviation over mean of the throughput in intervals of 5 s",
                metric="stability",
                series="win",
                panels="site",
                y_label="Stability index",
                caption="0 is a rate that never changes.",
            ),
        ),
        parameters=_PARAMETERS,
        repeats=REPEATS,
        kept="rates",
        quick=QUICK,
        notes=(*NOTES, "The runs are those of Table 1."),
        only=offered,
        emulates=EMULATES,
    ),
)
