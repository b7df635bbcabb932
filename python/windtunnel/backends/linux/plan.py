"""From a scenario to the guest's orders: the text of its plan, the kernel's arguments, its memory, its time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from windtunnel.backends.linux import disciplines, traffic, transfers, usermodules
from windtunnel.backends.linux.expressible import (
    SYSCTLS,
    WINDOW_PACKETS_MOST,
    counts_bytes,
    limit_packets,
    module_settings,
    unsupported,
)
from windtunnel.backends.linux.modules import MODULES
from windtunnel.backends.linux.profiles import PROFILE
from windtunnel.backends.linux.usermodules import UserModule
from windtunnel.foreign import is_made
from windtunnel.scenario import Bottleneck, Flow, Scenario, ScenarioError, catalogue, fill, resolve
from windtunnel.scenario.flows import MSS_BYTES, PACKET_BYTES
from windtunnel.scenario.losses import GilbertElliott

VERSION = 1
WATCH_NS = 10_000_000
"""Flows are looked at this often for events, or as often as they are sampled."""

WINDOW_PACKETS_LEAST = 64

_BUFFER_BYTES = 6000
"""Memory of a packet under way: its buffers at the sender, in a queue or at the receiver."""
_SOCKETS_BYTES = 16_384
"""Memory of the sockets of a transfer."""


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


def make(scenario: Scenario) -> Plan:
    """Return the guest's orders.

    Parameters
    ----------
    scenario : Scenario
        One that `check` accepts.

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
    lines.append(_link_line(full, "forward", "bottleneck", full.bottleneck, notes))
    if full.reverse is not None:
        lines.append(_link_line(full, "reverse", "reverse", full.reverse, notes))
    for name, path, link in (("forward", "bottleneck", full.bottleneck), ("reverse", "reverse", full.reverse)):
        lines += _discipline_line(full, name, path, link, notes)
        lines += [_burst_line(name, model) for model in (link.losses if link is not None else ()) if isinstance(model, GilbertElliott)]
    own = usermodules.wanted(full)
    lines += _module_lines(own.values())
    lines += [_flow_line(full, flow, integers, own) for flow, integers in zip(full.flows, exact["flows"], strict=True)]
    lines += transfers.lines(full, lambda flow, integers: _flow_line(full, flow, integers, own))
    lines += traffic.lines(exact)
    for index, flow in [*enumerate(full.flows), *transfers.owners(full)]:
        lines += [f"sysctl {index} {path} {value}" for path, value in _sysctls(flow)]
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


def _link_line(full: Scenario, name: str, path: str, link: Bottleneck, notes: list[str]) -> str:
    packets = limit_packets(link)
    if link.queue_packets is None and not counts_bytes(full, link):
        unit = "queue_bytes" if link.queue_bytes is not None else "queue_s"
        notes.append(f"{path}.{unit}: {getattr(link, unit):g} is {packets} packets in the kernel, the one in service included")
    rate = round(link.rate_bps / 8)
    return f"link {name} {rate} {packets} {round(link.loss_probability * 2**32)}"


def _discipline_line(full: Scenario, name: str, path: str, link: Bottleneck | None, notes: list[str]) -> list[str]:
    if link is None:
        return []
    if counts_bytes(full, link):
        return [f"discipline {name} bfifo {link.queue_bytes}"]
    made = disciplines.kernel_discipline(link, limit_packets(link)) if disciplines.wanted(link) else None
    if made is None:
        return []
    notes += [f"{path}.discipline_parameters.{note}" for note in made.notes]
    return [f"discipline {name} {made.kind} " + " ".join(map(str, made.values))]


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


def _flow_line(full: Scenario, flow: Flow, exact: Mapping[str, Any], own: Mapping[Any, UserModule]) -> str:
    words = [
        flow.direction,
        _module(flow, own),
        exact["rtt_ns"],
        exact["jitter_ns"],
        exact["start_ns"],
        _or_never(exact["stop_ns"]),
        _or_never(exact["bytes"]),
        _window_packets(full, flow, exact["window_packets"]) * MSS_BYTES,
        _initial_window(flow),
        int(flow.transport.get("pacing") == "full"),
        int(bool(flow.handshake)),
    ]
    return "flow " + " ".join(map(str, words))


def _window_packets(full: Scenario, flow: Flow, cap: int | None) -> int:
    """Return the receiver's largest window: the flow's own cap, if it has one, or four times what its path holds, so that it never limits.

    Twice what the path holds is sent by the time a first loss is repaired, and as much again while a retransmission is lost. More has a
    price: while the window grows, by two packets for each that arrives, Linux acknowledges every packet instead of every second.
    """
    if cap is not None:
        return cap
    path = _packets_under_way(full, flow.rtt_s or 0.0)
    return min(WINDOW_PACKETS_MOST, max(WINDOW_PACKETS_LEAST, int(4 * path)))


def _or_never(value: int | None) -> str:
    return "-" if value is None else str(value)


def _module(flow: Flow, own: Mapping[Any, UserModule] | None = None) -> str:
    """Return the kernel's name of a flow's congestion control; `own` are the modules from files."""
    if own is not None and is_made(flow.algorithm):
        return own[usermodules.key(flow)].name
    return MODULES[flow.algorithm.partition(":")[0]].name


def _initial_window(flow: Flow) -> int:
    default = catalogue().profiles[PROFILE].transport["initial_window"]
    wanted = int(flow.transport.get("initial_window", default))
    return 0 if wanted == default else wanted


def _sysctls(flow: Flow) -> list[tuple[str, int]]:
    return [SYSCTLS[pair] for pair in flow.transport.items() if pair in SYSCTLS]


def _arguments(full: Scenario) -> tuple[str, ...]:
    """Return the modules' parameters: some can be set at boot only, and CUBIC's constants follow from them at boot."""
    found = {
        f"tcp_{_module(flow)}.{name}={value}"
        for flow in transfers.senders(full)
        if not is_made(flow.algorithm)
        for name, value in (module_settings(flow) or {}).items()
    }
    return tuple(sorted(found))


def _packets_under_way(full: Scenario, rtt_s: float) -> float:
    """Return how many packets fit into a path of this RTT, the queues full."""
    links = [link for link in (full.bottleneck, full.reverse) if link is not None]
    return sum(link.rate_bps * rtt_s / (8 * PACKET_BYTES) + limit_packets(link) for link in links)


def _memory_bytes(full: Scenario) -> int:
    """Return a generous size; the host gives pages only as they are touched."""
    # A lost packet holds back a window's worth at the receiver while the sender keeps it too.
    hosts = transfers.senders(full)
    longest_s = max(flow.rtt_s or 0.0 for flow in hosts)
    needed = (
        (256 << 20)
        + (2 << 20) * len(hosts)
        + _SOCKETS_BYTES * len(transfers.drawn(full))
        + 4 * _BUFFER_BYTES * _packets_under_way(full, longest_s)
    )
    return -int(-needed // (64 << 20)) * (64 << 20)


def _wall_s(full: Scenario) -> float:
    """Return fifty times what it should take (10 us a packet, 1 ms a virtual second and flow), and a minute."""
    links = [link for link in (full.bottleneck, full.reverse) if link is not None]
    packets = sum(link.rate_bps / (8 * PACKET_BYTES) for link in links) * full.duration_s + traffic.packets(full)
    return 60.0 + 50 * (packets * 10e-6 + full.duration_s * 1e-3 * (len(transfers.senders(full)) + 10) + 1e-3 * len(transfers.drawn(full)))
