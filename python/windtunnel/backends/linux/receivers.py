"""Receivers whose buffer may be full: as lines of a guest's plan, and what a guest cannot express of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from windtunnel.scenario import Flow, Scenario
from windtunnel.scenario.receivers import SHORT

FIELDS = frozenset(SHORT.values())
"""The fields of a flow that a guest expresses."""
MOST_BYTES = (1 << 31) - 2
"""The largest buffer that a program may ask for: a C integer, and the kernel doubles it."""


def lines(exact: Mapping[str, Any]) -> list[str]:
    """Return the plan's lines on buffers and on how they are read.

    Parameters
    ----------
    exact : mapping
        The scenario in the engine's integers.

    Returns
    -------
    list of str
        None for flows whose receiver is never full.
    """
    made = []
    for index, flow in enumerate(exact["flows"]):
        received = flow.get("receive")
        if received is None:
            continue
        made.append(f"receiver {index} {received['bytes']} {received['most_bytes'] or 0}")
        reads = received["reads"]
        if reads is not None and reads["kind"] == "on-off":
            made.append(f"reads {index} on-off {reads['on_ns']} {reads['off_ns']}")
        elif reads is not None:
            made.append(f"reads {index} chunks {reads['rate_bps']} {reads['every_ns']}")
    return made


def unsupported(full: Scenario) -> list[str]:
    """Return what of the receivers' buffers a guest cannot express, one entry per field, beginning with its path."""
    found = []
    most: dict[tuple[str, int], tuple[str, int]] = {}
    for index, flow in enumerate(full.flows):
        path = f"flows[{index}]"
        if flow.rcvbuf_bytes is None:
            continue
        if flow.rcvbuf_max_bytes is None and flow.rcvbuf_bytes % 2:
            found.append(f"{path}.rcvbuf_bytes: {flow.rcvbuf_bytes}; the kernel doubles what a program asks for: give an even number")
        for field in ("rcvbuf_bytes", "rcvbuf_max_bytes"):
            bytes_ = getattr(flow, field)
            if bytes_ is not None and bytes_ > MOST_BYTES:
                found.append(f"{path}.{field}: {bytes_}; a kernel's buffer has at most {MOST_BYTES} bytes")
        if flow.rcvbuf_max_bytes is not None:
            other, size = most.setdefault(_host(full, flow), (path, flow.rcvbuf_max_bytes))
            if size != flow.rcvbuf_max_bytes:
                why = (
                    f"{flow.rcvbuf_max_bytes}, and {other} has {size}; receivers at one place share a host, where tcp_rmem has one maximum"
                )
                found.append(f"{path}.rcvbuf_max_bytes: {why}")
    return found


def _host(full: Scenario, flow: Flow) -> tuple[str, int]:
    """Where a flow's data end."""
    if flow.direction == "forward":
        return flow.direction, flow.leave or len(full.hops) + 1
    return str(flow.direction), flow.enter or 1
