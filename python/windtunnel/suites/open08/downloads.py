"""Figures 8 and 9: four transfers of 200 MB, started one after the other."""

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Curves, Histories
from windtunnel.scenario import Flow, Scenario
from windtunnel.suites.open08.common import STACK, WAN, WAN_NOTE, wan

STARTS_S = (0.0, 5.0, 10.0, 15.0)
TRANSFER_BYTES = 200_000_000


def staggered(point: Point, draws: Draws) -> Scenario:
    """Return four transfers of 200 MB, 5 s apart."""
    flows = [Flow(algorithm=point["alg"], start_s=start, bytes=TRANSFER_BYTES) for start in STARTS_S]
    return wan(draws, flows, duration_s=150.0, warmup_s=max(STARTS_S) + 10.0)


_PARAMETERS = (*STACK, *WAN, ("flows", "4 transfers of 200 MB, started at 0, 5, 10 and 15 s"), ("duration", "until all are complete"))

EXPERIMENTS = (
    Experiment(
        id="open08.fig8",
        title="Four transfers started 5 s apart: windows",
        question="Does the first of four flows keep the link to itself?",
        source="Fig. 8; III",
        points={"alg": ("cubic", "htcp")},
        scenario=staggered,
        measures=(Measure("share_first"), *(Measure("completion_s", flow=str(flow)) for flow in (1, 2, 3, 4))),
        figures=(
            Histories("cwnd", "Four transfers of 200 MB", quantity="cwnd_packets", panels="alg", y_label="cwnd (packets)"),
            Histories("goodput", "Their goodput", quantity="goodput_mbps", panels="alg", y_label="Goodput (Mbit/s)"),
        ),
        parameters=_PARAMETERS,
        repeats=1,
        kept="all",
        quick=Quick(repeats=1),
        notes=(WAN_NOTE,),
    ),
    Experiment(
        id="open08.fig9",
        title="Four transfers started 5 s apart: completion times",
        question="How much longer do the later transfers take than the first?",
        source="Fig. 9; III",
        along={"flow": (1, 2, 3, 4)},
        points={"alg": ("cubic", "htcp")},
        scenario=staggered,
        measures=(
            Measure("first_vs_rest"),
            Measure("share_first"),
            *(Measure("completion_s", flow=str(flow)) for flow in (1, 2, 3, 4)),
        ),
        figures=(
            Curves(
                "completion",
                "Completion time of four transfers of 200 MB",
                metric="completion_s",
                x="flow",
                x_label="Transfer, in order of start",
                y_label="Completion time (s)",
                y_limits=(0, 80),
            ),
        ),
        parameters=_PARAMETERS,
        repeats=20,
        kept="all",
        quick=Quick(repeats=3),
        notes=(WAN_NOTE, "The repeats differ in the path's round-trip time and in the ACKs' jitter."),
    ),
)
