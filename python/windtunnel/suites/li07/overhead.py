"""Figure 9: what a protocol loses at the benchmark's round-trip times."""

from windtunnel.experiment import Experiment, Measure, Quick
from windtunnel.plots.declared import Curves
from windtunnel.suites.li07.common import (
    BESIDE,
    NETWORK,
    PAIR_MEASURES,
    QUICKLY,
    RTT_LABEL,
    TWO_FLOWS,
    points,
    same_rtt,
    same_rtt_quickly,
)

EXPERIMENTS = (
    Experiment(
        id="li07.fig9",
        title="Loss overhead against round-trip time",
        question="What part of the packets sent is sent again, as the round-trip time grows?",
        source="Fig. 9; VI.D, VII.D",
        points=points(),
        beside=BESIDE,
        scenario=same_rtt,
        measures=(*PAIR_MEASURES, Measure("loss_least")),
        figures=(
            Curves(
                "loss-overhead",
                "Loss overhead of two flows against round-trip time",
                metric="loss_ovh",
                x="rtt",
                panels="rate",
                x_label=RTT_LABEL,
                y_label="Retransmitted / sent packets",
                x_log=True,
                y_log=True,
                least="loss_least",
                caption="Without any retransmission the point is 1 / packets sent, an upper bound: hollow.",
            ),
        ),
        parameters=(*NETWORK, *TWO_FLOWS, ("queue", "20 % BDP")),
        kept="rates",
        quick=Quick(scenario=same_rtt_quickly, note=QUICKLY),
        notes=("The runs are those of figure 4.",),
    ),
)
