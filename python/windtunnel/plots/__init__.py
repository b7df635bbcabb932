"""Figures of runs and of experiments. Matplotlib is loaded when the first one is drawn."""

from windtunnel.plots.declared import Curves, Declaration, Histories, History, Overlay, draw, from_json, remarks, to_json
from windtunnel.plots.figures import cwnd, overview
from windtunnel.plots.portrait import draw_portrait
from windtunnel.plots.saving import check_target, render, save
from windtunnel.plots.style import look

__all__ = [
    "Curves",
    "Declaration",
    "Histories",
    "History",
    "Overlay",
    "check_target",
    "cwnd",
    "draw",
    "draw_portrait",
    "from_json",
    "look",
    "overview",
    "remarks",
    "render",
    "save",
    "to_json",
]
