"""How many packets a run is likely to deliver: what its time is estimated from before it has begun."""

from __future__ import annotations

import math

from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.scenario.flows import PACKET_BYTES
from windtunnel.scenario.losses import Timed

_PER_ROOT_OF_LOSS = 4.0
"""A window over the inverse root of the losses' probability: three times Reno's (Mathis and others 1997), for laws that are faster."""
_PER_INTERVAL = 4.0
"""A window over the round trips from one loss to the next, where losses come by the clock: Reno's is one and a half."""


def packets(scenario: Scenario) -> float:
    """Return about how many packets a run delivers.

    Parameters
    ----------
    scenario : Scenario
        With or without defaults filled in.

    Returns
    -------
    float
        What the bottleneck can carry, or less where every flow's window is capped or held down by random losses: on paths that are
        faster than any window these two are hundreds of times apart.
    """
    carried = scenario.bottleneck.rate_bps / (8 * PACKET_BYTES) * scenario.duration_s
    if scenario.arrivals or scenario.sessions or scenario.traffic:
        return carried
    return min(carried, sum(_sent(scenario, flow) for flow in scenario.flows))


def _sent(scenario: Scenario, flow: Flow) -> float:
    rtt_s = flow.rtt_s or scenario.rtt_s
    if rtt_s is None:
        return math.inf
    lasts_s = min(flow.stop_s or math.inf, scenario.duration_s) - flow.start_s
    window = min(flow.window_packets or math.inf, _between_losses(scenario.bottleneck, rtt_s))
    return flow.count * max(lasts_s, 0.0) * window / rtt_s


def _between_losses(link: Bottleneck, rtt_s: float) -> float:
    """Return about the largest mean window, in packets, between a link's random losses."""
    windows = [_PER_ROOT_OF_LOSS / math.sqrt(link.loss_probability)] if link.loss_probability else []
    for law in link.losses:
        if isinstance(law, Timed) and law.probability:
            windows.append(_PER_INTERVAL * law.interval_s / law.probability / rtt_s)
    return min(windows, default=math.inf)
