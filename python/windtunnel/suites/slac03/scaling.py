"""Section 1: how rarely standard TCP may lose a packet at 10 Gbit/s, and whether the law behind that holds."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Curves, Overlay
from windtunnel.scenario import Bottleneck, Scenario
from windtunnel.suites.linux24 import PROFILE, flow

RATE, RTT = 10_000, 100


def lossy(point: Point, _draws: Draws) -> Scenario:
    """Return one flow whose every packet is acknowledged and lost with the point's probability."""
    return Scenario(
        bottleneck=Bottleneck(rate_bps=RATE * 1e6, loss_probability=point["p"]),
        flows=(flow("reno", rtt_s=RTT * 1e-3, transport={"ack_every": 1}),),
        duration_s=2000.0,
        warmup_s=100.0,
        sample_s=0.1,
        profile=PROFILE,
    )


EXPERIMENTS = (
    Experiment(
        id="slac03.scale",
        title="Standard TCP at 10 Gbit/s",
        question="How rarely may standard TCP lose a packet to fill 10 Gbit/s at 100 ms?",
        source="Section 1",
        duration_s=6000.0,
        points={"alg": ("reno",), "p": (1e-5, 1e-4, 1e-3)},
        scenario=lossy,
        measures=(
            Measure("window_pkts"),
            Measure("pkts_per_loss"),
            Measure("event_interval_s"),
            Measure("thr_mbps"),
            Measure("cwnd_pkts"),
        ),
        figures=(
            Curves(
                "law",
                "Throughput of standard TCP against random loss, 100 ms",
                metric="thr_mbps",
                series="alg",
                x="p",
                x_label="Loss probability",
                y_label="Throughput (Mbit/s)",
                x_log=True,
                y_log=True,
                theory=(
                    Overlay(
                        "square-root law",
                        function="response_mbps",
                        arguments={"protocol": "reno", "rate_mbps": float(RATE), "rtt_ms": float(RTT)},
                        alg="reno",
                    ),
                ),
                caption="The law the arithmetic rests on is for regular losses; random ones leave 1.07 times as much (1.31 / 1.22).",
            ),
        ),
        parameters=(
            ("arithmetic", "W = rate x RTT / packet; 1 / p = W^2 / 1.5; one loss every 1 / (p W) round trips"),
            ("rate", "10 Gbit/s"),
            ("RTT", "100 ms"),
            ("stack", "profile linux-2.4, every packet acknowledged"),
        ),
        repeats=0,
        kept="all",
        quick=Quick(),
    ),
)
