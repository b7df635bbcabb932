"""The register's metrics by name: what each is measured in, and how a run gives it.

Names, units and windows are the register's, and so are the non-SI units (Mbit/s, ms, packets): this is where they are allowed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from windtunnel.metrics import congestion, convergence, fairness, throughput, windows
from windtunnel.metrics.backoffs import Array
from windtunnel.metrics.view import MSS_BYTES, PACKET_BYTES, View

MEGA = 1e6


@dataclass(frozen=True)
class Request:
    """One value asked of a run.

    Parameters
    ----------
    view : View
        The run.
    flows : tuple of int, optional
        The flows selected, numbers from 0; None when no flow was selected.
    given : tuple of float or None, shape (2,)
        Beginning and end of the window as selected, seconds.
    """

    view: View
    flows: tuple[int, ...] | None
    given: tuple[float | None, float | None]

    @property
    def window(self) -> tuple[float, float]:
        """The window selected, the default one where nothing was, seconds."""
        begin, end = self.view.window_s
        return (begin if self.given[0] is None else self.given[0], end if self.given[1] is None else self.given[1])

    @property
    def tested(self) -> tuple[int, ...]:
        """The flows selected, else those of the algorithm under test."""
        return self.view.under_test if self.flows is None else self.flows

    @property
    def shown(self) -> tuple[int, ...]:
        """The flows selected, else all foreground flows."""
        return self.view.foreground if self.flows is None else self.flows


Value = float | None


@dataclass(frozen=True)
class Measure:
    """One metric of the register.

    Parameters
    ----------
    unit : str
        As the register writes it.
    function : callable
        From a `Request` to the value; None where the run has none.
    can_be_infinite : bool
        Whether infinity is a value: a time that was not reached.
    by_flow : bool
        Whether a flow may be selected.
    windowed : bool
        Whether the beginning and end of the window may be selected.
    """

    unit: str
    function: Callable[[Request], Value]
    can_be_infinite: bool = False
    by_flow: bool = False
    windowed: bool = True


def _mbps(rate_bps: Value) -> Value:
    return None if rate_bps is None else rate_bps / MEGA


def _mean(values: list[Value]) -> Value:
    """Return the mean over the flows that have a value."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _each(function: Callable[[View, int, float, float], Value]) -> Callable[[Request], Value]:
    """Return the mean over flows of a metric of one flow and a window."""
    return lambda request: _mean([function(request.view, flow, *request.window) for flow in request.tested])


def _thr_mbps(request: Request) -> Value:
    return _mbps(throughput.total_bps(request.view, request.tested, *request.window))


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
    return None if rate is None else rate / len(request.tested) / (view.rate_bps / len(view.foreground))


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
    return throughput.binned_bps(request.view, request.tested, *request.window, 5.0) if request.tested else None


def _sd_mbps(request: Request) -> Value:
    samples = _samples_5s(request)
    return None if samples is None or samples.size < 2 else float(samples.std(ddof=1)) / MEGA


def _thr_cov(request: Request) -> Value:
    return _mean([throughput.variation(throughput.binned_bps(request.view, (flow,), *request.window, 1.0)) for flow in request.shown])


def _fair_minmax(request: Request) -> Value:
    return throughput.smaller_over_larger(request.view, *request.window)


def _fair_final(request: Request) -> Value:
    end = request.view.duration_s
    return throughput.smaller_over_larger(request.view, end - 60.0, end)


def _fair_300(request: Request) -> Value:
    if len(request.view.foreground) != 2:
        return None
    start = request.view.start_s(request.view.foreground[1])
    return throughput.smaller_over_larger(request.view, start + 280.0, start + 320.0)


def _late_vs_best(request: Request) -> Value:
    return throughput.late_against_best(request.view)


def _jain(request: Request) -> Value:
    rates = [throughput.throughput_bps(request.view, flow, *request.window) for flow in request.view.foreground]
    known = [rate for rate in rates if rate is not None]
    return fairness.jain(known) if len(known) == len(rates) else None


def _short_over_long(request: Request) -> Value:
    pair = congestion.short_and_long(request.view)
    return None if pair is None else throughput.ratio(request.view, *pair, *request.window)


def _long_over_short(request: Request) -> Value:
    value = _short_over_long(request)
    return None if value is None else 1 / value


def _share_long(request: Request) -> Value:
    view, pair = request.view, congestion.short_and_long(request.view)
    if pair is None:
        return None
    part = throughput.throughput_bps(view, pair[1], *request.window)
    whole = throughput.total_bps(view, pair, *request.window)
    return part / whole if part is not None and whole else None


def _new_over_reno(request: Request) -> Value:
    view = request.view
    others = [flow for flow in view.foreground if flow not in view.under_test and view.name(flow).partition(":")[0] == "reno"]
    if len(view.under_test) != 1 or len(others) != 1:
        return None
    return throughput.ratio(view, view.under_test[0], others[0], *request.window)


def _crossings(request: Request) -> Value:
    return throughput.crossings(request.view, *request.window)


def _pred_ratio(request: Request, exponent: int) -> Value:
    return congestion.predicted_ratio(request.view, *request.window, exponent=exponent)


def _loss_ovh(request: Request) -> Value:
    view = request.view
    if not view.is_counted(*request.window):
        return None
    columns = ("window_retransmitted_packets", "window_sent_packets")
    again, sent = ([view.row(flow)[name] for flow in view.foreground] for name in columns)
    if None in again or None in sent or not sum(sent):
        return None
    return float(max(sum(again), 1) / sum(sent))


def _queue_pkts(request: Request) -> Value:
    return congestion.mean_queue_packets(request.view, *request.window)


def _qocc(request: Request) -> Value:
    queue = _queue_pkts(request)
    return None if queue is None else queue / request.view.queue_packets


def _drops_pkts(request: Request) -> Value:
    dropped = request.view.link["dropped_packets"]
    return None if dropped is None else float(dropped)


def _bdp_pkts(request: Request) -> Value:
    view = request.view
    longest_s = max(view.base_rtt_s(flow) for flow in request.shown)
    return view.rate_bps * longest_s / (8 * PACKET_BYTES)


def _new_flow(request: Request) -> int | None:
    return request.view.foreground[1] if len(request.view.foreground) > 1 else None


def _conv80(request: Request, share: float = 0.01, shortest_s: float = 1.0, longest_s: float = 5.0, fair_share: bool = False) -> Value:
    flow = _new_flow(request)
    if flow is None:
        return None
    memory = convergence.memory_s(request.view, flow, share=share, shortest_s=shortest_s, longest_s=longest_s)
    return convergence.conv80_s(request.view, flow, memory=memory, fair_share=fair_share)


def _conv_epochs(request: Request) -> Value:
    flow, reached = _new_flow(request), _conv80(request)
    if flow is None or reached is None or reached == float("inf"):
        return reached
    start = request.view.start_s(flow)
    return congestion.epochs_until(request.view, start, start + reached)


def _refill(request: Request) -> Value:
    return convergence.refill_s(request.view, request.tested, request.given[0]) if request.tested else None


def _epoch(request: Request) -> Value:
    return congestion.epoch_s(request.view, request.shown, *request.window)


def _cwnd_cov(request: Request) -> Value:
    view = request.view
    begin = view.start_s(view.foreground[-1]) + 60.0
    return _mean([windows.cwnd_variation(view, flow, begin, view.duration_s) for flow in request.shown])


def _cwnd_pkts(view: View, flow: int, t0: float, t1: float) -> Value:
    samples = windows.sampled_cwnd(view, flow, t0, t1)
    return float(samples.mean()) if samples.size else None


def _cwnd_max(request: Request) -> Value:
    return _mean([windows.largest_cwnd(request.view, flow) for flow in request.tested])


def _slope(request: Request) -> Value:
    return _mean([windows.slope_packets_per_rtt(request.view, flow, 0.0, request.view.duration_s) for flow in request.tested])


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


def _smallest_factor(request: Request) -> Value:
    found = [windows.smallest_factor(request.view, flow, *request.window) for flow in request.tested]
    return min((factor for factor in found if factor is not None), default=None)


_TIME = partial(Measure, "s", can_be_infinite=True, windowed=False)

MEASURES: dict[str, Measure] = {
    "thr_mbps": Measure("Mbit/s", _thr_mbps, by_flow=True),
    "goodput_mbps": Measure("Mbit/s", _goodput_mbps, by_flow=True),
    "thr_norm": Measure("1", _thr_norm, by_flow=True),
    "sd_mbps": Measure("Mbit/s", _sd_mbps, by_flow=True),
    "stability": Measure("1", lambda request: throughput.variation(_samples_5s(request)), by_flow=True),
    "thr_cov": Measure("1", _thr_cov, by_flow=True),
    "util": Measure("fraction of link rate", _util),
    "fair_minmax": Measure("1", _fair_minmax),
    "fair_final": Measure("1", _fair_final, windowed=False),
    "fair_300": Measure("1", _fair_300, windowed=False),
    "fair_late_vs_best": Measure("1", _late_vs_best, windowed=False),
    "jain": Measure("1", _jain),
    "rtt_unfair": Measure("1", _short_over_long),
    "ratio_long_short": Measure("1", _long_over_short),
    "share_long": Measure("fraction", _share_long),
    "new_over_reno": Measure("1", _new_over_reno),
    "n_crossings": Measure("count", _crossings),
    "lambda_sync": Measure("fraction", _each(congestion.lambda_sync), by_flow=True),
    "pred_ratio_eq4": Measure("1", partial(_pred_ratio, exponent=2)),
    "pred_ratio_eq4@printed": Measure("1", partial(_pred_ratio, exponent=1)),
    "loss_ovh": Measure("fraction", _loss_ovh),
    "drops_pkts": Measure("packets", _drops_pkts, windowed=False),
    "queue_pkts": Measure("packets", _queue_pkts),
    "qocc": Measure("fraction of buffer", _qocc),
    "bdp_pkts": Measure("packets", _bdp_pkts, by_flow=True, windowed=False),
    "conv80_s": _TIME(_conv80),
    "conv80_s@short_memory": _TIME(partial(_conv80, shortest_s=0.3, longest_s=1.5)),
    "conv80_s@long_memory": _TIME(partial(_conv80, share=0.05, longest_s=20.0)),
    "conv80_s@fair_share": _TIME(partial(_conv80, fair_share=True)),
    "conv_epochs": Measure("congestion epochs", _conv_epochs, can_be_infinite=True, windowed=False),
    "epoch_s": Measure("s", _epoch, can_be_infinite=True, by_flow=True),
    "refill_s": Measure("s", _refill, can_be_infinite=True, by_flow=True),
    "cwnd_cov": Measure("1", _cwnd_cov, by_flow=True, windowed=False),
    "cwnd_pkts": Measure("packets", _each(_cwnd_pkts), by_flow=True),
    "cwnd_max_pkts": Measure("packets", _cwnd_max, by_flow=True, windowed=False),
    "cwnd_peak_to_trough": Measure("1", _each(windows.peak_to_trough), by_flow=True),
    "cwnd_slope_pkts_per_rtt": Measure("packets/RTT", _slope, by_flow=True, windowed=False),
    "ai_ratio": Measure("1", _ai_ratio),
    "n_distinct_alpha": Measure("count", _n_distinct_alpha, windowed=False),
    "beta_diff": Measure("1", _beta_diff, windowed=False),
    "delta_used": Measure("1", _each(_delta), by_flow=True),
    "backoff_factor": Measure("1", _median_factor, by_flow=True),
    "backoff_factor_min": Measure("1", _smallest_factor, by_flow=True),
}
"""The register's metrics that a run of this project can give, in its units. A variant of a definition follows an @."""


def _selected(view: View, flow: int | str | None) -> tuple[int, ...] | None:
    if flow is None:
        return None
    if flow == "sum":
        return view.foreground
    if isinstance(flow, int) or flow.isdecimal():
        number = int(flow)
        return view.foreground[number - 1 : number] if number >= 1 else ()
    return tuple(one for one in view.foreground if flow in (view.name(one), view.name(one).partition(":")[0]))


def measure(name: str, view: View, *, flow: int | str | None = None, t0: float | None = None, t1: float | None = None) -> float | None:
    """Return one metric of a run.

    Parameters
    ----------
    name : str
        A key of `MEASURES`.
    view : View
        The run.
    flow : int or str, optional
        Number of a foreground flow from 1 in order of start, ``"sum"`` for all of them, or a protocol for its flow. Left out: the flows
        under test, together where the metric is a throughput, in the mean elsewhere.
    t0, t1 : float, optional
        Beginning and end of the window in place of the default, seconds. For ``refill_s``, `t0` is the end of the disturbance.

    Returns
    -------
    float or None
        In the register's unit; None when the run has no such value; infinite only where the measure says so.

    Raises
    ------
    KeyError
        When there is no such measure.
    ValueError
        When a flow or window is selected for a measure that has none to select.
    """
    chosen = MEASURES[name]
    if flow is not None and not chosen.by_flow:
        raise ValueError(f"{name}: is not of a flow, so that none can be selected")
    if not chosen.windowed and (t0 is not None or t1 is not None):
        raise ValueError(f"{name}: has a window of its own, so that none can be selected")
    flows = _selected(view, flow)
    if not view.foreground or flows == ():
        return None
    return chosen.function(Request(view, flows, (t0, t1)))
