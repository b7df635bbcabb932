"""Figures 2 and 4: one transfer beside a UDP source whose rate swings as a sine."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Compared, Histories
from windtunnel.scenario import Scenario
from windtunnel.suites.linux24 import FAST_NOTE
from windtunnel.suites.slac03.common import (
    EMULATES,
    LASTING,
    LIMITS,
    NETWORK,
    NOTES,
    PROTOCOLS,
    SITES,
    WINDOWS,
    offered,
)
from windtunnel.suites.slac03.throughput import alone

LEAST, MOST = 0.05, 0.2
"""The source's rate swings between these parts of the bottleneck's."""
PERIODS = (30, 60)
_UDP = ("UDP", "a sine between 5 % and 20 % of the bottleneck's rate")


def beside_udp(point: Point, draws: Draws) -> Scenario:
    """Return one transfer of the point's stack, and a source of UDP of the point's period."""
    rate_bps = SITES[point["site"]].rate * 1e6
    source = {
        "kind": "udp",
        "rate_bps": rate_bps * (LEAST + MOST) / 2,
        "amplitude_bps": rate_bps * (MOST - LEAST) / 2,
        "period_s": float(point["period"]),
    }
    return Scenario.model_validate({**alone(point, draws).model_dump(), "traffic": (source,)})


def bic_to_florida(point: Point, draws: Draws) -> Scenario:
    """Return one BIC transfer to UFL with a window of 8 MB, beside UDP of a period of 60 s."""
    return beside_udp({**point, "site": "UFL", "win": "8MB", "period": 60}, draws)


def _bars(period: int) -> Compared:
    return Compared(
        f"stability-{period}s",
        f"Standard deviation over mean of TCP's throughput in intervals of 5 s, UDP with a period of {period} s",
        metric="stability",
        series="win",
        panels="site",
        y_label="Stability index",
        fixed={"period": period},
        caption="0 is a rate that never changes.",
    )


EXPERIMENTS = (
    Experiment(
        id="slac03.fig2",
        title="BIC beside a UDP source that swings",
        question="Does a BIC transfer fill what a swinging UDP source leaves?",
        source="Fig. 2; 4.5",
        duration_s=1200.0,
        points={"alg": ("bic",)},
        scenario=bic_to_florida,
        measures=(Measure("thr_mbps"), Measure("agg_cov"), Measure("corr_tcp_udp"), Measure("stability")),
        figures=(Histories("goodput", "BIC to UFL beside UDP with a period of 60 s", quantity="goodput_mbps", y_label="Goodput (Mbit/s)"),),
        parameters=(*NETWORK, ("flows", "1 to UFL"), _UDP, ("period", "60 s"), ("window limit", "8 MB"), LASTING),
        repeats=1,
        kept="all",
        quick=Quick(repeats=1),
        notes=(*NOTES, "The paper does not say which of its two periods the figure shows."),
    ),
    Experiment(
        id="slac03.fig4",
        compared_with="slac03.fig3",
        title="Stability beside a UDP source that swings",
        question="How steady is one transfer when a UDP source swings beside it?",
        source="Fig. 4; 4.6",
        duration_s=1200.0,
        along={"size": (1, 2, 3)},
        by_site={"win": LIMITS},
        points={"alg": PROTOCOLS, "site": tuple(SITES), "win": WINDOWS, "period": PERIODS},
        scenario=beside_udp,
        measures=(Measure("stability"), Measure("thr_mbps")),
        figures=tuple(_bars(period) for period in PERIODS),
        parameters=(*NETWORK, ("flows", "1 (ptcp: 16 streams, each with the window limit)"), _UDP, LASTING),
        repeats=1,
        kept="rates",
        quick=Quick(
            points={"site": ("Caltech", "Manchester"), "win": ("256KB", "12MB"), "period": (30,)},
            repeats=1,
            longest_s=300.0,
        ),
        notes=(*NOTES, FAST_NOTE, "One run a point, as in the paper."),
        only=offered,
        emulates=EMULATES,
    ),
)
