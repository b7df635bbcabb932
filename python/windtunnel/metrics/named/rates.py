"""Rates: throughput of flows and applications, its steadiness, and how busy the link is."""

from __future__ import annotations

import numpy as np

from windtunnel.metrics import throughput
from windtunnel.metrics.backoffs import Array
from windtunnel.metrics.named.request import MEGA, Defined, Request, Value, mbps, mean_of
from windtunnel.metrics.view import MSS_BYTES, PACKET_BYTES

STABILITY_S = 5.0
"""Length of the samples of the stability index: iperf's reports in the 2003 study."""


def _thr_mbps(request: Request) -> Value:
    return mbps(throughput.total_bps(request.view, request.tested, *request.window))


def _goodput_mbps(request: Request) -> Value:
    view, (t0, t1) = request.view, request.window
    counted = [view.row(flow)["window_goodput_bytes"] for flow in request.tested] if view.is_counted(t0, t1) else []
    if counted and None not in counted:
        return float(sum(counted)) * 8 / (t1 - t0) / MEGA
    rate = _thr_mbps(request)
    return None if rate is None else rate * MSS_BYTES / PACKET_BYTES


def _thr_norm(request: Request) -> Value:
    view = request.view
    rate = throughput.total_bps(view, request.tested, *request.window)
    return None if rate is None else rate / len(request.applications(request.tested)) / (view.rate_bps / len(view.applications))


def _util(request: Request) -> Value:
    view, (t0, t1) = request.view, request.window
    if view.is_counted(t0, t1):
        counted = view.link["utilisation"]
        return None if counted is None else float(counted)
    t_s, _, carried = view.queue_samples
    if not t_s.size or not 0 <= t0 < t1 <= view.duration_s:
        return None
    begin, end = np.interp([t0, t1], t_s, carried)
    return float(end - begin) * 8 / (t1 - t0) / view.rate_bps


def _samples_5s(request: Request) -> Array | None:
    return throughput.binned_bps(request.view, request.tested, *request.window, STABILITY_S) if request.tested else None


def _sd_mbps(request: Request) -> Value:
    samples = _samples_5s(request)
    return None if samples is None or samples.size < 2 else float(samples.std(ddof=1)) / MEGA


def _stability(request: Request) -> Value:
    return throughput.variation(_samples_5s(request))


def _stability_flows(request: Request) -> Value:
    view = request.view
    parts = request.applications(request.tested)
    return mean_of([throughput.variation(throughput.binned_bps(view, part, *request.window, STABILITY_S)) for part in parts])


def _thr_cov(request: Request) -> Value:
    view, (t0, t1) = request.view, request.window
    parts = [part for part in request.applications(request.shown) if any(view.is_active(flow, t0, t1) for flow in part)]
    return mean_of([throughput.variation(throughput.binned_bps(view, part, t0, t1, 1.0)) for part in parts])


def _thr_cwnd_corr(request: Request) -> Value:
    return mean_of([throughput.window_correlation(request.view, flow, *request.window) for flow in request.tested])


def _power(request: Request) -> Value:
    view = request.view
    rate = throughput.total_bps(view, request.tested, *request.window)
    delays = [view.row(flow)["mean_rtt_s"] for flow in request.tested] if view.is_counted(*request.window) else []
    known = [float(delay) for delay in delays if delay]
    return None if rate is None or not known else rate / MEGA / (sum(known) / len(known))


MEASURES: dict[str, Defined] = {
    "thr_mbps": Defined("Mbit/s", _thr_mbps, "delivered packets x 12000 bits over the window", by_flow=True),
    "goodput_mbps": Defined("Mbit/s", _goodput_mbps, "delivered payload x 8 over the window (RFC 5166, 2.1)", by_flow=True),
    "thr_norm": Defined("1", _thr_norm, "throughput over link rate / foreground flows", by_flow=True),
    "sd_mbps": Defined("Mbit/s", _sd_mbps, "sample deviation (n - 1) of the 5 s means of throughput (slac03, Table 1)", by_flow=True),
    "stability": Defined("1", _stability, "stability index: that deviation over the mean, flows together (slac03, 4.6)", by_flow=True),
    "stability_flows": Defined("1", _stability_flows, "stability index of each flow, mean over flows (FAST, INFOCOM 2004)", by_flow=True),
    "thr_cov": Defined("1", _thr_cov, "sample deviation over mean of 1 s means, mean over flows (RFC 5166, 2.5)", by_flow=True),
    "thr_cwnd_corr": Defined(
        "1", _thr_cwnd_corr, "correlation of rate and mean window in bins of one base RTT (open08, Fig. 1)", by_flow=True
    ),
    "util": Defined("fraction of link rate", _util, "share of time the link transmits (RFC 5166, 2.1)"),
    "power": Defined("Mbit/s per s", _power, "network power: throughput over mean RTT, counted window only (RFC 5166, 2.1)", by_flow=True),
}
