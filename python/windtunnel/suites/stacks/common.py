"""What the study's experiments share: one path, flows by their names, and figures of one kind of controller each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from windtunnel.experiment import Draws
from windtunnel.metrics.view import SETTLING_S
from windtunnel.plots.declared import Compared, Curves, Histories
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.suites.stacks.subjects import BBR, CUBIC, RENO

RATE_MBPS, RTT_MS = 20, 40
"""A BDP of 67 packets: several epochs of each law in half a minute."""
KINDS = (("cubic", "CUBIC", CUBIC), ("reno", "Reno", RENO), ("bbr", "BBR", BBR))
NETWORK = (
    (
        "network",
        "dumbbell, one drop-tail queue that counts bytes; whole stacks send UDP datagrams, the simulator's flows TCP segments (1500 bytes)",
    ),
    (
        "reference",
        "cubic, reno and bbr are the simulator's Linux 6.1, bbr3 its draft-ietf-ccwg-bbr; NAME@STACK is that stack's own program",
    ),
)
START_S = 0.1
"""Starts are drawn from so long a time, so that repeats differ."""
SAMPLE_S = 0.01
NOTE = "Windows are in full datagrams of each stack, as its own segments are; of TCP in segments of 1448 bytes."
SAID = "What a stack does not say of itself is not measured: a missing mark is a missing answer."


def flow(name: str, **given: Any) -> Flow:
    """Return a flow of a controller, ``cubic`` or ``cubic@quinn``; `given` are further fields of it."""
    law, _, stack = name.partition("@")
    return Flow.model_validate({"algorithm": law, **({"stack": stack} if stack else {}), **given})


def start_s(draws: Draws, number: int = 1) -> float:
    """Return when a flow starts, seconds."""
    return round(START_S * draws.uniform(f"start of flow {number}"), 4)


def bottleneck(rate_mbps: float, rtt_ms: float, q: float, **given: Any) -> Bottleneck:
    """Return a drop-tail bottleneck whose queue holds `q` BDP in bytes, however small a stack's datagrams are."""
    bdp_bytes = rate_mbps * 1e3 * rtt_ms / 8
    if "mark_bdp" in given:
        given["mark_bytes"] = round(given.pop("mark_bdp") * bdp_bytes)
    return Bottleneck.model_validate({"rate_bps": rate_mbps * 1e6, "queue_bytes": round(q * bdp_bytes), **given})


@dataclass(frozen=True)
class Path:
    """A path of one bottleneck: Mbit/s, ms, BDP, and further fields of its link."""

    rate_mbps: float = RATE_MBPS
    rtt_ms: float = RTT_MS
    q: float = 1.0
    link: Mapping[str, Any] = field(default_factory=dict)


PATH = Path()


def alone(name: str, draws: Draws, *, duration_s: float, path: Path = PATH, **given: Any) -> Scenario:
    """Return one flow over a path; `given` are further fields of the flow."""
    begin_s = start_s(draws)
    return Scenario(
        bottleneck=bottleneck(path.rate_mbps, path.rtt_ms, path.q, **path.link),
        flows=(flow(name, start_s=begin_s, **given),),
        rtt_s=path.rtt_ms * 1e-3,
        duration_s=duration_s,
        warmup_s=begin_s + min(SETTLING_S, duration_s / 2),
        sample_s=SAMPLE_S,
    )


def by_kind(name: str, title: str, **declared: Any) -> tuple[Compared, ...]:
    """Return a figure of one metric for each kind of controller."""
    return tuple(Compared(f"{name}-{key}", f"{title}: {called}", algs=algs, **declared) for key, called, algs in KINDS)


def curves_by_kind(name: str, title: str, **declared: Any) -> tuple[Curves, ...]:
    """Return a figure of curves for each kind of controller."""
    return tuple(Curves(f"{name}-{key}", f"{title}: {called}", algs=algs, **declared) for key, called, algs in KINDS)


def histories_by_kind(name: str, title: str, **declared: Any) -> tuple[Histories, ...]:
    """Return a figure of samples over time for each kind of controller, a panel for each."""
    return tuple(Histories(f"{name}-{key}", f"{title}: {called}", panels="alg", algs=algs, **declared) for key, called, algs in KINDS)
