"""Sections 4.2 and 4.3: what the sending host's processor and its device queue do to a transfer."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Compared, Published
from windtunnel.scenario import Scenario
from windtunnel.scenario.hosts import Host
from windtunnel.suites.linux24 import FAST_NOTE
from windtunnel.suites.slac03.common import LASTING, LIMITS, NETWORK, NOTES, PROTOCOLS, SITES, WINDOWS, offered
from windtunnel.suites.slac03.throughput import alone

CLOCK_HZ = 3.06e9
CYCLES = 7440
"""Of a packet, and of an ACK: with an ACK for every second packet 11 160 per packet, the paper's mean of 0.93 MHz per Mbit/s."""
SITE, WINDOW = "Manchester", "12MB"
TXQUEUELENS = (100, 2000, 10_000)
DEVICE_BPS = 1e9
TICK_S = 125e-6
"""8000 interrupts a second at most, what drivers of gigabit cards allowed."""

PROCESSOR = "a processor of 3.06 GHz that spends the paper's mean on packets and ACKs, whatever the stack"
DEVICE = "a gigabit card with 8000 interrupts a second behind the sender's queue; the path as in Table 1"


def busy(point: Point, draws: Draws) -> Scenario:
    """Return one transfer whose packets and ACKs take processor time."""
    each_s = round(CYCLES / CLOCK_HZ, 9)
    return alone(point, draws).model_copy(update={"host": Host(cpu_packet_s=each_s, cpu_ack_s=each_s, cpu_hz=CLOCK_HZ)})


def queued(point: Point, draws: Draws) -> Scenario:
    """Return one transfer to Manchester through a device queue of the point's length."""
    host = Host(nic_bps=DEVICE_BPS, txqueuelen=point["txq"], ack_tick_s=TICK_S)
    return alone({**point, "site": SITE, "win": WINDOW}, draws).model_copy(update={"host": host})


EXPERIMENTS = (
    Experiment(
        id="slac03.cpu",
        title="Processor time per bit",
        question="Does a stack cost the sending host more processor time per bit than another?",
        source="4.2 (text)",
        duration_s=1200.0,
        by_site={"win": LIMITS},
        points={"alg": PROTOCOLS, "site": tuple(SITES), "win": WINDOWS},
        scenario=busy,
        measures=(Measure("mhz_per_mbps"), Measure("mhz_per_mbps", state="all"), Measure("thr_mbps")),
        figures=(
            Compared(
                "cost",
                "Processor time of one transfer to each site",
                metric="mhz_per_mbps",
                series="win",
                panels="site",
                y_label="MHz per Mbit/s",
                y_limits=(0, 1.5),
                published=tuple(
                    Published({"alg": alg, "site": site, "win": "4MB"}, value, sd)
                    for alg, value, sd in (("scalable", 0.8, 0.35), ("fast", 1.0, 0.2))
                    for site in ("UFL", "Manchester")
                ),
                caption="Hollow: the paper's means over all windows and sites, beside those of 4 MB.",
            ),
        ),
        parameters=(
            *NETWORK,
            ("flows", "1 (ptcp: 16 streams, each with the window limit, on one host)"),
            ("host", f"{CLOCK_HZ / 1e9:g} GHz; {CYCLES} cycles for a packet, and for an ACK"),
            LASTING,
        ),
        repeats=1,
        kept="rates",
        quick=Quick(points={"site": ("Caltech", "Manchester"), "win": ("512KB", "8MB")}, repeats=1, longest_s=120.0),
        notes=(
            *NOTES,
            FAST_NOTE,
            "The mean cost is put in, from the paper: what is asked is whether stacks differ by the packets and ACKs they take per bit. "
            "What their own arithmetic costs is not modelled.",
            "One run a point, as in the paper.",
        ),
        only=offered,
        emulates=PROCESSOR,
    ),
    Experiment(
        id="slac03.txq",
        title="Length of the sender's device queue",
        question="Does a transfer do better with a short queue in front of the sender's network card?",
        source="4.3 (text)",
        duration_s=1200.0,
        points={"alg": PROTOCOLS, "txq": TXQUEUELENS},
        scenario=queued,
        measures=(Measure("thr_mbps"), Measure("stability"), Measure("sendstalls")),
        figures=(
            Compared(
                "throughput",
                "Throughput to Manchester by length of the device queue",
                metric="thr_mbps",
                series="txq",
                y_label="Throughput (Mbit/s)",
                caption="The paper gives no numbers.",
            ),
            Compared("stability", "Stability by length of the device queue", metric="stability", series="txq", y_label="Stability index"),
        ),
        parameters=(
            *NETWORK,
            ("flows", "1 (ptcp: 16 streams on one host) to Manchester"),
            ("window limit", "12 MB per stream"),
            ("host", "a card of 1 Gbit/s, ACKs handled every 125 us; a segment that finds the queue full is refused (CWR)"),
            LASTING,
        ),
        repeats=1,
        kept="rates",
        quick=Quick(repeats=1, longest_s=120.0),
        notes=(
            *NOTES,
            FAST_NOTE,
            "The paper does not say on which path, nor with which windows: the longest, and the largest, where stacks differ most.",
            "One run a point, as in the paper.",
        ),
        emulates=DEVICE,
    ),
)
