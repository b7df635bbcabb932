"""Data that arrives late, or twice, by netem behind a link.

What is late is told by a table of delays, as many of them late as the probability says, the others none. A copy arrives beside the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from windtunnel.backends.linux.links import Link, each
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.scenario.traffic import Udp

FIELDS = frozenset({"reorder_probability", "reorder_s", "duplicate_probability"})
"""Fields of a link that are read here."""
TABLE_MOST = 16_384
"""Entries of a table (NETEM_DIST_MAX of the kernel)."""
LATE_S_MOST = 2.0
"""The kernel's sum has 32 bits of nanoseconds."""
_OFF_MOST = 1e-3


def _share(link: Bottleneck) -> Fraction:
    return Fraction(link.reorder_probability).limit_denominator(TABLE_MOST)


def line(one: Link) -> list[str]:
    """Return the plan's line of a link that doubles data, or makes it late: by how much, the entries of its table, and the late ones."""
    if one.link.duplicate_probability:
        return [f"copies {one.name} {min(round(one.link.duplicate_probability * 2**32), 2**32 - 1)}"]
    if not one.link.reorder_probability:
        return []
    share = _share(one.link)
    return [f"late {one.name} {round(one.link.reorder_s * 1e9)} {share.denominator} {share.numerator}"]


def unsupported(one: Link, flows: Sequence[Flow], sources: Sequence[Udp]) -> list[str]:
    """Return what of a link's disorder a guest cannot express among these flows and sources of datagrams."""
    link, field = one.link, f"{one.path}.reorder_probability"
    found = _copies(one, flows, sources)
    if not link.reorder_probability:
        return found
    if abs(_share(link) / Fraction(link.reorder_probability) - 1) > _OFF_MOST:
        found.append(f"{field}: {link.reorder_probability:g} is no part of a table of {TABLE_MOST} entries")
    if link.reorder_s > LATE_S_MOST:
        found.append(f"{one.path}.reorder_s: {link.reorder_s:g}; netem draws at most {LATE_S_MOST:g} s")
    if any(one.returns(flow) for flow in flows):
        found.append(f"{field}: ACKs pass this link too, and netem does not distinguish data from them")
    if link.rate_steps or link.delay_steps:
        found.append(f"{field}: the link's rate or delay changes too; what leaves it has one place for both here")
    return found


def doubles(full: Scenario, flow: Flow) -> bool:
    """Return whether data of a flow may arrive twice: what arrived then says nothing of what was lost."""
    return any(one.link.duplicate_probability and one.carries(flow) for one in each(full))


def _copies(one: Link, flows: Sequence[Flow], sources: Sequence[Udp]) -> list[str]:
    link, field = one.link, f"{one.path}.duplicate_probability"
    found: list[str] = []
    if not link.duplicate_probability:
        return found
    if link.reorder_probability:
        found.append(f"{field}: data arrives late, too; netem draws for a copy apart")
    if any(one.carries(source) for source in sources):
        found.append(f"{field}: datagrams pass this link too, which are never doubled, and netem does not distinguish data from them")
    if any(one.returns(flow) for flow in flows):
        found.append(f"{field}: ACKs pass this link too, and netem does not distinguish data from them")
    if link.rate_steps or link.delay_steps:
        found.append(f"{field}: the link's rate or delay changes too; what leaves it has one place for both here")
    return found
