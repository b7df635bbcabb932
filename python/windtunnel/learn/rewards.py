"""What a step is worth: published objectives by name, or a function of one's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from windtunnel.scenario import ScenarioError


class Reading(NamedTuple):
    """What is known of a flow after a step; numbers, or arrays of them with one entry per flow.

    Attributes
    ----------
    t_s : float
        Simulated time, seconds.
    step_s : float
        Length of the step, seconds.
    delivered_packets, lost_packets, marked_packets : float
        Segments delivered, held to be lost, and delivered with a congestion mark during the step.
    rate_bps : float
        Payload delivered in the step over its length, bits per second.
    rtt_s : float
        Mean RTT sample of the step, seconds; the last mean where the step had no sample.
    rtt_min_s : float
        Smallest RTT so far, seconds.
    cwnd_packets : float
        The window at the end of the step, segments.
    in_flight_packets : float
        Segments in flight then (the pipe).
    latency_ratio : float
        `rtt_s` over `rtt_min_s`, less 1; 10 at most, as all ratios.
    latency_gradient : float
        Change of `rtt_s` from the step before over `step_s`, within -10 and 10.
    loss : float
        Lost over lost and delivered.
    marks : float
        Marked over delivered.
    rate_ratio : float
        `rate_bps` over the largest so far.
    window_ratio : float
        The window over what is delivered in a smallest RTT.
    log_window : float
        Logarithm of the window to base 2.
    """

    t_s: Any
    step_s: Any
    delivered_packets: Any
    lost_packets: Any
    marked_packets: Any
    rate_bps: Any
    rtt_s: Any
    rtt_min_s: Any
    cwnd_packets: Any
    in_flight_packets: Any
    latency_ratio: Any
    latency_gradient: Any
    loss: Any
    marks: Any
    rate_ratio: Any
    window_ratio: Any
    log_window: Any


Reward = Callable[[Reading], Any]
"""A reading's worth; written with operators and numpy it does for numbers and arrays alike."""


_SEGMENT_BITS = 8 * 1448
"""Payload of a full segment with timestamps in a packet of 1500 bytes."""


def remy(reading: Reading) -> Any:
    """Return ``ln(rate / 1 Mbit/s) - ln(rtt / 1 ms)``, the objective of Winstein and Balakrishnan (SIGCOMM 2013, section 3.3) with delta 1.

    Of a step in which nothing arrived the rate is that of one segment.
    """
    one_bps = _SEGMENT_BITS / np.maximum(reading.step_s, 1e-9)
    return np.log(np.maximum(reading.rate_bps, one_bps) / 1e6) - np.log(reading.rtt_s * 1e3)


def aurora(reading: Reading) -> Any:
    """Return ``10 rate - 1000 latency - 2000 loss``, packets per second, seconds and a share: Jay et al. (ICML 2019, section 4.2)."""
    rate = reading.delivered_packets / np.maximum(reading.step_s, 1e-9)
    return 10 * rate - 1000 * reading.rtt_s - 2000 * reading.loss


def vivace(reading: Reading) -> Any:
    """Return ``x^0.9 - 900 x max(0, dRTT/dt) - 11.35 x loss`` with x in Mbit/s: Dong et al. (NSDI 2018, section 3.1).

    x is there what is sent; here it is what arrives.
    """
    x = reading.rate_bps / 1e6
    return x**0.9 - 900 * x * np.maximum(reading.latency_gradient, 0) - 11.35 * x * reading.loss


REWARDS: dict[str, Reward] = {"remy": remy, "aurora": aurora, "vivace": vivace}
"""The published objectives by name."""


def required(reward: str | Reward) -> Reward:
    """Return the reward of a name, or the function itself.

    Raises
    ------
    ScenarioError
        When no reward has the name.
    """
    if callable(reward):
        return reward
    if reward not in REWARDS:
        raise ScenarioError("reward", f"{reward!r} is not known; give one of {', '.join(REWARDS)}, or a function of a Reading")
    return REWARDS[reward]
