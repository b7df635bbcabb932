"""Links that change at given moments: as lines of a guest's plan, what of that no kernel has, and what a link could have carried."""

from __future__ import annotations

from windtunnel.backends.linux.links import Link
from windtunnel.scenario import Bottleneck
from windtunnel.scenario.catalogue import DROP_TAIL

FIELDS = frozenset({"rate_steps", "delay_steps"})
"""Fields of a link that are read here."""


def lines(one: Link) -> list[str]:
    """Return the plan's lines of a link's steps, in the order of time."""
    link = one.link
    made = [f"rate-step {one.name} {round(step.at_s * 1e9)} {round(step.rate_bps / 8)}" for step in link.rate_steps]
    return made + [f"delay-step {one.name} {round(step.at_s * 1e9)} {round(step.extra_s * 1e9)}" for step in link.delay_steps]


def unsupported(one: Link, limit_packets: int) -> list[str]:
    """Return what of a link's changes a guest cannot express; `limit_packets` is its queue with the packet in service."""
    link, found = one.link, []
    field = f"{one.path}.rate_steps"
    if link.rate_steps and link.delay_steps:
        found.append(f"{field}: the way behind the link changes too; what leaves a link of several rates has one place for both here")
    if link.rate_steps and link.queue_s is not None:
        found.append(f"{field}: the queue's limit is a time, and the kernel counts packets; give queue_packets")
    if link.rate_steps and link.mark_s is not None:
        found.append(f"{field}: the step of marks is a time, and the kernel counts bytes; give mark_packets")
    if link.rate_steps and link.discipline == "red":
        found.append(f"{field}: RED's decay while it is idle is of one rate in the kernel")
    if link.rate_steps and link.discipline == DROP_TAIL and limit_packets < 2:
        found.append(f"{field}: a queue of 1, the packet in service, leaves the kernel's pfifo no room")
    for name, why in (("outages", "no qdisc that guests have keeps its packets for a while"), ("trace_ms", "no qdisc has opportunities")):
        if getattr(link, name):
            found.append(f"{one.path}.{name}: {why}")
    return found


def rate_most_bps(link: Bottleneck) -> float:
    """Return the largest of a link's rates, in bits per second."""
    return max([link.rate_bps, *(step.rate_bps for step in link.rate_steps)])


def extra_most_s(link: Bottleneck) -> float:
    """Return how much longer the way behind a link ever is, in seconds."""
    return max([0.0, link.reorder_s, *(step.extra_s for step in link.delay_steps)])


def capacity_bits(link: Bottleneck, from_s: float, to_s: float) -> float:
    """Return what a link could have carried between two moments, in bits: the integral of its rate."""
    edges = [(0.0, link.rate_bps), *((step.at_s, step.rate_bps) for step in link.rate_steps)]
    ends = [*(at_s for at_s, _ in edges[1:]), to_s]
    return sum(rate * max(0.0, min(end, to_s) - max(at_s, from_s)) for (at_s, rate), end in zip(edges, ends, strict=True))
