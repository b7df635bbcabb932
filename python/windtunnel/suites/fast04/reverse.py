"""Figure 5: throughput with a congested reverse path, and FAST that looks at the forward path alone."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Compared
from windtunnel.scenario import Bottleneck, Scenario
from windtunnel.suites.fast04.common import DURATION_S, NETWORK, PROTOCOLS, QUEUE, RATE, REPEATS, RTT, SETTLING_S
from windtunnel.suites.linux24 import FAST_NOTE, PROFILE, flow

STREAMS = 16


def one_flow(point: Point, draws: Draws) -> Scenario:
    """Return one flow, and where the point says so sixteen of standard TCP the other way."""
    flows = [flow(point["alg"])]
    if point["case"] == "with_reverse":
        starts = [round(draws.uniform(f"start of reverse flow {number}"), 3) for number in range(STREAMS)]
        flows += [flow("reno", direction="reverse", start_s=start) for start in starts]
    return Scenario(
        bottleneck=Bottleneck(rate_bps=RATE * 1e6, queue_packets=QUEUE),
        flows=tuple(flows),
        rtt_s=RTT * 1e-3,
        duration_s=DURATION_S,
        warmup_s=SETTLING_S,
        sample_s=0.5,
        profile=PROFILE,
    )


EXPERIMENTS = (
    Experiment(
        id="fast04.fig5",
        title="Congested reverse path",
        question="How much does each protocol lose when its ACKs queue on the reverse path?",
        source="Fig. 5; III.A",
        source_repeats=1,
        points={"alg": (*PROTOCOLS, "fast-bqd"), "case": ("with_reverse", "without_reverse")},
        scenario=one_flow,
        measures=(Measure("thr_mbps"), Measure("util"), Measure("queue_pkts"), Measure("loss_ovh")),
        figures=(
            Compared(
                "reverse",
                "Throughput of one flow with and without reverse traffic",
                metric="thr_mbps",
                series="case",
                y_label="Throughput (Mbit/s)",
                baseline=(800.0,),
                caption="800 Mbit/s, 200 ms. fast-bqd counts the queueing delay of the forward path only.",
            ),
        ),
        parameters=(
            *NETWORK,
            ("flows", "1; with reverse traffic also 16 of standard TCP the other way, started within a second"),
            ("rate", "800 Mbit/s both ways"),
            ("RTT", "200 ms"),
            ("queue", "2000 packets both ways"),
            ("duration", "600 s, measured from 10 s"),
        ),
        repeats=REPEATS,
        quick=Quick(repeats=1, longest_s=300.0),
        notes=(
            FAST_NOTE,
            "The paper gives neither the queue nor the number of reverse flows: sixteen keep the reverse path full, as in the 2003 study.",
            "FAST with backward delay removed was never published as an algorithm: fast-bqd is our reading of its name.",
        ),
    ),
)
