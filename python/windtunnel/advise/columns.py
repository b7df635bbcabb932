"""The columns of the advice: what is compared, which way is better, and what difference matters."""

from __future__ import annotations

from dataclasses import dataclass

from windtunnel.advise.arrangements import ALONE, BESIDE, CUBIC, EQUAL, RENO
from windtunnel.advise.path import Network

MORE, LESS, HALF = "more", "less", "half"
SHARE_OF_RATE = 0.01
"""Throughputs closer than this share of the link's rate make no difference to a choice."""
SHARE_OF_RTT = 0.02
"""The same of delays, by the base RTT."""
RESENT_PERCENT = 0.01
SHARE = 0.05
SHARE_OF_RUN = 0.02
"""The same of convergence times, by the length of a run."""


@dataclass(frozen=True)
class Column:
    """One quantity by which protocols are compared.

    Parameters
    ----------
    name : str
        As ``--by`` takes it.
    title, unit : str
        For a reader; no unit for a share.
    experiment, metric : str
        Where it is measured.
    better : {"more", "less", "half"}
        Which way is better; ``half``: the closer to one half.
    matters : float
        The smallest difference that counts, in the unit.
    longest : float, optional
        What a time that was not reached counts as: a lower bound.
    """

    name: str
    title: str
    unit: str
    experiment: str
    metric: str
    better: str
    matters: float
    longest: float | None = None

    def good(self, value: float) -> float:
        """Return a value as more-is-better; a time that was not reached as the longest one."""
        if self.longest is not None:
            value = min(value, self.longest)
        return -abs(value - 0.5) if self.better == HALF else value if self.better == MORE else -value

    @property
    def heading(self) -> str:
        """Title and unit."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


def columns(network: Network) -> tuple[Column, ...]:
    """Return the columns for a path, in the order of the table."""
    rate_mbps, rtt_ms = network.link.rate_bps * 1e-6, network.rtt_s * 1e3
    rate, delay = SHARE_OF_RATE * rate_mbps, SHARE_OF_RTT * rtt_ms
    end_s = network.duration_s
    found = [
        Column("goodput", "goodput alone", "Mbit/s", ALONE, "goodput_mbps", MORE, rate),
        Column("delay", "queueing delay alone, 95 %", "ms", ALONE, "qdelay_p95_ms", LESS, delay),
        Column("resent", "sent again alone", "%", ALONE, "resent_percent", LESS, RESENT_PERCENT),
        Column("reno", "share beside Reno", "", RENO, "own_share", HALF, SHARE),
        Column("cubic", "share beside CUBIC", "", CUBIC, "own_share", HALF, SHARE),
        Column("convergence", "time of a second flow to 80 %", "s", EQUAL, "conv80_s@fair_share", LESS, SHARE_OF_RUN * end_s, 0.9 * end_s),
    ]
    if network.competition:
        found += [
            Column("own", f"rate beside {network.beside}", "Mbit/s", BESIDE, "own_mbps", MORE, rate),
            Column("others", "left to each of them", "Mbit/s", BESIDE, "others_mbps", MORE, rate),
        ]
    return tuple(found)
