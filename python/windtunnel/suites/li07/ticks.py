"""Figure 7 once more, with the bursts that clocks of a millisecond make of ACKs."""

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Curves
from windtunnel.scenario import Scenario
from windtunnel.scenario.hosts import Host
from windtunnel.suites.li07.common import FEW_MINUTES_S, NETWORK, TWO_FLOWS, points, same_rtt_in_minutes

TICK_S = 1e-3
"""The timer of Linux 2.6 and of a dummynet router: eight packets at 100 Mbit/s, where 1 % of the BDP are seven."""
PROTOCOLS = ("reno", "scalable", "hstcp", "bic", "htcp")
QUEUES = (0.01, 0.02, 0.03, 0.05, 0.1, 0.15, 0.2)


def in_ticks(point: Point, draws: Draws) -> Scenario:
    """Return the run of figure 7, ten minutes of it, with senders that handle ACKs once a millisecond."""
    return same_rtt_in_minutes(point, draws).model_copy(update={"host": Host(ack_tick_s=TICK_S)})


EXPERIMENTS = (
    Experiment(
        id="li07.ticks",
        title="Efficiency with a clock of a millisecond",
        question="Where does the throughput of two flows collapse when ACKs are handled once a millisecond?",
        source="Fig. 7; VII.D",
        points=points(alg=PROTOCOLS, rate=(100,), rtt=(82,), q=QUEUES),
        scenario=in_ticks,
        measures=(*(Measure(name) for name in ("util", "loss_ovh", "fair_minmax")), Measure("thr_mbps", flow="sum")),
        figures=(
            Curves(
                "efficiency",
                "Aggregate throughput of two flows against queue size, ACKs in ticks of 1 ms",
                metric="thr_mbps",
                fixed={"flow": "sum"},
                x="q",
                x_label="Queue (BDP)",
                y_label="Throughput (Mbit/s)",
                x_log=True,
                baseline=(100.0,),
                caption="1 BDP is 683 packets.",
            ),
        ),
        parameters=(
            *NETWORK,
            TWO_FLOWS[0],
            ("duration", "600 s"),
            TWO_FLOWS[2],
            ("rate", "100 Mbit/s"),
            ("RTT", "82 ms (BDP 683 packets)"),
            ("host", "ACKs handled at ticks of 1 ms"),
        ),
        notes=(
            "The tick is the hosts' and the router's clock, and is not fitted. The other claims of the figure are judged without it.",
            "A router that serves its queue once a millisecond is not modelled itself: its bursts are those of the ACKs here.",
        ),
        quick=Quick(longest_s=FEW_MINUTES_S),
        emulates="hosts and router with a clock of 1 ms, by senders that handle ACKs once a millisecond",
    ),
)
