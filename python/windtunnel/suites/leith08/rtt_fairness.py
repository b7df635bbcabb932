"""Figure 7: how two flows of different round-trip times share, with a large queue and a small one."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Curves
from windtunnel.scenario import Scenario
from windtunnel.suites.leith08.common import STACK, run, short_flows
from windtunnel.suites.paths import bdp_packets

RATE, LONG_RTT = 100, 120
SHORT_RTTS = (6, 120)
DURATION_S = 1800.0


def two_rtts(point: Point, draws: Draws) -> Scenario:
    """Return a flow with the point's round-trip time and one with 120 ms, beside short flows of a tenth of the link."""
    return run(
        draws,
        rate=RATE,
        rtt=LONG_RTT,
        queue=round(bdp_packets(RATE, point["qms"])),
        algorithms=(point["alg"],) * 2,
        starts_s=(0.0, 0.0),
        rtts=(point["rtt"], LONG_RTT),
        duration_s=DURATION_S,
        arrivals=(short_flows(SHORT_RTTS, load=0.1),),
    )


EXPERIMENTS = (
    Experiment(
        id="leith08.fig7",
        title="Fairness between round-trip times",
        question="How does a flow with 120 ms share with one of a shorter round-trip time, when the queue holds 120 ms, or 16 ms?",
        source="Fig. 7; V",
        duration_s=1800.0,
        source_repeats=1,
        points={"alg": ("reno", "illinois", "ctcp"), "rtt": (16, 30, 60, 90, 120), "qms": (16, 120)},
        scenario=two_rtts,
        measures=(Measure("ratio_long_short"), *(Measure("thr_mbps", flow=flow) for flow in ("1", "2")), Measure("util")),
        figures=(
            Curves(
                "ratio",
                "Throughput of the flow with 120 ms over that of the other",
                metric="ratio_long_short",
                x="rtt",
                panels="qms",
                x_label="RTT of the other flow (ms)",
                y_label="Throughput ratio, long / short",
                y_log=True,
                baseline=(1.0,),
                caption="Panels: the queue, in ms at 100 Mbit/s. 1 is equal sharing.",
            ),
        ),
        parameters=(
            *STACK,
            ("flows", "2 from 0 s, one of them with 120 ms"),
            ("short flows", "10 % of the link: Reno without SACK, Poisson arrivals, Pareto sizes of 25 kB with shape 1.2, RTT 6 or 120 ms"),
            ("rate", "100 Mbit/s"),
            ("queue", "16 ms (133 packets) or 120 ms (1000 packets)"),
            ("duration", "1800 s"),
        ),
        repeats=5,
        kept="totals",
        quick=Quick(
            points={"rtt": (16, 30, 60, 90), "qms": (120,)},
            repeats=3,
            longest_s=900.0,
            note="At this quick scale only the queue of 120 ms is run.",
        ),
        notes=("The paper shows one run of each point.",),
    ),
)
