"""Transfers that come and go: which ones there are, as lines of a guest's plan, and its rows as the frame of transfers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from windtunnel.backends.linux import links
from windtunnel.backends.linux.rows import EVENT, FLOW_TOTALS, STOP, Columns, Rows
from windtunnel.backends.sim import Simulator
from windtunnel.scenario import Flow, Scenario, resolve
from windtunnel.scenario.arrivals import Arrivals
from windtunnel.scenario.flows import MSS_BYTES, PACKET_BYTES

MOST = 15_000
"""Expected in a run: each has a port and two sockets from the beginning on."""


@dataclass(frozen=True)
class Kind:
    """Transfers of one source with one base RTT: they share a host.

    Parameters
    ----------
    source : int
        Number of the source.
    flow : Flow
        A flow like each of them, but for its begin and its size.
    exact : mapping
        The same in the engine's integers.
    """

    source: int
    flow: Flow
    exact: Mapping[str, Any]


@dataclass(frozen=True)
class Transfer:
    """One transfer: its kind's number, when it begins, its payload."""

    kind: int
    start_ns: int
    bytes: int


def kinds(full: Scenario) -> list[Kind]:
    """Return the kinds of transfers, source by source."""
    if not full.arrivals:
        return []
    exact = resolve(full)["arrivals"]
    return [Kind(index, _flow(source, one["rtt_ns"]), one) for index, source in enumerate(full.arrivals) for one in exact[index]["flows"]]


def _flow(source: Arrivals, rtt_ns: int) -> Flow:
    shared = ("algorithm", "parameters", "transport", "window_packets", "profile", "direction", "handshake", "enter", "leave")
    return Flow(rtt_s=rtt_ns * 1e-9, **{name: getattr(source, name) for name in shared})


def senders(full: Scenario) -> tuple[Flow, ...]:
    """Return the flows, and one flow for each kind of transfers: whatever has a host of its own."""
    return (*full.flows, *(kind.flow for kind in kinds(full)))


def expected(full: Scenario) -> float:
    """Return about how many transfers there will be."""
    total = 0.0
    for source in full.arrivals:
        link = next(one.link for one in links.each(full) if one.carries(source))
        packets = math.ceil(source.mean_bytes / MSS_BYTES)
        per_s = source.per_second or (source.load or 0.0) * link.rate_bps / (8 * PACKET_BYTES * packets)
        total += per_s * ((full.duration_s if source.stop_s is None else source.stop_s) - source.start_s)
    return total


def drawn(full: Scenario) -> list[Transfer]:
    """Return the transfers in the order in which they begin: the simulator's own, drawn by the same generators.

    They are read off a run of the simulator without the flows, for a Poisson process heeds nobody.
    """
    if not full.arrivals:
        return []
    alone = full.model_copy(update={"flows": (), "traffic": (), "sample_s": 0.0})
    return list(_drawn(alone.model_dump_json()))


@lru_cache(maxsize=8)
def _drawn(alone: str) -> tuple[Transfer, ...]:
    full = Scenario.model_validate_json(alone)
    made = Simulator().run(full).transfers
    numbers = {(kind.source, kind.exact["rtt_ns"]): number for number, kind in reversed(list(enumerate(kinds(full))))}
    rows = made.iter_rows(named=True) if made is not None else iter(())
    return tuple(
        Transfer(numbers[row["source"], round(row["rtt_s"] * 1e9)], round(row["start_s"] * 1e9), int(row["bytes"])) for row in rows
    )


def numbered(full: Scenario) -> list[int]:
    """Return the transfers, as numbers of `drawn`, in the order in which the guest counts them behind the flows: kind by kind."""
    made = drawn(full)
    return sorted(range(len(made)), key=lambda number: made[number].kind)


def lines(full: Scenario, flow_lines: Callable[[Flow, Mapping[str, Any]], list[str]]) -> list[str]:
    """Return the plan's lines of all transfers, which come behind those of the flows.

    Parameters
    ----------
    full : Scenario
        The scenario with defaults filled in.
    flow_lines : callable
        From a flow and its integers to its lines.
    """
    made, known = drawn(full), kinds(full)
    first: dict[int, int] = {}
    written = []
    for place, number in enumerate(numbered(full), len(full.flows)):
        one = made[number]
        if one.kind not in first:
            first[one.kind] = place
            kind = known[one.kind]
            written += [*flow_lines(kind.flow, {**kind.exact, "start_ns": one.start_ns, "bytes": one.bytes}), "transfers"]
        else:
            written.append(f"transfer {first[one.kind]} {one.start_ns} {one.bytes}")
    return written


def owners(full: Scenario) -> list[tuple[int, Flow]]:
    """Return the guest's numbers of the flows that stand for a kind, with a flow like them."""
    made, known = drawn(full), kinds(full)
    first: dict[int, int] = {}
    for place, number in enumerate(numbered(full), len(full.flows)):
        first.setdefault(made[number].kind, place)
    return [(place, known[kind].flow) for kind, place in first.items()]


def frame(rows: Rows, full: Scenario) -> dict[str, Columns]:
    """Return the frame of transfers by its name; none where the scenario has no source of them.

    How often one timed out is not known: the kernel counts that for all of a host together.
    """
    if not full.arrivals:
        return {}
    made = drawn(full)
    known = kinds(full)
    ended, totals = _by_index(rows.of(EVENT), STOP), _by_index(rows.of(FLOW_TOTALS), 1)
    places = {number: place for place, number in enumerate(numbered(full), len(full.flows))}
    table: list[dict[str, Any]] = []
    for number, one in enumerate(made):
        end, counted = ended.get(places[number]), totals.get(places[number])
        table.append(
            {
                "source": known[one.kind].source,
                "start_s": one.start_ns * 1e-9,
                "rtt_s": known[one.kind].exact["rtt_ns"] * 1e-9,
                "bytes": one.bytes,
                "completion_s": math.nan if end is None else (int(end["t_ns"]) - one.start_ns) * 1e-9,
                "sent_packets": math.nan if counted is None else float(counted["value"][2]),
                "retransmitted_packets": math.nan if counted is None else float(counted["value"][3]),
                "timeouts": math.nan,
            }
        )
    names: Sequence[str] = tuple(table[0]) if table else ("source", "start_s")
    return {"transfers": {name: [row[name] for row in table] for name in names}}


def _by_index(rows: np.ndarray[Any, Any], first_value: int) -> dict[int, Any]:
    return {int(row["index"]): row for row in rows[rows["value"][:, 0] == first_value]}
