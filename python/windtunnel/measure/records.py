"""A measured run as records: the same frames as of any run; what a path does not tell is null."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windtunnel.backends.host import host
from windtunnel.live.counters import CWR, LOSS, OPEN
from windtunnel.measure.found import columns_of
from windtunnel.measure.plan import Configuration
from windtunnel.records import Records, RunFacts, build
from windtunnel.scenario import Scenario, canonical, digest
from windtunnel.version import __version__
from windtunnel.wire.streams import COLUMNS

RESULTS_VERSION = 1
"""Raised by hand when the same measurement's records may change."""
_SSTHRESH_INFINITE = 0x7FFFFFFF
_RTT_UNKNOWN = 0xFFFFFFFF
_PACED_NEVER = float(1 << 62)
HEADER_BYTES = 52
Columns = dict[str, Any]


def scenario_of(one: Configuration, seconds: float, rate_bps: float, rtt_s: float, sample_s: float) -> Scenario:
    """Return a scenario that stands for a measured run: the rate is what it carried at most, its RTT the shortest it saw."""
    flows = [{"algorithm": name, "window_bytes": one.window_bytes} for name in one.algorithms for _ in range(one.streams)]
    return Scenario.model_validate(
        {
            "bottleneck": {"rate_bps": float(f"{max(rate_bps, 1e4):.4g}")},
            "flows": flows,
            "rtt_s": float(f"{max(rtt_s, 1e-5):.4g}"),
            "duration_s": seconds,
            "sample_s": sample_s,
        }
    )


def records_of(one: Configuration, scenario: Scenario, own: Mapping[str, Any], facts: Mapping[str, Any], notes: Sequence[str]) -> Records:
    """Return the records of a run: its transfers from here.

    Parameters
    ----------
    one : Configuration
        What was measured.
    scenario : Scenario
        What stands for it.
    own : mapping
        What this end answered (`windtunnel.wire.party.Party.run`).
    facts : mapping
        Of both machines, for the folder.
    notes : sequence of str
        A line each.
    """
    info = columns_of(own["rows"])
    names = [name for name in one.algorithms for _ in range(one.streams)]
    rows = [_flow_row(name, place, info, scenario) for place, name in enumerate(names)]
    columns = {name: [row.get(name, math.nan) for row in rows] for name in dict.fromkeys(name for row in rows for name in row)}
    frames = {"flows": columns, "flow_samples": _samples(info, len(names)), "events": _events(own["rows"])}
    wall_s = float(info["t_ns"].max()) * 1e-9 if info["t_ns"].size else 0.0
    facts_of_run = RunFacts(
        scenario=canonical(scenario),
        digest=digest(scenario),
        backend="measure",
        engine_version=RESULTS_VERSION,
        code_version=__version__,
        counters={
            "data_packets": sum(int(row["sent_packets"]) for row in rows if "sent_packets" in row),
            "events": None,
            "wall_s": wall_s,
            "cpu_s": own["machine"]["process_s"],
        },
        host=host() | {"measure": dict(facts)},
        notes=("a path was measured: of the scenario the rate is the most that was carried in a second, the RTT the shortest seen", *notes),
    )
    return build(frames, facts_of_run)


def _samples(info: Mapping[str, NDArray[np.float64]], flows: int) -> Columns:
    order = np.lexsort((info["stream"], info["t_ns"]))
    value = {name: column[order] for name, column in info.items()}
    known = value["rtt_us"] > 0
    first = np.zeros(len(order))
    for flow in range(flows):
        mine = value["stream"] == flow
        if mine.any():
            first[mine] = value["acked_bytes"][mine][0]
    return {
        "t_s": value["t_ns"] * 1e-9,
        "flow": value["stream"].astype(np.uint32),
        "cwnd_packets": value["cwnd"],
        "ssthresh_packets": np.where(value["ssthresh"] >= _SSTHRESH_INFINITE, np.nan, value["ssthresh"]),
        "srtt_s": np.where(known, value["rtt_us"] * 1e-6, np.nan),
        "min_rtt_s": np.where(value["min_rtt_us"] >= _RTT_UNKNOWN, np.nan, value["min_rtt_us"] * 1e-6),
        "inflight_packets": value["in_flight"],
        "delivered_bytes": (value["acked_bytes"] - first).astype(np.uint64),
        "retransmitted_packets": value["retransmitted"].astype(np.uint64),
        "pacing_rate_bps": np.where(value["pacing_rate"] >= _PACED_NEVER, np.nan, value["pacing_rate"] * 8.0),
        "state": value["state"].astype(np.uint8),
    }


def _flow_row(name: str, flow: int, info: Mapping[str, NDArray[np.float64]], scenario: Scenario) -> dict[str, Any]:
    mine = np.flatnonzero(info["stream"] == flow)
    row: dict[str, Any] = {"flow": flow, "algorithm": name, "variant": "", "direction": "forward", "start_s": 0.0}
    if not mine.size:
        return row
    rtts = info["rtt_us"][mine]
    first, last = mine[0], mine[-1]
    delivered = float(info["delivered"][last] - info["delivered"][first])
    carried = float(info["acked_bytes"][last] - info["acked_bytes"][first])
    sent, again = float(info["sent"][last] - info["sent"][first]), float(info["retransmitted"][last])
    return row | {
        "window_s": scenario.duration_s,
        "mean_cwnd_packets": float(info["cwnd"][mine].mean()),
        "mean_rtt_s": float(rtts[rtts > 0].mean()) * 1e-6 if (rtts > 0).any() else math.nan,
        "delivered_bytes": carried,
        "delivered_packets": delivered,
        "sent_packets": sent,
        "retransmitted_packets": again,
        "window_delivered_packets": delivered,
        "window_goodput_bytes": carried,
        "window_sent_packets": sent,
        "window_retransmitted_packets": again,
    }


def _events(rows: Sequence[Sequence[Any]]) -> Columns:
    """Return what happened between two looks: TCP_INFO tells of no episode, but of the state, the threshold and what was sent again."""
    found: list[tuple[float, int, str, float, float]] = []
    before: dict[int, dict[str, Any]] = {}
    for values in rows:
        row = dict(zip(COLUMNS, values, strict=True))
        flow, earlier = row["stream"], before.get(row["stream"])
        before[flow] = row
        if earlier is None:
            found.append((row["t_ns"] * 1e-9, flow, "start", math.nan, math.nan))
            continue
        began = row["state"] >= CWR > earlier["state"]
        between = (
            row["ssthresh"] != earlier["ssthresh"] and row["retransmitted"] > earlier["retransmitted"] and earlier["state"] <= OPEN + 1
        )
        if began or between:
            threshold = math.nan if row["ssthresh"] >= _SSTHRESH_INFINITE else float(row["ssthresh"])
            found.append((row["t_ns"] * 1e-9, flow, "loss_episode", float(earlier["cwnd"]), threshold))
        if row["state"] == LOSS != earlier["state"]:
            found.append((row["t_ns"] * 1e-9, flow, "timeout", float(earlier["cwnd"]), math.nan))
    found.sort(key=lambda one: one[0])
    columns = list(zip(*found, strict=True)) if found else [()] * 5
    return {
        "t_s": np.array(columns[0], dtype=np.float64),
        "flow": np.array(columns[1], dtype=np.int32),
        "link": np.full(len(columns[0]), -1, dtype=np.int32),
        "kind": list(columns[2]),
        "value": np.array(columns[3], dtype=np.float64),
        "value2": np.array(columns[4], dtype=np.float64),
    }
