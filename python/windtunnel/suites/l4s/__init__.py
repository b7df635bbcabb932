"""L4S: Prague beside CUBIC in DualPI2, in one queue, on classic queues, with bleached ECN and under overload."""

from windtunnel.suites.l4s.criteria import FOLLOWED

TITLE = "L4S: RFC 9330, 9331 and 9332 (January 2023), by what was measured of TCP Prague and CUBIC"
ORDER = tuple(f"l4s.{name}" for name in ("pairs", "mixes", "rtt", "onequeue", "fallback", "bleached", "step", "crowd", "overload"))
METRICS = {
    "classic_mbps": ("Mbit/s", "mean goodput of the flows without L4S, last minute"),
    "first_wait_ms": ("ms", "mean of the first flow's smoothed RTT less its base RTT, last minute"),
    "first_wait_p99_ms": ("ms", "99th percentile of the same"),
    "last_wait_ms": ("ms", "the same mean of the last flow"),
    "mean_share": ("fraction", "mean goodput of the L4S flows over the sum of that and the others' mean, last minute"),
    "pooled_wait_ms": ("ms", "mean over L4S flows of their smoothed RTT less the base RTT, last minute"),
    "second_over_first": ("1", "goodput of the second flow over that of the first, last minute"),
    "share": ("fraction", "goodput of the first flow over that of both, last minute"),
    "spike_ms": ("ms", "largest smoothed RTT after the step less the base RTT"),
    "spike_s": ("s", "time after the step at which the smoothed RTT was last 50 ms above its base"),
    "wait_ms": ("ms", "mean of the first flow's smoothed RTT less its base RTT, last minute"),
    "wait_p99_ms": ("ms", "99th percentile of the same"),
}
"""Unit and meaning of the measures that are this suite's own."""

__all__ = ["FOLLOWED", "METRICS", "ORDER", "TITLE"]
