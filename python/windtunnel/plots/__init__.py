"""Figures of runs. Matplotlib is loaded when the first one is drawn."""

from windtunnel.plots.figures import check_target, cwnd, overview, save
from windtunnel.plots.style import look

__all__ = ["check_target", "cwnd", "look", "overview", "save"]
