"""Figure 2's smallest and largest queue once more, with the bursts that the router's clock makes of ACKs."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Compared
from windtunnel.scenario import Scenario
from windtunnel.scenario.hosts import Host
from windtunnel.suites.fast04.buffers import two_flows
from windtunnel.suites.fast04.common import NETWORK, PROTOCOLS
from windtunnel.suites.linux24 import FAST_NOTE

TICK_S = 1e-3
"""The clock that dummynet's manual asks its kernel for: 67 packets at 800 Mbit/s."""
QUEUES = (50, 8000)


def in_ticks(point: Point, draws: Draws) -> Scenario:
    """Return the run of figure 2 with senders that handle ACKs once a millisecond."""
    return two_flows(point, draws).model_copy(update={"host": Host(ack_tick_s=TICK_S)})


EXPERIMENTS = (
    Experiment(
        id="fast04.ticks",
        title="The smallest and the largest queue, with a clock of a millisecond",
        question="How much do two flows carry through 50 packets of queue when ACKs are handled once a millisecond?",
        source="Fig. 2; III.A",
        points={"alg": PROTOCOLS, "qpkt": QUEUES},
        scenario=in_ticks,
        measures=(*(Measure(name) for name in ("util", "drops_pkts", "jain")), Measure("thr_mbps", flow="sum")),
        figures=(
            Compared(
                "utilisation",
                "Utilisation by two flows at 50 and 8000 packets of queue, ACKs in ticks of 1 ms",
                metric="util",
                series="qpkt",
                y_label="Utilisation",
                y_limits=(0.0, 1.05),
                caption="800 Mbit/s, 200 ms. The paper's figure shows very low throughput at 50 packets.",
            ),
        ),
        parameters=(
            *NETWORK,
            ("flows", "2, started within a second of each other"),
            ("rate", "800 Mbit/s"),
            ("RTT", "200 ms (BDP 13333 packets)"),
            ("host", "ACKs handled at ticks of 1 ms"),
            ("duration", "600 s (the paper does not state it), measured from 10 s after the start of flow 2"),
        ),
        repeats=1,
        quick=Quick(repeats=1, longest_s=300.0),
        notes=(
            FAST_NOTE,
            "The clock of the paper's router is not given. A millisecond is what dummynet's manual asks for; its kernel's own is 10 ms.",
            "A router that serves its queue once a millisecond is not modelled itself: its bursts are those of the ACKs here.",
            "One run a point, as in the paper.",
        ),
        emulates="a router with a clock of 1 ms, by senders that handle ACKs once a millisecond",
    ),
)
