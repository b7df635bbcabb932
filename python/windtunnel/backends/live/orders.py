"""From a scenario to the orders of the process that runs it, see `windtunnel.live.lab`."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from windtunnel.backends.linux import plan
from windtunnel.backends.linux.expressible import initial_window, sysctls
from windtunnel.backends.linux.modules import MODULES
from windtunnel.backends.linux.usermodules import key
from windtunnel.backends.live.bpf.load import Key
from windtunnel.foreign import is_made
from windtunnel.scenario import Flow, Scenario, fill, resolve

PROOF_NS = 600_000_000_000
PROOF_QUEUE_PACKETS = 100_000


def module(flow: Flow, names: Mapping[Key, str] | None = None) -> str:
    """Return the kernel's name of a flow's congestion control; `names` are those of controllers from files."""
    if is_made(flow.algorithm):
        return (names or {}).get(key(flow), "")
    return MODULES[flow.algorithm.partition(":")[0]].name


def controllers(scenario: Scenario) -> list[Key]:
    """Return the controllers from files that a scenario's flows need, each once."""
    return list(dict.fromkeys(key(flow) for flow in fill(scenario).scenario.flows if is_made(flow.algorithm)))


def make(scenario: Scenario, *, proof: bool = True, names: Mapping[Key, str] | None = None) -> dict[str, Any]:
    """Return the orders.

    Parameters
    ----------
    scenario : Scenario
        One that can be expressed.
    proof : bool
        Whether rate and delay are proven first.
    names : mapping, optional
        The kernel's names of controllers from files, while they are loaded.

    Returns
    -------
    dict
        Plain data, ready for JSON.
    """
    full = fill(scenario).scenario
    spec = resolve(full)
    for flow in spec["flows"]:
        if is_made(flow["algorithm"]):
            # The router has links alone, and reads a scenario of the simulator's own laws.
            flow.update({"algorithm": "reno", "variant": None, "parameters": {}})
    return {
        "spec": spec,
        "proof": _proof(spec) if proof else None,
        "flows": [_flow(full, flow, exact, names) for flow, exact in zip(full.flows, spec["flows"], strict=True)],
        "watch_ns": plan.watch_ns(spec["sample_ns"]),
    }


def _flow(full: Scenario, flow: Flow, exact: dict[str, Any], names: Mapping[Key, str] | None) -> dict[str, Any]:
    return {
        "algorithm": module(flow, names),
        "window_bytes": plan.window_packets(full, flow, exact) * exact["mss_bytes"],
        "mtu": flow.mtu_bytes,
        "initial_window": initial_window(flow),
        "paced": flow.transport.get("pacing") == "full",
        "handshake": bool(flow.handshake),
        "sysctls": [[path, str(value)] for path, value in sysctls(flow)],
        **{name: exact[name] for name in ("start_ns", "stop_ns", "bytes")},
    }


def _proof(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the engine's scenario of the proof: the first link's largest rate, the first flow's delay, a queue that holds everything."""
    rate = max([spec["forward"]["rate_bps"], *(step["rate_bps"] for step in spec["forward"]["changes"]["rate_steps"])])
    flow = {**copy.deepcopy(spec["flows"][0]), "hops": {}, "direction": "forward"}
    return {
        **spec,
        # No shorter than the scenario, whose first flow may start late.
        **{"duration_ns": spec["duration_ns"] + PROOF_NS, "warmup_ns": 0, "sample_ns": 0},
        **{"hops": [], "reverse": None, "traffic": [], "flows": [flow]},
        "forward": {"rate_bps": rate, "queue": {"unit": "packets", "limit": PROOF_QUEUE_PACKETS}},
    }
