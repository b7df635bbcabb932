"""Runs made by hand: every sample and event is given, so that a metric of them can be worked out on paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from windtunnel import records
from windtunnel.metrics import View
from windtunnel.scenario import Scenario, canonical

Rate = Callable[[np.ndarray], np.ndarray]
Event = tuple[float, int, str, float, float]


def steady(mbps: float) -> Rate:
    return lambda t: np.full_like(t, mbps)


def made(
    flows: Sequence[str],
    rates: Sequence[Rate] = (),
    *,
    events: Sequence[Event] = (),
    cwnd: Sequence[Rate] | None = None,
    duration_s: float = 100.0,
    link: str = "12Mbit",
    queue: int = 10,
    rtt_s: float = 0.1,
    point: dict[str, Any] | None = None,
    waiting: Rate | None = None,
    back: Rate | None = None,
    states: Sequence[Rate] = (),
    variables: Mapping[str, Sequence[Rate]] | None = None,
    traffic: Sequence[Mapping[str, Any]] = (),
    links: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    **counted: Any,
) -> View:
    """A run of flows with given rates (Mbit/s, held over each tenth of a second) and events; whole-run window counters.

    `waiting` and `back` are the forward and the reverse queue (packets), `states` and `variables` further samples of each flow,
    `traffic` the rows of flows that the scenario does not list, `links` and `counted` further columns, `given` the rest of the scenario.
    """
    scenario = Scenario(
        bottleneck={"rate": link, "queue": queue},
        flows=list(flows),
        rtt_s=rtt_s,
        duration_s=duration_s,
        sample_s=0.1,
        jitter_s=0.0,
        **(given or {}),
    )
    plain = canonical(scenario)
    starts = np.array([flow["start_s"] for flow in plain["flows"]])
    grid = np.round(np.arange(1, round(duration_s * 10) + 1) * 0.1, 10)
    columns: dict[str, list[np.ndarray]] = {
        name: [] for name in ("t_s", "flow", "cwnd_packets", "ssthresh_packets", "srtt_s", "delivered_bytes", "state", *(variables or {}))
    }
    kinds = counted.get("algorithm", plain["flows"])
    for number, start in enumerate(starts):
        payload = 1472 if kinds[number] == "udp" else 1448
        t = grid[grid > start]
        edges = np.concatenate(([start], t))
        rate = (rates[number] if rates else steady(1.0))((edges[1:] + edges[:-1]) / 2)
        window = (cwnd[number] if cwnd else steady(10.0))(t)
        columns["t_s"].append(t)
        columns["flow"].append(np.full(len(t), number))
        columns["cwnd_packets"].append(window)
        columns["ssthresh_packets"].append(np.full(len(t), 2.0))
        columns["srtt_s"].append(np.full(len(t), rtt_s))
        columns["delivered_bytes"].append(np.round(np.cumsum(rate * np.diff(edges)) * 1e6 / 12000 * payload))
        columns["state"].append(states[number](t) if states else np.zeros(len(t)))
        for name, parts in (variables or {}).items():
            columns[name].append(parts[number](t))
    rows = {
        "flow": np.arange(len(starts)),
        "algorithm": [flow["algorithm"].partition(":")[0] for flow in plain["flows"]],
        "direction": [flow["direction"] for flow in plain["flows"]],
        "start_s": starts,
        **counted,
    }
    for number, row in enumerate(traffic, len(starts)):
        full = {"flow": number, "direction": "forward", "algorithm": "reno", **row}
        rows = {name: [*rows.get(name, [math.nan] * number), full.get(name, math.nan)] for name in {**rows, **full}}
    queues = [
        {"t_s": grid, "link": [number] * len(grid), "queue_packets": queued(grid), "queue_bytes": queued(grid) * 1500}
        for number, queued in enumerate((waiting, back))
        if queued is not None
    ]
    measured = {
        "flows": rows,
        "flow_samples": {name: np.concatenate(parts) for name, parts in columns.items()},
        "links": {
            "link": [0],
            "name": ["forward"],
            "utilisation": [0.9],
            "mean_queue_packets": [5.0],
            "dropped_packets": [7],
            **(links or {}),
        },
        "link_samples": {name: np.concatenate([part[name] for part in queues]) for name in (queues[0] if queues else ())},
        "events": {
            "t_s": [event[0] for event in events],
            "flow": [event[1] for event in events],
            "link": [-1] * len(events),
            "kind": [event[2] for event in events],
            "value": np.array([event[3] for event in events], dtype=float),
            "value2": np.array([event[4] for event in events], dtype=float),
        },
    }
    facts = records.RunFacts(plain, "d", "hand", 1, "0", {})
    return View(records.build(measured, facts), point or {})


def episodes(flow: int, *times: float, before: float = 100.0, after: float = 50.0) -> list[Event]:
    return [(t, flow, "loss_episode", before, after) for t in times]


def in_order(*parts: Sequence[Event]) -> list[Event]:
    return sorted(event for part in parts for event in part)
