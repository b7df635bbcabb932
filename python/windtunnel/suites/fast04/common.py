"""What the experiments of the FAST study share: its emulated path, and runs made of intervals."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from windtunnel.experiment import Measure
from windtunnel.metrics import View, measured
from windtunnel.suites.linux24 import STACK

PROTOCOLS = ("bic", "fast", "htcp", "hstcp", "scalable", "reno")
RATE, RTT = 800, 200
DURATION_S = 600.0
SETTLING_S = 10.0
VARIATION_SETTLING_S = 60.0
"""The variation of throughput is taken from a minute after an interval's beginning, everything else from ten seconds after it."""
REPEATS = 3
"""The paper shows one run and gives no error; starts and ACK jitter differ between ours."""
QUEUE = 2000
"""Packets, where the paper gives no queue: within its sweep, and five times what two FAST flows keep queued."""

NETWORK = (
    ("network", "dumbbell, one drop-tail queue, 1500-byte packets (the paper does not state the size)"),
    STACK,
    ("fast", "alpha 200 packets"),
)


def within(metric: str, spans: Mapping[str, tuple[float, float]], dimension: str, flow: str | None = None) -> Measure:
    """Return a measure over the part of the run that the point names.

    Parameters
    ----------
    metric : str
        Its name.
    spans : mapping of str to (float, float)
        Beginning and end of each part, seconds.
    dimension : str
        The dimension whose values name the parts.
    flow : str, optional
        Which flows; the metric's own choice when absent.
    """
    return Measure(metric, flow=flow, function=partial(_within, metric, spans, dimension, flow))


def _within(metric: str, spans: Mapping[str, tuple[float, float]], dimension: str, flow: str | None, view: View) -> float | str | None:
    begin, end = spans[view.point[dimension]]
    settling_s = VARIATION_SETTLING_S if metric == "thr_cov" else SETTLING_S
    return measured(metric, view, flow=flow, t0=begin + settling_s, t1=end)
