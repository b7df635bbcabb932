"""The hosts of senders, as far as a guest has them: a network device, of one sender or of several together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from windtunnel.backends.linux import transfers
from windtunnel.scenario import Flow, Scenario, resolve
from windtunnel.scenario.transfers import Source


@dataclass(frozen=True)
class Device:
    """A sender's network device.

    Parameters
    ----------
    rate_bps : int
        Its rate in IP bits per second.
    queue_packets : int
        Packets that wait for it, besides the one on the wire.
    machine : int or None
        Number of the host whose senders share it; None where it is one sender's.
    """

    rate_bps: int
    queue_packets: int
    machine: int | None


def devices(full: Scenario) -> list[Device | None]:
    """Return the device of each flow, then of each kind of transfers; None where none is ever felt."""
    exact = resolve(full)
    numbers = [one.get("host") for one in (*exact["flows"], *(kind.exact for kind in transfers.kinds(full)))]
    users = Counter(numbers)
    return [None if number is None else _device(exact["hosts"][number], number if users[number] > 1 else None) for number in numbers]


def _device(host: Mapping[str, Any], machine: int | None) -> Device | None:
    device = host["device"]
    return None if device is None else Device(device["rate_bps"], device["queue_packets"], machine)


def line(device: Device | None) -> list[str]:
    """Return what a plan says of a flow's device."""
    if device is None:
        return []
    return [f"device {round(device.rate_bps / 8)} {device.queue_packets} {'-' if device.machine is None else device.machine}"]


def unsupported(full: Scenario, stack: Any) -> list[str]:
    """Return what of the hosts a guest cannot express.

    Parameters
    ----------
    full : Scenario
        The scenario with defaults filled in.
    stack : callable
        From a flow to its settings that hold for a whole host.
    """
    sources: tuple[Source, ...] = (*full.arrivals, *full.sessions)
    if full.host is None and not any(one.host for one in full.flows) and not any(one.host for one in sources):
        return []
    known, machines = devices(full), resolve(full)["hosts"]
    found = [
        f"{kind.path}.host: every transfer has a device of its own there; here those of one source share a host"
        for kind, device in zip(transfers.kinds(full), known[len(full.flows) :], strict=True)
        if device is not None and machines[kind.exact["host"]]["per_transfer"]
    ]
    first: dict[int, Flow] = {}
    enters: dict[int, set[int]] = {}
    for flow, device in zip(transfers.senders(full), known, strict=True):
        if device is None or device.machine is None:
            continue
        if stack(first.setdefault(device.machine, flow)) != stack(flow):
            found.append("host.shared: flows on it differ in options of the stack, which are those of a whole host here")
        if flow.direction == "forward":
            enters.setdefault(device.machine, set()).add(flow.enter or 1)
    if any(len(hops) > 1 for hops in enters.values()):
        found.append("host.shared: flows on it enter at different hops; a host has one place here")
    return found
