"""From what a run between namespaces measured to the columns every backend writes. What was not reported is left out, and becomes null."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from windtunnel.backends.flowrow import Array, flow_row, window
from windtunnel.backends.linux.modules import MODULES
from windtunnel.foreign import is_made
from windtunnel.live.clock import NetworkClock
from windtunnel.live.watch import COLUMNS
from windtunnel.scenario import Scenario
from windtunnel.scenario.traffic import HEADER_BYTES

Columns = dict[str, Any]
_NEVER = 2**64 - 1
_SSTHRESH_INFINITE = 0x7FFFFFFF
_RTT_UNKNOWN = 0xFFFFFFFF
_LINK_COLUMNS = (
    *("name", "utilisation", "mean_queue_packets", "max_queue_packets", "delivered_bytes", "dropped_packets", "lost_packets"),
    *("marked_packets", "window_delivered_bytes", "window_dropped_packets", "window_marked_packets"),
)


class Looks:
    """Rows of counters with times of the network.

    Parameters
    ----------
    answer : mapping
        What `windtunnel.live.lab.run` returns.
    """

    def __init__(self, answer: Mapping[str, Any]) -> None:
        clock = NetworkClock(answer["router"]["stalls"])
        end_ns = answer["router"]["end_ns"]
        table = np.array(answer["rows"], dtype=np.float64).reshape(-1, len(COLUMNS))
        self.columns = {name: table[:, place] for place, name in enumerate(COLUMNS)}
        real_ns = [row[0] for row in answer["rows"]]
        self.t_ns: Array = np.array([min(clock.network_ns(at), end_ns) for at in real_ns], dtype=np.int64)
        self.events = [[min(clock.network_ns(max(0, at)), end_ns), *rest] for at, *rest in answer["events"]]

    def of(self, flow: int) -> Array:
        """Return the places of a flow's rows, in the order of their times."""
        return np.flatnonzero(self.columns["flow"] == flow)


def frames(answer: Mapping[str, Any], full: Scenario, spec: Mapping[str, Any]) -> dict[str, Columns]:
    """Return the columns of every frame.

    Parameters
    ----------
    answer : mapping
        What `windtunnel.live.lab.run` returns.
    full : Scenario
        The scenario with defaults filled in.
    spec : mapping
        The engine's.

    Returns
    -------
    dict of str to dict
        Frame name to columns, for `windtunnel.records.build`.
    """
    looks, router = Looks(answer), answer["router"]
    samples = _flow_samples(looks, full, spec)
    rows = [_flow_row(looks, router, full, spec, index, samples) for index in range(len(full.flows))]
    rows += [_source_row(router, full, index) for index in range(len(full.traffic))]
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {
        "flows": {name: [row.get(name, math.nan) for row in rows] for name in names},
        "flow_samples": samples,
        "link_samples": _link_samples(router["samples"]),
        "links": {"link": list(range(len(router["links"])))} | {name: [link[name] for link in router["links"]] for name in _LINK_COLUMNS},
        "events": _events(looks, router, full),
    }


def _sampled(looks: Looks, flow: int, sample_ns: int, duration_ns: int) -> Array:
    """Return the places of a flow's rows that are its samples: of each sampling interval the first look, up to the run's end.

    The end comes from another process: on a busy machine there are looks after it.
    """
    mine = looks.of(flow)
    if sample_ns == 0 or not len(mine):
        return mine[:0]
    interval = looks.t_ns[mine] // sample_ns
    first = np.concatenate(([True], interval[1:] != interval[:-1]))
    # The look that found the flow's beginning is in the middle of an interval.
    first[0] &= bool(looks.columns["rtt_us"][mine[0]] > 0)
    return mine[first & (interval <= duration_ns // sample_ns)]


def _flow_samples(looks: Looks, full: Scenario, spec: Mapping[str, Any]) -> Columns:
    own = [_sampled(looks, flow, spec["sample_ns"], spec["duration_ns"]) for flow in range(len(full.flows))]
    chosen = np.concatenate(own or [np.empty(0, dtype=np.int64)])
    chosen = chosen[np.argsort(looks.t_ns[chosen], kind="stable")]
    value = {name: column[chosen] for name, column in looks.columns.items()}
    payloads = np.array([flow["mss_bytes"] for flow in spec["flows"]], dtype=np.float64)
    flow = value["flow"].astype(np.uint32)
    columns: Columns = {
        "t_s": looks.t_ns[chosen] * 1e-9,
        "flow": flow,
        "cwnd_packets": value["cwnd"],
        "ssthresh_packets": np.where(value["ssthresh"] >= _SSTHRESH_INFINITE, np.nan, value["ssthresh"]),
        "srtt_s": np.where(value["rtt_us"] == 0, np.nan, value["rtt_us"] * 1e-6),
        "min_rtt_s": np.where(value["min_rtt_us"] == _RTT_UNKNOWN, np.nan, value["min_rtt_us"] * 1e-6),
        "inflight_packets": value["in_flight"],
        "delivered_bytes": (value["delivered"] * payloads[flow]).astype(np.uint64) if len(payloads) else [],
        "retransmitted_packets": value["retransmitted"].astype(np.uint64),
        "pacing_rate_bps": np.where(value["pacing_rate"] >= _NEVER, np.nan, value["pacing_rate"] * 8.0),
    }
    if not np.isnan(value["state"]).any():
        columns["state"] = value["state"].astype(np.uint8)
    words = np.stack([value[f"word{number}"] for number in range(5)], axis=1)
    for index, one in enumerate(full.flows):
        mine = np.flatnonzero(flow == index)
        unknown = is_made(one.algorithm) or np.isnan(words[mine]).any()
        report = {} if unknown else MODULES[one.algorithm.partition(":")[0]].report
        for name, read_words in report.items():
            column = columns.setdefault(name, np.full(len(chosen), np.nan))
            column[mine] = read_words(words[mine])
    return columns


def _flow_row(
    looks: Looks, router: Mapping[str, Any], full: Scenario, spec: Mapping[str, Any], index: int, samples: Columns
) -> dict[str, Any]:
    exact, count = spec["flows"][index], router["flows"][index]
    stops = [at for at, whose, kind, *_ in looks.events if whose == index and kind == "stop"]
    completed_s = stops[-1] * 1e-9 if stops else math.nan
    row = flow_row(full, index, completed_s, samples) | {"lost_packets": count["dropped"], "marked_packets": count["marked"]}
    places = looks.of(index)
    if not len(places):
        return row
    end = {column: values[places[-1]] for column, values in looks.columns.items()}
    from_s, _ = window(full, full.flows[index], completed_s)
    before = places[looks.t_ns[places] <= round(from_s * 1e9)]
    begin = dict.fromkeys(end, 0.0) if not len(before) else {column: values[before[-1]] for column, values in looks.columns.items()}
    delivered = end["delivered"] - begin["delivered"]
    return row | {
        "delivered_bytes": end["delivered"] * exact["mss_bytes"],
        "delivered_packets": end["delivered"],
        "sent_packets": end["sent"],
        "retransmitted_packets": end["retransmitted"],
        "loss_episodes": end["loss_episodes"],
        "timeouts": end["timeouts"],
        "undos": end["undos"],
        "window_delivered_packets": delivered,
        "window_goodput_bytes": delivered * exact["mss_bytes"],
        "window_sent_packets": end["sent"] - begin["sent"],
        "window_retransmitted_packets": end["retransmitted"] - begin["retransmitted"],
    }


def _source_row(router: Mapping[str, Any], full: Scenario, index: int) -> dict[str, Any]:
    source, count, before = full.traffic[index], router["sources"][index], router["sources_at_window"][index]
    payload_bytes = source.packet_bytes - HEADER_BYTES
    in_window = count["delivered"] - before["delivered"]
    ends_s = full.duration_s if source.stop_s is None else source.stop_s
    return {
        "flow": len(full.flows) + index,
        "algorithm": "udp",
        "variant": "",
        "direction": source.direction,
        "start_s": source.start_s,
        "end_s": math.nan if source.stop_s is None else source.stop_s,
        "delivered_bytes": count["delivered"] * payload_bytes,
        "delivered_packets": count["delivered"],
        "sent_packets": count["sent"],
        "lost_packets": count["dropped"],
        "window_s": max(0.0, ends_s - max(full.warmup_s, source.start_s)),
        "window_delivered_packets": in_window,
        "window_goodput_bytes": in_window * payload_bytes,
        "window_sent_packets": count["sent"] - before["sent"],
    }


def _link_samples(samples: Mapping[str, Any]) -> Columns:
    return {
        "t_s": np.array(samples["t_ns"], dtype=np.float64) * 1e-9,
        "link": samples["link"],
        **{name: samples[name] for name in ("queue_packets", "queue_bytes", "delivered_bytes")},
        "dropped_packets": samples["dropped"],
        "marked_packets": samples["marked"],
    }


def _events(looks: Looks, router: Mapping[str, Any], full: Scenario) -> Columns:
    table = [(at * 1e-9, flow, -1, kind, _or_nan(value), _or_nan(value2)) for at, flow, kind, value, value2 in looks.events]
    if full.record_drops:
        table += [(at * 1e-9, flow, link, "drop", math.nan, math.nan) for at, flow, link in router["drops"]]
    first = len(full.flows)
    for index, source in enumerate(full.traffic):
        table.append((source.start_s, first + index, -1, "start", math.nan, math.nan))
        if source.stop_s is not None:
            table.append((source.stop_s, first + index, -1, "stop", math.nan, math.nan))
    table.sort(key=lambda row: row[0])
    columns = list(zip(*table, strict=True)) if table else [()] * 6
    return {
        "t_s": np.array(columns[0], dtype=np.float64),
        "flow": np.array(columns[1], dtype=np.int32),
        "link": np.array(columns[2], dtype=np.int32),
        "kind": list(columns[3]),
        "value": np.array(columns[4], dtype=np.float64),
        "value2": np.array([_or_nan(None if value == _SSTHRESH_INFINITE else value) for value in columns[5]], dtype=np.float64),
    }


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else float(value)
