"""Whether a run of the live kernel says anything: what the machine did to it, against bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from windtunnel.live.clock import NetworkClock

STEAL_MOST = 0.005
"""Of the time of all processors: two runs with 2 % were useless, those with less than 0.5 % were not."""
PAUSED_MOST = 0.02
"""Of the run's real time: by so much its rate is lower for the ends' own clocks."""
REPAIRS_APART = 0.02
"""Of the packets dropped: retransmissions and drops differ by less."""
REPAIRS_FEW = 2
"""Packets: of fewer than a hundred drops 2 % is less."""
UNREPAIRED_S = 0.3
"""A drop so long before the end, and two round trips of a full queue, is repaired by then; the shortest timeout is 0.2 s."""
WINDOW_MOST = 0x7FFFFFFF
"""Packets: ssthresh without a loss yet (TCP_INFINITE_SSTHRESH). No law answers more; a stack slot that was not written may hold it."""


@dataclass(frozen=True)
class Validity:
    """What the machine did to a run.

    Parameters
    ----------
    steal, paused : float
        Parts of the run's time, of all processors and of the network's clock.
    pauses : int
        How often the clock stood; `longest_s` the longest, seconds.
    late_us_p50, late_us_p99 : int or None
        Lateness of packets behind their computed time, microseconds.
    retransmitted, dropped : int
        Packets: the senders', and the router's.
    repairs_compared : bool
        Whether the two can be compared: not where order, delay or ACKs are disturbed, which leads to retransmissions without a drop.
    faults : tuple of str
        Why it is not valid; empty when it is.
    """

    steal: float
    paused: float
    pauses: int
    longest_s: float
    late_us_p50: int | None
    late_us_p99: int | None
    retransmitted: int
    dropped: int
    repairs_compared: bool
    faults: tuple[str, ...]

    def words(self) -> str:
        """Return it as a line."""
        known = "valid" if not self.faults else f"not valid: {'; '.join(self.faults)}"
        return (
            f"{known} (steal {self.steal:.2%}, clock stopped {self.pauses} times for {self.paused:.2%}, at most "
            f"{1e3 * self.longest_s:.1f} ms; packets released late by {self.late_us_p50} us in the median, {self.late_us_p99} us at 99 %; "
            f"{self.retransmitted} retransmissions, {self.dropped} drops)"
        )


def of_run(answer: Mapping[str, Any], spec: Mapping[str, Any], *, largest_s: float) -> Validity:
    """Judge a run.

    Parameters
    ----------
    answer : mapping
        What `windtunnel.live.lab.run` returns.
    spec : mapping
        The engine's scenario.
    largest_s : float
        The largest RTT of any flow, seconds.

    Returns
    -------
    Validity
        With every fault.
    """
    router = answer["router"]
    clock = NetworkClock(router["stalls"])
    real_ns = router["end_ns"] + clock.paused_ns
    ends = list({row[1]: row for row in answer["rows"]}.values())
    # Packets that are lost and not yet sent again count as repaired: row 12.
    retransmitted, pending = sum(row[10] for row in ends), sum(row[12] for row in ends)
    since_ns = router["end_ns"] - round((2 * largest_s + UNREPAIRED_S) * 1e9)
    # Datagrams of sources, numbered after the flows, are not sent again.
    drops_ns = [at_ns for at_ns, flow, _ in router["drops"] if flow < len(spec["flows"])]
    dropped, early = len(drops_ns), sum(at_ns < since_ns for at_ns in drops_ns)
    steal = answer["steal"] / answer["ticks"] if answer["ticks"] else 0.0
    paused = clock.paused_ns / real_ns if real_ns else 0.0
    faults = []
    if steal >= STEAL_MOST:
        faults.append(f"{steal:.2%} of the processors' time was stolen, {STEAL_MOST:.1%} at most")
    if paused >= PAUSED_MOST:
        faults.append(f"the network's clock stood for {paused:.2%} of the time, {PAUSED_MOST:.0%} at most")
    compared = is_compared(spec)
    few = (1 - REPAIRS_APART) * early - REPAIRS_FEW
    many = (1 + REPAIRS_APART) * dropped + REPAIRS_FEW
    if compared and not (retransmitted + pending >= few and retransmitted <= many):
        faults.append(f"{retransmitted} retransmissions for {dropped} drops: more than {REPAIRS_APART:.0%} apart")
    if hidden := router["overflowed"] + router["refused"]:
        faults.append(f"{hidden} packets were lost outside the links")
    faults += not_run(answer)
    return Validity(
        steal,
        paused,
        len(router["stalls"]),
        max((stall["length_ns"] for stall in router["stalls"]), default=0) * 1e-9,
        router["late_us_p50"],
        router["late_us_p99"],
        retransmitted,
        dropped,
        compared,
        tuple(faults),
    )


def not_run(answer: Mapping[str, Any]) -> list[str]:
    """Return that a hook of a BPF program was not run, where a window says so; a fault, or none.

    A kernel may decide in front of a program not to run it (`__bpf_prog_enter` answers 0). The trampoline of a hook that returns a value
    then returns what its stack slot holds: on a kernel that does so it was an address of the kernel's code, 2165326096.
    """
    for _, flow, _, cwnd, ssthresh, *_ in answer["rows"]:
        if max(cwnd, ssthresh) > WINDOW_MOST:
            return [f"flow {flow + 1} had a window or ssthresh of {max(cwnd, ssthresh)} packets: the kernel did not run its program's hook"]
    return []


def is_compared(spec: Mapping[str, Any]) -> bool:
    """Return whether every retransmission is of a dropped packet, as far as the network is concerned."""
    links = [spec["forward"], *(hop["link"] for hop in spec["hops"]), *([spec["reverse"]] if spec["reverse"] else [])]
    disturbed = any(
        link["disorder"]["late_probability"] or link["disorder"]["double_probability"] or link["changes"]["delay_steps"] for link in links
    )
    acks_cross = spec["reverse"] is not None or any(flow["direction"] == "reverse" for flow in spec["flows"])
    sized = any(flow["bytes"] is not None or flow["stop_ns"] is not None for flow in spec["flows"])
    outages = any(link["changes"]["outages"] or link["changes"]["trace_ms"] for link in links)
    return not (disturbed or acks_cross or sized or outages)
