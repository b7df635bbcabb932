"""Congestion windows: size, growth, shape, reductions, distribution."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from windtunnel.metrics import distributions, shapes, windows
from windtunnel.metrics.named.request import Defined, Request, Value, each, mean_of
from windtunnel.metrics.view import View


def _cwnd_cov(request: Request) -> Value:
    view = request.view
    begin = view.start_s(view.foreground[-1]) + 60.0
    return mean_of([windows.cwnd_variation(view, flow, begin, view.duration_s) for flow in request.shown])


def _cwnd_pkts(view: View, flow: int, t0: float, t1: float) -> Value:
    samples = windows.sampled_cwnd(view, flow, t0, t1)
    return float(samples.mean()) if samples.size else None


def _cwnd_max(request: Request) -> Value:
    return mean_of([windows.largest_cwnd(request.view, flow) for flow in request.tested])


def _slope(request: Request) -> Value:
    return mean_of([windows.slope_packets_per_rtt(request.view, flow, 0.0, request.view.duration_s) for flow in request.tested])


def _ai_ratio(request: Request) -> Value:
    if len(request.view.foreground) != 2:
        return None
    first, second = (windows.increase_packets_per_rtt(request.view, flow, *request.window) for flow in request.view.foreground)
    return second / first if first and second is not None else None


def _n_distinct_alpha(request: Request) -> Value:
    end = request.view.duration_s
    return windows.distinct_increases(request.view, end - 100.0, end) if end >= 100 else None


def _beta_diff(request: Request) -> Value:
    view = request.view
    if len(view.foreground) != 2:
        return None
    first, second = (windows.mean_factor(view, flow, view.duration_s / 2, view.duration_s) for flow in view.foreground)
    return None if first is None or second is None else abs(first - second)


def _delta(view: View, flow: int, t0: float, t1: float) -> Value:
    factor = windows.mean_factor(view, flow, t0, t1)
    return None if factor is None else 1 - factor


def _median_factor(request: Request) -> Value:
    return windows.median_factor(request.view, request.tested, *request.window)


def _factors(request: Request) -> list[float]:
    return [float(one) for flow in request.tested for one in request.view.backoffs(flow).within(*request.window).factors]


def _smallest_factor(request: Request) -> Value:
    return min(_factors(request), default=None)


def _delta_min(request: Request) -> Value:
    largest = max(_factors(request), default=None)
    return None if largest is None else 1 - largest


def _delta_max(request: Request) -> Value:
    smallest = _smallest_factor(request)
    return None if smallest is None else 1 - smallest


def _exported_increase(request: Request, largest: bool) -> Value:
    view = request.view
    name = next((one for one in windows.INCREASE_COLUMNS if one in view.records.flow_samples.columns), None)
    if name is None:
        return None
    found: list[float] = []
    for flow in request.tested:
        series, values = view.series(flow), view.variable(flow, name)
        avoiding = (series.state <= windows.DISORDER) & (series.cwnd_packets >= series.ssthresh_packets)
        t0, t1 = request.window
        kept = values[avoiding & (series.t_s >= t0) & (series.t_s <= t1)]
        found += kept[~np.isnan(kept)].tolist()
    return (max if largest else min)(found, default=None)


def _wnd_fill(request: Request) -> Value:
    view = request.view
    if len(view.foreground) < 2:
        return None
    flow = view.foreground[1]
    growth = shapes.loss_part_growth(view, flow, view.start_s(flow), view.duration_s, per_rtt=False)
    bdp = view.rate_bps * view.base_rtt_s(flow) / 12_000
    return None if growth is None else bdp / growth if growth > 0 else math.inf


def _pooled(request: Request) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return distributions.windows(request.view, request.tested, *request.window)


def _cov(request: Request) -> Value:
    values = _pooled(request)
    return float(values.std() / values.mean()) if values.size and values.mean() > 0 else None


def _quantile(request: Request, level: float) -> Value:
    return distributions.quantile(_pooled(request), level)


_FLOW = partial(Defined, by_flow=True)
_RUN = partial(Defined, by_flow=True, windowed=False)

MEASURES: dict[str, Defined] = {
    "cwnd_pkts": _FLOW("packets", each(_cwnd_pkts), "mean of the samples"),
    "cwnd_max_pkts": _RUN("packets", _cwnd_max, "largest sample or value at a back-off"),
    "cwnd_cov": _RUN("1", _cwnd_cov, "sample deviation over mean of cwnd from 60 s after the last start, mean over flows"),
    "cov": _FLOW("1", _cov, "deviation over mean of cwnd, flows pooled; at back-offs for convex and concave-convex (open08, Figs 4 to 6)"),
    "median": _FLOW("packets", partial(_quantile, level=0.5), "median of the same distribution"),
    "cwnd_peak_to_trough": _FLOW("1", each(windows.peak_to_trough), "cwnd before over after a back-off, mean (open08, Fig. 1)"),
    "cwnd_slope_pkts_per_rtt": _RUN(
        "packets/RTT", _slope, "least squares over round trips, one slope for all stretches of congestion avoidance"
    ),
    "shape_sign": _FLOW(
        "name",
        lambda request: shapes.most_frequent_shape(request.view, request.tested, *request.window),
        "concave, convex, concave-convex or linear: most frequent shape of a complete epoch, by slopes of its thirds (leith08, Fig. 3)",
    ),
    "ai_ratio": Defined("1", _ai_ratio, "growth over round trips in congestion avoidance, flow 2 over flow 1 (leith08, Fig. 13)"),
    "ai_max": _FLOW(
        "packets/RTT", partial(_exported_increase, largest=True), "largest additive increase the algorithm exports (leith08, II)"
    ),
    "ai_min": _FLOW(
        "packets/RTT", partial(_exported_increase, largest=False), "smallest additive increase the algorithm exports (leith08, II)"
    ),
    "n_distinct_alpha": Defined(
        "count", _n_distinct_alpha, "different increases per RTT exported in the last 100 s (li07, VI.B)", windowed=False
    ),
    "beta_diff": Defined("1", _beta_diff, "difference of two flows' mean after/before, last half of the run (li07, VI.B)", windowed=False),
    "delta_used": _FLOW("1", each(_delta), "mean of 1 - after/before a back-off"),
    "delta_min": _FLOW("1", _delta_min, "smallest of 1 - after/before a back-off (leith08, II)"),
    "delta_max": _FLOW("1", _delta_max, "largest of 1 - after/before a back-off (leith08, II)"),
    "backoff_factor": _FLOW("1", _median_factor, "median of after/before over all back-offs"),
    "backoff_factor_min": _FLOW("1", _smallest_factor, "smallest after/before (leith08, VIII.B.4)"),
    "dwnd_frac": _FLOW(
        "1", each(shapes.delay_share), "delay-based part over the window in the last sample before a back-off, mean (leith08, Fig. 5)"
    ),
    "wnd_ai": _FLOW(
        "packets/RTT", each(partial(shapes.loss_part_growth, per_rtt=True)), "slope of the loss-based part over round trips (leith08, III)"
    ),
    "wnd_backoff": _FLOW("1", each(partial(shapes.part_kept, delay=False)), "loss-based part after over before a back-off (leith08, III)"),
    "dwnd_backoff": _FLOW("1", each(partial(shapes.part_kept, delay=True)), "delay-based part after over before a back-off (leith08, III)"),
    "wnd_fill_s": Defined(
        "s",
        _wnd_fill,
        "BDP over the growth per second of flow 2's loss-based part (leith08, Fig. 6)",
        can_be_infinite=True,
        windowed=False,
    ),
}
