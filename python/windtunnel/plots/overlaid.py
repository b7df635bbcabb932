"""The windows of two sides over each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from windtunnel.plots.axes import Grid, legend_above, sheet, styled, y_ticks
from windtunnel.plots.decimate import thin
from windtunnel.plots.style import look

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SECOND = "#a9afb6"
_BUCKETS = 700


@dataclass(frozen=True)
class Course:
    """A window against time.

    Parameters
    ----------
    t_s : array, shape (samples,)
        Seconds.
    cwnd_packets : array, shape (samples,)
        Packets.
    """

    t_s: NDArray[np.float64]
    cwnd_packets: NDArray[np.float64]


@dataclass(frozen=True)
class Panel:
    """One flow on both sides.

    Parameters
    ----------
    title : str
        Above the panel.
    first, second : Course
        Its window.
    """

    title: str
    first: Course
    second: Course


def draw_overlaid(algorithm: str, panels: Sequence[Panel], *, end_s: float, names: tuple[str, str] = ("simulator", "kernel")) -> Figure:
    """Draw a panel per flow: the second side broad and grey, the first thin and in the algorithm's colour on top of it.

    Parameters
    ----------
    algorithm : str
        Whose colour it is.
    panels : sequence of Panel
        The flows.
    end_s : float
        Where the time axis ends, seconds.
    names : tuple of str
        What the sides are called.

    Returns
    -------
    matplotlib.figure.Figure
        Time in seconds, windows in packets.
    """
    from matplotlib.lines import Line2D

    colour = look(algorithm)[0]
    with styled():
        grid = Grid(len(panels), 1, 1.5 if len(panels) > 1 else 2.0, legend_rows=1, row_gap_in=0.12, left_in=0.68)
        figure, axes = sheet(grid, titled=True)
        for number, (axis, panel) in enumerate(zip(axes, panels, strict=True)):
            top = 0.0
            for course, line_colour, width in ((panel.second, _SECOND, 2.2), (panel.first, colour, 0.8)):
                shown = course.t_s <= end_s
                t_s, values = thin(course.t_s[shown], course.cwnd_packets[shown], buckets=_BUCKETS)
                axis.plot(t_s, values, color=line_colour, linewidth=width, solid_joinstyle="round", zorder=2.5)
                top = max(top, float(np.nanmax(values, initial=0.0)))
            axis.set_xlim(0, end_s)
            axis.set_ylim(0, top * 1.06 or 1.0)
            axis.set_title(panel.title)
            axis.set_ylabel("cwnd (packets)")
            axis.tick_params(labelbottom=number == len(panels) - 1)
            y_ticks(axis, log=False)
        axes[-1].set_xlabel("time (s)")
        named = ((colour, 1.2, names[0]), (_SECOND, 2.4, names[1]))
        handles = [Line2D([], [], color=line_colour, linewidth=width, label=label) for line_colour, width, label in named]
        legend_above(figure, handles, left_in=grid.left_in)
        return figure
