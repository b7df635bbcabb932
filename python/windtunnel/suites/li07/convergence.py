"""Figure 11: how long a second flow takes to reach its share."""

from windtunnel.experiment import Experiment, Quick
from windtunnel.plots.declared import Curves
from windtunnel.suites.li07.common import (
    BESIDE,
    DURATION_S,
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
        id="li07.fig11",
        title="Convergence time",
        question="How long after its start does a second flow reach 80 % of its long-term throughput?",
        source="Fig. 11; IV.G, VI.F, VII.E",
        points=points(),
        beside=BESIDE,
        scenario=same_rtt,
        measures=PAIR_MEASURES,
        figures=(
            Curves(
                "convergence",
                "80 % convergence time of the second flow",
                metric="conv80_s",
                x="rtt",
                panels="rate",
                x_label=RTT_LABEL,
                y_label="80 % convergence time (s)",
                x_log=True,
                y_log=True,
                censored_at=DURATION_S,
            ),
        ),
        parameters=(*NETWORK, *TWO_FLOWS, ("queue", "20 % BDP")),
        kept="rates",
        quick=Quick(scenario=same_rtt_quickly, note=QUICKLY),
        notes=(
            "The runs are those of figure 4.",
            "Short-term throughput is an exponential average with a memory of 1 % of a reno epoch, between 1 s and 5 s: the paper gives no "
            "number. Verdicts are also given for a shorter memory, a longer one, and for 80 % of the fair share.",
        ),
    ),
)
