"""From what iperf3 reports of flows to the rows that our own sender would have; what it does not tell is missing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from windtunnel.live.watch import COLUMNS

_SSTHRESH_INFINITE, _RTT_UNKNOWN = 0x7FFFFFFF, 0xFFFFFFFF


def rows(ends: Sequence[Sequence[Any]], spec: Mapping[str, Any]) -> tuple[list[list[Any]], list[list[Any]]]:
    """Return rows and events as `windtunnel.live.watch.Watch` has them.

    Parameters
    ----------
    ends : sequence
        Of each end its flow, ``sender`` or ``receiver``, and its intervals (see `windtunnel.live.iperf.Traffic.run`).
    spec : mapping
        The engine's scenario.

    Returns
    -------
    (list, list)
        Window, RTT and retransmissions are the sender's, what was delivered is what its receiver took; a row each tenth of a second.
    """
    made, events = [], []
    for index, end, intervals in ends:
        if end != "sender" or not intervals:
            continue
        taken: Sequence[Sequence[Any]] = next((one for number, other, one in ends if (number, other) == (index, "receiver")), [])
        delivered = _delivered(taken, [one[1] for one in intervals], spec["flows"][index]["mss_bytes"])
        mss, repeated = spec["flows"][index]["mss_bytes"], 0
        events.append([round(intervals[0][0] * 1e9), index, "start", None, None])
        for (_, at_s, _, retransmits, window, rtt_us), packets in zip(intervals, delivered, strict=True):
            repeated += retransmits or 0
            known = {
                **{"t_ns": round(at_s * 1e9), "flow": index, "cwnd": window and window / mss, "rtt_us": rtt_us or 0},
                **{"delivered": packets, "retransmitted": repeated, "lost": 0, "ssthresh": _SSTHRESH_INFINITE},
                "min_rtt_us": _RTT_UNKNOWN,
            }
            made.append([known.get(name, math.nan) for name in COLUMNS])
    return made, events


def _delivered(intervals: Sequence[Sequence[Any]], at_s: Sequence[float], mss_bytes: int) -> list[float]:
    """Return how many packets a receiver had taken at each time, straight between the ends of its intervals."""
    if not intervals:
        return [math.nan] * len(at_s)
    times = [intervals[0][0], *(one[1] for one in intervals)]
    taken = np.concatenate(([0.0], np.cumsum([one[2] for one in intervals])))
    return [float(packets) for packets in np.round(np.interp(at_s, times, taken) / mss_bytes)]
