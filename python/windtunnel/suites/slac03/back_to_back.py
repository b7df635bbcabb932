"""Section 6.2.2: datagrams between two hosts of 2003, back to back."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Compared, Published
from windtunnel.scenario import Bottleneck, Scenario
from windtunnel.suites.linux24 import PROFILE, flow
from windtunnel.suites.slac03.packet_sizes import RATE_BPS, SENDS_PPS, TXQUEUELEN

PUBLISHED_MBPS = {1500: 1500.0, 9000: 5000.0}
DURATION_S = 10.0
BACK_TO_BACK_S = 1e-4


def datagrams(point: Point, _draws: Draws) -> Scenario:
    """Return as many datagrams a second as the host sends, and a transfer of one packet, for a scenario has a flow."""
    source = {"kind": "udp", "rate_bps": SENDS_PPS * point["mtu"] * 8, "packet_bytes": point["mtu"]}
    return Scenario.model_validate(
        {
            "bottleneck": Bottleneck(rate_bps=RATE_BPS, queue_packets=TXQUEUELEN),
            "flows": (flow("reno", bytes=1448),),
            "traffic": (source,),
            "rtt_s": BACK_TO_BACK_S,
            "duration_s": DURATION_S,
            "warmup_s": 0.0,
            "sample_s": 0.5,
            "profile": PROFILE,
        }
    )


EXPERIMENTS = (
    Experiment(
        id="slac03.udp",
        title="Datagrams back to back",
        question="Do the packets per second that explain the TCP rates of two hosts explain their UDP rates as well?",
        source="6.2.2 (text)",
        duration_s=10.0,
        points={"alg": ("udp",), "mtu": tuple(PUBLISHED_MBPS)},
        scenario=datagrams,
        measures=(Measure("udp_b2b_mbps"),),
        figures=(
            Compared(
                "throughput",
                "Throughput of UDP back to back by packet size",
                metric="udp_b2b_mbps",
                series="mtu",
                y_label="Throughput (Mbit/s)",
                published=tuple(Published({"alg": "udp", "mtu": mtu}, value) for mtu, value in PUBLISHED_MBPS.items()),
                caption="Hollow: the paper's text.",
            ),
        ),
        parameters=(
            ("network", "10 Gbit/s, nothing between the hosts"),
            ("host", "59 000 packets a second of any size, from the TCP rates of the same section"),
            ("source", "1 of UDP, datagrams as large as the MTU"),
            ("duration", "10 s"),
        ),
        repeats=1,
        quick=Quick(repeats=1),
        notes=(
            "Datagrams have no host in the simulator: the source's rate is what the host model of `slac03.paix` can send. The result is "
            "that number times the packet's size; whether it is the published one is what is asked.",
            "No cost per packet alone gives both published rates, 69 000 and 125 000 packets a second. One with a part per byte besides "
            "(6.7 us and 0.85 ns) gives both by construction, and no TCP rate of the paper shows a part per byte.",
        ),
        emulates="the hosts of SC2003, by a source of 59000 datagrams a second, the packet rate of their TCP transfers",
    ),
)
