"""How foreground flows share the bottleneck; flows of one application count as one."""

from __future__ import annotations

import math

from windtunnel.metrics import congestion, fairness, throughput
from windtunnel.metrics.named.request import Defined, Request, Value


def _fair_minmax(request: Request) -> Value:
    return throughput.smaller_over_larger(request.view, *request.window)


def _fair_final(request: Request) -> Value:
    end = request.view.duration_s
    return throughput.smaller_over_larger(request.view, end - 60.0, end)


def _fair_300(request: Request) -> Value:
    view = request.view
    if len(view.applications) != 2:
        return None
    start = view.start_s(view.applications[1][0])
    return throughput.smaller_over_larger(view, start + 280.0, start + 320.0)


def _active_rates(request: Request) -> list[float] | None:
    """Return the throughput of each application that is open in the window, in order of start; None when one is missing."""
    view, (t0, t1) = request.view, request.window
    parts = [part for part in view.applications if any(view.is_active(flow, t0, t1) for flow in part)]
    rates = [throughput.total_bps(view, part, t0, t1) for part in parts]
    known = [rate for rate in rates if rate is not None]
    return known if known and len(known) == len(rates) else None


def _product(request: Request) -> Value:
    rates = _active_rates(request)
    share = request.view.rate_bps / len(rates) if rates else 0.0
    return math.prod(rate / share for rate in rates) if rates else None


def _first_share(request: Request) -> Value:
    view, rates = request.view, _active_rates(request)
    first = throughput.total_bps(view, view.applications[0], *request.window)
    return first / sum(rates) if rates and first is not None and sum(rates) > 0 else None


def _share_first(request: Request) -> Value:
    view = request.view
    begin = view.start_s(view.foreground[-1])
    rates = [throughput.total_bps(view, part, begin, begin + 30.0) for part in view.applications]
    known = [rate for rate in rates if rate is not None]
    return known[0] / sum(known) if len(known) == len(rates) and sum(known) > 0 else None


def _short_over_long(request: Request) -> Value:
    pair = congestion.short_and_long(request.view)
    return None if pair is None else throughput.ratio(request.view, pair[:1], pair[1:], *request.window)


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
    return throughput.ratio(view, view.under_test, others, *request.window)


def _asym(request: Request) -> Value:
    view = request.view
    if len(view.applications) != 2 or view.under_test not in view.applications:
        return None
    opponent = next(part for part in view.applications if part != view.under_test)
    rates = [throughput.total_bps(view, part, *request.window) for part in (view.under_test, opponent)]
    if rates[0] is None or rates[1] is None or rates[0] + rates[1] <= 0:
        return None
    return fairness.asymmetry(rates[0], rates[1])


def _crossings(request: Request) -> Value:
    return throughput.crossings(request.view, *request.window)


def _jain(request: Request) -> Value:
    rates = _active_rates(request)
    return None if rates is None else fairness.jain(rates)


MEASURES: dict[str, Defined] = {
    "fair_minmax": Defined("1", _fair_minmax, "smaller over larger throughput of two flows (li07, Fig. 4)"),
    "fair_final": Defined("1", _fair_final, "the same over the last 60 s", windowed=False),
    "fair_300": Defined("1", _fair_300, "the same from 280 to 320 s after the start of flow 2", windowed=False),
    "fair_late_vs_best": Defined(
        "1",
        lambda request: throughput.late_against_best(request.view),
        "the same over the last 100 s, over its largest value in any 60 s of the default window (steps of 1 s)",
        windowed=False,
    ),
    "jain": Defined("1", _jain, "Jain's index of the flows open in the window (DEC-TR-301; slac03, 5.1)"),
    "product": Defined(
        "1", _product, "product of the throughputs over fair shares, 1 when all are equal and the link full (RFC 5166, 2.6)"
    ),
    "asym": Defined("1", _asym, "(x1 - x2)/(x1 + x2): flow under test against its opponent, in [-1, 1] (slac03, 5.2)"),
    "rtt_unfair": Defined("1", _short_over_long, "shorter-RTT over longer-RTT flow; equal RTTs: flow 2 over flow 1 (li07, Fig. 5)"),
    "thr_ratio": Defined("1", _short_over_long, "shorter-RTT over longer-RTT flow (open08, IV)"),
    "ratio_long_short": Defined("1", _long_over_short, "longer-RTT over shorter-RTT flow (leith08, Fig. 7)"),
    "share_long": Defined("fraction", _share_long, "longer-RTT flow over both"),
    "first_share": Defined("fraction", _first_share, "flow 1 over all flows open in the window (fast04, Figs 12 to 15)"),
    "share_first": Defined(
        "fraction", _share_first, "flow 1 over all, in the 30 s after the last has started (open08, Fig. 8)", windowed=False
    ),
    "new_over_reno": Defined("1", _new_over_reno, "the one flow under test over the one reno flow beside it (li07, Fig. 6)"),
    "n_crossings": Defined(
        "count", _crossings, "changes of the lead: means of 30 s moved by 0.1 s, counted once the new leader is 10 % of the link ahead"
    ),
}
