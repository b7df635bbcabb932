"""From a measurement to a scenario: a path's rate, base RTT, buffer and loss, and what the simulator predicts there."""

from windtunnel.fit.estimate import Estimate, PathEstimate, estimate
from windtunnel.fit.measured import is_measured, predictions, seen_runs, together
from windtunnel.fit.predict import Compared, predicted, scenario, written
from windtunnel.fit.seen import Seen, SeenFlow, seen

__all__ = [
    "Compared",
    "Estimate",
    "PathEstimate",
    "Seen",
    "SeenFlow",
    "estimate",
    "is_measured",
    "predicted",
    "predictions",
    "scenario",
    "seen",
    "seen_runs",
    "together",
    "written",
]
