"""RFC 7928: what it asks to be measured of an active queue management, for every discipline of the catalogue."""

from windtunnel.suites.rfc7928.criteria import FOLLOWED

TITLE = "RFC 7928: Characterization Guidelines for Active Queue Management, July 2016"
ORDER = (
    "rfc7928.friendly",
    "rfc7928.windows",
    "rfc7928.aggressive",
    "rfc7928.flood",
    "rfc7928.unresponsive",
    "rfc7928.lbe",
    "rfc7928.rtt",
    "rfc7928.sizes",
    "rfc7928.bursts",
    "rfc7928.levels",
    "rfc7928.varying",
    "rfc7928.capacity",
    "rfc7928.mix",
    "rfc7928.bidirectional",
    "rfc7928.two",
)
METRICS = {
    "datagrams_lost": ("fraction", "datagrams of the constant bit rate lost over sent, whole run"),
    "ledbat_share": ("fraction", "goodput of LEDBAT over that of both flows"),
    "left_share": ("1", "goodput of the flow over what the datagrams leave of the link, a twentieth of it at least"),
    "phase_delay_ms": ("ms", "mean of the samples of a phase: the queue's bytes over the link's rate of that time"),
    "phase_goodput_mbps": ("Mbit/s", "goodput of all flows together in a phase"),
    "second_over_first": ("1", "goodput of category II over that of category I"),
    "small_over_large_goodput": ("1", "goodput of the flows of 576 bytes over that of those of 1500"),
    "small_over_large_loss": ("1", "packets lost over sent of the flows of 576 bytes, over the same of those of 1500"),
    "voice_lost": ("fraction", "packets of the call in forward direction lost over sent, whole run"),
    "whole_delay_ms": ("ms", "mean of the samples from 20 s on: the queue's bytes over the link's rate of that time"),
}
"""Unit and meaning of the measures that are this suite's own."""

__all__ = ["FOLLOWED", "METRICS", "ORDER", "TITLE"]
