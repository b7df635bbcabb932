"""Sessions of people who look at pages: what each has drawn, as lines of a guest's plan, and the guest's rows as the frame of pages.

A session is a closed loop: when a page begins depends on when the one before it was there. What it draws does not: thoughts, numbers of
objects and their sizes come from streams of its own, one after another.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from windtunnel.backends.linux.rows import Columns
from windtunnel.backends.sim import Simulator
from windtunnel.scenario import Scenario, resolve

_RATE_BPS = 1e12
_QUEUE_PACKETS = 10_000_000
_NEVER_PER_SECOND = 1e-12
_RTT_NS_LEAST = 1000


@dataclass(frozen=True)
class Page:
    """What a session thinks before a page, and the page: its number of objects, and the sizes of those that may begin before the end."""

    think_ns: int
    objects: int
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class Session:
    """One session: the number of its source among the sessions, its own within that source, and its pages."""

    source: int
    number: int
    pages: tuple[Page, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The payloads of its objects in the order in which they begin."""
        return tuple(size for page in self.pages for size in page.sizes)


def drawn(full: Scenario) -> list[Session]:
    """Return the sessions in the order of their numbers, each with at least the pages that a guest can come to before the end.

    They are read off a run of the simulator in which every page is there sooner than a network lets it.
    """
    if not full.sessions:
        return []
    sources = tuple(source.model_copy(update=_hurried(full, index)) for index, source in enumerate(full.sessions))
    # Streams of random numbers bear the source's number, so that arrivals keep theirs; none comes.
    silent = {"load": None, "per_second": _NEVER_PER_SECOND, "enter": None, "leave": None, "host": None, "direction": "forward"}
    before = tuple(source.model_copy(update=silent) for source in full.arrivals)
    emptied: dict[str, Any] = {"flows": (), "traffic": (), "hops": (), "reverse": None, "host": None, "sample_s": 0.0, "jitter_s": 0.0}
    link = {"rate_bps": _RATE_BPS, "queue_packets": _QUEUE_PACKETS}
    transfers = {"arrivals": [one.model_dump() for one in before], "sessions": [one.model_dump() for one in sources]}
    hurried = {**full.model_dump(), **emptied, "bottleneck": link, **transfers}
    return list(_drawn(Scenario.model_validate(hurried).model_dump_json()))


def _hurried(full: Scenario, index: int) -> dict[str, Any]:
    """Return what makes a source's pages quick: one object after another, each within a part of the round trip that several at once take.

    Every session has a base RTT of its own, by which its transfers are found.
    """
    source, exact = full.sessions[index], resolve(full)["sessions"][index]
    shortest_ns = max(_RTT_NS_LEAST, min(flow["rtt_ns"] for flow in exact["flows"]) // (2 * source.connections))
    rtts_s = tuple((shortest_ns + number) * 1e-9 for number in range(source.count))
    plain: dict[str, Any] = {
        "algorithm": "reno",
        "parameters": {},
        "transport": {},
        "window_packets": None,
        "profile": "linux-6.1",
        "direction": "forward",
    }
    return {**plain, "connections": 1, "rtts_s": rtts_s, "enter": None, "leave": None, "host": None, "handshake": False}


@lru_cache(maxsize=8)
def _drawn(hurried: str) -> tuple[Session, ...]:
    full = Scenario.model_validate_json(hurried)
    records = Simulator().run(full)
    sizes: dict[tuple[int, int], list[int]] = {}
    for row in records.transfers.iter_rows(named=True) if records.transfers is not None else ():
        sizes.setdefault((row["source"], round(row["rtt_s"] * 1e9)), []).append(int(row["bytes"]))
    pages: dict[int, list[Mapping[str, Any]]] = {}
    for row in records.frames()["pages"].iter_rows(named=True):
        pages.setdefault(row["session"], []).append(row)
    made: list[Session] = []
    for index, exact in enumerate(resolve(full)["sessions"]):
        for number in range(exact["count"]):
            own = sizes.get((len(full.arrivals) + index, exact["flows"][number]["rtt_ns"]), [])
            made.append(Session(index, number, _pages(pages.get(len(made), []), own, exact["start_ns"])))
    return tuple(made)


def _pages(rows: Sequence[Mapping[str, Any]], sizes: Sequence[int], start_ns: int) -> tuple[Page, ...]:
    made, before_ns, at = [], start_ns, 0
    for row in rows:
        begin_ns, objects = round(row["start_s"] * 1e9), int(row["objects"])
        made.append(Page(begin_ns - before_ns, objects, tuple(sizes[at : at + objects])))
        at += objects
        if row["completion_s"] is not None:
            before_ns = begin_ns + round(row["completion_s"] * 1e9)
    return tuple(made)


def expected(full: Scenario) -> float:
    """Return about how many objects all sessions may come to."""
    total = 0.0
    for source in full.sessions:
        span_s = (full.duration_s if source.stop_s is None else source.stop_s) - source.start_s
        total += source.count * source.objects.mean * span_s / (source.think_s.mean + min(source.rtts_s or (0.0,)))
    return total


def lines(full: Scenario, first: Sequence[int]) -> list[str]:
    """Return the plan's lines of all sessions; `first` has the guest's number of the first object of each."""
    written = []
    for session, place in zip(drawn(full), first, strict=True):
        exact = resolve(full)["sessions"][session.source]
        stop = "-" if exact["stop_ns"] is None else exact["stop_ns"]
        written.append(f"session {place} {len(session.sizes)} {exact['connections']} {exact['start_ns']} {stop}")
        written += [f"page {page.think_ns} {page.objects}" for page in session.pages]
    return written


def pages(full: Scenario, first: Sequence[int], begun: Mapping[int, int], ended: Mapping[int, int]) -> Columns:
    """Return the frame of pages.

    Parameters
    ----------
    full : Scenario
        The scenario with defaults filled in.
    first : sequence of int
        The guest's number of the first object of each session.
    begun, ended : mapping of int to int
        From the guest's numbers of objects to when they began and were complete, in nanoseconds.
    """
    table = []
    for number, (session, place) in enumerate(zip(drawn(full), first, strict=True)):
        at = place
        for page in session.pages:
            own = [(index, size) for index, size in enumerate(page.sizes, at) if index in begun]
            if not own:
                break
            at += len(page.sizes)
            start_ns = begun[own[0][0]]
            ends = [ended[index] for index, _ in own if index in ended]
            table.append(
                {
                    "source": len(full.arrivals) + session.source,
                    "session": number,
                    "start_s": start_ns * 1e-9,
                    "objects": page.objects,
                    "bytes": sum(size for _, size in own),
                    "completion_s": (max(ends) - start_ns) * 1e-9 if len(ends) == page.objects else math.nan,
                }
            )
    table.sort(key=lambda row: (row["start_s"], row["session"]))
    names = tuple(table[0]) if table else ("source", "start_s")
    return {name: [row[name] for row in table] for name in names}
