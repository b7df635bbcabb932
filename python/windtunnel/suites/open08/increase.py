"""Figure 3: how CUBIC and H-TCP grow after a loss at a window of 10000 packets."""

from __future__ import annotations

import functools

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View, measured
from windtunnel.plots.declared import Histories
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.suites.open08.common import PROFILE, STACK

WINDOW = 10_000
RATE, RTT_S = 20_000, 0.1
"""A path that 10000 packets do not fill, so that the round-trip time stays; at 100 ms H-TCP's RTT scaling does nothing."""
LOST = {"cubic": (29_000, 3_300_000, 4_650_000), "htcp": (29_000, 2_000_000, 4_200_000, 6_800_000, 9_800_000)}
"""The packets lost, by number. The first at 10000 packets; the second when CUBIC has left the plateau of its curve as far behind as it
began before it, 34 s later; CUBIC's third before it has reached the plateau again."""


def losses(point: Point, _draws: Draws) -> Scenario:
    """Return one flow that grows from 10000 packets, over an empty path with single losses."""
    lost = "+".join(str(number) for number in LOST[point["alg"]])
    algorithm = "htcp:beta08" if point["alg"] == "htcp" else point["alg"]
    return Scenario(
        bottleneck=Bottleneck(rate_bps=RATE * 1e6, queue_bdp=1.0, losses=(f"scripted,packets={lost}",)),
        flows=(Flow(algorithm=algorithm, rtt_s=RTT_S, transport={"initial_ssthresh": WINDOW}),),
        duration_s=80.0,
        sample_s=0.1,
        jitter_s=0.0,
        profile=PROFILE,
    )


def in_first_epoch(metric: str, view: View, *, with_its_end: bool) -> float | str | None:
    """Return a metric of the time from the first loss to the second."""
    times = view.backoffs(0).t_s
    if times.size < 2:
        return None
    return measured(metric, view, t0=0.0, t1=float(times[1]) + (0.01 if with_its_end else -0.01))


EXPERIMENTS = (
    Experiment(
        id="open08.fig3",
        title="Increase functions of CUBIC and H-TCP",
        question="How long do CUBIC and H-TCP take to regain 10000 packets after one loss, and along which curve?",
        source="Fig. 3; II.B",
        duration_s=60.0,
        points={"alg": ("cubic", "htcp")},
        scenario=losses,
        measures=(
            Measure("t_recover_s", function=functools.partial(in_first_epoch, "t_recover_s", with_its_end=False)),
            Measure("shape_sign", function=functools.partial(in_first_epoch, "shape_sign", with_its_end=True)),
        ),
        figures=(Histories("cwnd", "Growth after single losses, 100 ms", quantity="cwnd_packets", panels="alg", y_label="cwnd (packets)"),),
        parameters=(
            *STACK,
            ("flows", "1; htcp keeps 0.8 at every back-off, as in the paper's curve"),
            ("path", "100 ms and 20 Gbit/s: no queue, so the round-trip time stays"),
            ("loss", "single packets: the first at 10000 packets"),
        ),
        repeats=0,
        kept="all",
        quick=Quick(),
        notes=(
            "CUBIC's third loss falls before its inflection: fast convergence then aims lower, which is the paper's second curve.",
            "The paper does not state H-TCP's round-trip time; at 100 ms its scaling does nothing.",
        ),
    ),
)
