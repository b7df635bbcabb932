"""Figures 5 and 18: what a flow loses to one with a shorter round-trip time."""

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Curves, Histories, Overlay
from windtunnel.scenario import Scenario
from windtunnel.suites.li07.common import BESIDE, NETWORK, QUICK_S, TWO_FLOWS, points, two_flows

LONG_RTT = 162


def against_long(point: Point, draws: Draws) -> Scenario:
    """Return flow 1 at 162 ms and flow 2, of the same protocol, at the point's round-trip time."""
    return two_flows(point, draws, algorithms=(point["alg"], point["alg"]), rtts=(LONG_RTT, point["rtt"]))


def against_long_in_minutes(point: Point, draws: Draws) -> Scenario:
    """Return the run of `against_long`, of at most ten minutes."""
    return two_flows(point, draws, algorithms=(point["alg"], point["alg"]), rtts=(LONG_RTT, point["rtt"]), may_take_an_hour=False)


def starvation(_point: Point, draws: Draws) -> Scenario:
    """Return figure 18's run: two BIC flows, 162 ms and 22 ms."""
    return two_flows({"rate": 250, "q": 0.2}, draws, algorithms=("bic", "bic"), rtts=(LONG_RTT, 22), start_s=100.0)


MEASURES = (
    *(
        Measure(name)
        for name in ("rtt_unfair", "ratio_long_short", "share_long", "pred_ratio_eq4", "pred_ratio_eq4@printed", "util", "loss_ovh")
    ),
    *(Measure(name, flow=flow) for name in ("thr_mbps", "lambda_sync", "goodput_mbps") for flow in ("1", "2")),
)


def _is_quick(point: Point) -> bool:
    return bool(point["rtt"] <= LONG_RTT) or point["alg"] == "reno"


_PARAMETERS = (*NETWORK, *TWO_FLOWS, ("RTT", "flow 1: 162 ms; flow 2: swept"))
_NOTES = (
    "The queue is a fraction of the BDP of the longer path; the paper does not say which it used.",
    "Equation (4) as printed is the law of the window; divided by another round-trip time it is the law of the throughput, which is drawn.",
)


def _ratio(title: str) -> Curves:
    return Curves(
        "rtt-unfairness",
        title,
        metric="rtt_unfair",
        x="rtt",
        panels="rate",
        x_label="Round-trip time of flow 2 (ms)",
        y_label="Throughput, short / long RTT",
        x_log=True,
        y_log=True,
        baseline=(1.0,),
        theory=(Overlay("reno, eq. (4) with measured synchronisation", metric="pred_ratio_eq4", alg="reno"),),
        caption="Flow 1 has a round-trip time of 162 ms. 1 is equal sharing.",
    )


EXPERIMENTS = (
    Experiment(
        id="li07.fig5",
        title="RTT unfairness",
        question="How much more does the flow with the shorter round-trip time get?",
        source="Fig. 5; VI.A, VII.B",
        points=points(),
        beside=BESIDE,
        scenario=against_long,
        measures=MEASURES,
        figures=(_ratio("Throughput ratio of two flows with different round-trip times"),),
        parameters=(*_PARAMETERS, ("queue", "20 % BDP of the longer path")),
        quick=Quick(
            scenario=against_long_in_minutes,
            note="At the quick scale 324 ms is run for reno alone, whose law equation (4) is.",
            longest_s=QUICK_S,
            only=_is_quick,
        ),
        notes=_NOTES,
    ),
    Experiment(
        id="li07.fig5q100",
        title="RTT unfairness with a queue of one BDP",
        question="Does a larger queue change how much the shorter round-trip time gains?",
        source="VI.A (text)",
        points=points(q=(1.0,)),
        beside=BESIDE,
        scenario=against_long_in_minutes,
        measures=MEASURES,
        figures=(_ratio("Throughput ratio of two flows with different round-trip times, queue 1 BDP"),),
        parameters=(*NETWORK, TWO_FLOWS[0], ("duration", "600 s"), TWO_FLOWS[2], *_PARAMETERS[-1:], ("queue", "1 BDP of the longer path")),
        quick=None,
        notes=(*_NOTES, "Ten minutes are too short for reno where an epoch takes longer; figure 5 gives it an hour."),
    ),
    Experiment(
        id="li07.fig18",
        title="Starvation of the long flow by BIC",
        question="What becomes of a BIC flow at 162 ms when another starts at 22 ms?",
        source="Fig. 18; VII.B",
        points={"alg": ("bic",)},
        scenario=starvation,
        measures=(Measure("share_long"), Measure("thr_mbps", flow="1"), Measure("thr_mbps", flow="2"), Measure("thr_mbps")),
        figures=(
            Histories("cwnd", "BIC: congestion windows, 162 ms and 22 ms", quantity="cwnd_packets", y_label="cwnd (packets)"),
            Histories("goodput", "BIC: goodput, 162 ms and 22 ms", quantity="goodput_mbps", y_label="Goodput (Mbit/s)"),
        ),
        parameters=(*NETWORK, ("flows", "bic at 162 ms from 0 s, bic at 22 ms from 100 s"), ("rate", "250 Mbit/s"), ("queue", "20 % BDP")),
        repeats=1,
        kept="all",
        quick=Quick(repeats=1),
    ),
)
