"""Throughput, goodput, loss overhead and loss epochs, from the frames of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from windtunnel import native
from windtunnel.frames import pl

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
    Source: Li, Leith, Shorten (ToN 2007), eq. 1, with the rate of delivered packets. A datagram is its payload and 28 bytes of headers;
    of a whole stack the payload is what its application has read, so that QUIC's own headers are not in it.
    """
    throughput, _ = native.rates(delivered(flows, scenario))
    return pl.Series("throughput_bps", throughput, nan_to_null=True)


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
    _, goodput = native.rates(delivered(flows))
    return pl.Series("goodput_bps", goodput, nan_to_null=True)


def delivered(flows: pl.DataFrame, scenario: Mapping[str, Any] | None = None) -> tuple[Any, Any, Any, Any, Any]:
    """Return what flows delivered, as the core takes it.

    Parameters
    ----------
    flows : polars.DataFrame, shape (flows, ...)
        As `throughput_bps` takes them.
    scenario : mapping, optional
        The canonical scenario.

    Returns
    -------
    tuple of array, each of shape (flows,)
        Seconds of the measurement window, delivered packets, payload bytes, IP bits of a packet, whether they are datagrams, as a whole
        stack's are.
    """
    sizes = [packet_bits(flow) for flow in (scenario or {}).get("flows", ())]
    bits = np.full(flows.height, float(PACKET_BITS))
    if not set(sizes) <= {PACKET_BITS}:
        bits = np.array([float(sizes[flow]) if flow < len(sizes) else PACKET_BITS for flow in flows["flow"]])
    datagrams = np.zeros(flows.height, dtype=bool)
    if "algorithm" in flows.columns:
        datagrams = (flows["algorithm"] == UDP).fill_null(False).to_numpy()
    # A whole stack's packets are of any size: what is known of them is the payload.
    own = [flow for flow, given in enumerate((scenario or {}).get("flows", ())) if given.get("stack") is not None]
    if own:
        datagrams |= flows["flow"].is_in(own).to_numpy()
    window_s, packets, payload = (doubles(flows, name) for name in ("window_s", "window_delivered_packets", "window_goodput_bytes"))
    return window_s, packets, payload, bits, datagrams


def doubles(flows: pl.DataFrame, name: str) -> Any:
    """Return a column as doubles, shape (flows,): NaN where nothing was measured, and throughout when there is no such column."""
    if name not in flows.columns:
        return np.full(flows.height, np.nan)
    return np.ascontiguousarray(flows[name].cast(pl.Float64).to_numpy())


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
    return native.fraction(doubles(flows, part), doubles(flows, whole))


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
    return epochs_s(events, [flow], after_s=after_s)[0]


def epochs_s(events: pl.DataFrame, flows: Sequence[int], *, after_s: float = 0.0) -> list[float | None]:
    """Return `epoch_s` of each of these flows, in one pass over the events: flows may be many."""
    episodes = events.filter((pl.col("kind") == "loss_episode") & (pl.col("t_s") >= after_s)).sort("t_s")
    by_flow = episodes.group_by("flow", maintain_order=True).agg("t_s")
    times = dict(zip(by_flow["flow"], by_flow["t_s"], strict=True))
    none = pl.Series("t_s", [], dtype=pl.Float64)
    return [native.epoch_s(np.ascontiguousarray(times.get(flow, none).to_numpy())) for flow in flows]
