"""The path that is asked about, and how long a run on it must be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from windtunnel.foreign import shown
from windtunnel.scenario import Bottleneck, Flow, Scenario, ScenarioError, fill, load, parse

PACKET_BITS = 12_000
MOST_PACKETS = 20e6
"""Of one run: half a second to a second of a core."""
SHORTEST_S, LONGEST_S = 60.0, 600.0
SHORTEST_RTTS = 400
EPOCHS = 20
"""Epochs of two reno flows that a run holds where these bounds let it."""
LEAST_S, LEAST_RTTS = 10.0, 200
"""What no bound on packets may take."""
FEWEST_RTTS = 20
"""A run that is asked for has no fewer round trips: of the second half of a shorter one there is nothing to measure."""


@dataclass(frozen=True)
class Network:
    """A path and who else is on it.

    Parameters
    ----------
    link : Bottleneck
        Rate, queue and loss.
    rtt_s : float
        Base round-trip time of every flow, seconds.
    competition : tuple of (str, int)
        Protocols beside the one under test, each with its number of flows; empty for none.
    asked_s : float, optional
        Length of every run, seconds, in place of the rule.
    """

    link: Bottleneck
    rtt_s: float
    competition: tuple[tuple[str, int], ...] = ()
    asked_s: float | None = None

    @property
    def packets_s(self) -> float:
        """1500-byte packets per second of the bottleneck."""
        return self.link.rate_bps / PACKET_BITS

    @property
    def bdp_packets(self) -> float:
        """Bandwidth-delay product, packets."""
        return self.packets_s * self.rtt_s

    @property
    def queue_packets(self) -> float:
        """The queue limit, packets, whatever unit it was given in."""
        link = fill(Scenario(bottleneck=self.link, flows=(Flow(algorithm="reno", rtt_s=self.rtt_s),))).scenario.bottleneck
        if link.queue_bytes is not None:
            return link.queue_bytes * 8 / PACKET_BITS
        return link.queue_s * self.packets_s if link.queue_s is not None else float(link.queue_packets or 0)

    @property
    def epoch_s(self) -> float:
        """Time between two back-offs of a pair of synchronised reno flows, seconds.

        They lose half of a full pipe of N packets and gain two per round trip: N^2 packets over four times the rate.
        """
        return (self.bdp_packets + self.queue_packets) ** 2 / (4 * self.packets_s)

    @property
    def duration_s(self) -> float:
        """Length of every run, whole seconds unless asked for.

        Twenty epochs of two reno flows and 400 round trips, from one to ten minutes, and no more than 20 million packets at the link's
        rate; 200 round trips in any case.
        """
        if self.asked_s is not None:
            return self.asked_s
        wanted_s = max(SHORTEST_S, SHORTEST_RTTS * self.rtt_s, EPOCHS * self.epoch_s)
        affordable_s = min(LONGEST_S, MOST_PACKETS / self.packets_s)
        return float(math.ceil(max(min(wanted_s, affordable_s), LEAST_RTTS * self.rtt_s, LEAST_S)))

    @property
    def beside(self) -> str:
        """The competition in words, as ``4 cubic, 1 bbr``."""
        return ", ".join(f"{count} {shown(name)}" for name, count in self.competition)

    @property
    def words(self) -> str:
        """The path on one line."""
        parts = [f"{_rate(self.link.rate_bps)}, {1e3 * self.rtt_s:g} ms"]
        parts += [f"queue {self.queue_packets:.0f} packets ({100 * self.queue_packets / self.bdp_packets:.3g} % of the BDP)"]
        parts += [f"loss {self.link.loss_probability:g}"] if self.link.loss_probability else []
        parts += [f"{len(self.link.losses)} loss model{'s' if len(self.link.losses) > 1 else ''}"] if self.link.losses else []
        return ", ".join(parts)


def _rate(rate_bps: float) -> str:
    for factor, unit in ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")):
        if rate_bps >= factor:
            return f"{rate_bps / factor:g} {unit}"
    return f"{rate_bps:g} bit/s"


def network_of(file: str, *, competition: str | None = None, duration: str | None = None, given: Sequence[str | None] = ()) -> Network:
    """Read a path from a scenario file: its bottleneck, and the RTT of its flows.

    Parameters
    ----------
    file : str
        The file.
    competition, duration : str, optional
        As of `network`.
    given : sequence of str or None
        What else was said of the path; there may be nothing.

    Raises
    ------
    ScenarioError
        When the file is none, its flows have several RTTs, or something else was said of the path.
    """
    if any(one is not None for one in given):
        raise ScenarioError("path", f"{file} beside a rate, an RTT or a loss; allowed: one of the two")
    full = fill(load(Path(file))).scenario
    rtts = {flow.rtt_s for flow in full.flows}
    if len(rtts) != 1 or full.hops:
        raise ScenarioError("path", f"{file} has {len(rtts)} RTTs and {1 + len(full.hops)} links; allowed: one of each")
    (rtt_s,) = rtts
    plain = full.bottleneck.model_copy(update={"queue_bdp": None})
    return network(plain.model_dump(exclude_defaults=True), f"{rtt_s!r}s", competition=competition, duration=duration)


def network(link: dict[str, object], rtt: str, *, competition: str | None = None, duration: str | None = None) -> Network:
    """Read a path as the command line has it.

    Parameters
    ----------
    link : dict of str to object
        The bottleneck, as a scenario file writes it.
    rtt : str
        Such as ``100ms``.
    competition : str, optional
        ``NAME[:VARIANT][:COUNT]``, several separated by commas, as ``cubic:4,bbr``.
    duration : str, optional
        Length of every run, as ``120s``.

    Raises
    ------
    ScenarioError
        One line with the field, the value and what is allowed.
    """
    others = tuple(_competitor(part.strip()) for part in competition.split(",")) if competition is not None else ()
    flows: list[object] = [{"algorithm": name, "count": count} for name, count in others] or ["reno"]
    asked = {} if duration is None else {"duration": duration}
    try:
        checked = parse({"bottleneck": link, "rtt": rtt, "flows": flows, "sample": 0, **asked})
    except ScenarioError as error:
        if competition is None or not error.field.startswith("flows"):
            raise
        raise ScenarioError("competition", f"{competition!r}: {error.problem}") from None
    fill(checked)
    assert checked.rtt_s is not None
    if duration is not None and checked.duration_s < FEWEST_RTTS * checked.rtt_s:
        least_s = FEWEST_RTTS * checked.rtt_s
        raise ScenarioError("duration", f"{duration!r} is too short; allowed: at least {FEWEST_RTTS} round trips, here {least_s:g} s")
    named = tuple((flow.algorithm, flow.count) for flow in checked.flows) if others else ()
    return Network(checked.bottleneck, checked.rtt_s, named, None if duration is None else checked.duration_s)


def _competitor(text: str) -> tuple[str, int]:
    head, _, last = text.rpartition(":")
    return (head, int(last)) if head and last.isdecimal() else (text, 1)
