"""What suites of several papers share: how a run's path is laid out so that no phase is locked, and how long Reno needs on it."""

from __future__ import annotations

from windtunnel.experiment import Draws, Measure

PACKET_BITS = 12_000
"""A full packet on the link, 1500 bytes of IP."""


def bdp_packets(rate_mbps: float, rtt_ms: float) -> float:
    """Return the bandwidth-delay product in 1500-byte packets."""
    return rate_mbps * 1e6 * rtt_ms * 1e-3 / PACKET_BITS


def jitter_s(rate_mbps: float, rtt_ms: float) -> float:
    """Return the largest delay of an ACK, seconds: a packet's time on the bottleneck, at most a tenth of the round trip.

    Floyd and Jacobson (1992) show that less leaves two flows locked in phase (docs/decisions/0005).
    """
    return min(PACKET_BITS / (rate_mbps * 1e6), 0.1 * rtt_ms * 1e-3)


def drawn_rtt_s(rtt_ms: float, *, jitter: float, draws: Draws) -> float:
    """Return a repeat's round-trip time, seconds: less than half of `jitter` off the nominal one, the same for every protocol."""
    return round(rtt_ms * 1e-3 + jitter * (draws.uniform("delay of the path") - 0.5), 9)


def reno_epoch_s(rate_mbps: float, rtt_ms: float, q: float) -> float:
    """Return what one Reno flow takes from half a full pipe to a full one, seconds: ((1 + q) BDP)^2 packets over twice the rate."""
    full = bdp_packets(rate_mbps, rtt_ms) * (1 + q)
    return full**2 * PACKET_BITS / (2 * rate_mbps * 1e6)


def with_memories(metric: str) -> tuple[Measure, ...]:
    """Return the measure of a convergence time and of its variants, which the verdicts are checked against."""
    variants = ("short_memory", "long_memory", "fair_share")
    return (Measure(metric), *(Measure(f"{metric}@{variant}") for variant in variants))
