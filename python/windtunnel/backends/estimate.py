"""What a run takes before it has begun: time of a processor and memory, so that hours, or more memory than there is, are said first."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from windtunnel.backends.weight import packets
from windtunnel.scenario import Scenario
from windtunnel.scenario.flows import PACKET_BYTES

LONG_S = 3600.0
"""From so much time on a run is announced, seconds."""

_PACKET_S = ((10, 4e-8), (1000, 1e-7), (math.inf, 6e-7))
"""Seconds a packet takes with up to so many flows: with more of them each is gone from the processor's cache by its next packet."""
_HOOK_S = 4e-7
"""What a packet takes more where a controller in Python is asked (docs/guides/python.md, Cost: 0.33 us per ACK beside its own body)."""
_SAMPLE_S = 5e-8
_FLOW_BYTES, _HELD_BYTES, _SAMPLE_BYTES, _ACK_BYTES, _TRANSFER_BYTES, _EVENT_BYTES = 3400, 220, 90, 40, 110, 64
"""Measured by the largest resident set of a process: a flow without samples, a packet in flight or queued, a row of each kind."""
_BASE_BYTES = 150e6
"""The interpreter with what it has loaded."""


@dataclass(frozen=True)
class Estimate:
    """About what a run takes; each may be three times too much or too little.

    Parameters
    ----------
    seconds : float
        Time of one processor.
    memory_bytes : float
        Largest memory of the process.
    """

    seconds: float
    memory_bytes: float


def estimate(scenario: Scenario) -> Estimate:
    """Return about what a run in the simulator takes.

    Parameters
    ----------
    scenario : Scenario
        With or without defaults filled in.
    """
    delivered = packets(scenario)
    flows = sum(flow.count for flow in scenario.flows)
    rows = (flows + 1 + len(scenario.hops)) * scenario.duration_s / scenario.sample_s if scenario.sample_s else 0.0
    each_s = next(each for most, each in _PACKET_S if flows <= most)
    if any(".py" in flow.algorithm for flow in scenario.flows):
        each_s += _HOOK_S
    acks = delivered / 2 if scenario.per_ack else 0.0
    # Of a packet in a hundred, unless the path says more; a mark may be on every packet.
    dropped = delivered * max(scenario.bottleneck.loss_probability, 0.01) if scenario.record_drops else 0.0
    events = dropped + (delivered if scenario.record_marks else 0.0)
    memory = _FLOW_BYTES * flows + _HELD_BYTES * _held(scenario) + _SAMPLE_BYTES * rows + _ACK_BYTES * acks + _EVENT_BYTES * events
    return Estimate(delivered * each_s + rows * _SAMPLE_S, _BASE_BYTES + memory + _TRANSFER_BYTES * _transfers(scenario))


def _held(scenario: Scenario) -> float:
    """Return how many packets path and queue hold, at most what flows and receivers let leave."""
    link = scenario.bottleneck
    rtt_s = max((flow.rtt_s or scenario.rtt_s or 0.0 for flow in scenario.flows), default=scenario.rtt_s or 0.0)
    bdp = link.rate_bps * rtt_s / (8 * PACKET_BYTES)
    queue = 1.0 * bdp
    if link.queue_packets is not None:
        queue = link.queue_packets
    elif link.queue_bytes is not None:
        queue = link.queue_bytes / PACKET_BYTES
    elif link.queue_s is not None:
        queue = link.rate_bps * link.queue_s / (8 * PACKET_BYTES)
    elif link.queue_bdp is not None:
        queue = link.queue_bdp * bdp
    capped = sum(flow.count * (flow.window_packets or math.inf) for flow in scenario.flows)
    return min(bdp + queue, capped, packets(scenario)) if scenario.flows else min(bdp + queue, packets(scenario))


def _transfers(scenario: Scenario) -> float:
    """Return about how many transfers come: those of 10 packets in the mean take the link where nothing else is known."""
    return packets(scenario) / 10 if scenario.arrivals or scenario.sessions else 0.0


def available_bytes(meminfo: Path = Path("/proc/meminfo"), group: Path = Path("/sys/fs/cgroup")) -> float | None:
    """Return how much memory is free for a process, None where the system does not say.

    Parameters
    ----------
    meminfo : Path
        What Linux says of its memory.
    group : Path
        The control group, which may have a limit below that (cgroup v2: ``memory.max``, ``memory.current``).
    """
    try:
        lines = dict(line.split(":", 1) for line in meminfo.read_text().splitlines())
        free = float(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return None
    try:
        limit, used = ((group / name).read_text().strip() for name in ("memory.max", "memory.current"))
        return free if limit == "max" else min(free, max(float(limit) - float(used), 0.0))
    except (OSError, ValueError):
        return free


def announced(scenarios: Iterable[Scenario], *, processes: int = 1, free_bytes: float | None = None) -> list[str]:
    """Return what to say before runs in the simulator begin, a line each; nothing where all of it is short and small.

    Parameters
    ----------
    scenarios : iterable of Scenario
        The runs.
    processes : int
        How many of them run at a time.
    free_bytes : float, optional
        Memory that is free; what `available_bytes` says when absent.
    """
    found = [estimate(scenario) for scenario in scenarios]
    if not found:
        return []
    longest_s = max(one.seconds for one in found)
    most = sum(sorted((one.memory_bytes for one in found), reverse=True)[:processes])
    free = available_bytes() if free_bytes is None else free_bytes
    lines = []
    if longest_s >= LONG_S:
        whose = "the run" if len(found) == 1 else f"the longest of {len(found)} runs"
        lines.append(f"{whose} takes about {_hours(longest_s)}, an estimate that may be three times off")
    total_s = sum(one.seconds for one in found) / processes
    if len(found) > 1 and total_s >= LONG_S:
        lines.append(f"{len(found)} runs take about {_hours(max(total_s, longest_s))} on {processes} processes, an estimate as rough")
    if free is not None and most > free:
        at_once = "" if min(processes, len(found)) == 1 else f", {min(processes, len(found))} runs at a time"
        lines.append(
            f"about {most / 1e9:.1f} GB of memory are needed{at_once}, and {free / 1e9:.1f} GB are free; "
            "a larger sample interval, or none, takes less where flows are many or the run is long"
        )
    return lines


def _hours(seconds: float) -> str:
    return f"{seconds / 3600:.1f} hours" if seconds < 100 * 3600 else f"{seconds / 86400:.0f} days"
