"""Throughput, goodput, loss overhead and loss epochs, from the frames of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

PACKET_BITS = 8 * 1500
UDP = "udp"
UDP_HEADER_BITS = 8 * 28


def packet_bits(flow: Mapping[str, Any]) -> int:
    """Return the IP bits of a flow's full packets; `flow` is its table in the scenario."""
    return 8 * int(flow.get("mtu_bytes", 1500))


def throughput_bps(flows: pl.DataFrame, scenario: Mapping[str, Any] | None = None) -> pl.Series:
    """Return each flow's throughput: delivered IP bits (whole packets) per second of its measurement window.

    Parameters
    ----------
    flows : polars.DataFrame, shape (flows, ...)
        With `window_delivered_packets` and `window_s` (seconds); with `algorithm` and `window_goodput_bytes` where there are datagrams,
        and with `flow` where the scenario is given.
    scenario : mapping, optional
        The canonical scenario, whose flows say how large their packets are; 1500 bytes of IP without it.

    Returns
    -------
    polars.Series of Float64, shape (flows,)
        Bits per second; null when the flow had no measurement window.

    Notes
    -----
    Source: Li, Leith, Shorten (ToN 2007), eq. 1, with the rate of delivered packets. A datagram is its payload and 28 bytes of headers.
    """
    packets = pl.col("window_delivered_packets")
    bits = packets * PACKET_BITS
    sizes = [packet_bits(flow) for flow in (scenario or {}).get("flows", ())]
    if not set(sizes) <= {PACKET_BITS}:
        numbered = dict(enumerate(sizes))
        bits = packets * pl.col("flow").replace_strict(numbered, default=PACKET_BITS, return_dtype=pl.Int64)
    if "algorithm" in flows.columns:
        datagrams = pl.col("window_goodput_bytes") * 8 + packets * UDP_HEADER_BITS
        bits = pl.when(pl.col("algorithm") == UDP).then(datagrams).otherwise(bits)
    return _per_second(flows, bits, "throughput_bps")


def goodput_bps(flows: pl.DataFrame) -> pl.Series:
    """Return each flow's goodput: payload bits delivered once, per second of its measurement window.

    Parameters
    ----------
    flows : polars.DataFrame, shape (flows, ...)
        With `window_goodput_bytes` and `window_s` (seconds).

    Returns
    -------
    polars.Series of Float64, shape (flows,)
        Bits per second; null when the flow had no measurement window.

    Notes
    -----
    Source: RFC 5166, section 2.1 (goodput); retransmissions and headers are left out.
    """
    return _per_second(flows, pl.col("window_goodput_bytes") * 8, "goodput_bps")


def _per_second(flows: pl.DataFrame, amount: pl.Expr, name: str) -> pl.Series:
    rate = pl.when(pl.col("window_s") > 0).then(amount.cast(pl.Float64) / pl.col("window_s"))
    return flows.select(rate.alias(name)).to_series()


def loss_overhead(flows: pl.DataFrame) -> float | None:
    """Return retransmitted over sent packets of all flows in the measurement window.

    Parameters
    ----------
    flows : polars.DataFrame, shape (flows, ...)
        With `window_retransmitted_packets` and `window_sent_packets`.

    Returns
    -------
    float or None
        In [0, 1]; None when nothing was sent.

    Notes
    -----
    Source: Li, Leith, Shorten (ToN 2007), the loss overhead of its efficiency tests. Spurious retransmissions count.
    """
    return _fraction(flows, "window_retransmitted_packets", "window_sent_packets")


def lost_fraction(flows: pl.DataFrame) -> float | None:
    """Return packets dropped by links over packets sent, of all flows over the whole run.

    Parameters
    ----------
    flows : polars.DataFrame, shape (flows, ...)
        With `lost_packets` and `sent_packets`.

    Returns
    -------
    float or None
        In [0, 1]; None when nothing was sent or losses were not measured.

    Notes
    -----
    Source: RFC 5166, section 2.3 (packet loss rates). It differs from `loss_overhead` by spurious retransmissions.
    """
    return _fraction(flows, "lost_packets", "sent_packets")


def _fraction(flows: pl.DataFrame, part: str, whole: str) -> float | None:
    if flows[part].null_count() or flows[whole].null_count():
        return None
    total = int(flows[whole].sum())
    return int(flows[part].sum()) / total if total else None


def epoch_s(events: pl.DataFrame, flow: int, *, after_s: float = 0.0) -> float | None:
    """Return the mean time between consecutive loss episodes of a flow.

    Parameters
    ----------
    events : polars.DataFrame, shape (events, ...)
        With `t_s` (seconds), `flow` and `kind`.
    flow : int
        The flow's number.
    after_s : float
        Episodes before this time (seconds) are left out: the warm-up.

    Returns
    -------
    float or None
        Seconds; None with fewer than two episodes.

    Notes
    -----
    Source: the congestion epoch of R. Shorten, F. Wirth, D. Leith, "A positive systems model of TCP-like congestion control",
    IEEE/ACM ToN 14(3), 2006.
    """
    chosen = (pl.col("kind") == "loss_episode") & (pl.col("flow") == flow) & (pl.col("t_s") >= after_s)
    times = events.filter(chosen)["t_s"].sort()
    if times.len() < 2:
        return None
    return float((times[-1] - times[0]) / (times.len() - 1))
