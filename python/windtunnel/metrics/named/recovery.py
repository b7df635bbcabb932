"""Recovery: from a loss, a burst or a timeout."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from windtunnel.metrics import convergence, recovery, windows
from windtunnel.metrics.named.request import Defined, Request, Value, each, mean_of
from windtunnel.metrics.view import View


def _refill(request: Request) -> Value:
    return convergence.refill_s(request.view, request.tested, request.given[0]) if request.tested else None


def _disturbed(request: Request) -> float | None:
    """Return when the disturbance was: as selected, else the first back-off of the flows."""
    if request.given[0] is not None:
        return request.given[0]
    times = [float(request.view.backoffs(flow).t_s[0]) for flow in request.tested if request.view.backoffs(flow).t_s.size]
    return min(times, default=None)


def _onset(request: Request) -> Value:
    since = _disturbed(request)
    return None if since is None else recovery.onset_delay_s(request.view, request.tested, since)


def _ai_eff(request: Request) -> Value:
    since, lasted = _disturbed(request), _refill(request)
    if since is None or lasted is None or math.isinf(lasted):
        return None
    return mean_of([windows.net_growth_packets_per_rtt(request.view, flow, since, since + lasted) for flow in request.tested])


def _of_episode(function: Callable[[View, int, recovery.Episode], Value]) -> Callable[[Request], Value]:
    """Return the mean over flows of what a function says of a flow's first timeout."""

    def measured(request: Request) -> Value:
        view = request.view
        found = [(flow, recovery.timeout_episode(view, flow)) for flow in request.tested]
        return mean_of([function(view, flow, episode) for flow, episode in found if episode is not None])

    return measured


def _rounds(view: View, flow: int, episode: recovery.Episode) -> Value:
    lasted = episode.end_s - episode.timeout_s
    return None if math.isnan(lasted) else float(round(lasted / view.base_rtt_s(flow)))


def _window(view: View, flow: int, episode: recovery.Episode) -> Value:
    end = view.duration_s if math.isnan(episode.end_s) else episode.end_s
    series = view.series(flow)
    within = series.cwnd_packets[(series.t_s > episode.timeout_s) & (series.t_s < end)]
    return float(np.median(within)) if within.size else None


def _lost(view: View, flow: int, episode: recovery.Episode) -> Value:
    burst = recovery.burst_before(view, flow, episode.timeout_s)
    return None if burst is None else float(burst.size)


def _wait_ms(view: View, flow: int, episode: recovery.Episode) -> Value:
    burst = recovery.burst_before(view, flow, episode.timeout_s)
    return None if burst is None or not burst.size else (episode.timeout_s - float(burst[0])) * 1e3


def _spurious(request: Request) -> Value:
    found = [recovery.spurious_backoffs(request.view, flow, *request.window) for flow in request.tested]
    known = [count for count in found if count is not None]
    return float(sum(known)) if known else None


_FLOW = partial(Defined, by_flow=True)
_RUN = partial(Defined, by_flow=True, windowed=False)

MEASURES: dict[str, Defined] = {
    "refill_s": _FLOW(
        "s",
        _refill,
        "from `t0` until the mean of a second is 95 % of the link, or of the best second before (li07, I)",
        can_be_infinite=True,
    ),
    "onset_delay_s": _FLOW(
        "s", _onset, "from `t0` to where the mean of five seconds grows for ten without a fall (leith08, Fig. 1)", can_be_infinite=True
    ),
    "ai_eff": _FLOW(
        "packets/RTT", _ai_eff, "cwnd at the end of `refill_s` less that at its start, over the round trips between (leith08, IV.A.2)"
    ),
    "t_recover_s": _FLOW("s", each(recovery.regain_s), "from a back-off to the cwnd from before it (open08, Fig. 3)", can_be_infinite=True),
    "cwnd_after_loss": _FLOW(
        "packets", each(recovery.window_after_loss), "smallest cwnd within a base RTT after a back-off, mean (leith08, VIII.B.1)"
    ),
    "spurious_backoffs": _FLOW(
        "count", _spurious, "back-offs without a recorded drop of the flow within the last two largest RTTs (leith08, VIII.B.4)"
    ),
    "recovery_rtts": _RUN(
        "round trips", _of_episode(_rounds), "base RTTs from the first timeout to the end of its recovery (fast04, Fig. 11)"
    ),
    "cwnd_in_recovery": _RUN("packets", _of_episode(_window), "median cwnd of that recovery (fast04, Fig. 11)"),
    "lost_pkts": _RUN("packets", _of_episode(_lost), "recorded drops of the burst before the first timeout (fast04, Fig. 11)"),
    "t_rto_ms": _RUN("ms", _of_episode(_wait_ms), "from the first drop of that burst to the timeout (fast04, Fig. 11)"),
}
