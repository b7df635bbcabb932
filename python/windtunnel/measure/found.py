"""What a run found: goodput each second, stability, round-trip times, loss, processor time per bit, and what limited it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windtunnel.measure.plan import Configuration, size_words
from windtunnel.metrics.fairness import asymmetry
from windtunnel.wire.streams import COLUMNS

Array = NDArray[np.float64]

STABILITY_S = 5.0
"""Intervals of the stability index (Bullot et al. 2003, section 4.6); a run shorter than ten of them has intervals of a second."""
HELD = 0.05
"""A limit is said that held the sender back for more of its busy time."""
FULL = 0.95
"""Processors that worked for more of the time are a limit."""
AT_LIMIT = 0.4
"""A receive buffer's advertised window is at its largest from this part on: the kernel keeps half and more for its own."""
MEGA, NANO = 1e6, 1e9


def rates_mbps(seconds: Sequence[Sequence[float]], columns: Sequence[int], until_s: float) -> Array:
    """Return what arrived in each whole second, Mbit/s, of the columns given; shape (seconds,)."""
    times = np.array([row[0] for row in seconds if row[0] <= until_s + 0.5])
    total = np.array([sum(row[column] for column in columns) for row in seconds if row[0] <= until_s + 0.5], dtype=np.float64)
    if not times.size:
        return np.empty(0)
    spans = np.diff(np.concatenate(([0.0], times)))
    rates = np.diff(np.concatenate(([0.0], total))) * 8 / MEGA / np.maximum(spans, 1e-9)
    return np.asarray(rates[spans > 0.5])


def stability(rates: Array) -> float | None:
    """Return the standard deviation over the mean of the rate in intervals of 5 s, of 1 s where there are fewer than ten of those.

    Source: Bullot, Cottrell, Hughes-Jones (J. Grid Computing 2003), section 4.6.
    """
    width = int(STABILITY_S)
    if rates.size // width >= 10:
        rates = rates[: rates.size // width * width].reshape(-1, width).mean(axis=1)
    if rates.size < 2 or not rates.mean():
        return None
    return float(rates.std(ddof=1) / rates.mean())


def columns_of(rows: Sequence[Sequence[Any]]) -> dict[str, Array]:
    """Return rows of TCP_INFO as columns, shape (rows,) each."""
    table = np.array(rows, dtype=np.float64).reshape(-1, len(COLUMNS))
    return {name: table[:, place] for place, name in enumerate(COLUMNS)}


def figures(one: Configuration, seconds: float, own: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures of a run.

    Parameters
    ----------
    one : Configuration
        What was measured.
    seconds : float
        How long it sent.
    own, theirs : mapping
        What both ends answered (`windtunnel.wire.party.Party.run`).

    Returns
    -------
    dict
        ``goodput_mbps`` (payload that arrived, of all streams from here), ``rates_mbps`` (each second), ``stability``, ``rtt_ms_mean`` and
        ``rtt_ms_max`` and ``rtt_ms_min`` (smoothed RTT of TCP_INFO), ``ping_*``, ``retransmitted_percent``, ``cpu_*_ns_per_bit``,
        ``asymmetry`` (of a pair), ``limits`` (lines). What was not measured is None.
    """
    from_here = [1 + place for place, order in enumerate(one.orders()) if order["side"] == "client"]
    arrived = rates_mbps(theirs["seconds"], from_here, seconds)
    info = columns_of([row for row in own["rows"]])
    last = {int(row[1]): dict(zip(COLUMNS, row, strict=True)) for row in own["rows"]}
    sent = sum(row["sent"] for row in last.values())
    received = sum(stream["received_bytes"] for stream in theirs["streams"])
    known = info["rtt_us"][info["rtt_us"] > 0] / 1e3
    found: dict[str, Any] = {
        "goodput_mbps": _or_none(arrived.mean()) if arrived.size else None,
        "rates_mbps": [round(float(rate), 3) for rate in arrived],
        "stability": stability(arrived),
        "rtt_ms_mean": _or_none(known.mean()) if known.size else None,
        "rtt_ms_max": _or_none(known.max()) if known.size else None,
        "rtt_ms_min": _or_none(info["min_rtt_us"].min() / 1e3) if known.size else None,
        "retransmitted_percent": 100 * sum(row["retransmitted"] for row in last.values()) / sent if sent else None,
        "received_bytes": received,
    }
    for name, answer in (("sender", own), ("receiver", theirs)):
        for what, key in (("process", "process_s"), ("machine", "busy_s")):
            found[f"cpu_{name}_{what}_ns_per_bit"] = answer["machine"][key] * NANO / (8 * received) if received else None
    if one.beside == "pair":
        each = [rates_mbps(theirs["seconds"], [column], seconds).sum() for column in from_here]
        found["asymmetry"] = asymmetry(*map(float, each)) if sum(each) else None
    if one.beside == "reverse":
        others = [1 + place for place, order in enumerate(one.orders()) if order["side"] == "listener"]
        back = rates_mbps(own["seconds"], others, seconds)
        found["reverse_mbps"] = _or_none(back.mean()) if back.size else None
    if one.beside == "sine":
        loads = rates_mbps(theirs["seconds"], [-2], seconds)
        found["udp_mbps"] = _or_none(loads.mean()) if loads.size else None
        lost = own["datagrams"][0] - theirs["datagrams"][1]
        found["udp_lost_percent"] = 100 * lost / own["datagrams"][0] if own["datagrams"][0] else None
    found |= _pings(own)
    found["broken"] = [stream["broken"] for answer in (own, theirs) for stream in answer["streams"] if "broken" in stream]
    return found


def _or_none(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _pings(own: Mapping[str, Any]) -> dict[str, Any]:
    if not own["asked"]:
        return {}
    rtts = np.array([(came - sent) / 1e6 for _, sent, came in own["echoes"]])
    return {
        "ping_ms_mean": _or_none(rtts.mean()) if rtts.size else None,
        "ping_ms_sd": _or_none(rtts.std(ddof=1)) if rtts.size > 1 else None,
        "ping_ms_max": _or_none(rtts.max()) if rtts.size else None,
        "ping_lost_percent": 100 * (1 - len({echo[0] for echo in own["echoes"]}) / own["asked"]),
    }


def limits(
    one: Configuration, own: Mapping[str, Any], theirs: Mapping[str, Any], here: Mapping[str, Any], there: Mapping[str, Any]
) -> list[str]:
    """Return what held the transfers from here back, other than the path, a line each.

    Parameters
    ----------
    one : Configuration
        What was measured.
    own, theirs : mapping
        What both ends answered.
    here, there : mapping
        What both machines are (`windtunnel.wire.machine.facts`).
    """
    found = []
    last = [dict(zip(COLUMNS, row, strict=True)) for row in {int(row[1]): row for row in own["rows"]}.values()]
    busy = sum(row["busy_us"] for row in last)
    if one.window_bytes is not None:
        found += _cut(one.window_bytes, own, theirs, here, there)
    if busy:
        held = sum(row["window_limited_us"] for row in last) / busy
        if held > HELD:
            found.append(f"the receiver's window held it back for {held:.0%} of the time: {_window(one, own, there)}")
        held = sum(row["buffer_limited_us"] for row in last) / busy
        if held > HELD:
            found.append(f"the send buffer held it back for {held:.0%} of the time: {_buffer(one, here)}")
    for where, answer in (("this machine", own), ("the other", theirs)):
        worked = answer["machine"]["busy_s"] / max(answer["machine"]["processors_s"], 1e-9)
        if worked > FULL:
            found.append(f"the processors of {where} worked for {worked:.0%} of the time")
        stolen = answer["machine"]["stolen_s"] / max(answer["machine"]["processors_s"], 1e-9)
        if stolen > HELD:
            found.append(f"{stolen:.0%} of the processors' time of {where} went to others on its host")
        for name, counts in answer["machine"]["devices"].items():
            dropped = counts["receive_drops"] + counts["send_drops"]
            if dropped:
                found.append(f"device {name} of {where} dropped {dropped} packets")
        counters = answer["machine"]["counters"]
        dropped = sum(counters.get(name, 0) for name in ("TCPBacklogDrop", "TCPRcvQDrop", "RcvPruned"))
        if dropped:
            found.append(f"{where} dropped {dropped} packets for want of memory or processor (TCPBacklogDrop, TCPRcvQDrop, RcvPruned)")
    return found


def _cut(asked: int, own: Mapping[str, Any], theirs: Mapping[str, Any], here: Mapping[str, Any], there: Mapping[str, Any]) -> list[str]:
    """Return which end did not give the window that was asked for: Linux gives twice the bytes, half of them for its own use."""
    found = []
    sends = [stream["send_buffer_bytes"] for stream in own["streams"] if stream["sends"] and "send_buffer_bytes" in stream]
    takes = [stream["receive_buffer_bytes"] for stream in theirs["streams"] if not stream["sends"] and "receive_buffer_bytes" in stream]
    for name, sizes, setting, facts in (("this machine", sends, "wmem_max", here), ("the other", takes, "rmem_max", there)):
        if sizes and min(sizes) < 2 * asked:
            most = facts["settings"].get(f"net.core.{setting}", "unknown")
            given = size_words(min(sizes) // 2)
            found.append(f"of {size_words(asked)} {name} gave {given}: its net.core.{setting} is {most}")
    return found


def _window(one: Configuration, own: Mapping[str, Any], there: Mapping[str, Any]) -> str:
    widest = int(max((row[COLUMNS.index("send_window_bytes")] for row in own["rows"]), default=0))
    shown = f"it was {widest / 1e6:.3g} MB at most"
    if there["settings"].get("net.ipv4.tcp_window_scaling") == "0":
        return f"{shown}; the other's net.ipv4.tcp_window_scaling is 0"
    if one.window_bytes is not None:
        return f"{shown}, and {size_words(one.window_bytes)} was asked for"
    words = there["settings"].get("net.ipv4.tcp_rmem", "").split()
    if len(words) == 3 and widest > AT_LIMIT * int(words[2]):
        return f"{shown}, which is where its autotuning ends: the third number of the other's net.ipv4.tcp_rmem is {words[2]}"
    return f"{shown}; its autotuning may grow to the third number of the other's net.ipv4.tcp_rmem, {words[-1] if words else 'unknown'}"


def _buffer(one: Configuration, here: Mapping[str, Any]) -> str:
    if one.window_bytes is not None:
        return f"{size_words(one.window_bytes)} was asked for"
    words = here["settings"].get("net.ipv4.tcp_wmem", "").split()
    return f"the third number of this machine's net.ipv4.tcp_wmem is {words[-1] if words else 'unknown'}"
