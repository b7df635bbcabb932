"""Figure 4: whether two flows of the same protocol and round-trip time share equally."""

from windtunnel.experiment import Experiment, Measure, Quick
from windtunnel.plots.declared import Curves
from windtunnel.suites.li07.common import (
    BESIDE,
    NETWORK,
    PAIR_MEASURES,
    QUICKLY,
    RTT_LABEL,
    TABLE,
    TWO_FLOWS,
    points,
    same_rtt,
    same_rtt_in_minutes,
    same_rtt_quickly,
)


def _ratio(title: str) -> Curves:
    return Curves(
        "fairness",
        title,
        metric="fair_minmax",
        x="rtt",
        panels="rate",
        x_label=RTT_LABEL,
        y_label="Smaller / larger throughput",
        x_log=True,
        y_limits=(0, 1.05),
        baseline=(1.0,),
        caption="1 is equal sharing.",
    )


EXPERIMENTS = (
    Experiment(
        id="li07.fig4",
        title="Symmetric fairness",
        question="Do two flows of the same protocol and round-trip time get the same throughput, whenever the second one starts?",
        source="Fig. 4; IV.C (i), VI.A, VII.A",
        points=points(),
        beside=BESIDE,
        scenario=same_rtt,
        measures=PAIR_MEASURES,
        figures=(_ratio("Throughput ratio of two equal flows"),),
        parameters=(*NETWORK, *TWO_FLOWS, ("queue", "20 % BDP")),
        kept="rates",
        quick=Quick(scenario=same_rtt_quickly, note=QUICKLY),
        notes=("Of two flows that differ by chance alone, one always has more: the mean of this ratio over repeats is below 1.",),
        emulates=TABLE,
    ),
    Experiment(
        id="li07.fig4q100",
        title="Symmetric fairness with a queue of one BDP",
        question="Does a larger queue change who shares equally?",
        source="IV.C (i), VI.A (text)",
        points=points(q=(1.0,)),
        beside=BESIDE,
        scenario=same_rtt_in_minutes,
        measures=(Measure("fair_minmax"), Measure("jain"), Measure("util"), Measure("loss_ovh"), Measure("thr_mbps")),
        figures=(_ratio("Throughput ratio of two equal flows, queue 1 BDP"),),
        parameters=(*NETWORK, TWO_FLOWS[0], ("duration", "600 s"), TWO_FLOWS[2], ("queue", "1 BDP")),
        quick=None,
        notes=("Ten minutes are too short for reno where an epoch takes longer; figure 4 gives it an hour.",),
    ),
)
