"""From a scenario as written to one with every default filled in, its digest, and the engine's integers."""

from __future__ import annotations

import hashlib
import itertools
import json
from dataclasses import dataclass
from typing import Any

from windtunnel.scenario import applications, arrivals, changes, hops, hosts, losses, sessions, traffic, writes
from windtunnel.scenario import transfers as sources_of_transfers
from windtunnel.scenario.catalogue import ACK_FILTER, DROP_TAIL, catalogue
from windtunnel.scenario.checks import algorithm_of
from windtunnel.scenario.errors import ScenarioError
from windtunnel.scenario.models import MARK_FIELDS, PACKET_BYTES, Bottleneck, Flow, Scenario
from windtunnel.scenario.ranges import MOST_PACKETS

_NS = 1e9
_CHANGES = (*changes.CHANGES, "trace_ms")
_DISORDER = ("reorder_probability", "reorder_s", "duplicate_probability")


@dataclass(frozen=True)
class Resolved:
    """A scenario with defaults filled in, and what had to be adjusted on the way (one line each)."""

    scenario: Scenario
    notes: tuple[str, ...]


def bdp_packets(rate_bps: float, rtt_s: float) -> float:
    """Return the bandwidth-delay product in 1500-byte packets: rate times RTT over 12000 bits.

    Parameters
    ----------
    rate_bps : float
        Bits per second.
    rtt_s : float
        Seconds.

    Returns
    -------
    float
        Packets, not rounded.
    """
    return rate_bps * rtt_s / (8 * PACKET_BYTES)


def fill(scenario: Scenario) -> Resolved:
    """Fill in every default: RTT and profile of each flow, `count` and `streams` expanded, queue limits, the reverse link.

    Parameters
    ----------
    scenario : Scenario
        As written.

    Returns
    -------
    Resolved
        The scenario that names the run. Filling it in again changes nothing.

    Raises
    ------
    ScenarioError
        When a queue's computed size exceeds the largest the engine takes.
    """
    notes: list[str] = []
    flows: list[Flow] = []
    numbers = itertools.count(1 + max((flow.application or 0 for flow in scenario.flows), default=0))
    for flow in scenario.flows:
        rtt_s = flow.rtt_s if flow.rtt_s is not None else scenario.rtt_s
        one = flow.model_copy(update={"rtt_s": rtt_s, "profile": flow.profile or scenario.profile, "count": 1})
        one = one.model_copy(update={"host": hosts.of_flow(one, scenario)})
        if "streams" in algorithm_of(one.algorithm).parameters and one.application is None:
            for _ in range(flow.count):
                flows.extend(applications.connections(one, next(numbers), scenario.seed))
        else:
            flows.extend([one] * flow.count)
        notes.extend(_variant_note(one))
    opened = tuple(arrivals.filled(source, scenario.rtt_s, scenario.profile) for source in scenario.arrivals)
    closed = tuple(sources_of_transfers.filled(source, scenario.rtt_s, scenario.profile) for source in scenario.sessions)
    opened = tuple(source.model_copy(update={"host": hosts.of_flow(source, scenario)}) for source in opened)
    closed = tuple(source.model_copy(update={"host": hosts.of_flow(source, scenario)}) for source in closed)
    transfers = [transfer for source in (*opened, *closed) for transfer in _kinds(source)]
    notes.extend(note for transfer in transfers for note in _variant_note(transfer))
    everybody = flows or transfers
    forward = [flow for flow in everybody if flow.direction == "forward"] or everybody
    longest_s = max(flow.rtt_s or 0.0 for flow in forward)
    path = (hops.smallest_rate_bps(scenario), longest_s)
    bottleneck = _fill_link(scenario.bottleneck, path, "bottleneck", notes)
    further = tuple(_fill_link(hop, path, f"hops[{index}]", notes) for index, hop in enumerate(scenario.hops))
    reverse = scenario.reverse
    if reverse is not None:
        reverse = _fill_link(reverse, (reverse.rate_bps, longest_s), "reverse", notes)
    elif "reverse" in {flow.direction for flow in flows + transfers} | {source.direction for source in scenario.traffic}:
        reverse = bottleneck.model_copy(
            update={"loss_probability": 0.0, "losses": (), **dict.fromkeys(_CHANGES, ()), **dict.fromkeys(_DISORDER, 0.0)}
        )
    notes.extend(_idle_filters(bottleneck, reverse, {flow.direction for flow in flows + transfers}))
    update: dict[str, Any] = {"flows": tuple(flows), "arrivals": opened, "sessions": closed}
    update |= {"bottleneck": bottleneck, "hops": further, "reverse": reverse, "rtt_s": None}
    if scenario.host is not None and not scenario.host.shared:
        update["host"] = None
    return Resolved(scenario.model_copy(update=update), tuple(dict.fromkeys(notes)))


def _kinds(source: sources_of_transfers.Source) -> list[Flow]:
    """Return a source's kinds of transfers as the flows they are while they are there."""
    return [Flow(rtt_s=rtt_s, **source.fields_of_flow()) for rtt_s in source.rtts_s]


def _variant_note(flow: Flow) -> list[str]:
    name, _, variant = flow.algorithm.partition(":")
    profile = str(flow.profile)
    algorithm = algorithm_of(name)
    if variant or (profile in algorithm.profiles and profile not in algorithm.borrowed):
        return []
    return [f"{name} has no variant for profile {profile}: {algorithm.profiles.get(profile, 'its paper')} runs on that profile's transport"]


def _idle_filters(bottleneck: Bottleneck, reverse: Bottleneck | None, directions: set[str]) -> list[str]:
    """Say where a filter of ACKs sees none."""
    placed = (("bottleneck", bottleneck, "reverse"), ("reverse", reverse, "forward"))
    return [
        f"{path}.discipline: no flow's data goes {direction}, so that no ACK meets {ACK_FILTER} here; it is drop-tail"
        for path, link, direction in placed
        if link is not None and link.discipline == ACK_FILTER and direction not in directions
    ]


def _fill_link(link: Bottleneck, product: tuple[float, float], path: str, notes: list[str]) -> Any:
    """Return the link with its sizes filled in; `product` is the rate (bits per second) and the RTT (seconds) whose product a BDP is."""
    filled = _fill_size(link, "queue", product, path, notes)
    if any(getattr(link, name) is not None for name in MARK_FIELDS):
        filled |= _fill_size(link, "mark", product, path, notes)
    return link.model_copy(update=filled)


def _fill_size(link: Bottleneck, short: str, product: tuple[float, float], path: str, notes: list[str]) -> dict[str, Any]:
    """Return the fields of the link's queue or of its step of marks, at least one packet; one BDP when no size is given."""
    given = {unit: getattr(link, f"{short}_{unit}") for unit in ("packets", "bytes", "s", "bdp")}
    filled: dict[str, Any] = {f"{short}_{unit}": None for unit in given}
    packet_s = 8 * PACKET_BYTES / link.rate_bps
    if given["packets"] is not None:
        filled[f"{short}_packets"] = given["packets"]
    elif given["bytes"] is not None:
        filled[f"{short}_bytes"] = max(given["bytes"], PACKET_BYTES)
        if given["bytes"] < PACKET_BYTES:
            notes.append(f"{path}.{short}_bytes: {given['bytes']} bytes is below one packet; raised to {PACKET_BYTES}")
    elif given["s"] is not None:
        packets = given["s"] / packet_s
        filled[f"{short}_s"] = max(given["s"], packet_s)
        if packets < 1:
            notes.append(f"{path}.{short}_s: {given['s']:g} s is below one packet; raised to {packet_s:g} s")
        _refuse_too_long(packets, f"{path}.{short}_s", given["s"])
    else:
        fraction = 1.0 if given["bdp"] is None else given["bdp"]
        packets = fraction * bdp_packets(*product)
        _refuse_too_long(packets, f"{path}.{short}_bdp", fraction)
        filled[f"{short}_packets"] = max(1, int(packets + 0.5))
        if packets + 0.5 < 1:
            notes.append(f"{path}.{short}_bdp: {fraction:g} BDP is {packets:.3g} packets, below one; raised to 1")
    return filled


def _refuse_too_long(packets: float, field: str, value: float) -> None:
    if packets > MOST_PACKETS:
        raise ScenarioError(field, f"{value:g} is a queue of {packets:.3g} packets; allowed: at most {MOST_PACKETS} packets")


_LATER: dict[str, Any] = {
    "record_marks": False,
    "hops": [],
    "host": None,
    "traffic": [],
    "enter": None,
    "leave": None,
    "connections": 1,
    "discipline": DROP_TAIL,
    "discipline_parameters": {},
    **dict.fromkeys(MARK_FIELDS),
    **dict.fromkeys(_DISORDER, 0.0),
    **{name: [] for name in ("arrivals", "sessions", "losses", *_CHANGES)},
}
"""Fields that scenarios did not always have, and their defaults: named only where they differ, so that no older scenario is renamed."""


def canonical(scenario: Scenario) -> dict[str, Any]:
    """Return the scenario with defaults filled in, as plain data in SI units (no ``42ms``)."""
    full: dict[str, Any] = fill(scenario).scenario.model_dump(mode="json")
    for table in (full, full["bottleneck"], full["reverse"] or {}, *full["hops"], *full["traffic"], *full["sessions"]):
        for name in [name for name, default in _LATER.items() if table.get(name, default) == default]:
            table.pop(name, None)
    return full


def canonical_json(scenario: Scenario) -> str:
    """Return the canonical JSON text: sorted keys, no spaces, defaults filled in."""
    return json.dumps(canonical(scenario), sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(scenario: Scenario) -> str:
    """Return the SHA-256 of the canonical JSON, in hexadecimal: the scenario's name."""
    return hashlib.sha256(canonical_json(scenario).encode()).hexdigest()


def jitter_s(scenario: Scenario, flow: Flow) -> float:
    """Return the largest delay of an ACK of this flow, in seconds.

    The default rule is the smaller of one 1500-byte packet time at the bottleneck and 1 % of the flow's base RTT: enough to break
    the phase locking of a deterministic drop-tail queue (Floyd and Jacobson 1992, "On traffic phase effects in packet-switched gateways").
    """
    if scenario.jitter_s is not None:
        return scenario.jitter_s
    return min(8 * PACKET_BYTES / hops.smallest_rate_bps(scenario), 0.01 * (flow.rtt_s or scenario.rtt_s or 0.0))


def resolve(scenario: Scenario) -> dict[str, Any]:
    """Return what the engine takes: integers in nanoseconds, packets and bytes.

    Parameters
    ----------
    scenario : Scenario
        As written or filled in.

    Returns
    -------
    dict
        Plain data, ready for JSON.
    """
    full = fill(scenario).scenario
    machines, of_flows, of_sources = hosts.engine(full)

    def kinds(source: sources_of_transfers.Source, host: int | None) -> list[dict[str, Any]]:
        return [_flow(full, flow) | {"host": host} for flow in _kinds(source)]

    opened = zip(full.arrivals, of_sources["arrivals"], strict=True)
    closed = zip(full.sessions, of_sources["sessions"], strict=True)
    return {
        "seed": full.seed,
        "duration_ns": _ns(full.duration_s),
        "warmup_ns": _ns(full.warmup_s),
        "sample_ns": _ns(full.sample_s),
        "per_ack": full.per_ack,
        "record_drops": full.record_drops,
        "record_marks": full.record_marks,
        "forward": _link(full.bottleneck),
        "hops": [{"delay_ns": _ns(hop.delay_s), "link": _link(hop)} for hop in full.hops],
        "reverse": None if full.reverse is None else _link(full.reverse),
        "hosts": machines,
        "flows": [_flow(full, flow) | {"host": host} for flow, host in zip(full.flows, of_flows, strict=True)],
        "arrivals": [arrivals.engine(source, kinds(source, host)) for source, host in opened],
        "sessions": [sessions.engine(source, kinds(source, host)) for source, host in closed],
        "traffic": [traffic.engine(source) for source in full.traffic],
    }


def _ns(seconds: float) -> int:
    return round(seconds * _NS)


def _link(link: Bottleneck) -> dict[str, Any]:
    return {
        "rate_bps": round(link.rate_bps),
        "queue": _size(link.queue_packets, link.queue_bytes, link.queue_s),
        "excludes_in_service": link.excludes_in_service,
        "loss_probability": link.loss_probability,
        "mark": _size(link.mark_packets, link.mark_bytes, link.mark_s),
        "discipline": None if link.discipline == DROP_TAIL else {"name": link.discipline, "parameters": link.discipline_parameters},
        "losses": [losses.engine(model) for model in link.losses],
        "changes": changes.engine(link),
        "disorder": {
            "late_probability": link.reorder_probability,
            "late_ns": _ns(link.reorder_s),
            "double_probability": link.duplicate_probability,
        },
    }


def _size(packets: int | None, size_bytes: int | None, time_s: float | None) -> dict[str, Any] | None:
    if size_bytes is not None:
        return {"unit": "bytes", "limit": size_bytes}
    if time_s is not None:
        return {"unit": "ns", "limit": max(1, _ns(time_s))}
    return None if packets is None else {"unit": "packets", "limit": packets}


def _flow(scenario: Scenario, flow: Flow) -> dict[str, Any]:
    name, _, variant = flow.algorithm.partition(":")
    chosen = variant or catalogue().algorithms[name].profiles.get(str(flow.profile))
    return {
        "algorithm": name,
        "variant": chosen,
        "profile": flow.profile,
        "parameters": {key: value for key, value in flow.parameters.items() if key != "slow_start" or not isinstance(value, str)},
        "slow_start": _word(flow.parameters.get("slow_start")),
        "transport": dict(flow.transport),
        "rtt_ns": _ns(flow.rtt_s or 0.0),
        "start_ns": _ns(flow.start_s),
        "stop_ns": None if flow.stop_s is None else _ns(flow.stop_s),
        "bytes": flow.bytes,
        "window_packets": hosts.window_packets(flow),
        "window_bytes": hosts.window_bytes(flow),
        "direction": flow.direction,
        "jitter_ns": _ns(jitter_s(scenario, flow)),
        "mss_bytes": flow.mtu_bytes - hosts.HEADER_BYTES,
        "packet_bytes": flow.mtu_bytes,
        "writes": writes.engine(flow),
        "hops": {"enter": flow.enter, "leave": flow.leave},
    }


def _word(value: float | str | None) -> str | None:
    """Return the choice of a slow start; ledbat's own switch of that name is a number."""
    return value if isinstance(value, str) else None
