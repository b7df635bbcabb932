"""What the experiments of the paper of open questions share: its stack, its testbed and its wide-area path."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from windtunnel.experiment import Draws, Measure
from windtunnel.metrics.distributions import LEVELS, level_pkts
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.suites.paths import bdp_packets, jitter_s

PROFILE = "linux-2.6.23"

STACK = (("stack", "profile linux-2.6.23: SACK, rate halving, delayed ACKs, each ACK counted once (no byte counting)"),)
DUMBBELL = (("network", "dumbbell, one drop-tail queue, 1500-byte packets; ACKs delayed by up to one packet time"),)

WAN_RATE = 100
WAN_RTTS_MS = (160.0, 170.0)
"""The paper names the ends of its path, Hamilton and Caltech, and no round-trip time; each repeat draws one of these."""
WAN_QUEUE_PACKETS = round(bdp_packets(WAN_RATE, WAN_RTTS_MS[0]))
WAN = (
    ("network", "dumbbell of 100 Mbit/s and one BDP of drop-tail queue in place of the wide-area path; no other traffic"),
    ("RTT", "drawn for each repeat between 160 and 170 ms; the paper does not state it"),
)
WAN_NOTE = (
    "The published path crossed a campus link of 100 Mbit/s with live traffic. Its queue, round-trip time and traffic are not stated; "
    "this is an emulation without the traffic."
)


def wan_rtt_s(draws: Draws) -> float:
    """Return the round-trip time of a repeat on the wide-area path, seconds, the same for every protocol."""
    low, high = WAN_RTTS_MS
    return round((low + (high - low) * draws.uniform("delay of the path")) * 1e-3, 9)


def wan(draws: Draws, flows: Sequence[Flow], *, duration_s: float, warmup_s: float) -> Scenario:
    """Return flows over the wide-area path; those without a round-trip time get the repeat's."""
    return Scenario(
        bottleneck=Bottleneck(rate_bps=WAN_RATE * 1e6, queue_packets=WAN_QUEUE_PACKETS),
        flows=tuple(flows),
        rtt_s=wan_rtt_s(draws),
        duration_s=duration_s,
        warmup_s=warmup_s,
        sample_s=0.1,
        jitter_s=jitter_s(WAN_RATE, WAN_RTTS_MS[0]),
        profile=PROFILE,
    )


def levels() -> tuple[Measure, ...]:
    """Return the measures that hold a run's distribution of windows: two runs are compared by them."""
    return tuple(Measure("cwnd_level_pkts", state=f"{level:g}", function=functools.partial(level_pkts, level)) for level in LEVELS)
