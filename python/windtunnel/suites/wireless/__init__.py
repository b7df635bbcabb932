"""Wireless paths: the scenarios of C4's tests with their printed numbers, and each effect of wireless links by itself."""

from windtunnel.suites.wireless.criteria import FOLLOWED

TITLE = "Wireless paths: draft-huitema-ccwg-c4-test (2026), RFC 8868's jitter, aggregation, handovers and a cellular link"
ORDER = tuple(f"wireless.{name}" for name in ("network", "compete", "wifi", "ecn", "parts", "media"))
METRICS = {
    "completion_s": ("s", "from the main connection's start to the acknowledgement of its last byte"),
    "encoded_mbps": ("Mbit/s", "mean payload rate that frames of video were encoded for"),
    "frame_p95_ms": ("ms", "95th percentile, over frames that arrived, from the capture until all of a frame is at the receiver"),
    "late_frames": ("fraction", "frames that were skipped or took more than 400 ms"),
    "load": ("fraction", "the main connection's part of what both carried while both were there"),
    "main_rtt_ms": ("ms", "mean of all RTT samples of the main connection"),
    "rtt_over_ms": ("ms", "mean of all RTT samples less the base RTT"),
    "use": ("fraction", "bytes the link carried after the warm-up over what its rate, outages and deliveries would have let it"),
}
"""Unit and meaning of the measures that are this suite's own."""

__all__ = ["FOLLOWED", "METRICS", "ORDER", "TITLE"]
