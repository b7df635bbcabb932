"""Transfers that come and go: which ones there are, as lines of a guest's plan, and its rows as the frame of transfers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from windtunnel.backends.linux import links, sessions
from windtunnel.backends.linux.rows import BEGIN_OF_OBJECT, EVENT, FLOW_TOTALS, STOP, Columns, Rows
from windtunnel.backends.sim import Simulator
from windtunnel.scenario import Flow, Scenario, resolve
from windtunnel.scenario.flows import MSS_BYTES, PACKET_BYTES
from windtunnel.scenario.transfers import Source

MOST = 15_000
"""Expected in a run: each has a port and two sockets from the beginning on."""


@dataclass(frozen=True)
class Kind:
    """Transfers of one source with one base RTT: they share a host.

    Parameters
    ----------
    source : int
        Number of the source, those of arrivals first.
    path : str
        Where the source stands in the scenario.
    flow : Flow
        A flow like each of them, but for its start and its size.
    exact : mapping
        The same in the engine's integers.
    """

    source: int
    path: str
    flow: Flow
    exact: Mapping[str, Any]


@dataclass(frozen=True)
class Transfer:
    """One transfer: its kind's number, when it begins, its payload. An object of a page begins when its session says so."""

    kind: int
    start_ns: int | None
    bytes: int


def kinds(full: Scenario) -> list[Kind]:
    """Return the kinds of transfers, source by source."""
    if not (full.arrivals or full.sessions):
        return []
    exact, found = resolve(full), []
    for name in ("arrivals", "sessions"):
        for index, source in enumerate(getattr(full, name)):
            number = index + (len(full.arrivals) if name == "sessions" else 0)
            found += [Kind(number, f"{name}[{index}]", _flow(source, one["rtt_ns"]), one) for one in exact[name][index]["flows"]]
    return found


def _flow(source: Source, rtt_ns: int) -> Flow:
    shared = ("algorithm", "parameters", "transport", "window_packets", "profile", "direction", "handshake", "enter", "leave")
    return Flow(rtt_s=rtt_ns * 1e-9, **{name: getattr(source, name) for name in shared})


def senders(full: Scenario) -> tuple[Flow, ...]:
    """Return the flows, and one flow for each kind of transfers: whatever has a host of its own."""
    return (*full.flows, *(kind.flow for kind in kinds(full)))


def expected(full: Scenario) -> float:
    """Return about how many transfers there will be."""
    total = sessions.expected(full)
    for source in full.arrivals:
        link = next(one.link for one in links.each(full) if one.carries(source))
        packets = math.ceil(source.mean_bytes / MSS_BYTES)
        per_s = source.per_second or (source.load or 0.0) * link.rate_bps / (8 * PACKET_BYTES * packets)
        total += per_s * ((full.duration_s if source.stop_s is None else source.stop_s) - source.start_s)
    return total


def drawn(full: Scenario) -> list[Transfer]:
    """Return the transfers in the order in which the guest counts them behind the flows: arrivals kind by kind, objects session by session.

    They are the simulator's own. Arrivals are read off a run of it without the flows, for a Poisson process does not depend on them.
    """
    return [*_arrivals(full), *_objects(full)]


def _arrivals(full: Scenario) -> list[Transfer]:
    if not full.arrivals:
        return []
    alone = full.model_copy(update={"flows": (), "sessions": (), "traffic": (), "sample_s": 0.0})
    return sorted(_drawn(alone.model_dump_json()), key=lambda one: one.kind)


@lru_cache(maxsize=8)
def _drawn(alone: str) -> tuple[Transfer, ...]:
    full = Scenario.model_validate_json(alone)
    made = Simulator().run(full).transfers
    numbers = {(kind.source, kind.exact["rtt_ns"]): number for number, kind in reversed(list(enumerate(kinds(full))))}
    rows = made.iter_rows(named=True) if made is not None else iter(())
    return tuple(
        Transfer(numbers[row["source"], round(row["rtt_s"] * 1e9)], round(row["start_s"] * 1e9), int(row["bytes"])) for row in rows
    )


def _objects(full: Scenario) -> list[Transfer]:
    of_source: dict[int, list[int]] = {}
    for number, kind in enumerate(kinds(full)):
        of_source.setdefault(kind.source - len(full.arrivals), []).append(number)
    found = []
    for session in sessions.drawn(full):
        own = of_source[session.source]
        # Sessions take the base RTTs in turn.
        found += [Transfer(own[session.number % len(own)], None, size) for size in session.sizes]
    return found


def lines(full: Scenario, flow_lines: Callable[[Kind, int, Mapping[str, Any]], list[str]]) -> list[str]:
    """Return the plan's lines of all transfers, which come behind those of the flows.

    Parameters
    ----------
    full : Scenario
        The scenario with defaults filled in.
    flow_lines : callable
        From a kind, its number and the integers of a transfer to the lines of its flow.
    """
    known = kinds(full)
    first: dict[int, int] = {}
    written = []
    for place, one in enumerate(drawn(full), len(full.flows)):
        if one.kind not in first:
            first[one.kind] = place
            kind = known[one.kind]
            written += [*flow_lines(kind, one.kind, {**kind.exact, "start_ns": _or_never(one.start_ns), "bytes": one.bytes}), "transfers"]
        else:
            written.append(f"transfer {first[one.kind]} {_or_never(one.start_ns)} {one.bytes}")
    return written + sessions.lines(full, _first_objects(full))


def _or_never(start_ns: int | None) -> int | str:
    return "-" if start_ns is None else start_ns


def _first_objects(full: Scenario) -> list[int]:
    """Return the guest's number of the first object of each session."""
    at, found = len(full.flows) + len(_arrivals(full)), []
    for session in sessions.drawn(full):
        found.append(at)
        at += len(session.sizes)
    return found


def owners(full: Scenario) -> list[tuple[int, Flow]]:
    """Return the guest's numbers of the flows that stand for a kind, with a flow like them."""
    known = kinds(full)
    first: dict[int, int] = {}
    for place, one in enumerate(drawn(full), len(full.flows)):
        first.setdefault(one.kind, place)
    return [(place, known[kind].flow) for kind, place in first.items()]


def frame(rows: Rows, full: Scenario) -> dict[str, Columns]:
    """Return the frames of transfers and of pages by their names; none where the scenario has no source of them.

    How often one timed out is not known: the kernel counts that for all of a host together.
    """
    if not (full.arrivals or full.sessions):
        return {}
    known = kinds(full)
    totals = {int(row["index"]): row["value"] for row in rows.of(FLOW_TOTALS) if row["value"][0] == 1}
    begun, ended = _times(rows, BEGIN_OF_OBJECT), _times(rows, STOP)
    table: list[dict[str, Any]] = []
    for place, one in enumerate(drawn(full), len(full.flows)):
        start_ns = begun.get(place) if one.start_ns is None else one.start_ns
        if start_ns is None:
            continue
        counted = totals.get(place)
        table.append(
            {
                "source": known[one.kind].source,
                "start_s": start_ns * 1e-9,
                "rtt_s": known[one.kind].exact["rtt_ns"] * 1e-9,
                "bytes": one.bytes,
                "completion_s": (ended[place] - start_ns) * 1e-9 if place in ended else math.nan,
                "sent_packets": math.nan if counted is None else float(counted[2]),
                "retransmitted_packets": math.nan if counted is None else float(counted[3]),
                "timeouts": math.nan,
            }
        )
    table.sort(key=lambda row: row["start_s"])
    names: Sequence[str] = tuple(table[0]) if table else ("source", "start_s")
    made = {"transfers": {name: [row[name] for row in table] for name in names}}
    if full.sessions:
        made["pages"] = sessions.pages(full, _first_objects(full), begun, ended)
    return made


def _times(rows: Rows, event: int) -> dict[int, int]:
    """Return when something happened to each flow of the guest's, in nanoseconds of the flow's clock."""
    chosen = rows.of(EVENT)
    chosen = chosen[chosen["value"][:, 0] == event]
    return {int(row["index"]): int(row["t_ns"]) for row in chosen}
