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

__all__ = ["ORDER", "TITLE", "findings", "present", "skipped"]
