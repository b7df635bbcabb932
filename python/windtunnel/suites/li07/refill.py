"""Figure 1: how long standard TCP takes to fill a long fast path again."""

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View, measure
from windtunnel.plots.declared import Histories
from windtunnel.scenario import Flow, Scenario
from windtunnel.suites.li07.common import PROFILE, SETTLING_S, bottleneck

LATEST_HALVING_S = 1100.0
"""The pipe is full for the first time before this, and full again well before the end of the run."""


def transatlantic(point: Point, _draws: Draws) -> Scenario:
    """Return one paced flow over 1 Gbit/s and 100 ms, each ACK counted once: growth is half a packet per round trip."""
    return Scenario(
        bottleneck=bottleneck({"rate": 1000, "q": 0.01}, rtt=100),
        flows=(Flow(algorithm=point["alg"], rtt_s=0.1, transport={"abc": "off", "pacing": "full"}),),
        duration_s=1900.0,
        warmup_s=SETTLING_S,
        sample_s=0.1,
        profile=PROFILE,
    )


def refill_after_one_halving(view: View) -> float | None:
    """Return the refill time after the back-off that halves a pipe that was just full, seconds."""
    backoffs = view.records.events.filter((view.records.events["kind"] == "loss_episode") & (view.records.events["t_s"] < LATEST_HALVING_S))
    if backoffs.is_empty():
        return None
    value = measure("refill_s", view, t0=float(backoffs["t_s"][-1]))
    return value if isinstance(value, float) else None


EXPERIMENTS = (
    Experiment(
        id="li07.fig1",
        title="Standard TCP on a fast transatlantic path",
        question="How long does one halving cost standard TCP at 1 Gbit/s and 100 ms?",
        source="Fig. 1; I",
        duration_s=1200.0,
        points={"alg": ("reno",)},
        scenario=transatlantic,
        measures=(
            Measure("refill_s", function=refill_after_one_halving),
            *(Measure(name) for name in ("bdp_pkts", "cwnd_slope_pkts_per_rtt", "thr_mbps", "util")),
        ),
        figures=(Histories("cwnd", "Standard TCP at 1 Gbit/s and 100 ms", quantity="cwnd_packets", y_label="cwnd (packets)"),),
        parameters=(
            ("network", "one drop-tail queue of 1 % BDP (the published path's buffer is unknown), 1500-byte packets"),
            ("stack", "profile altaimd-2.6.6 with byte counting off (a delayed ACK counts once), paced"),
            ("rate", "1 Gbit/s"),
            ("RTT", "100 ms"),
            ("duration", "1900 s"),
        ),
        repeats=1,
        kept="all",
        quick=Quick(repeats=1),
        notes=(
            "Pacing carries slow start past the small queue; it changes nothing later.",
            "The published run lost packets for unknown reasons; claims on its throughput are judged on `li07.wan`.",
        ),
    ),
)
