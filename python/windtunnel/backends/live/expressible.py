"""What of a scenario the live kernel cannot express, by name. It never runs something similar instead."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ValidationError

from windtunnel.backends.beyond import beyond
from windtunnel.backends.linux.expressible import INITIAL_WINDOW_MOST, SYSCTLS, kernel_variant
from windtunnel.backends.linux.modules import MODULES
from windtunnel.backends.linux.profiles import PROFILE
from windtunnel.backends.linux.usermodules import is_module
from windtunnel.foreign import is_made
from windtunnel.scenario import Bottleneck, Flow, Scenario, catalogue, fill
from windtunnel.scenario.changes import CHANGES
from windtunnel.scenario.links import Hop
from windtunnel.scenario.losses import MODELS as MODELS_OF_LOSS
from windtunnel.scenario.traffic import Udp

FLOWS_MOST = 64
"""Each has two network namespaces."""

_LINK = set(Bottleneck.model_fields)
_EXPRESSED: dict[type[BaseModel], set[str]] = {
    Scenario: {"bottleneck", "hops", "flows", "reverse", "rtt_s", "duration_s", "warmup_s", "seed", "sample_s", "jitter_s", "profile"}
    | {"handshake", "record_drops", "traffic"},
    Bottleneck: _LINK,
    Hop: _LINK | {"delay_s"},
    **{model: set(model.model_fields) for model in CHANGES.values()},
    **{model: set(model.model_fields) for model in MODELS_OF_LOSS.values()},
    Flow: {"algorithm", "parameters", "transport", "rtt_s", "start_s", "stop_s", "bytes", "count", "window_packets", "window_bytes"}
    | {"mtu_bytes", "profile", "direction", "enter", "leave", "handshake", "jitter_s"},
    Udp: set(Udp.model_fields),
}
"""Links are the simulator's own, so every field of them is. Any other that is not named is refused unless it has its default."""


def unsupported(scenario: Scenario, profile: str) -> list[str]:
    """Return what the live kernel cannot express.

    Parameters
    ----------
    scenario : Scenario
        As written or filled in.
    profile : str
        The one that stands for the machine's kernel; the default profile means it too.

    Returns
    -------
    list of str
        One entry per field, beginning with its path; empty when the scenario can be run.
    """
    found = beyond(scenario, _EXPRESSED)
    try:
        full = fill(scenario).scenario
    except ValidationError:
        if found:
            return found
        raise
    if len(full.flows) > FLOWS_MOST:
        found.append(f"flows: {len(full.flows)} of them; at most {FLOWS_MOST}, each has two network namespaces of its own")
    for index, flow in enumerate(full.flows):
        found += _flow(f"flows[{index}]", flow, profile)
    return list(dict.fromkeys(found))


def unsupported_afar(scenario: Scenario, traffic: str) -> list[str]:
    """Return what hosts that are reached by SSH cannot express, `traffic` being theirs; see `unsupported`."""
    found = []
    for index, flow in enumerate(fill(scenario).scenario.flows):
        path = f"flows[{index}]"
        if is_made(flow.algorithm):
            found.append(f"{path}.algorithm: a controller from a file is loaded on this machine alone")
        if traffic == "iperf3":
            named = {"bytes": flow.bytes, "window_packets": flow.window_packets, "window_bytes": flow.window_bytes}
            found += [f"{path}.{name}: iperf3 takes none" for name, value in named.items() if value is not None]
            if flow.transport.get("pacing") == "full":
                found.append(f"{path}.transport.pacing: iperf3 takes none")
    return found


def _flow(path: str, flow: Flow, profile: str) -> list[str]:
    found = []
    if flow.profile not in (profile, PROFILE):
        found.append(f"{path}.profile: {flow.profile}; the kernel is its own stack, {profile}")
    name, _, variant = flow.algorithm.partition(":")
    if is_made(flow.algorithm):
        if not is_module(flow.algorithm):
            found.append(f"{path}.algorithm: {name} is no C file in the kernel's dialect, and no other becomes a BPF program")
    elif name not in MODULES:
        found.append(f"{path}.algorithm: no Linux kernel has {name}")
    elif variant not in ("", kernel_variant(name)):
        found.append(f"{path}.algorithm: the kernel's {name} is not the variant {variant}")
    why = "a module's parameters are the whole machine's, and nothing here changes them"
    found += [f"{path}.parameters.{key}: {why}" for key in flow.parameters if not is_made(flow.algorithm)]
    found += [
        f"{path}.transport.{key}: {value} is no setting of the kernel"
        for key, value in flow.transport.items()
        if not _has(name, key, value, profile)
    ]
    return found


def _has(name: str, key: str, value: Any, profile: str) -> bool:
    if (name, key, value) == ("dctcp", "ecn", "off"):
        # The module asks for it whatever the setting is.
        return False
    if key == "initial_window":
        return 1 <= int(value) <= INITIAL_WINDOW_MOST
    return value == catalogue().profiles[profile].transport.get(key) or (key, value) in SYSCTLS or (key, value) == ("pacing", "full")
