"""Sections VIII.B.1 and B.4: Windows Vista, which left one packet of the window, and whose hosts were too slow above 400 Mbit/s."""

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.plots.declared import Compared, Curves, Histories
from windtunnel.scenario import Scenario
from windtunnel.scenario.hosts import Host
from windtunnel.suites.leith08.common import STACK, queue_packets, run

RTT = 100
RATES = (100, 200, 400, 600, 800, 1000)
DURATION_S = 300.0
BEFORE_RATE = 10
SAMPLE_S = 0.005
"""The window grows again with every ACK of what is still in flight: four packets in this time at 10 Mbit/s."""
CEILING_MBPS = 400.0
WINDOW_BYTES = 16 * 2**20
"""The most that a receiver of Vista offers. A processor queues without a loss: nothing else ends slow start there."""


def before_the_first_service_pack(point: Point, draws: Draws) -> Scenario:
    """Return one flow that starts over from one packet after every loss."""
    queue = queue_packets(BEFORE_RATE, RTT, 1.0)
    whole = run(draws, rate=BEFORE_RATE, rtt=RTT, queue=queue, algorithms=(point["alg"],), duration_s=DURATION_S)
    flows = tuple(flow.model_copy(update={"transport": {**flow.transport, "recovery": "to-one"}}) for flow in whole.flows)
    return whole.model_copy(update={"flows": flows, "sample_s": SAMPLE_S})


def on_a_slow_host(point: Point, draws: Draws) -> Scenario:
    """Return one flow from a host that sends 400 Mbit/s of packets at most."""
    rate = point["rate"]
    whole = run(draws, rate=rate, rtt=RTT, queue=queue_packets(rate, RTT, 1.0), algorithms=(point["alg"],), duration_s=DURATION_S)
    flows = tuple(flow.model_copy(update={"window_bytes": WINDOW_BYTES}) for flow in whole.flows)
    return whole.model_copy(update={"flows": flows, "host": Host(cpu_pps=round(CEILING_MBPS * 1e6 / 12_000)), "record_drops": True})


def left_after_loss(view: View) -> float | None:
    """Return the smallest window within two of the largest round trips after a loss, mean over losses, packets.

    The window is cut when all that was lost is acknowledged: a round trip with a full queue after the loss was seen, or a little more.
    """
    flow = view.foreground[0]
    series, (t0, t1) = view.series(flow), view.window_s
    span_s = 2 * view.largest_rtt_s
    parts = [series.cwnd_packets[(series.t_s >= t) & (series.t_s <= t + span_s)] for t in view.backoffs(flow).within(t0, t1).t_s.tolist()]
    lowest = [float(part.min()) for part in parts if part.size]
    return sum(lowest) / len(lowest) if lowest else None


EXPERIMENTS = (
    Experiment(
        id="leith08.vista0",
        title="Vista before its first service pack",
        question="What is left of the window after a loss in Vista before its first service pack?",
        source="VIII.B.1 (text)",
        duration_s=300.0,
        source_repeats=1,
        points={"alg": ("reno", "ctcp:vista")},
        scenario=before_the_first_service_pack,
        measures=(Measure("cwnd_after_loss", function=left_after_loss), Measure("epoch_s"), Measure("util")),
        figures=(
            Compared(
                "left",
                "Smallest window after a loss",
                metric="cwnd_after_loss",
                y_label="cwnd (packets)",
                baseline=(1.0,),
            ),
            Histories("cwnd", "One flow before the first service pack", quantity="cwnd_packets", panels="alg", y_label="cwnd (packets)"),
        ),
        parameters=(
            *STACK,
            ("recovery", "what is lost is sent at once, then slow start from one packet (`to-one`)"),
            ("flows", "1"),
            ("rate, RTT, queue", "10 Mbit/s, 100 ms, 1 BDP (not stated)"),
            ("duration", "300 s"),
        ),
        kept="all",
        quick=Quick(repeats=3),
        notes=("The paper prints no numbers of it, and the fault is put in: it is shown, and not judged.",),
    ),
    Experiment(
        id="leith08.hs400",
        title="Compound on a host that is too slow",
        question="What does Compound do when its host cannot send as fast as the link?",
        source="VIII.B.4 (text)",
        duration_s=300.0,
        source_repeats=1,
        points={"alg": ("ctcp:vista",), "rate": RATES},
        scenario=on_a_slow_host,
        measures=(
            Measure("spurious_backoffs"),
            Measure("backoff_factor_min"),
            *(Measure(name) for name in ("backoff_factor", "thr_mbps", "util")),
        ),
        figures=(
            Curves(
                "throughput",
                "Throughput of one flow from a host of 400 Mbit/s",
                metric="thr_mbps",
                x="rate",
                x_label="Link rate (Mbit/s)",
                y_label="Throughput (Mbit/s)",
                baseline=(CEILING_MBPS,),
                caption="The line is what the host can send.",
            ),
        ),
        parameters=(
            *STACK,
            ("flows", "1"),
            ("host", "33 333 packets a second"),
            ("window limit", "16 MB, the most that a receiver of Vista offers"),
            ("RTT, queue", "100 ms (not stated), 1 BDP (not stated)"),
            ("duration", "300 s"),
        ),
        kept="totals",
        quick=Quick(points={"rate": (200, 400, 800)}, repeats=3),
        notes=("How its hosts failed the paper does not say. Here a processor is too slow, and everything waits for it in order.",),
        emulates="the hosts of 2008, by a processor of 400 Mbit/s that loses nothing",
    ),
)
