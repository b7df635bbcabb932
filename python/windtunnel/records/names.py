"""What flows are called where people read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from windtunnel.foreign import shown

MOST_NAMED = 4
"""Algorithms that one line names; of more it says how many."""
_LIMITS = {"queue_packets": "{:g} packets", "queue_bytes": "{:g} bytes", "queue_s": "{:g} s"}


def written(scenario: Mapping[str, Any]) -> list[str]:
    """Return the algorithms of a filled scenario's flows as they were asked for: ``htcp:beta08``, and of a whole stack ``cubic@quinn``."""
    return [_written(flow) for flow in scenario.get("flows", ())]


def _written(flow: Mapping[str, Any]) -> str:
    name, stack = str(flow["algorithm"]), flow.get("stack")
    return name if stack is None else f"{name}@{str(stack).partition(':')[0]}"


def path_words(scenario: Mapping[str, Any]) -> str:
    """Return a filled scenario's path on one line: rate, base RTTs of the flows, queue, and its discipline unless that is drop-tail."""
    link = scenario["bottleneck"]
    rtts = sorted(set(base_rtts_s(scenario)))
    parts = [f"{link['rate_bps'] / 1e6:g} Mbit/s"]
    if rtts:
        parts.append(f"base RTT {rtts[0] * 1e3:g} ms" if len(rtts) == 1 else f"base RTT {rtts[0] * 1e3:g} to {rtts[-1] * 1e3:g} ms")
    size = next((text.format(link[key]) for key, text in _LIMITS.items() if link.get(key) is not None), None)
    discipline = link.get("discipline", "drop-tail")
    parts += [part for part in (size and f"queue {size}", discipline if discipline != "drop-tail" else None) if part]
    return ", ".join(parts)


def base_rtts_s(scenario: Mapping[str, Any]) -> tuple[float, ...]:
    """Return the base RTT of each flow of a filled scenario, seconds."""
    return tuple(float(flow["rtt_s"]) for flow in scenario.get("flows", ()))


def flow_words(scenario: Mapping[str, Any]) -> str:
    """Return a filled scenario's flows on one line, ``2 cubic, 1 reno``, or what comes and goes in place of flows."""
    names = written(scenario)
    counts = Counter(shown(name, names) for name in names)
    if len(counts) > MOST_NAMED:
        return f"{len(names)} flows of {len(counts)} algorithms"
    sources = [f"{len(scenario[key])} x {key}" for key in ("arrivals", "sessions", "traffic") if scenario.get(key)]
    return ", ".join([*(f"{count} {name}" for name, count in counts.items()), *sources])
