"""Figure 10: how much a protocol carries when packets are lost at random."""

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Curves, Overlay
from windtunnel.scenario import Flow, Scenario
from windtunnel.suites.li07.common import BESIDE, DURATION_S, FEW_MINUTES_S, NETWORK, PROFILE, PROTOCOLS, SETTLING_S, bottleneck

RATE, RTT = 250, 162


def lossy(point: Point, _draws: Draws) -> Scenario:
    """Return one flow whose packets are lost independently with the point's probability."""
    path = {"rate": RATE, "q": 0.2}
    return Scenario(
        bottleneck=bottleneck(path, rtt=RTT, loss=point["p"]),
        flows=(Flow(algorithm=point["alg"], rtt_s=RTT * 1e-3),),
        duration_s=DURATION_S,
        warmup_s=SETTLING_S,
        sample_s=0.1,
        profile=PROFILE,
    )


def _law(protocol: str) -> Overlay:
    return Overlay(
        f"{protocol}, response function",
        function="response_mbps",
        arguments={"protocol": protocol, "rate_mbps": float(RATE), "rtt_ms": float(RTT)},
        alg=protocol,
    )


EXPERIMENTS = (
    Experiment(
        id="li07.fig10",
        title="Response function",
        question="How much does one flow carry when every packet is lost with the same probability?",
        source="Fig. 10; IV.F, VI.E",
        points={"alg": PROTOCOLS, "p": (1e-7, 1e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 1e-2)},
        beside=BESIDE,
        rate_mbps=RATE,
        scenario=lossy,
        measures=(Measure("thr_mbps"), Measure("util"), Measure("loss_ovh"), Measure("epoch_s")),
        figures=(
            Curves(
                "response",
                "Throughput of one flow against random loss",
                metric="thr_mbps",
                x="p",
                x_label="Loss probability",
                y_label="Throughput (Mbit/s)",
                x_log=True,
                y_log=True,
                theory=(_law("reno"), _law("hstcp"), _law("scalable")),
                caption="Dashed: response functions, capped at the link's rate.",
            ),
        ),
        parameters=(
            *NETWORK,
            ("flows", "1"),
            ("rate", "250 Mbit/s"),
            ("RTT", "162 ms"),
            ("queue", "20 % BDP (not stated in the paper)"),
            ("duration", "600 s"),
            ("loss", "independent per packet, before the queue"),
        ),
        quick=Quick(points={"p": (1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 1e-2)}, repeats=3, longest_s=FEW_MINUTES_S),
    ),
)
