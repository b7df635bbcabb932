"""What the experiments of the SLAC study share: its three paths, its window limits, and one queue that explains its own pings."""

from __future__ import annotations

from dataclasses import dataclass

from windtunnel.experiment import Draws, Point
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.suites.linux24 import PROFILE, STACK

PROTOCOLS = ("reno", "ptcp", "scalable", "fast", "hstcp", "bic", "htcp", "hstcp-lp")
COMPETITORS = PROTOCOLS[1:]
"""The stacks of the fairness tests; standard TCP on one stream was left out of them."""
DURATION_S = 1200.0
SETTLING_S = 10.0
SAMPLE_S = 1.0
REPEATS = 3
"""The paper ran once; here random losses and starts differ from run to run, and three repeats are what an error bar needs."""


@dataclass(frozen=True)
class Path:
    """A path from SLAC: its bottleneck's rate (Mbit/s), its round-trip time (ms), and the three window limits, smallest first."""

    rate: float
    rtt: float
    windows: tuple[str, ...]


SITES = {
    "Caltech": Path(622, 10, ("256KB", "512KB", "1MB")),
    "UFL": Path(467, 70, ("1MB", "4MB", "8MB")),
    "Manchester": Path(622, 170, ("4MB", "8MB", "12MB")),
}
LIMITS = {site: path.windows for site, path in SITES.items()}
WINDOWS = ("256KB", "512KB", "1MB", "4MB", "8MB", "12MB")

QUEUE_BYTES = 16 * 2**20
"""It is not given. Sixteen streams of 1 MB to Caltech raised the ping from 10 to 200 ms: 190 ms at 622 Mbit/s are 14.8 MB."""
LOSS = 6e-7
"""Losses of the production network: 0.75 / W^2 for the 1105 packets of standard TCP at 78 Mbit/s and 170 ms (Table 1)."""

NETWORK = (
    ("network", "one drop-tail queue of 16 MB, 1500-byte packets; Caltech 622 Mbit/s, UFL 467 Mbit/s, Manchester 622 Mbit/s"),
    ("RTT", "Caltech 10 ms, UFL 70 ms, Manchester 170 ms"),
    ("loss", "independent, 6e-7 per packet"),
    STACK,
)
LASTING = ("duration", "1200 s; measured from 10 s after the last start")
NOTES = (
    "The queue is not given in the paper: 16 MB is what its pings say, which rose by 190 ms under sixteen windows of 1 MB.",
    "One loss probability, from one cell of Table 1, stands in for the production network's losses: claims that rest on the real "
    "network's own are judged on that.",
)
EMULATES = "the production paths, by one queue of 16 MB and independent losses of 6e-7, both inferred from the paper's own numbers"


def packets(window: str) -> int:
    """Return a window limit in packets of 1448 bytes of payload; KB is 1024 bytes."""
    scale = {"KB": 2**10, "MB": 2**20}[window[-2:]]
    return int(window[:-2]) * scale // 1448


def offered(point: Point) -> bool:
    """Return whether the site of a point offers its window limit."""
    return point["win"] in SITES[point["site"]].windows


def over(site: str, flows: tuple[Flow, ...]) -> Scenario:
    """Return flows over the path to a site."""
    path = SITES[site]
    return Scenario(
        bottleneck=Bottleneck(rate_bps=path.rate * 1e6, queue_packets=QUEUE_BYTES // 1500, loss_probability=LOSS),
        flows=flows,
        rtt_s=path.rtt * 1e-3,
        duration_s=DURATION_S,
        warmup_s=max(one.start_s for one in flows) + SETTLING_S,
        sample_s=SAMPLE_S,
        profile=PROFILE,
    )


def second_start_s(draws: Draws) -> float:
    """Return the start of a second flow, seconds: scripts on two hosts that start together start within a second of each other."""
    return round(draws.uniform("start of flow 2"), 3)
