"""From the guest's file of rows to the columns every backend writes. What the kernel does not tell is left out, and becomes null."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from windtunnel.backends.flowrow import flow_row, mean
from windtunnel.backends.linux import clients, disorder, senders, steps, traffic, transfers
from windtunnel.backends.linux import links as of_scenario
from windtunnel.backends.linux.expressible import SEGMENT_HEADER_BYTES
from windtunnel.backends.linux.modules import MODULES
from windtunnel.backends.linux.rows import EVENT, FLOW, FLOW_TOTALS, LINK, LINK_TOTALS, STOP, Array, Columns, RecordsDamaged, Rows
from windtunnel.foreign import is_made
from windtunnel.scenario import Scenario, resolve

EVENTS = {1: "start", STOP: "stop", 3: "loss_episode", 4: "timeout", 5: "undo", 6: "slow_start_exit"}
_NEVER = np.uint64(2**64 - 1)
_SSTHRESH_INFINITE = 0x7FFFFFFF
_RTT_UNKNOWN = 0xFFFFFFFF


def frames(rows: Rows, full: Scenario) -> dict[str, Columns]:
    """Return the columns of every frame.

    Parameters
    ----------
    rows : Rows
        What the guest wrote.
    full : Scenario
        The scenario with defaults filled in.

    Returns
    -------
    dict of str to dict
        Frame name to columns, for `windtunnel.records.build`.
    """
    samples = flow_samples(rows, full)
    return {
        "flows": flows(rows, full, samples),
        "flow_samples": samples,
        "link_samples": link_samples(rows),
        "links": links(rows, full),
        "events": events(rows, full),
        **transfers.frame(rows, full),
        **clients.frame(rows, full),
    }


def _real(values: Array, scale: float, unknown: Any) -> Array:
    """Return numbers in SI units, NaN where `unknown` says that there is none."""
    return np.where(unknown, np.nan, values.astype(np.float64) * scale)


def flow_samples(rows: Rows, full: Scenario) -> Columns:
    """Return the samples of all flows, in the order of their times."""
    chosen = rows.of(FLOW)
    chosen = chosen[np.argsort(chosen["t_ns"], kind="stable")]
    value = chosen["value"]
    payloads = np.array([flow["mss_bytes"] for flow in resolve(full)["flows"]], dtype=np.uint64)
    columns: Columns = {
        "t_s": chosen["t_ns"] * 1e-9,
        "flow": chosen["index"],
        "cwnd_packets": value[:, 0].astype(np.float64),
        "ssthresh_packets": _real(value[:, 1], 1.0, value[:, 1] >= _SSTHRESH_INFINITE),
        "srtt_s": _real(value[:, 2], 1e-6, value[:, 2] == 0),
        "min_rtt_s": _real(value[:, 3], 1e-6, value[:, 3] == _RTT_UNKNOWN),
        "inflight_packets": value[:, 4].astype(np.float64),
        "delivered_bytes": value[:, 5] * payloads[chosen["index"]],
        "retransmitted_packets": value[:, 6],
        "pacing_rate_bps": _real(value[:, 7], 8.0, value[:, 7] == _NEVER),
        "state": value[:, 8].astype(np.uint8),
    }
    return columns | _reported(chosen, full)


def _reported(chosen: Array, full: Scenario) -> Columns:
    """Return the algorithms' own variables, NaN in rows of flows that lack one."""
    columns: Columns = {}
    for index, flow in enumerate(full.flows):
        mine = np.flatnonzero(chosen["index"] == index)
        # What a controller from a file reports about itself has no columns.
        report = {} if is_made(flow.algorithm) else MODULES[flow.algorithm.partition(":")[0]].report
        for name, read_words in report.items():
            column = columns.setdefault(name, np.full(len(chosen), np.nan))
            column[mine] = read_words(chosen["value"][mine, 9:].astype(np.float64))
    return columns


def link_samples(rows: Rows) -> Columns:
    """Return the samples of the links."""
    chosen = rows.of(LINK)
    value = chosen["value"]
    return {
        "t_s": chosen["t_ns"] * 1e-9,
        "link": chosen["index"],
        "queue_packets": value[:, 1],
        "queue_bytes": value[:, 2],
        "delivered_bytes": value[:, 3],
        "dropped_packets": value[:, 4],
        "marked_packets": value[:, 7],
    }


def events(rows: Rows, full: Scenario) -> Columns:
    """Return the events in the order of their times, those of sources among them."""
    chosen = rows.of(EVENT)
    # Transfers are counted behind the flows.
    chosen = chosen[chosen["index"] < len(full.flows)]
    value = chosen["value"]
    columns: Columns = {
        "t_s": chosen["t_ns"] * 1e-9,
        "flow": chosen["index"].astype(np.int32),
        "kind": np.array([EVENTS[int(kind)] for kind in value[:, 0]], dtype=object),
        "value": _real(value[:, 1], 1.0, value[:, 1] == _NEVER),
        "value2": _real(value[:, 2], 1.0, (value[:, 2] == _NEVER) | (value[:, 2] >= _SSTHRESH_INFINITE)),
    }
    for name, further in traffic.events_of_sources(full).items():
        columns[name] = np.concatenate([columns[name], further])
    order = np.argsort(columns["t_s"], kind="stable")
    return {name: column[order] for name, column in columns.items()} | {"link": np.full(len(order), -1, dtype=np.int32)}


# Places of a flow's counters in its totals, after guest/sampling.c.
_DELIVERED, _SENT, _RETRANSMITTED, _EPISODES, _TIMEOUTS, _UNDOS, _RECEIVED = range(1, 8)
_RECEIVE_LIMITED = 9
_REFUSED = 13


def flows(rows: Rows, full: Scenario, samples: Columns) -> Columns:
    """Return one row per flow; a flow whose connection was never made has no counters."""
    devices, numbers = senders.devices(full), [one.get("host") for one in resolve(full)["flows"]]
    table = []
    for index, (device, number) in enumerate(zip(devices[: len(full.flows)], numbers, strict=True)):
        row = _flow_row(rows, full, index, samples) | {"host": math.nan if number is None else number, "send_stalls": math.nan}
        if device is not None and device.machine is None:
            end = rows.totals(FLOW_TOTALS, index, 1)
            row["send_stalls"] = math.nan if end is None else int(end[_REFUSED])
        elif device is not None:
            # Counters of a namespace, which several share.
            row |= dict.fromkeys(("loss_episodes", "timeouts", "undos"), math.nan)
        table.append(row)
    return {name: [row[name] for row in table] for name in table[0]} if table else {"flow": []}


def _flow_row(rows: Rows, full: Scenario, index: int, samples: Columns) -> dict[str, Any]:
    flow = full.flows[index]
    row = flow_row(full, index, rows.stopped_s(index), samples)
    end = rows.totals(FLOW_TOTALS, index, 1) if flow.rcvbuf_bytes is not None else None
    row["receive_limited_s"] = math.nan if end is None else int(end[_RECEIVE_LIMITED]) * 1e-6
    row |= _counters(rows, index, flow.mtu_bytes - SEGMENT_HEADER_BYTES)
    return row | {"lost_packets": math.nan} if disorder.doubles(full, flow) else row


def _counters(rows: Rows, index: int, mss_bytes: int) -> dict[str, Any]:
    end = rows.totals(FLOW_TOTALS, index, 1)
    begin = rows.totals(FLOW_TOTALS, index, 0)
    if end is None:
        end = np.full(14, np.nan)
    if begin is None:
        begin = np.zeros(14)
    end, begin = end.astype(np.float64), begin.astype(np.float64)
    for one in (end, begin):
        # The kernel counts a packet that its device then refuses.
        one[_SENT] -= one[_REFUSED]
    window = end - begin
    return {
        "delivered_bytes": end[_DELIVERED] * mss_bytes,
        "delivered_packets": end[_DELIVERED],
        "sent_packets": end[_SENT],
        "retransmitted_packets": end[_RETRANSMITTED],
        "lost_packets": end[_SENT] - end[_RECEIVED],
        "loss_episodes": end[_EPISODES],
        "timeouts": end[_TIMEOUTS],
        "undos": end[_UNDOS],
        "window_delivered_packets": window[_DELIVERED],
        "window_goodput_bytes": window[_DELIVERED] * mss_bytes,
        "window_sent_packets": window[_SENT],
        "window_retransmitted_packets": window[_RETRANSMITTED],
    }


def links(rows: Rows, full: Scenario) -> Columns:
    """Return one row per link; the queue's mean and largest value are those of the samples."""
    table = [_link_row(rows, full, index, one) for index, one in enumerate(of_scenario.each(full))]
    return {name: [row[name] for row in table] for name in table[0]}


def _link_row(rows: Rows, full: Scenario, index: int, one: of_scenario.Link) -> dict[str, Any]:
    begin, end = rows.totals(LINK_TOTALS, index, 0), rows.totals(LINK_TOTALS, index, 1)
    if begin is None or end is None:
        raise RecordsDamaged(f"the guest's records lack the totals of link {index}")
    samples = rows.of(LINK)
    queue = samples[(samples["index"] == index) & (samples["t_ns"] >= round(full.warmup_s * 1e9))]["value"][:, 1].astype(np.float64)
    carried = int(end[3]) - int(begin[3])
    return {
        "link": index,
        "name": one.name,
        "utilisation": carried * 8 / steps.capacity_bits(one.link, full.warmup_s, full.duration_s),
        "mean_queue_packets": mean(queue),
        "max_queue_packets": float(queue.max()) if len(queue) else math.nan,
        "delivered_bytes": int(end[3]),
        "dropped_packets": int(end[4]),
        "lost_packets": int(end[5]),
        "marked_packets": int(end[7]),
        "window_delivered_bytes": carried,
        "window_dropped_packets": int(end[4]) - int(begin[4]),
        "window_marked_packets": int(end[7]) - int(begin[7]),
    }
