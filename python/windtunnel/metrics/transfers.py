"""Transfers of given size: how long they take, and when flows stand still."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from windtunnel.frames import pl
from windtunnel.metrics.rates import PACKET_BITS
from windtunnel.metrics.view import View

SILENCE_STEP_S = 0.1


def completion_s(view: View, flows: Sequence[int]) -> float | None:
    """Return how long a transfer took, from its first SYN to the acknowledgement of its last byte.

    Parameters
    ----------
    view : View
        The run.
    flows : sequence of int
        The flows that carry it: one, or the streams of an application, which ends with its last stream.

    Returns
    -------
    float or None
        Seconds; infinite when it was not complete at the end of the run, None when a flow has no size.

    Notes
    -----
    Source: Leith, Shorten (PFLDnet 2008), Fig. 9. A flow's start is its first data packet; the handshake before it took one base RTT.
    """
    ends = [view.completed_s(flow) for flow in flows]
    known = [end for end in ends if end is not None]
    if not known or len(known) < len(ends):
        return None
    first = min(view.start_s(flow) - view.base_rtt_s(flow) for flow in flows)
    return max(known) - first


def first_against_rest(view: View) -> float | None:
    """Return the mean completion time of the later transfers over that of the first.

    Returns
    -------
    float or None
        None without two transfers, or when one was not complete: their ratio is not known.

    Notes
    -----
    Source: Leith, Shorten (PFLDnet 2008), section III: four transfers started 5 s apart.
    """
    times = [completion_s(view, flows) for flows in view.applications]
    known = [time for time in times if time is not None and math.isfinite(time)]
    if len(known) < 2 or len(known) < len(times):
        return None
    return sum(known[1:]) / len(known[1:]) / known[0]


def silence_s(view: View, flows: Sequence[int]) -> float | None:
    """Return the longest time without newly acknowledged data on a flow that is open, the largest over some flows.

    Parameters
    ----------
    view : View
        The run.
    flows : sequence of int
        Flow numbers.

    Returns
    -------
    float or None
        Seconds, a multiple of 0.1 s for a flow sampled that often; None without samples or with coarser ones.

    Notes
    -----
    Source: Hegde et al. (GridNets 2004), section IV.B: flows that stand still for minutes.
    """
    if view.sample_s > SILENCE_STEP_S + 1e-9:
        return None
    longest: list[float] = []
    for flow in flows:
        series = view.series(flow)
        begin, end = view.start_s(flow), view.end_s(flow)
        inside = (series.t_s > begin) & (series.t_s <= end + 1e-9)
        if not inside.any():
            continue
        edges = np.arange(0, math.floor((end - begin) / SILENCE_STEP_S + 1e-6) + 1) * SILENCE_STEP_S + begin
        t_s = np.concatenate(([begin], series.t_s[inside]))
        counted = np.concatenate(([0.0], series.delivered_bytes[inside]))
        # The counter as it was last sampled, not interpolated: a step is news at its sample only.
        at = counted[np.searchsorted(t_s, edges + 1e-6, side="right") - 1]
        news = np.concatenate(([0], np.flatnonzero(np.diff(at) > 0) + 1, [edges.size - 1]))
        # The step that brings news ends a silence before it.
        longest.append(float(max((np.diff(news) - 1).max(), news[-1] - news[-2])) * SILENCE_STEP_S)
    return max(longest, default=None)


@dataclass(frozen=True)
class Rates:
    """The mean rates of short transfers.

    Attributes
    ----------
    of_flows_bps : float
        E[b/T], the mean of every transfer's own rate, bits per second.
    of_bits_bps : float
        E[b]/E[T], all bits over all times, bits per second.
    """

    of_flows_bps: float
    of_bits_bps: float


def cross_traffic_rates(view: View, t0: float, t1: float, *, handshake: bool = False) -> Rates | None:
    """Return the mean rates of the cross traffic's flows that start in a window and complete.

    Parameters
    ----------
    view : View
        The run.
    t0, t1 : float
        Seconds; the time within which a flow starts.
    handshake : bool
        Whether a flow's time begins with its SYN: a round trip earlier, of the flow's mean RTT, or of the base RTT where a source made it.

    Returns
    -------
    Rates or None
        With b the payload bits and T the time from the first data packet to the acknowledgement of the last byte; None without such flows.

    Notes
    -----
    Source: Leith et al. (PFLDnet 2008), Table I. E[b/T] weighs every flow alike, and so the short ones; E[b]/E[T] weighs by time.
    The handshake of a transfer that begins with one is held to have taken its base RTT.
    """
    chosen = (pl.col("start_s") >= t0) & (pl.col("start_s") <= t1) & (pl.col("completed_s") > pl.col("start_s"))
    flows = view.background.filter(chosen & (pl.col("delivered_bytes") > 0)).select(
        pl.col("delivered_bytes").alias("bytes"),
        (pl.col("completed_s") - pl.col("start_s")).alias("time_s"),
        pl.col("mean_rtt_s").alias("rtt_s"),
    )
    opened_s = pl.when(pl.col("source").is_in(view.opening)).then(pl.col("rtt_s")).otherwise(0.0)
    passed = view.passing.filter((pl.col("start_s") >= t0) & (pl.col("start_s") <= t1) & (pl.col("completion_s") > 0)).select(
        "bytes", (pl.col("completion_s") - opened_s).alias("time_s"), "rtt_s"
    )
    found = pl.concat([flows, passed], how="vertical_relaxed")
    if not found.height:
        return None
    bits = found["bytes"].cast(pl.Float64).to_numpy() * 8
    times = found["time_s"].to_numpy()
    if handshake:
        if found["rtt_s"].null_count():
            return None
        times = times + found["rtt_s"].to_numpy()
    return Rates(float((bits / times).mean()), float(bits.sum() / times.sum()))


def passing_bps(view: View, t0: float, t1: float) -> float:
    """Return the throughput of the forward transfers that sources make, together.

    Parameters
    ----------
    view : View
        The run.
    t0, t1 : float
        Seconds.

    Returns
    -------
    float
        IP bits per second, each packet once; zero without sources.

    Notes
    -----
    Of a transfer its start, its end and its packets are known: it counts with the part of its time that lies in the window. One that
    does not end counts what it sent and did not repeat.
    """
    rows = view.passing
    start, sent = rows["start_s"].to_numpy(), rows["sent_packets"].cast(pl.Float64).to_numpy()
    packets = sent - rows["retransmitted_packets"].cast(pl.Float64).to_numpy()
    end = start + rows["completion_s"].fill_null(math.inf).to_numpy()
    end = np.minimum(end, view.duration_s)
    inside = np.clip(np.minimum(end, t1) - np.maximum(start, t0), 0.0, None)
    return float((packets * inside / np.maximum(end - start, 1e-9)).sum()) * PACKET_BITS / (t1 - t0)
