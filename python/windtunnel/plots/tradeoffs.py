"""Two quantities against each other, a marker per protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windtunnel.plots.axes import Grid, legend_above, legend_rows, number, sheet, styled
from windtunnel.plots.style import PAPER, QUIET, RULE, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Spot:
    """One protocol in a panel, in the panel's units.

    Parameters
    ----------
    name : str
        The protocol.
    x, y : float
        Where it is.
    x_ends, y_ends : tuple of float, shape (2,), or None
        The interval of each; None without one.
    is_hollow : bool
        Whether another protocol dominates it.
    """

    name: str
    x: float
    y: float
    x_ends: tuple[float, float] | None = None
    y_ends: tuple[float, float] | None = None
    is_hollow: bool = False


@dataclass(frozen=True)
class Plane:
    """One panel.

    Parameters
    ----------
    title, x_label, y_label : str
        With units.
    spots : sequence of Spot
        What is in it.
    is_share : bool
        Both axes from 0 to 1, with the equal share marked.
    """

    title: str
    x_label: str
    y_label: str
    spots: Sequence[Spot]
    is_share: bool = False


def draw_tradeoffs(planes: Sequence[Plane]) -> Figure:
    """Draw the panels side by side.

    Parameters
    ----------
    planes : sequence of Plane
        At least one; with a spot at least.

    Returns
    -------
    matplotlib.figure.Figure
        Whiskers are the spots' intervals; they are cut where they leave the panel.
    """
    from matplotlib.lines import Line2D

    names = list(dict.fromkeys(spot.name for plane in planes for spot in plane.spots))
    with styled():
        grid = Grid(len(planes), len(planes), 2.6, legend_rows=len(legend_rows(names)), gap_in=0.72, left_in=0.62)
        figure, axes = sheet(grid, titled=True)
        for axis, plane in zip(axes, planes, strict=True):
            _draw(axis, plane)
        handles = [Line2D([], [], linestyle="none", color=look(name)[0], marker=look(name)[1], label=name) for name in names]
        legend_above(figure, handles, left_in=grid.left_in)
        return figure


def _draw(axis: Axes, plane: Plane) -> None:
    axis.set_title(plane.title)
    axis.set_xlabel(plane.x_label)
    axis.set_ylabel(plane.y_label)
    axis.grid(True, color=RULE, linewidth=0.5)
    if plane.is_share:
        axis.set_xlim(0, 1)
        axis.set_ylim(0, 1)
        for line in (axis.axhline, axis.axvline):
            line(0.5, color=QUIET, linewidth=0.7, linestyle="--", zorder=1.5)
    else:
        _limits(axis, plane.spots)
    for spot in plane.spots:
        colour, marker = look(spot.name)
        if spot.x_ends is not None:
            axis.plot(spot.x_ends, (spot.y, spot.y), color=colour, linewidth=0.8, zorder=2)
        if spot.y_ends is not None:
            axis.plot((spot.x, spot.x), spot.y_ends, color=colour, linewidth=0.8, zorder=2)
        face = PAPER if spot.is_hollow else colour
        axis.plot(
            [spot.x],
            [spot.y],
            linestyle="none",
            marker=marker,
            markersize=6,
            color=colour,
            markerfacecolor=face,
            clip_on=False,
            zorder=3,
        )
    _ticks(axis)


def _limits(axis: Axes, spots: Sequence[Spot]) -> None:
    """Leave room around the means; delays begin at zero, and an interval that is longer than the panel is cut."""
    right = max((spot.x for spot in spots), default=0.0)
    low, high = min((spot.y for spot in spots), default=0.0), max((spot.y for spot in spots), default=1.0)
    room = 0.08 * (high - low) or 0.05 * abs(high) or 1.0
    axis.set_xlim(0, 1.08 * right or 1.0)
    axis.set_ylim(low - room, high + room)


def _ticks(axis: Axes) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    for one in (axis.xaxis, axis.yaxis):
        one.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
        one.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
