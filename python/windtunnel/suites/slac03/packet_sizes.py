"""Section 6.2.2: packets of 9000 and of 1500 bytes between two hosts of 2003 on a path of 10 Gbit/s."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Compared, Published
from windtunnel.scenario import Bottleneck, Scenario
from windtunnel.scenario.hosts import Host
from windtunnel.suites.linux24 import FAST_NOTE, PROFILE, STACK, flow
from windtunnel.suites.slac03.common import DURATION_S, SAMPLE_S, SETTLING_S

RATE_BPS, RTT_S = 10e9, 0.017
QUEUE = round(RATE_BPS * RTT_S / 8 / 9000)
"""One bandwidth-delay product in packets of 9000 bytes; the paper's queues are not known."""
SENDS_PPS = 59_000.0
"""4.3 Gbit/s in packets of 9000 bytes are 59 700 a second, 0.7 Gbit/s in packets of 1500 bytes 58 300 (6.2.2)."""
TXQUEUELEN = 2000
PROTOCOLS = ("reno", "hstcp", "scalable", "fast")
HELD_BYTES = 16_384
"""What a receiver of jumbo frames sets aside for a packet of any size."""

SENDER = Host(cpu_pps=SENDS_PPS, nic_bps=RATE_BPS, txqueuelen=TXQUEUELEN)
NETWORK = (
    ("network", "one drop-tail queue of 2361 packets (1 BDP), 10 Gbit/s"),
    ("RTT", "17 ms"),
    ("host", "59 000 packets a second, a card of 10 Gbit/s behind a queue of 2000 packets"),
    STACK,
)
EMULATES = "the hosts of SC2003, by 59000 packets a second (from two of the paper's rates) and the receive window of Linux 2.4"


def window_bytes(win: str, mtu: int) -> int:
    """Return how far a Linux 2.4 receiver's window grows for a socket buffer that an application asks for.

    The kernel sets aside twice what is asked for and offers at most three quarters of it. Where three quarters of the memory that holds a
    packet are more than the packet, the window stops at half of that, and at half again as often as that memory must be halved to be no
    more than the packet.

    Parameters
    ----------
    win : str
        The socket buffer, such as ``8MB``.
    mtu : int
        IP bytes of a packet.
    """
    space = 2 * int(win.removesuffix("MB")) * 2**20 * 3 // 4
    held = HELD_BYTES * 3 // 4
    while held > mtu:
        space, held = space // 2, held // 2
    return space


def tuned(point: Point, _draws: Draws) -> Scenario:
    """Return one transfer with the point's socket buffer and packet size."""
    size, mtu = window_bytes(point["win"], point["mtu"]), point["mtu"]
    return Scenario(
        bottleneck=Bottleneck(rate_bps=RATE_BPS, queue_packets=QUEUE),
        flows=(flow(point["alg"], window_bytes=size, mtu_bytes=mtu),),
        host=SENDER,
        rtt_s=RTT_S,
        duration_s=DURATION_S,
        warmup_s=SETTLING_S,
        sample_s=SAMPLE_S,
        profile=PROFILE,
    )


def _printed() -> tuple[Published, ...]:
    large = [(9000, "8MB", 2900.0), (9000, "16MB", 4300.0), (9000, "32MB", 4300.0), (1500, "8MB", 360.0), (1500, "16MB", 700.0)]
    return tuple(Published({"alg": alg, "mtu": mtu, "win": win}, value) for mtu, win, value in large for alg in PROTOCOLS[:3])


EXPERIMENTS = (
    Experiment(
        id="slac03.paix",
        title="Windows and packet sizes at 10 Gbit/s",
        question="What limits one transfer between two hosts of 2003 on a path of 10 Gbit/s?",
        source="6.2.2 (text)",
        duration_s=1200.0,
        points={"alg": PROTOCOLS, "mtu": (1500, 9000), "win": ("8MB", "16MB", "32MB")},
        scenario=tuned,
        measures=(Measure("thr_mbps"), Measure("stability")),
        figures=(
            Compared(
                "throughput",
                "Throughput of one transfer by socket buffer and packet size",
                metric="thr_mbps",
                series="win",
                panels="mtu",
                y_label="Throughput (Mbit/s)",
                published=_printed(),
                caption="Hollow: the paper's text. Panels: bytes of a packet.",
            ),
            Compared(
                "stability",
                "Standard deviation over mean of the throughput in intervals of 5 s",
                metric="stability",
                series="win",
                panels="mtu",
                y_label="Stability index",
                caption="Published: below 0.004 with 9000 bytes, above 0.10 with 1500.",
            ),
        ),
        parameters=(
            *NETWORK,
            ("flows", "1"),
            ("window limit", "3/8 of twice the socket buffer with packets of 9000 bytes, 3/64 with 1500"),
            ("duration", "1200 s, measured from 10 s"),
        ),
        repeats=1,
        kept="rates",
        quick=Quick(repeats=1, longest_s=60.0),
        notes=(
            FAST_NOTE,
            "The packets per second are the paper's own, one number for both sizes.",
            "How far the window grows in a socket buffer is the rule of Linux 2.4 for a receiver that holds every packet in 16 kB, as a "
            "card for jumbo frames does; with a window of the buffer's own size 8 MB carry 3780 and 708 Mbit/s.",
            "One run a point, as in the paper.",
        ),
        emulates=EMULATES,
    ),
)
