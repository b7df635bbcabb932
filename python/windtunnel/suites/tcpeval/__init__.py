"""The common TCP evaluation suite of draft-irtf-iccrg-tcpeval-01, with a traffic generator in place of its traces."""

from windtunnel.suites.tcpeval.criteria import FOLLOWED

TITLE = "Common TCP evaluation suite: draft-irtf-iccrg-tcpeval-01 (2014)"
ORDER = tuple(f"tcpeval.{name}" for name in ("basic", "slow", "delay", "rampup", "transients", "impact", "fairness", "parking"))
METRICS = {
    "util_up": ("fraction", "utilisation of the central link's other direction"),
    "drop_up": ("fraction", "drops over arrivals at the central link's other direction"),
    "qdelay_up_ms": ("ms", "mean time that its queue takes to empty"),
    "page_median_s": ("s", "median time of the pages of the heavier direction that began after the warm-up"),
    "large_s": ("s", "mean time of the transfers above 100 kB that began after the warm-up"),
    **{f"reach{n}_s": ("s", f"time from its start until the new flow's first {1500 * 10**n} bytes are acknowledged") for n in (1, 2, 3, 4)},
    "yield80_s": ("s", "time after the rise of the datagrams until a second's goodput is within a quarter of what is left"),
    "take60_s": ("s", "time after the fall of the datagrams until a second's goodput is 60 % of the link"),
    "take80_s": ("s", "the same, 80 %"),
    "take90_s": ("s", "the same, 90 %"),
    "udp_lost": ("packets", "datagrams dropped in the 100 s after they began to rise"),
    "camp_a_mbps": ("Mbit/s", "payload of the transfers of camp A, always standard, that were completed after the warm-up, over that time"),
    "camp_b_mbps": ("Mbit/s", "the same of camp B"),
    "flow_ratio": ("fraction", "goodput of the flow of 160 ms, or of the second of equal ones, over the other's"),
    "multi_over_single": ("fraction", "mean rate of transfers over three links over that of transfers over one"),
}
"""Unit and meaning of the measures that are this suite's own."""

__all__ = ["FOLLOWED", "METRICS", "ORDER", "TITLE"]
