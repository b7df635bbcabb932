"""What a flow's row has on any Linux kernel: its part of the scenario, and means of its samples."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from windtunnel.scenario import Flow, Scenario, catalogue

Array = np.ndarray[Any, Any]


def flow_row(full: Scenario, index: int, completed_s: float, samples: Mapping[str, Any]) -> dict[str, Any]:
    """Return the beginning of a flow's row; its counters are the backend's.

    Parameters
    ----------
    full : Scenario
        The scenario with defaults filled in.
    index : int
        Which of its flows.
    completed_s : float
        When the flow ended, seconds; NaN if it did not.
    samples : mapping of str to array
        Columns of the frame ``flow_samples``, all flows' rows.
    """
    flow = full.flows[index]
    name, _, variant = flow.algorithm.partition(":")
    from_s, to_s = window(full, flow, completed_s)
    mine = (samples["flow"] == index) & (samples["t_s"] > from_s) & (samples["t_s"] <= to_s)
    return {
        "flow": index,
        "algorithm": name,
        # Of a controller from a file the variant is its key.
        "variant": variant or catalogue().algorithms[name].profiles.get(str(flow.profile), ""),
        "direction": flow.direction,
        "start_s": flow.start_s,
        "end_s": math.nan if flow.stop_s is None else flow.stop_s,
        "completed_s": completed_s,
        "window_s": max(0.0, to_s - from_s),
        "mean_cwnd_packets": mean(samples["cwnd_packets"][mine]),
        "mean_rtt_s": mean(samples["srtt_s"][mine]),
    }


def window(full: Scenario, flow: Flow, completed_s: float) -> tuple[float, float]:
    """Return when a flow's part of the measurement window begins and ends, seconds; it ends first where there is none."""
    ends = [full.duration_s, flow.stop_s, completed_s if flow.bytes is not None and not math.isnan(completed_s) else None]
    return max(full.warmup_s, flow.start_s), min(end for end in ends if end is not None)


def mean(values: Array) -> float:
    """Return the mean of the values that are known; NaN where none is."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan
