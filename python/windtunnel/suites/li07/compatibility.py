"""Figure 6: what a new protocol takes from standard TCP."""

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Curves
from windtunnel.scenario import Scenario
from windtunnel.suites.li07.common import (
    BESIDE,
    FEW_MINUTES_S,
    NETWORK,
    PROTOCOLS,
    QUICK_S,
    RTT_LABEL,
    SHORT_RTT,
    TWO_FLOWS,
    points,
    quickly,
    two_flows,
)


def against_reno(point: Point, draws: Draws) -> Scenario:
    """Return a reno flow, joined at random by one of the point's protocol."""
    return two_flows(point, draws, algorithms=("reno", point["alg"]))


def against_reno_quickly(point: Point, draws: Draws) -> Scenario:
    """Return the run of `against_reno` at the quick scale."""
    return quickly(against_reno(point, draws), point)


EXPERIMENTS = (
    Experiment(
        id="li07.fig6",
        title="Backward compatibility",
        question="How much more does a flow of a new protocol get than the standard TCP flow it competes with?",
        source="Fig. 6; IV.D, VI.B, VII.C",
        points=points(alg=tuple(name for name in PROTOCOLS if name != "reno")),
        beside=BESIDE,
        scenario=against_reno,
        measures=(
            Measure("new_over_reno"),
            Measure("util"),
            Measure("loss_ovh"),
            *(Measure("thr_mbps", flow=flow) for flow in ("1", "2")),
        ),
        figures=(
            Curves(
                "compatibility",
                "Throughput of a new protocol over that of standard TCP",
                metric="new_over_reno",
                x="rtt",
                panels="rate",
                x_label=RTT_LABEL,
                y_label="Throughput, new / standard TCP",
                x_log=True,
                y_log=True,
                baseline=(1.0,),
                caption="Above 1 the new protocol takes more.",
            ),
        ),
        parameters=(*NETWORK, *TWO_FLOWS, ("flows", "reno from 0 s, then the new protocol"), ("queue", "20 % BDP")),
        quick=Quick(
            points={"rtt": (16, 42, 162)},
            scenario=against_reno_quickly,
            longest_s=QUICK_S,
            note=f"Runs of up to {SHORT_RTT} ms last {FEW_MINUTES_S:g} s. At 324 ms ten minutes are less than one epoch of reno.",
        ),
    ),
)
