"""What was measured of TCP Prague and CUBIC on Linux, 2020: the fairness table of heistp/l4s-tests (commit 0923ac8), its scenario 1.

Two flows start together, the first of the longer RTT, for three minutes; Mbit/s of the last. Kernel L4STeam/linux b256dae of August 2020,
whose Prague was not yet independent of the RTT. Its authors argue against L4S; no other publication known to us has as many numbers for it.
"""

from __future__ import annotations

from collections.abc import Mapping

_TABLE = """
50 dualpi2   prague 20  prague 20   23.50 23.36
50 dualpi2   prague 20  cubic 20    31.85 15.51
50 dualpi2   cubic 20   prague 20   14.94 32.39
50 dualpi2   cubic 20   cubic 20    24.80 22.67
50 dualpi2   prague 80  prague 80   23.45 23.60
50 dualpi2   prague 80  cubic 80    29.92 17.48
50 dualpi2   cubic 80   prague 80   17.85 29.58
50 dualpi2   cubic 80   cubic 80    23.88 23.47
50 dualpi2   prague 80  prague 20    5.80 41.48
50 dualpi2   prague 80  cubic 20    22.43 24.89
50 dualpi2   cubic 80   prague 20    6.43 40.69
50 dualpi2   cubic 80   cubic 20    14.75 32.73
50 dualpi2   prague 160 prague 10    1.56 45.46
50 dualpi2   prague 160 cubic 10    10.13 37.28
50 dualpi2   cubic 160  prague 10    4.87 41.67
50 dualpi2   cubic 160  cubic 10    10.74 36.50
50 drop-tail prague 20  prague 20   24.06 23.65
50 drop-tail prague 20  cubic 20     5.88 41.63
50 drop-tail cubic 20   prague 20   35.44 12.24
50 drop-tail cubic 20   cubic 20    23.46 24.07
50 drop-tail prague 80  prague 80   24.38 23.36
50 drop-tail prague 80  cubic 80     3.95 43.59
50 drop-tail cubic 80   prague 80   43.71  3.74
50 drop-tail cubic 80   cubic 80    24.14 23.27
50 drop-tail prague 80  prague 20   14.50 33.16
50 drop-tail prague 80  cubic 20     6.96 40.45
50 drop-tail cubic 80   prague 20   42.33  5.14
50 drop-tail cubic 80   cubic 20    22.32 25.14
50 drop-tail prague 160 prague 10   10.35 37.36
50 drop-tail prague 160 cubic 10     4.54 43.00
50 drop-tail cubic 160  prague 10   35.71 11.80
50 drop-tail cubic 160  cubic 10    17.22 30.27
50 fq-codel  prague 20  prague 20   23.84 23.84
50 fq-codel  prague 20  cubic 20    24.03 23.32
50 fq-codel  cubic 20   prague 20   23.31 24.02
50 fq-codel  cubic 20   cubic 20    23.58 23.59
50 fq-codel  prague 80  prague 80   23.86 23.86
50 fq-codel  prague 80  cubic 80    25.29 22.03
50 fq-codel  cubic 80   prague 80   22.03 25.27
50 fq-codel  cubic 80   cubic 80    22.91 23.35
50 fq-codel  prague 80  prague 20   23.86 23.83
50 fq-codel  prague 80  cubic 20    23.97 23.31
50 fq-codel  cubic 80   prague 20   22.02 24.81
50 fq-codel  cubic 80   cubic 20    22.24 24.54
50 fq-codel  prague 160 prague 10   23.87 23.83
50 fq-codel  prague 160 cubic 10    23.87 23.49
50 fq-codel  cubic 160  prague 10   21.35 25.55
50 fq-codel  cubic 160  cubic 10    21.32 25.36
10 dualpi2   prague 20  prague 20    4.33  4.43
10 dualpi2   prague 20  cubic 20     6.01  3.23
10 dualpi2   cubic 20   prague 20    3.28  5.93
10 dualpi2   cubic 20   cubic 20     4.58  4.75
10 dualpi2   prague 80  prague 80    4.57  4.70
10 dualpi2   prague 80  cubic 80     5.94  3.42
10 dualpi2   cubic 80   prague 80    3.48  5.90
10 dualpi2   cubic 80   cubic 80     4.26  4.97
10 dualpi2   prague 80  prague 20    1.61  7.36
10 dualpi2   prague 80  cubic 20     3.64  5.67
10 dualpi2   cubic 80   prague 20    1.22  7.88
10 dualpi2   cubic 80   cubic 20     2.71  6.56
10 dualpi2   prague 160 prague 10    0.20  8.66
10 dualpi2   prague 160 cubic 10     1.22  8.10
10 dualpi2   cubic 160  prague 10    1.18  7.89
10 dualpi2   cubic 160  cubic 10     1.21  8.04
10 drop-tail prague 20  prague 20    4.36  5.13
10 drop-tail prague 20  cubic 20     2.96  6.48
10 drop-tail cubic 20   prague 20    5.50  3.95
10 drop-tail cubic 20   cubic 20     4.65  4.80
10 drop-tail prague 80  prague 80    4.72  4.77
10 drop-tail prague 80  cubic 80     1.79  7.64
10 drop-tail cubic 80   prague 80    7.76  1.69
10 drop-tail cubic 80   cubic 80     4.82  4.61
10 drop-tail prague 80  prague 20    4.13  5.34
10 drop-tail prague 80  cubic 20     3.05  6.39
10 drop-tail cubic 80   prague 20    7.90  1.53
10 drop-tail cubic 80   cubic 20     5.78  3.65
10 drop-tail prague 160 prague 10    2.40  7.08
10 drop-tail prague 160 cubic 10     1.33  8.13
10 drop-tail cubic 160  prague 10    6.58  2.85
10 drop-tail cubic 160  cubic 10     4.80  4.63
10 fq-codel  prague 20  prague 20    4.70  4.69
10 fq-codel  prague 20  cubic 20     4.78  4.53
10 fq-codel  cubic 20   prague 20    4.55  4.78
10 fq-codel  cubic 20   cubic 20     4.61  4.64
10 fq-codel  prague 80  prague 80    4.74  4.74
10 fq-codel  prague 80  cubic 80     5.28  3.95
10 fq-codel  cubic 80   prague 80    3.94  5.30
10 fq-codel  cubic 80   cubic 80     4.38  4.46
10 fq-codel  prague 80  prague 20    4.73  4.69
10 fq-codel  prague 80  cubic 20     4.76  4.55
10 fq-codel  cubic 80   prague 20    3.89  5.30
10 fq-codel  cubic 80   cubic 20     4.08  5.08
10 fq-codel  prague 160 prague 10    4.74  4.68
10 fq-codel  prague 160 cubic 10     4.74  4.65
10 fq-codel  cubic 160  prague 10    3.69  5.44
10 fq-codel  cubic 160  cubic 10     4.15  5.11
"""

Place = tuple[int, str, str, str, str]
"""Mbit/s, queue, first flow, second flow, and their RTTs as ``80/20``."""


def shares() -> Mapping[Place, float]:
    """Return the first flow's share of what both carried, by place, rounded to a thousandth."""
    found: dict[Place, float] = {}
    for line in _TABLE.strip().splitlines():
        rate, queue, first, rtt, second, other, one, two = line.split()
        found[int(rate), queue, first, second, f"{rtt}/{other}"] = round(float(one) / (float(one) + float(two)), 3)
    return found
