"""How a new flow comes to its share, and how long an epoch is."""

from __future__ import annotations

import math
from functools import partial

from windtunnel.metrics import congestion, convergence
from windtunnel.metrics.named.request import Defined, Request, Value


def _new_flow(request: Request) -> int | None:
    return request.view.foreground[1] if len(request.view.foreground) > 1 else None


def _conv80(request: Request, share: float = 0.01, shortest_s: float = 1.0, longest_s: float = 5.0, fair_share: bool = False) -> Value:
    flow = _new_flow(request)
    if flow is None:
        return None
    memory = convergence.memory_s(request.view, flow, share=share, shortest_s=shortest_s, longest_s=longest_s)
    return convergence.conv80_s(request.view, flow, memory=memory, fair_share=fair_share)


def _conv_ratio(request: Request, hold: bool) -> Value:
    flow = _new_flow(request)
    if flow is None or len(request.view.foreground) != 2:
        return None
    return convergence.conv_ratio_s(request.view, memory=convergence.memory_s(request.view, flow), hold=hold)


def _conv_epochs(request: Request) -> Value:
    flow, reached = _new_flow(request), _conv80(request)
    if flow is None or reached is None or reached == math.inf:
        return reached
    start = request.view.start_s(flow)
    return congestion.epochs_until(request.view, start, start + reached)


def _conv_err(request: Request) -> Value:
    return convergence.gap_after_epochs(request.view, 4) if len(request.view.foreground) == 2 else None


def _epoch(request: Request) -> Value:
    return congestion.epoch_s(request.view, request.shown, *request.window)


def _epoch_median(request: Request) -> Value:
    return congestion.epoch_s(request.view, request.shown, *request.window, median=True)


_TIME = partial(Defined, "s", can_be_infinite=True, windowed=False)
_MEMORY = "to 80 % of the new flow's long-term mean"

MEASURES: dict[str, Defined] = {
    "conv80_s": _TIME(_conv80, f"from the start of flow 2 {_MEMORY}, by an exponential mean (li07, eq. 3)"),
    "conv80_s@short_memory": _TIME(partial(_conv80, shortest_s=0.3, longest_s=1.5), "the same with a shorter memory"),
    "conv80_s@long_memory": _TIME(partial(_conv80, share=0.05, longest_s=20.0), "the same with a longer memory"),
    "conv80_s@fair_share": _TIME(partial(_conv80, fair_share=True), "the same to 80 % of the fair share"),
    "conv_ratio_s": _TIME(
        partial(_conv_ratio, hold=False), "until the smaller exponential mean is 80 % of the larger (li07, caption of Fig. 11)"
    ),
    "conv_hold_s": _TIME(partial(_conv_ratio, hold=True), "the same, from where it stays there to the end"),
    "conv_epochs": Defined(
        "congestion epochs",
        _conv_epochs,
        "congestion events until `conv80_s`, the last by its fraction",
        can_be_infinite=True,
        windowed=False,
    ),
    "conv_err_after_4_epochs": Defined(
        "1",
        _conv_err,
        "difference of two windows before the fourth congestion event after the start of flow 2, over that before the first (leith08, IV)",
        windowed=False,
    ),
    "epoch_s": Defined(
        "s", _epoch, "mean time between successive back-offs of a flow, flows pooled (leith08, IV)", can_be_infinite=True, by_flow=True
    ),
    "epoch_median_s": Defined("s", _epoch_median, "median of the same times", can_be_infinite=True, by_flow=True),
    "link_epoch_s": Defined(
        "s",
        lambda request: congestion.link_epoch_s(request.view, *request.window),
        "mean time between congestion events of the bottleneck",
        can_be_infinite=True,
    ),
}
