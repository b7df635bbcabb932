"""Wireless paths: the scenarios of C4's tests with their printed numbers, and each effect of wireless links by itself."""

from windtunnel.suites.wireless.criteria import FOLLOWED

TITLE = "Wireless paths: draft-huitema-ccwg-c4-test (2026), RFC 8868's jitter, aggregation, handovers and a cellular link"
ORDER = tuple(f"wireless.{name}" for name in ("network", "compete", "wifi", "ecn", "parts"))
METRICS = {
    "completion_s": ("s", "from the main connection's start to the acknowledgement of its last byte"),
    "load": ("fraction", "the main connection's part of what both carried while both were there"),
    "main_rtt_ms": ("ms", "mean of all RTT samples of the main connection"),
    "rtt_over_ms": ("ms", "mean of all RTT samples less the base RTT"),
    "use": ("fraction", "bytes the link carried after the warm-up over what its rate, outages and deliveries would have let it"),
}
"""Unit and meaning of the measures that are this suite's own."""

__all__ = ["FOLLOWED", "METRICS", "ORDER", "TITLE"]
