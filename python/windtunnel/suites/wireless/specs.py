"""The scenarios of draft-huitema-ccwg-c4-test as its authors run them, and the numbers they print.

Parameters: the files of sim_specs in private-octopus/c4 and picoquic_ns.c in private-octopus/picoquic, both read. Where they and the text
of the draft differ the files are run, for the printed numbers come from them. Numbers: doc/c4-tests.md of commit 0863b68 (July 2026), means
of 100 runs of picoquic's BBR and CUBIC.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Spec:
    """One scenario.

    Parameters
    ----------
    rate_mbps, rtt_ms : float
        Of the path at the beginning.
    queue_ms : float
        What the queue holds, in time at that rate.
    mbytes : float
        What the main connection downloads, 10^6 bytes.
    start_s : float
        When it starts.
    other : str
        The background connection's protocol; empty for none.
    other_mbytes, other_start_s : float
        What that downloads, and when it starts.
    link : str
        What the link does over time, a name of `windtunnel.suites.wireless.c4.link`.
    """

    rate_mbps: float
    rtt_ms: float
    queue_ms: float
    mbytes: float
    start_s: float = 0.0
    other: str = ""
    other_mbytes: float = 0.0
    other_start_s: float = 0.0
    link: str = ""


# The queue of short_long is that of its second part; picoquic's holds 100 ms in the first second.
SPECS: Mapping[str, Spec] = {
    "alone": Spec(20, 80, 80, 10),
    "alone_200": Spec(200, 40, 40, 20),
    "alone_1_5M": Spec(1.5, 40, 50, 4),
    "alone_512k": Spec(0.512, 34, 50, 1),
    "low_and_up": Spec(10, 100, 80, 7, link="low_and_up"),
    "drop_and_back": Spec(10, 100, 80, 7, link="drop_and_back"),
    "blackhole": Spec(25, 70, 80, 10, link="blackhole"),
    "short_long": Spec(10, 30, 200, 20, link="short_long"),
    "satellite": Spec(250, 600, 600, 100),
    "bbloat": Spec(20, 80, 20_000, 30),
    "bbloat_cubic": Spec(20, 80, 20_000, 30, other="cubic", other_mbytes=20),
    "vs_bbr": Spec(20, 80, 80, 5, other="bbr3", other_mbytes=10),
    "vs_cubic": Spec(20, 80, 80, 5, other="cubic", other_mbytes=10),
    "vs_bbr_lg": Spec(20, 80, 80, 30, other="bbr3", other_mbytes=20),
    "vs_cubic_lg": Spec(20, 80, 80, 30, other="cubic", other_mbytes=20),
    "vs_bbr_lg2": Spec(10, 70, 80, 15, other="bbr3", other_mbytes=10, other_start_s=1.0),
    "vs_cubic_lg2": Spec(10, 70, 80, 15, other="cubic", other_mbytes=10, other_start_s=1.0),
    "wifi_bad": Spec(10, 2, 80, 4, link="wifi_bad"),
    "wifi_fade": Spec(20, 80, 80, 10, link="wifi_fade"),
    "wifi_suspension": Spec(20, 10, 20, 10, link="wifi_suspension"),
    "wifi_bad_bbr": Spec(10, 2, 250, 4, start_s=1.0, other="bbr3", other_mbytes=10, link="wifi_bad"),
    "wifi_bad_cubic": Spec(10, 2, 250, 4, start_s=1.0, other="cubic", other_mbytes=10, link="wifi_bad"),
    "ecn": Spec(20, 80, 100, 10, link="dualpi2"),
    "ecn_bbr": Spec(20, 80, 100, 10, start_s=1.0, other="bbr3", other_mbytes=20, link="dualpi2"),
    "ecn_cubic": Spec(20, 80, 100, 10, start_s=1.0, other="cubic", other_mbytes=20, link="dualpi2"),
}

COMPLETION_S: Mapping[str, tuple[float, float]] = {
    "alone": (4.689260, 4.472465),
    "alone_200": (1.221630, 1.145722),
    "alone_1_5M": (21.717251, 21.514264),
    "alone_512k": (16.211371, 16.183314),
    "low_and_up": (7.506849, 8.035433),
    "drop_and_back": (7.625693, 7.629764),
    "blackhole": (5.811316, 5.695660),
    "short_long": (42.331541, 21.368101),
    "satellite": (7.492539, 6.704246),
    "bbloat": (13.007888, 12.626182),
    "vs_bbr": (4.501471, 2.853022),
    "vs_cubic": (6.974953, 5.348004),
    "vs_bbr_lg": (21.098503, 15.562778),
    "vs_cubic_lg": (21.430554, 20.902893),
    "vs_bbr_lg2": (18.711270, 21.520837),
    "vs_cubic_lg2": (15.533300, 20.672401),
    "wifi_bad": (5.601202, 4.076699),
    "wifi_fade": (5.403001, 5.341227),
    "wifi_suspension": (4.615871, 4.600118),
    "wifi_bad_bbr": (7.280777, 6.837401),
    "wifi_bad_cubic": (8.731338, 10.397119),
    "ecn": (4.670054, 4.460773),
    "ecn_bbr": (13.246715, 16.900370),
    "ecn_cubic": (9.701695, 13.356991),
}
"""Mean time from the start to the end, seconds: BBR's, CUBIC's. That of bbloat is of an earlier edition of the draft."""

RTT_MS: Mapping[str, tuple[float, float]] = {
    "alone": (95.763, 129.990),
    "alone_200": (45.827, 53.624),
    "bbloat": (84.749, 229.431),
    "bbloat_cubic": (97.461, 647.456),
}
"""Mean RTT, ms, of an earlier edition."""

LOAD: Mapping[str, tuple[float, float]] = {
    "vs_bbr_lg": (0.50, 0.81),
    "vs_cubic_lg": (0.18, 0.48),
    "bbloat_cubic": (0.15, 0.53),
}
"""The main connection's share of what both carry while both are there, of an earlier edition."""
