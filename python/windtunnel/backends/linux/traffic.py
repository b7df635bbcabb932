"""Applications that pause and sources of datagrams: as lines of a guest's plan, and its rows as columns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from windtunnel.backends.linux.rows import SOURCE, SOURCE_TOTALS, Columns, RecordsDamaged, Rows
from windtunnel.scenario import Scenario
from windtunnel.scenario.traffic import HEADER_BYTES, Udp

STEPS = 1000
"""Rates per period of a sine, as in the simulator: each the sine's at the middle of its step."""

_RATES_A_LINE = 20


def lines(exact: Mapping[str, Any]) -> list[str]:
    """Return the plan's lines on when applications write and sources send.

    Parameters
    ----------
    exact : mapping
        The scenario in the engine's integers.

    Returns
    -------
    list of str
        None for flows that always have more to send.
    """
    made = [_writes_line(index, flow["writes"]) for index, flow in enumerate(exact["flows"]) if flow["writes"] is not None]
    for index, source in enumerate(exact["traffic"]):
        made += _source_lines(index, source)
    return made


def _writes_line(index: int, writes: Mapping[str, Any]) -> str:
    if writes["kind"] == "on-off":
        return f"writes {index} on-off {writes['on_ns']} {writes['off_ns']}"
    return f"writes {index} chunks {writes['rate_bps']} {writes['every_ns']}"


def _source_lines(index: int, source: Mapping[str, Any]) -> list[str]:
    stop = "-" if source["stop_ns"] is None else source["stop_ns"]
    period_ns = source["wave"]["period_ns"] if source["wave"] else 0
    rates = rates_bps(source)
    made = [f"source {source['direction']} {source['packet_bytes']} {source['start_ns']} {stop} {period_ns}"]
    parts = (rates[at : at + _RATES_A_LINE] for at in range(0, len(rates), _RATES_A_LINE))
    return made + [f"rates {index} " + " ".join(map(str, part)) for part in parts]


def rates_bps(source: Mapping[str, Any]) -> list[int]:
    """Return the rates that take turns within a period, in bits per second: one, or the staircase of a sine."""
    mean, wave = source["rate_bps"], source["wave"]
    if not wave:
        return [mean]
    phases = (2 * math.pi * (step + 0.5) / STEPS for step in range(STEPS))
    return [max(1, math.floor(mean + wave["amplitude_bps"] * math.sin(phase) + 0.5)) for phase in phases]


def packets(full: Scenario) -> float:
    """Return how many packets all sources send, but for a handful."""
    return sum(source.rate_bps / (8 * source.packet_bytes) * (_end_s(full, source) - source.start_s) for source in full.traffic)


def _end_s(full: Scenario, source: Udp) -> float:
    return full.duration_s if source.stop_s is None else source.stop_s


def rows_of_sources(rows: Rows, full: Scenario) -> Columns:
    """Return the columns of `flows` that sources have: one row each, numbered after the flows."""
    table = [_row(rows, full, index, source) for index, source in enumerate(full.traffic)]
    return {name: [row[name] for row in table] for name in table[0]} if table else {"flow": []}


def _row(rows: Rows, full: Scenario, index: int, source: Udp) -> dict[str, Any]:
    begin, end = rows.totals(SOURCE_TOTALS, index, 0), rows.totals(SOURCE_TOTALS, index, 1)
    if begin is None or end is None:
        raise RecordsDamaged(f"the guest's records lack the totals of source {index}")
    arrived, sent, lost = (int(end[place]) for place in (1, 2, 3))
    payload_bytes = source.packet_bytes - HEADER_BYTES
    in_window = arrived - int(begin[1])
    return {
        "flow": len(full.flows) + index,
        "algorithm": "udp",
        "direction": source.direction,
        "start_s": source.start_s,
        "end_s": math.nan if source.stop_s is None else source.stop_s,
        "delivered_bytes": arrived * payload_bytes,
        "delivered_packets": arrived,
        "sent_packets": sent,
        "lost_packets": lost,
        "window_s": max(0.0, _end_s(full, source) - max(full.warmup_s, source.start_s)),
        "window_delivered_packets": in_window,
        "window_goodput_bytes": in_window * payload_bytes,
        "window_sent_packets": sent - int(begin[2]),
    }


def samples_of_sources(rows: Rows, full: Scenario) -> Columns:
    """Return the samples of all sources, one source after the other."""
    chosen = rows.of(SOURCE)
    chosen = chosen[np.argsort(chosen["index"], kind="stable")]
    payloads = np.array([source.packet_bytes - HEADER_BYTES for source in full.traffic], dtype=np.uint64)
    return {
        "t_s": chosen["t_ns"] * 1e-9,
        "flow": chosen["index"] + np.uint32(len(full.flows)),
        "delivered_bytes": chosen["value"][:, 0] * payloads[chosen["index"]] if len(chosen) else [],
    }


def events_of_sources(full: Scenario) -> Columns:
    """Return the columns of `events` that say when sources start and stop: a clock's doing, which nothing delays."""
    first = len(full.flows)
    made = [(source.start_s, first + index, "start") for index, source in enumerate(full.traffic)]
    made += [(source.stop_s, first + index, "stop") for index, source in enumerate(full.traffic) if source.stop_s is not None]
    return {
        "t_s": np.array([t_s for t_s, _, _ in made], dtype=np.float64),
        "flow": np.array([flow for _, flow, _ in made], dtype=np.int32),
        "kind": np.array([kind for _, _, kind in made], dtype=object),
        "value": np.full(len(made), np.nan),
        "value2": np.full(len(made), np.nan),
    }
