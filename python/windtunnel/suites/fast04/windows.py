"""Section IV.B.2: a receiver's window that stops growing when its packets are larger than the sender's."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Compared, Curves, Published
from windtunnel.scenario import Bottleneck, Scenario
from windtunnel.suites.fast04.common import DURATION_S, NETWORK, QUEUE, RATE, SETTLING_S
from windtunnel.suites.linux24 import FAST_NOTE, PROFILE, flow

ASKED_BYTES = 64 * 2**20
"""What the receiver's iperf asks for."""
STUCK_BYTES = 3_147_776
"""The published window."""
MTUS = (1500, 9000)


def one_transfer(point: Point, _draws: Draws) -> Scenario:
    """Return one FAST flow between hosts with the point's packet sizes."""
    sizes = {"mtu_bytes": point["mtu_snd"], "receiver_mtu_bytes": point["mtu_rcv"]}
    return Scenario(
        bottleneck=Bottleneck(rate_bps=RATE * 1e6, queue_packets=QUEUE),
        flows=(flow(point["alg"], window_bytes=ASKED_BYTES, **sizes),),
        rtt_s=point["rtt"] * 1e-3,
        duration_s=DURATION_S,
        warmup_s=SETTLING_S,
        sample_s=0.5,
        profile=PROFILE,
    )


EXPERIMENTS = (
    Experiment(
        id="fast04.rwnd",
        title="A receiver's window and packet sizes",
        question="How much does a flow carry when its receiver has larger packets than it sends?",
        source="IV.B.2",
        points={"alg": ("fast",), "mtu_snd": MTUS, "mtu_rcv": MTUS, "rtt": (10, 20, 50, 55, 100, 200)},
        scenario=one_transfer,
        measures=(Measure("thr_mbps"), Measure("rwnd_bytes"), Measure("queue_pkts"), Measure("drops_pkts")),
        figures=(
            Curves(
                "throughput",
                "Throughput by packet sizes of sender and receiver",
                metric="thr_mbps",
                x="rtt",
                panels="mtu_rcv",
                series="mtu_snd",
                x_label="RTT (ms)",
                y_label="Throughput (Mbit/s)",
                y_limits=(0.0, 840.0),
                baseline=(800.0,),
                caption="Panels: packets of the receiver; curves: of the sender, bytes.",
            ),
            Compared(
                "window",
                "Largest window advertised at 200 ms",
                metric="rwnd_bytes",
                x="mtu_rcv",
                x_label="packets of the receiver (bytes)",
                series="mtu_snd",
                y_label="Window (bytes)",
                y_log=True,
                fixed={"rtt": 200},
                published=(Published({"mtu_snd": 1500, "mtu_rcv": 9000}, STUCK_BYTES),),
                caption="Hollow: the published number, of packets of 1500 bytes sent to a host of 9000.",
            ),
        ),
        parameters=(
            *NETWORK[1:],
            ("network", "dumbbell, one drop-tail queue, packets of the point's sizes"),
            ("rate", "800 Mbit/s"),
            ("queue", "2000 packets"),
            ("window", "64 MB asked for by the receiving application"),
            ("duration", "600 s, measured from 10 s"),
        ),
        repeats=1,
        quick=Quick(points={"rtt": (20, 200)}, repeats=1, longest_s=300.0),
        notes=(
            FAST_NOTE,
            "The window that the receiver advertises is the host model's, from the paper's account of how it comes about; what a flow "
            "carries under it is measured.",
            "The paper's round trips are given for its other tests; the throughputs in its text are of 200 ms.",
            "The queue is not given: 2000 packets, as elsewhere.",
        ),
        emulates="Linux 2.4.22's receiver window (receiver_mtu): stuck at 3148472 bytes, in whole segments and units of 1024 bytes",
    ),
)
