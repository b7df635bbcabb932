"""Transfers, cross traffic and traffic in reverse."""

from __future__ import annotations

from functools import partial

import numpy as np

from windtunnel.frames import pl
from windtunnel.metrics import throughput
from windtunnel.metrics.backoffs import Array
from windtunnel.metrics.exchanges import response_time_s
from windtunnel.metrics.named.request import MEGA, Defined, Request, Value, mbps, mean_of
from windtunnel.metrics.pageloads import page_time_s
from windtunnel.metrics.rates import PACKET_BITS, UDP
from windtunnel.metrics.transfers import completion_s, cross_traffic_rates, first_against_rest, passing_bps, silence_s


def _completion(request: Request) -> Value:
    view = request.view
    return mean_of([completion_s(view, part) for part in request.applications(request.tested)])


def _total(request: Request, flows: pl.DataFrame, t0: float, t1: float) -> Value:
    """Return the throughput of background flows together, bits per second; zero when there are none."""
    view = request.view
    if view.is_counted(t0, t1):
        counted = flows["window_delivered_packets"]
        return None if counted.null_count() else float(counted.sum()) * PACKET_BITS / (t1 - t0)
    return throughput.total_bps(view, flows["flow"].to_list(), t0, t1) if flows.height else 0.0


def _xt_mbps(request: Request) -> Value:
    of_flows = _total(request, request.view.background, *request.window)
    return None if of_flows is None else mbps(of_flows + passing_bps(request.view, *request.window))


def _xt_rate(request: Request, of_bits: bool, handshake: bool = False) -> Value:
    found = cross_traffic_rates(request.view, *request.window, handshake=handshake)
    return None if found is None else mbps(found.of_bits_bps if of_bits else found.of_flows_bps)


def _rev_thr_mbps(request: Request) -> Value:
    view = request.view
    if not view.reverse.height:
        return None
    begin = float(view.reverse["start_s"].to_numpy().min())
    total = view.reverse["delivered_packets"]
    return None if total.null_count() else float(total.sum()) * PACKET_BITS / (view.duration_s - begin) / MEGA


def _rev_ack_mbps(request: Request) -> Value:
    view, (t0, t1) = request.view, request.window
    if view.reverse_link is None:
        return None
    data = _total(request, view.reverse, t0, t1)
    if view.is_counted(t0, t1):
        carried = view.reverse_link["window_delivered_bytes"]
        total = None if carried is None else float(carried) * 8 / (t1 - t0)
    else:
        series = view.link_series(view.reverse_link)
        ends = np.interp([t0, t1], series.t_s, series.delivered_bytes) if series.t_s.size else None
        total = None if ends is None else float(ends[1] - ends[0]) * 8 / (t1 - t0)
    return None if total is None or data is None else max(0.0, total - data) / MEGA


def _udp(request: Request) -> list[int]:
    rows = request.view.records.flows.filter((pl.col("direction") == "forward") & (pl.col("algorithm") == UDP))
    return [int(flow) for flow in rows["flow"]]


def _five_seconds(request: Request, flows: list[int]) -> Array | None:
    return throughput.binned_bps(request.view, flows, *request.window, 5.0) if flows else None


def _agg_cov(request: Request) -> Value:
    own = request.view.foreground
    return throughput.variation(_five_seconds(request, [*own, *(flow for flow in _udp(request) if flow not in own)]))


def _corr_tcp_udp(request: Request) -> Value:
    return throughput.correlation(_five_seconds(request, list(request.tested)), _five_seconds(request, _udp(request)))


def _udp_b2b(request: Request) -> Value:
    flows = _udp(request)
    return mbps(throughput.total_bps(request.view, flows, 0.0, request.view.duration_s)) if flows else None


def _response_s(request: Request, quantile: float | None = None) -> Value:
    return response_time_s(request.view, request.tested, request.window, quantile)


_RESPONSE = partial(Defined, "s", by_flow=True)
_TIME = partial(Defined, "s", can_be_infinite=True, windowed=False)

MEASURES: dict[str, Defined] = {
    "completion_s": _TIME(
        _completion, "from the first SYN to the last byte's acknowledgement, mean over transfers (open08, Fig. 9)", by_flow=True
    ),
    "first_vs_rest": Defined(
        "1",
        lambda request: first_against_rest(request.view),
        "mean completion time of flows 2, 3, ... over that of flow 1 (open08, III)",
        windowed=False,
    ),
    "silence_s": Defined(
        "s",
        lambda request: silence_s(request.view, request.shown),
        "longest time without newly acknowledged data on an open flow, in steps of 0.1 s (fast04, IV.B)",
        by_flow=True,
        windowed=False,
    ),
    "xt_mbps": Defined("Mbit/s", _xt_mbps, "throughput of the forward cross traffic, UDP included (leith08, VII)"),
    "xt_EbT_mbps": Defined(
        "Mbit/s", partial(_xt_rate, of_bits=False), "E[b/T] of cross-traffic flows started in the window (leith08, Table I)"
    ),
    "xt_EbT_mbps@handshake": Defined(
        "Mbit/s", partial(_xt_rate, of_bits=False, handshake=True), "the same, T with one mean RTT for the handshake"
    ),
    "xt_Eb_ET_mbps": Defined("Mbit/s", partial(_xt_rate, of_bits=True), "E[b]/E[T] of the same flows (leith08, Table I)"),
    "xt_Eb_ET_mbps@handshake": Defined(
        "Mbit/s", partial(_xt_rate, of_bits=True, handshake=True), "the same, T with one mean RTT for the handshake"
    ),
    "page_s": Defined("s", lambda request: page_time_s(request.view, *request.window), "time of sessions' pages begun in the window, mean"),
    "page_s@median": Defined("s", lambda request: page_time_s(request.view, *request.window, 0.5), "the same, median"),
    "page_s@p95": Defined("s", lambda request: page_time_s(request.view, *request.window, 0.95), "the same, 95th percentile"),
    "response_s": _RESPONSE(_response_s, "time from a request to the end of its response, requests that leave in the window, mean"),
    "response_s@median": _RESPONSE(partial(_response_s, quantile=0.5), "the same, median"),
    "response_s@p95": _RESPONSE(partial(_response_s, quantile=0.95), "the same, 95th percentile"),
    "rev_thr_mbps": Defined(
        "Mbit/s", _rev_thr_mbps, "throughput in reverse, from its first start to the end (leith08, IV.A.2)", windowed=False
    ),
    "rev_ack_mbps": Defined(
        "Mbit/s", _rev_ack_mbps, "what the reverse link carries beside reverse data: all ACKs of forward flows (leith08, VII)"
    ),
    "agg_cov": Defined("1", _agg_cov, "sample deviation over mean of the 5 s means of TCP and UDP together (slac03, Fig. 2)"),
    "corr_tcp_udp": Defined("1", _corr_tcp_udp, "correlation of the 5 s means of TCP and of UDP (slac03, Fig. 2)"),
    "udp_b2b_mbps": Defined("Mbit/s", _udp_b2b, "received UDP rate over the whole run (slac03, 6.2.2)", windowed=False),
}
