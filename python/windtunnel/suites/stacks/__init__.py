"""One name, many programs: the CUBIC, Reno and BBR of whole QUIC stacks beside Linux's, against RFC 9438 and RFC 9002."""

from windtunnel.suites.stacks.findings import findings
from windtunnel.suites.stacks.subjects import present, skipped

TITLE = "One name, many programs: CUBIC, Reno and BBR of whole QUIC stacks beside Linux 6.1, against RFC 9438 and RFC 9002"
ORDER = (
    "stacks.growth",
    "stacks.friendly",
    "stacks.start",
    "stacks.loss",
    "stacks.pairs",
    "stacks.outage",
    "stacks.reorder",
    "stacks.app",
    "stacks.pacing",
    "stacks.buffers",
    "stacks.ecn",
)

METRICS = {
    "back_s": ("s", "from the end of the outage until the link carries 90 % of its rate for half a second"),
    "beta_step": ("1", "cwnd after over before a back-off, median; back-offs are falls of the sampled window by 7 % or more"),
    "cubic_c": (
        "packets/s^3",
        "leading coefficient of the least-squares cubic of the window between back-offs, median of epochs on both sides of its turn",
    ),
    "cubic_plateau": ("1", "window at that turning point over the one before the back-off, median"),
    "cwnd_low": ("packets", "smallest window from the outage to two seconds after it"),
    "cwnd_over_need": ("1", "largest window over a chunk of the application in packets of 1448 bytes"),
    "fill_s": ("s", "from the start until the link first carries 90 % of its rate for 0.2 s"),
    "first_burst": ("packets", "largest queue that the first flight leaves, in 1500-byte packets"),
    "growth_per_rtt": ("packets/RTT", "least-squares slope of the window over round trips between back-offs, median over epochs"),
    "law_ratio": ("1", "goodput over that of sqrt(1.5/p) segments of 1448 bytes per base RTT, the link's rate at most"),
    "overshoot": ("1", "largest window over BDP and queue"),
    "reductions": ("count", "back-offs"),
    "restart_burst": (
        "packets",
        "largest queue in the first half round trip of a turn, 1500-byte packets, median of turns after two",
    ),
    "share": ("fraction", "goodput of the first flow over that of both"),
    "start_burst": ("packets", "largest queue while the window is below half a BDP, in 1500-byte packets"),
    "start_loss": ("1", "bytes that the queue dropped over BDP and queue"),
    "undone": ("fraction", "back-offs after which the window is back at 98 % within eight round trips, over all"),
    "wrongly_lost": ("fraction", "packets declared lost less packets lost, over packets sent"),
}
"""Unit and meaning of the measures that are this suite's own."""

__all__ = ["METRICS", "ORDER", "TITLE", "findings", "present", "skipped"]
