"""Figures 4 and 5: the windows of two increase functions of the same aggressiveness and different shape, under losses by the clock."""

from __future__ import annotations

import functools

import numpy as np

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.plots.declared import Curves
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.suites.open08.common import PROFILE
from windtunnel.theory.synthetic import losses_of

UNIT_S = 0.1
"""The paper's losses come in steps without a unit; windows are the same in any."""
RTT_S = 0.005
"""A twentieth of a unit."""
EPOCHS = 4_000
LONGEST_S = 14_400.0
MEAN_WINDOW = 600.0
"""Packets. The paper's windows reach millions; c only scales them, so each point's c is divided by the same number for both functions."""
ITERATED = 100_000
"""Epochs of the iterated laws beside the runs."""


def law(point: Point) -> tuple[float, float, float]:
    """Return the paper's c, beta and p at a point: c = beta = 1/2 in Fig. 4, c = 1 - beta and p = 0.05 in Fig. 5."""
    if "beta" in point:
        return 1 - point["beta"], point["beta"], 0.05
    return 0.5, 0.5, point["p"]
