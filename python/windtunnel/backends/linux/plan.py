"""From a scenario to the guest's orders: the text of its plan, the kernel's arguments, its memory, its time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windtunnel.backends.captures import PLACES
from windtunnel.backends.linux import (
    clients,
    disciplines,
    disorder,
    fifos,
    links,
    receivers,
    senders,
    steps,
    traffic,
    transfers,
    usermodules,
)
from windtunnel.backends.linux.expressible import (
    WINDOW_BYTES_MOST,
    counts_bytes,
    counts_exactly,
    initial_window,
    largest_bytes,
    limit_most_packets,
    limit_packets,
    module_settings,
    sysctls,
    unsupported,
)
from windtunnel.backends.linux.modules import MODULES
from windtunnel.backends.linux.profiles import PROFILE
from windtunnel.backends.linux.usermodules import UserModule
from windtunnel.foreign import is_made
from windtunnel.scenario import Bottleneck, Flow, Scenario, ScenarioError, fill, resolve
from windtunnel.scenario.flows import PACKET_BYTES
from windtunnel.scenario.losses import GilbertElliott

VERSION = 1
WATCH_NS = 10_000_000
"""Flows are looked at this often for events, or as often as they are sampled."""

WINDOW_PACKETS_LEAST = 64

_BUFFER_BYTES = 6000
"""Memory of a packet under way: its buffers at the sender, in a queue or at the receiver."""
_SOCKETS_BYTES = 16_384
"""Memory of the sockets of a transfer."""
_ROUTERS_BYTES = 4 << 20
"""Memory of the two routers of a hop."""


@dataclass(frozen=True)
class Plan:
    """What a guest is started with.

    Parameters
    ----------
    text : str
        The plan's file.
    arguments : tuple of str
        Additional arguments of the kernel's command line: the modules' parameters.
    algorithms : tuple of str
        The congestion controls that the kernel must have, by its names.
    modules : tuple of UserModule
        The modules from files that it loads.
    memory_bytes : int
        The guest's memory.
    wall_s : float
        The wall time after which it must be stuck.
    notes : tuple of str
        What was converted, a line each.
    """

    text: str
    arguments: tuple[str, ...]
    algorithms: tuple[str, ...]
    modules: tuple[UserModule, ...]
    memory_bytes: int
    wall_s: float
    notes: tuple[str, ...]


def check(scenario: Scenario, profile: str = PROFILE) -> None:
    """Refuse a scenario that a guest cannot express; `profile` stands for the kernel's stack.

    Raises
    ------
    ScenarioError
        Naming every field.
    """
    found = unsupported(scenario, profile)
    if found:
        raise ScenarioError("backend", f"linux cannot express {'; '.join(found)}; allowed: --backend sim")


def algorithms(full: Scenario) -> tuple[str, ...]:
    """Return the congestion controls that a kernel must have for a scenario, by its names; those from files come as modules."""
    return tuple(dict.fromkeys(_module(flow) for flow in transfers.senders(full) if not is_made(flow.algorithm)))


def make(scenario: Scenario, *, captures: Sequence[str] = ()) -> Plan:
    """Return the guest's orders.

    Parameters
    ----------
    scenario : Scenario
        One that `check` accepts.
    captures : sequence of str
        Where packets are kept, of `windtunnel.backends.captures.PLACES`.

    Returns
    -------
    Plan
        The same for the same scenario.
    """
    full = fill(scenario).scenario
    exact = resolve(full)
    notes: list[str] = []
    lines = [f"windtunnel-plan {VERSION}"]
    lines += [f"{key} {exact[key]}" for key in ("duration_ns", "warmup_ns", "sample_ns")]
    lines.append(f"watch_ns {watch_ns(exact['sample_ns'])}")
    lines += [f"captures {sum(1 << PLACES.index(place) for place in captures)}"] if captures else []
    lines += [_link_line(full, one, notes) for one in links.each(full)]
    lines += [f"delay forward{number} {hop['delay_ns']}" for number, hop in enumerate(exact["hops"], 2)]
    for one in links.each(full):
        lines += _discipline_line(full, one, notes) + steps.lines(one, limit_packets) + disorder.line(one)
        lines += [_burst_line(one.name, model) for model in one.link.losses if isinstance(model, GilbertElliott)]
    own = usermodules.wanted(full)
    lines += _module_lines(own.values()) + fifos.lines(full)
    devices = senders.devices(full)
    for flow, integers, device in zip(full.flows, exact["flows"], devices, strict=False):
        lines += [*_flow_lines(full, flow, integers, own), *senders.line(device)]
    lines += transfers.lines(
        full,
        lambda kind, number, exact: [*_flow_lines(full, kind.flow, exact, own), *senders.line(devices[len(full.flows) + number])],
    )
    lines += receivers.lines(exact) + clients.lines(full) + traffic.lines(exact)
    lines += [line for index, source in enumerate(full.traffic) for line in _hops_line(full, source, f"source-hops {index}")]
    for index, flow in [*enumerate(full.flows), *transfers.owners(full)]:
        lines += [f"sysctl {index} {path} {value}" for path, value in sysctls(flow)]
    return Plan(
        text="\n".join(lines) + "\n",
        arguments=_arguments(full),
        algorithms=algorithms(full),
        modules=tuple(own.values()),
        memory_bytes=_memory_bytes(full),
        wall_s=_wall_s(full),
        notes=tuple(notes),
    )


def watch_ns(sample_ns: int) -> int:
    """Return how often flows are looked at, nanoseconds: a whole part of the sampling interval, at most 10 ms where there is one."""
    if sample_ns == 0:
        return WATCH_NS
    parts = -(-sample_ns // WATCH_NS)
    return next((sample_ns // part for part in range(parts, 4 * parts + 1) if sample_ns % part == 0), sample_ns)


def _link_line(full: Scenario, one: links.Link, notes: list[str]) -> str:
    link, packets = one.link, limit_packets(one.link)
    if link.queue_packets is None and not counts_bytes(full, one) and not counts_exactly(full, one):
        unit = "queue_bytes" if link.queue_bytes is not None else "queue_s"
        notes.append(f"{one.path}.{unit}: {getattr(link, unit):g} is {packets} packets in the kernel, the one in service included")
    for index, step in enumerate(link.queue_steps):
        if step.queue_packets is None:
            packets_then = limit_packets(steps.resized(link, step))
            notes.append(f"{one.path}.queue_steps[{index}]: {packets_then} packets in the kernel, the one in service included")
    rate = round(link.rate_bps / 8)
    return f"link {one.name} {rate} {packets} {round(link.loss_probability * 2**32)}"


def _discipline_line(full: Scenario, one: links.Link, notes: list[str]) -> list[str]:
    link = one.link
    if counts_bytes(full, one):
        return [f"discipline {one.name} bfifo {link.queue_bytes}"]
    if steps.has_class(link) and not disciplines.wanted(link):
        # HTB's next packet takes the new rate, or waits; netem's is on its way already. One more is on the wire.
        return [f"discipline {one.name} pfifo {limit_packets(link) - 1}"]
    made = disciplines.kernel_discipline(link, limit_packets(link)) if disciplines.wanted(link) else None
    if made is None:
        return []
    notes += [f"{one.path}.discipline_parameters.{note}" for note in made.notes]
    return [f"discipline {one.name} {made.kind} " + " ".join(map(str, made.values))]


def _burst_line(name: str, model: GilbertElliott) -> str:
    of_2_32 = (min(round(p * 2**32), 2**32 - 1) for p in (model.to_bad, model.to_good, model.loss_bad, model.loss_good))
    return f"burst {name} " + " ".join(map(str, of_2_32))


def _module_lines(modules: Iterable[UserModule]) -> list[str]:
    """Return what the guest loads before anything else: a file of its root folder each, and the parameters."""
    lines = []
    for index, module in enumerate(modules):
        lines.append(f"module {module.name} {module.file}")
        lines += [f"parameter {index} {name}={value}" for name, value in module.settings]
    return lines


def _flow_lines(full: Scenario, flow: Flow, exact: Mapping[str, Any], own: Mapping[Any, UserModule]) -> list[str]:
    words = [
        flow.direction,
        _module(flow, own),
        exact["rtt_ns"],
        exact["jitter_ns"],
        exact["start_ns"],
        _or_never(exact["stop_ns"]),
        _or_never(exact["bytes"]),
        window_packets(full, flow, exact) * exact["mss_bytes"],
        initial_window(flow),
        int(flow.transport.get("pacing") == "full"),
        int(bool(flow.handshake)),
    ]
    sizes = [f"packets {flow.mtu_bytes}"] if flow.mtu_bytes != PACKET_BYTES else []
    return ["flow " + " ".join(map(str, words)), *sizes, *_hops_line(full, flow, "hops")]


def _hops_line(full: Scenario, party: Any, begin: str) -> list[str]:
    return [f"{begin} {party.enter or 1} {party.leave or len(full.hops) + 1}"] if full.hops else []


def window_packets(full: Scenario, flow: Flow, exact: Mapping[str, Any]) -> int:
    """Return the receiver's largest window: the flow's own cap, if it has one, or four times what its path holds, so that it never limits.

    Twice what the path holds is sent by the time a first loss is repaired, and as much again while a retransmission is lost. More has a
    price: while the window grows, by two packets for each that arrives, Linux acknowledges every packet instead of every second.
    """
    if exact["window_packets"] is not None:
        return int(exact["window_packets"])
    path = _packets_under_way([one.link for one in links.crossed(full, flow)], flow.rtt_s or 0.0, flow.mtu_bytes)
    return min(WINDOW_BYTES_MOST // int(exact["mss_bytes"]), max(WINDOW_PACKETS_LEAST, int(4 * path)))


def _or_never(value: int | None) -> str:
    return "-" if value is None else str(value)


def _module(flow: Flow, own: Mapping[Any, UserModule] | None = None) -> str:
    """Return the kernel's name of a flow's congestion control; `own` are the modules from files."""
    if own is not None and is_made(flow.algorithm):
        return own[usermodules.key(flow)].name
    return MODULES[flow.algorithm.partition(":")[0]].name


def _arguments(full: Scenario) -> tuple[str, ...]:
    """Return the modules' parameters: some can be set at boot only, and CUBIC's constants follow from them at boot."""
    found = {
        f"tcp_{_module(flow)}.{name}={value}"
        for flow in transfers.senders(full)
        if not is_made(flow.algorithm)
        for name, value in (module_settings(flow) or {}).items()
    }
    return tuple(sorted(found))


def _packets_under_way(crossed: Sequence[Bottleneck], rtt_s: float, packet_bytes: int) -> float:
    """Return how many packets of a size fit into a path of this RTT over these links, the queues full."""
    longest_s = rtt_s + sum(steps.extra_most_s(link) for link in crossed)
    return sum(steps.rate_most_bps(link) * longest_s / (8 * packet_bytes) + limit_most_packets(link) for link in crossed)


def _memory_bytes(full: Scenario) -> int:
    """Return a generous size; the host gives pages only as they are touched."""
    # A lost packet holds back a window's worth at the receiver while the sender keeps it too.
    hosts = transfers.senders(full)
    longest_s = max(flow.rtt_s or 0.0 for flow in hosts)
    smallest = min(flow.mtu_bytes for flow in hosts)
    buffer_bytes = _BUFFER_BYTES * largest_bytes(full) / PACKET_BYTES
    needed = (
        (256 << 20)
        + (2 << 20) * len(hosts)
        + _SOCKETS_BYTES * len(transfers.drawn(full))
        + 4 * buffer_bytes * _packets_under_way([one.link for one in links.each(full)], longest_s, smallest)
        + _ROUTERS_BYTES * len(full.hops)
        + buffer_bytes * sum(steps.outage_packets(one.link, full.duration_s) for one in links.each(full))
    )
    return -int(-needed // (64 << 20)) * (64 << 20)


def _wall_s(full: Scenario) -> float:
    """Return fifty times what it should take (10 us a packet, 1 ms a virtual second and flow), and a minute."""
    packets = sum(steps.rate_most_bps(one.link) / (8 * PACKET_BYTES) for one in links.each(full)) * full.duration_s + traffic.packets(full)
    return 60.0 + 50 * (packets * 10e-6 + full.duration_s * 1e-3 * (len(transfers.senders(full)) + 10) + 1e-3 * len(transfers.drawn(full)))
