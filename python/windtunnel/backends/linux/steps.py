"""Links that change at given moments: as lines of a guest's plan, what of that no kernel has, and what a link could have carried.

An outage is a train of packets that belong to no flow, which go first: no qdisc that guests have keeps its packets for a while.
"""

from __future__ import annotations

from collections.abc import Callable

from windtunnel.backends.linux.links import Link
from windtunnel.scenario import Bottleneck, sizes
from windtunnel.scenario.catalogue import DROP_TAIL
from windtunnel.scenario.changes import QueueStep
from windtunnel.scenario.flows import PACKET_BYTES
from windtunnel.scenario.sizes import MARK_FIELDS, QUEUE_FIELDS

FIELDS = frozenset({"rate_steps", "delay_steps", "queue_steps", "outages"})
"""Fields of a link that are read here."""


def lines(one: Link, limit_packets: Callable[[Bottleneck], int]) -> list[str]:
    """Return the plan's lines of a link's steps, in the order of time; `limit_packets` is a queue with the packet in service."""
    link = one.link
    made = [(step.at_s, f"rate-step {one.name}", round(step.rate_bps / 8)) for step in link.rate_steps]
    made += [(step.at_s, f"delay-step {one.name}", round(step.extra_s * 1e9)) for step in link.delay_steps]
    # What HTB sends has left its queue.
    sent = int(has_class(link))
    made += [(step.at_s, f"queue-step {one.name}", limit_packets(resized(link, step)) - sent) for step in link.queue_steps]
    made += [(outage.at_s, f"outage {one.name}", round(outage.length_s * 1e9)) for outage in link.outages]
    return [f"{begin} {round(at_s * 1e9)} {value}" for at_s, begin, value in sorted(made, key=lambda step: step[0])]


def resized(link: Bottleneck, step: QueueStep) -> Bottleneck:
    """Return a link with the queue that it has from a step on."""
    return link.model_copy(update={name: getattr(step, name) for name in QUEUE_FIELDS} | {"queue_steps": ()})


def unsupported(one: Link, limit_packets: int) -> list[str]:
    """Return what of a link's changes a guest cannot express; `limit_packets` is its smallest queue with the packet in service."""
    link, found = one.link, []
    field = f"{one.path}.rate_steps"
    if link.rate_steps and link.delay_steps:
        found.append(f"{field}: the way behind the link changes too; what leaves a link of several rates has one place for both here")
    if link.queue_steps and link.discipline != DROP_TAIL:
        found.append(f"{one.path}.queue_steps: the kernel's {link.discipline} drops at once what a smaller limit has no room for")
    if link.queue_steps and sizes.given(link, MARK_FIELDS):
        found.append(f"{one.path}.queue_steps: the step of marks and the limit are one discipline in the kernel")
    if has_class(link) and any(step.queue_s is not None for step in link.queue_steps):
        found.append(f"{one.path}.queue_steps: the link's rate changes, and the kernel counts packets; give queue_packets")
    if link.rate_steps and link.queue_s is not None:
        found.append(f"{field}: the queue's limit is a time, and the kernel counts packets; give queue_packets")
    if link.rate_steps and link.mark_s is not None:
        found.append(f"{field}: the step of marks is a time, and the kernel counts bytes; give mark_packets")
    if link.rate_steps and link.discipline == "red":
        found.append(f"{field}: RED's decay while it is idle is of one rate in the kernel")
    if has_class(link) and link.discipline == DROP_TAIL and limit_packets < 2:
        name = "rate_steps" if link.rate_steps else "outages"
        found.append(f"{one.path}.{name}: a queue of 1, the packet in service, leaves the kernel's pfifo no room")
    if link.trace_ms:
        found.append(f"{one.path}.trace_ms: no qdisc has opportunities")
    return found + _outages(one)


def _outages(one: Link) -> list[str]:
    link, field = one.link, f"{one.path}.outages"
    if not link.outages:
        return []
    found = []
    if link.rate_steps:
        found.append(f"{field}: the rate changes too; what an outage lets pass in its place has one rate here")
    if link.queue_s is not None:
        found.append(f"{field}: the queue's limit is a time, and the kernel counts packets; give queue_packets")
    if link.discipline == "red":
        found.append(f"{field}: RED's decay while it is idle is of a link that transmits in the kernel")
    if link.loss_probability or link.losses:
        found.append(f"{field}: netem's losses would be of what an outage lets pass in its place, too")
    return found


def has_class(link: Bottleneck) -> bool:
    """Return whether a link is HTB's for its changes: a queue that the kernel can be told to serve at another rate, or not to serve."""
    return bool(link.rate_steps or link.outages)


def outage_s(link: Bottleneck, from_s: float, to_s: float) -> float:
    """Return how long a link transmits nothing between two moments, in seconds."""
    return sum(max(0.0, min(out.at_s + out.length_s, to_s) - max(out.at_s, from_s)) for out in link.outages)


def outage_packets(link: Bottleneck, duration_s: float) -> float:
    """Return how many full packets go before others in a link's outages."""
    return outage_s(link, 0.0, duration_s) * link.rate_bps / (8 * PACKET_BYTES)


def rate_most_bps(link: Bottleneck) -> float:
    """Return the largest of a link's rates, in bits per second."""
    return max([link.rate_bps, *(step.rate_bps for step in link.rate_steps)])


def extra_most_s(link: Bottleneck) -> float:
    """Return how much longer the way behind a link ever is, in seconds."""
    return max([0.0, link.reorder_s, *(step.extra_s for step in link.delay_steps)])


def capacity_bits(link: Bottleneck, from_s: float, to_s: float) -> float:
    """Return what a link could have carried between two moments, in bits: the integral of its rate, outages left out."""
    edges = [(0.0, link.rate_bps), *((step.at_s, step.rate_bps) for step in link.rate_steps)]
    ends = [*(at_s for at_s, _ in edges[1:]), to_s]
    whole = sum(rate * max(0.0, min(end, to_s) - max(at_s, from_s)) for (at_s, rate), end in zip(edges, ends, strict=True))
    # Rates do not change where there are outages.
    return whole - link.rate_bps * outage_s(link, from_s, to_s)
