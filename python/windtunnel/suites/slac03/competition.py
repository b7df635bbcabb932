"""Table 3: each stack against each other."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Compared
from windtunnel.scenario import Scenario
from windtunnel.suites.linux24 import FAST_NOTE, flow
from windtunnel.suites.published import cells
from windtunnel.suites.slac03.common import (
    COMPETITORS,
    LASTING,
    NETWORK,
    NOTES,
    REPEATS,
    SITES,
    over,
    packets,
    second_start_s,
)

LEFT_OUT = {"Caltech": "ptcp", "UFL": "hstcp-lp", "Manchester": "hstcp-lp"}
"""The opponent that the paper's averages leave out on the short path, and on the longer ones."""

OPPONENTS = {site: tuple(name for name in COMPETITORS if name != left_out) for site, left_out in LEFT_OUT.items()}
"""By site, whom the averages are over."""


def against(point: Point, draws: Draws) -> Scenario:
    """Return a transfer of the point's stack and one of its opponent's; the two of a pair make one run, whichever is looked at."""
    both = [name for name in COMPETITORS if name in (point["alg"], point["opponent"])]
    limit = packets(SITES[point["site"]].windows[-1])
    starts = (0.0, second_start_s(draws))
    return over(point["site"], tuple(flow(name, window_packets=limit, start_s=start) for name, start in zip(both, starts, strict=True)))


def counted(point: Point) -> bool:
    """Return whether an opponent counts: every other stack, but for the one the paper leaves out on this path."""
    return point["opponent"] not in (point["alg"], LEFT_OUT[point["site"]])


EXPERIMENTS = (
    Experiment(
        id="slac03.tab3",
        title="Fairness between stacks",
        question="How much more or less than its opponent does each stack take, on average over all opponents?",
        source="Table 3; 5.2",
        duration_s=1200.0,
        source_repeats=1,
        by_site={"opponent": OPPONENTS},
        points={"alg": COMPETITORS, "site": tuple(SITES), "opponent": COMPETITORS},
        scenario=against,
        measures=(Measure("asym"), Measure("thr_mbps")),
        figures=(
            Compared(
                "asymmetry",
                "Asymmetry of each stack against all others",
                metric="asym",
                series="alg",
                panels="site",
                y_label="(x1 - x2) / (x1 + x2)",
                baseline=(0.0,),
                published=cells("slac03.tab3", "table_3.Caltech", "table_3.UFL", "table_3.Manchester"),
                caption="Above 0 a stack takes more than its opponents, on average. Hollow: Table 3.",
            ),
        ),
        parameters=(
            *NETWORK,
            ("flows", "1 of each of two stacks (ptcp: 16 streams), started within a second"),
            LASTING,
            ("window limit", "the site's largest"),
        ),
        repeats=REPEATS,
        kept="rates",
        quick=Quick(points={"site": ("UFL",)}, repeats=1, longest_s=300.0),
        notes=(
            *NOTES,
            FAST_NOTE,
            "The paper does not say which window limits Table 3 is of: the largest of each site is taken, which limits least.",
            "As in the paper ptcp does not count as an opponent on the short path, nor hstcp-lp on the longer ones.",
        ),
        only=counted,
    ),
)
