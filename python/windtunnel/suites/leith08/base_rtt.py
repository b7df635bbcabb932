"""Figure 11: what a hybrid algorithm loses when it takes the base round-trip time for too long."""

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.plots.declared import Histories
from windtunnel.scenario import Scenario
from windtunnel.suites.leith08.common import ONE_RUN, STACK, drawn_start_s, queue_packets, run

RATE, RTT, Q = 150, 100, 1.6


def late_flow(point: Point, draws: Draws) -> Scenario:
    """Return two flows, the second from 50 s to 150 s on, when the first keeps a queue: what it takes for the base RTT holds some of it."""
    start_s = drawn_start_s(draws, earliest_s=50.0, span_s=100.0)
    queue = queue_packets(RATE, RTT, Q)
    return run(draws, rate=RATE, rtt=RTT, queue=queue, algorithms=(point["alg"],) * 2, starts_s=(0.0, start_s), duration_s=600.0)


def base_rtt_error_ms(view: View) -> float | None:
    """Return by how much the second flow's smallest RTT of the run exceeds its propagation time, ms."""
    flow = view.foreground[1]
    seen = view.variable(flow, "min_rtt_s")
    return None if not seen.size else float((seen[-1] - view.base_rtt_s(flow)) * 1e3)


EXPERIMENTS = (
    Experiment(
        id="leith08.fig11",
        title="A base round-trip time taken for too long",
        question="Do two flows still share when the second has never seen the path with an empty queue?",
        source="Fig. 11; VII",
        source_repeats=1,
        points={"alg": ("ctcp", "illinois", "fast")},
        scenario=late_flow,
        measures=(
            *(Measure(name) for name in ("fair_minmax", "jain", "util")),
            *(Measure("thr_mbps", flow=flow) for flow in ("1", "2")),
            Measure("base_rtt_error_ms", function=base_rtt_error_ms),
        ),
        figures=(Histories("cwnd", "Two flows, 150 Mbit/s, 100 ms", quantity="cwnd_packets", panels="alg", y_label="cwnd (packets)"),),
        parameters=(
            *STACK,
            ("flows", "2; the second starts at random between 50 s and 150 s"),
            ("rate, RTT, queue", "150 Mbit/s, 100 ms, 1.6 BDP"),
            ("duration", "600 s (not stated)"),
        ),
        kept="all",
        quick=Quick(repeats=3),
        notes=(
            ONE_RUN,
            "The error is not set to the paper's 20 ms. It comes about as on a real path: a halved window still overfills a pipe with "
            "1.6 BDP of queue, by 0.3 BDP or 30 ms; a flow that joins meets no shorter RTT.",
            "FAST, which the paper does not show, is the sensitive contrast.",
        ),
    ),
)
