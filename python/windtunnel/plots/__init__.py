"""Figures of runs and of experiments. Matplotlib is loaded when the first one is drawn."""

from windtunnel.plots.captured import captured
from windtunnel.plots.changes import Change, Repeats, draw_changes, draw_repeats
from windtunnel.plots.declared import (
    Compared,
    Curves,
    Declaration,
    Ellipses,
    Histories,
    History,
    Matrix,
    Overlay,
    Published,
    from_json,
    to_json,
)
from windtunnel.plots.drawing import draw, remarks
from windtunnel.plots.figures import cwnd, overview
from windtunnel.plots.notebook import run_html
from windtunnel.plots.overlaid import Course, Panel, draw_overlaid
from windtunnel.plots.portrait import draw_portrait
from windtunnel.plots.saving import check_target, render, save, write_forms
from windtunnel.plots.style import look
from windtunnel.plots.tradeoffs import Plane, Spot, draw_tradeoffs

__all__ = [
    "Change",
    "Compared",
    "Course",
    "Curves",
    "Declaration",
    "Ellipses",
    "Histories",
    "History",
    "Matrix",
    "Overlay",
    "Panel",
    "Plane",
    "Published",
    "Repeats",
    "Spot",
    "captured",
    "check_target",
    "cwnd",
    "draw",
    "draw_changes",
    "draw_overlaid",
    "draw_portrait",
    "draw_repeats",
    "draw_tradeoffs",
    "from_json",
    "look",
    "overview",
    "remarks",
    "render",
    "run_html",
    "save",
    "to_json",
    "write_forms",
]
