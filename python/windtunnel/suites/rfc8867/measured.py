"""What is measured of video: its frames' delays, its rate against the capacity, its shares."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from windtunnel.experiment import Measure
from windtunnel.metrics import View
from windtunnel.metrics.completions import typical_s
from windtunnel.suites.rfc8867.common import AUDIO_BPS, MEDIA_BPS, PAYLOAD, Steps

FIRST_S = 10.0
"""The ramp of the first ten seconds is in no mean: at 200 kbit/s each second it takes 7 s from 150 kbit/s to 1.5 Mbit/s."""
LATE_S = 0.4
"""A frame that takes longer is of no use to a conversation (ITU-T G.114: 400 ms one way, from memory)."""
REACHED, CALM_S = 0.8, 0.3


def media(view: View) -> list[int]:
    """Return the numbers of the flows of video."""
    return [number for number, one in enumerate(view.scenario["flows"]) if one.get("video_bps") is not None]


def frames(view: View, flow: int, t0: float = FIRST_S, t1: float = float("inf")) -> pl.DataFrame:
    """Return the frames of a flow that were captured between two times, and late enough before the end to arrive in time."""
    rows = view.records.video
    if rows is None:
        raise ValueError("the run has no video")
    last = min(t1, view.duration_s - LATE_S)
    return rows.filter((pl.col("flow") == flow) & pl.col("start_s").is_between(max(t0, view.start_s(flow)), last))


def typical_ms(rows: pl.DataFrame, quantile: float | None) -> float | None:
    """Return the mean delay of the frames that arrived, or a quantile of it, ms."""
    seen = typical_s(rows, (0.0, float("inf")), quantile)
    return None if seen is None else seen * 1e3


def _worst(view: View, of: Callable[[pl.DataFrame], float | None]) -> float | None:
    seen = [of(frames(view, flow)) for flow in media(view)]
    known = [one for one in seen if one is not None]
    return max(known) if known else None


def frame_ms(view: View) -> float | None:
    """Return the mean delay of frames, ms, of the flow where it is largest."""
    return _worst(view, lambda rows: typical_ms(rows, None))


def frame_p95_ms(view: View) -> float | None:
    """Return the 95th percentile of the delay of frames, ms, of the flow where it is largest."""
    return _worst(view, lambda rows: typical_ms(rows, 0.95))


def lost_frames(view: View) -> float | None:
    """Return the share of frames that were skipped or late, of the flow where it is largest."""
    late = pl.col("completion_s").is_null() | (pl.col("completion_s") > LATE_S)
    return _worst(view, lambda rows: None if not rows.height else float(rows.select(late.mean()).item()))


def media_loss(view: View) -> float | None:
    """Return the packets of video that the path dropped over those sent."""
    rows = [view.row(flow) for flow in media(view)]
    sent = sum(row["sent_packets"] for row in rows)
    return sum(row["lost_packets"] for row in rows) / sent if sent else None


def goodput_mbps(view: View, flow: int, t0: float, t1: float) -> float:
    """Return a flow's goodput between two times, Mbit/s."""
    rows = view.series(flow)
    if not rows.t_s.size:
        return 0.0
    at = np.interp((t0, t1), rows.t_s, np.nan_to_num(rows.delivered_bytes), left=0.0)
    return float(at[1] - at[0]) * 8e-6 / (t1 - t0)


def media_mbps(view: View) -> float:
    """Return the goodput of all video, Mbit/s, after the first ten seconds."""
    return sum(goodput_mbps(view, flow, FIRST_S, view.duration_s) for flow in media(view))


def capacity_mbps(view: View, t: float, steps: Steps | None = None) -> float:
    """Return the capacity of the first link at a time, Mbit/s."""
    if steps is None:
        given = view.scenario["bottleneck"]
        steps = [(0.0, given["rate_bps"] * 1e-6), *((one["at_s"], one["rate_bps"] * 1e-6) for one in given.get("rate_steps") or ())]
    return [mbps for at, mbps in steps if at <= t][-1]


def possible_mbps(view: View, t: float) -> float:
    """Return what the video flows of a time could get in all: the capacity less audio and headers, or what they want."""
    active = [flow for flow in media(view) if view.start_s(flow) <= t < view.end_s(flow) and view.row(flow)["direction"] == "forward"]
    left = (capacity_mbps(view, t) - len(active) * AUDIO_BPS * 1e-6) * PAYLOAD
    return min(left, len(active) * MEDIA_BPS * 1e-6)


def media_use(view: View) -> float | None:
    """Return the goodput of the forward flows, after ten seconds, over what they could have got."""
    forward = view.foreground
    greedy = any(flow not in media(view) for flow in forward)
    seconds = np.arange(FIRST_S, np.floor(view.duration_s))
    could = sum(capacity_mbps(view, t) * PAYLOAD if greedy else possible_mbps(view, t) for t in seconds)
    got = sum(goodput_mbps(view, flow, FIRST_S, float(seconds[-1]) + 1.0) for flow in forward) * seconds.size
    return got / could if could else None


def _seconds(view: View, begin: float, end: float) -> list[tuple[float, float]]:
    flows = [flow for flow in media(view) if view.row(flow)["direction"] == "forward"]
    times = np.arange(begin, end)
    return [(float(t), sum(goodput_mbps(view, flow, float(t), float(t) + 1.0) for flow in flows)) for t in times]


def _changes(view: View, *, up: bool) -> list[tuple[float, float]]:
    steps = [one["at_s"] for one in view.scenario["bottleneck"].get("rate_steps") or ()]
    ends = [*steps[1:], view.duration_s]
    spans = zip(steps, ends, strict=True)
    return [(at, end) for at, end in spans if (possible_mbps(view, at) > possible_mbps(view, at - 0.01)) == up]


def rise_s(view: View) -> float | None:
    """Return how long it takes after the worst rise of capacity until a second's goodput is 80 % of what it could be."""
    found = []
    for begin, end in _changes(view, up=True):
        seconds = _seconds(view, begin, end)
        found.append(next((t - begin + 1.0 for t, got in seconds if got >= REACHED * possible_mbps(view, t)), float("inf")))
    return max(found) if found else None


def calm_s(view: View) -> float | None:
    """Return how long it takes after the worst fall of capacity until all frames of a second are there in the one-way delay and 300 ms."""
    found = []
    for begin, end in _changes(view, up=False):
        for flow in (flow for flow in media(view) if view.row(flow)["direction"] == "forward"):
            limit = view.base_rtt_s(flow) / 2 + CALM_S
            rows = frames(view, flow, begin, end)
            late = rows.filter(pl.col("completion_s").is_null() | (pl.col("completion_s") > limit))["start_s"].to_numpy()
            calm = next((t for t in np.arange(begin, end) if not ((late >= t) & (late < t + 1.0)).any()), float("inf"))
            found.append(float(calm) - begin + 1.0)
    return max(found) if found else None


def share(view: View, window_s: float, flows: list[int]) -> float | None:
    """Return the smallest goodput of some flows over the largest, in the worst of consecutive windows in which all are there.

    The first begins ten seconds after the last of them has started.
    """
    begin = max(view.start_s(flow) for flow in flows) + FIRST_S
    end = min(view.end_s(flow) for flow in flows)
    found = []
    while begin + window_s <= end + 1e-6:
        rates = [goodput_mbps(view, flow, begin, begin + window_s) for flow in flows]
        found.append(min(rates) / max(rates) if max(rates) else 0.0)
        begin += window_s
    return min(found) if found else None


def share_20s(view: View) -> float | None:
    """Return the share in windows of 20 s."""
    return share(view, 20.0, media(view))


def share_5s(view: View) -> float | None:
    """Return the share in windows of 5 s."""
    return share(view, 5.0, media(view))


def resumed(view: View) -> float | None:
    """Return the share in windows of 20 s of the flows that are there once the one that paused is back."""
    last = max(view.start_s(flow) for flow in media(view))
    return share(view, 20.0, [flow for flow in media(view) if view.end_s(flow) > last + FIRST_S])


def tcp_share(view: View) -> float:
    """Return the goodput of the flow that is no video over an equal share of what all got."""
    other = next(flow for flow in view.foreground if flow not in media(view))
    begin = FIRST_S + 5.0
    got = goodput_mbps(view, other, begin, view.duration_s)
    return got * len(view.foreground) / (got + sum(goodput_mbps(view, flow, begin, view.duration_s) for flow in media(view)))


def first_share(view: View) -> float:
    """Return the goodput of the first flow over the smaller of the others'."""
    first, *others = (goodput_mbps(view, flow, FIRST_S, view.duration_s) for flow in media(view))
    return first / min(others) if min(others) else float("inf")


def page_s_mean(view: View) -> float | None:
    """Return the mean time of the short transfers, seconds."""
    rows = view.records.pages
    done = None if rows is None else rows["completion_s"].drop_nulls()
    return None if done is None or not done.len() else float(done.mean())  # type: ignore[arg-type]


_OF_ALL = (frame_ms, frame_p95_ms, lost_frames, media_loss, media_mbps, media_use)


def measures(*functions: Callable[[View], float | None]) -> tuple[Measure, ...]:
    """Return measures by these functions, which have their names, beside those of all tests."""
    return tuple(Measure(one.__name__, function=one) for one in (*_OF_ALL, *functions))
