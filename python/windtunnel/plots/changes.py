"""What changed between two sides of the gate: every comparison in units of its margin, and the repeats of the largest changes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windtunnel.plots.axes import Grid, legend_above, sheet, styled, y_ticks
from windtunnel.plots.style import LOOK

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

_COLOURS = {"worse": LOOK["htcp"][0], "better": LOOK["bic"][0], "equal": LOOK["reno"][0], "undecided": LOOK["hstcp"][0]}
_WORDS = {"worse": "worse", "better": "better", "equal": "equal within the margin", "undecided": "undecided"}
_LIMIT = 6.0
"""Margins beyond which a change is drawn at the edge."""
_ROW_IN = 0.19
_WITHIN_ROW = 0.6
"""Share of a row's height over which its comparisons are spread."""


@dataclass(frozen=True)
class Change:
    """One comparison, in units of its margin; more is better.

    Parameters
    ----------
    name : str
        Cell and quantity, as ``shallow: resent``.
    outcome : str
        Worse, better, equal or undecided.
    estimate, low, high : float
        The change and its interval.
    """

    name: str
    outcome: str
    estimate: float
    low: float
    high: float


@dataclass(frozen=True)
class Repeats:
    """The values behind one comparison.

    Parameters
    ----------
    title, unit : str
        Above the panel, and beside its axis.
    outcome : str
        As of a change.
    before, now : tuple of float
        Of the repeats, in the unit.
    """

    title: str
    unit: str
    outcome: str
    before: tuple[float, ...]
    now: tuple[float, ...]


def draw_changes(changes: Sequence[Change]) -> Figure:
    """Draw every comparison in units of its margin, a row per cell, better to the right; the margin is shaded.

    Parameters
    ----------
    changes : sequence of Change
        In the order of the rows.

    Returns
    -------
    matplotlib.figure.Figure
    """
    cells = list(dict.fromkeys(change.name.partition(": ")[0] for change in changes))
    with styled():
        figure, (axis,) = sheet(Grid(1, 1, _ROW_IN * len(cells) + 0.1, legend_rows=1, left_in=1.45, right_in=0.2), titled=False)
        axis.axvspan(-1, 1, color=_COLOURS["equal"], alpha=0.13, linewidth=0)
        axis.axvline(0, color=_COLOURS["equal"], linewidth=0.6)
        for row, cell in enumerate(cells):
            own = [change for change in changes if change.name.partition(": ")[0] == cell]
            for number, change in enumerate(own):
                height = row + ((number + 0.5) / len(own) - 0.5) * _WITHIN_ROW
                colour = _COLOURS[change.outcome]
                low, at, high = (max(-_LIMIT, min(_LIMIT, value)) for value in (change.low, change.estimate, change.high))
                axis.plot([low, high], [height, height], color=colour, linewidth=0.9, zorder=2)
                marker = "<" if change.estimate < -_LIMIT else ">" if change.estimate > _LIMIT else "o"
                axis.plot([at], [height], marker=marker, color=colour, markersize=3.2, linestyle="none", zorder=3)
                if change.outcome in ("worse", "better"):
                    word = change.name.partition(": ")[2]
                    is_right = at > 0
                    beside = 6 if abs(at) < _LIMIT - 1.5 else -6
                    axis.annotate(
                        word,
                        (high if beside > 0 and is_right else low if beside > 0 else low if is_right else high, height),
                        xytext=((beside if is_right else -beside), 0),
                        textcoords="offset points",
                        ha="left" if (is_right == (beside > 0)) else "right",
                        va="center",
                        color=colour,
                        fontsize=6,
                    )
        axis.set_xlim(-_LIMIT * 1.03, _LIMIT * 1.03)
        axis.set_ylim(len(cells) - 0.4, -0.6)
        axis.set_yticks(range(len(cells)), cells)
        axis.set_xlabel("change in units of its margin; better to the right")
        legend_above(figure, _handles({change.outcome for change in changes}), left_in=1.45)
        return figure


def draw_repeats(panels: Sequence[Repeats]) -> Figure:
    """Draw the repeats of some comparisons, before and now side by side, with their means.

    Parameters
    ----------
    panels : sequence of Repeats
        At least one.

    Returns
    -------
    matplotlib.figure.Figure
    """
    with styled():
        grid = Grid(len(panels), len(panels), 1.7, left_in=0.62, gap_in=0.72, bottom_in=0.3)
        figure, axes = sheet(grid, titled=True)
        for axis, panel in zip(axes, panels, strict=True):
            for at, values, colour in ((0, panel.before, _COLOURS["equal"]), (1, panel.now, _COLOURS[panel.outcome])):
                spread = [at + 0.28 * (((number * 0.618034) % 1) - 0.5) for number in range(len(values))]
                axis.plot(spread, values, "o", color=colour, markersize=2.6, alpha=0.6, markeredgewidth=0)
                mean = math.fsum(values) / len(values)
                axis.plot([at - 0.3, at + 0.3], [mean, mean], color=colour, linewidth=1.6)
            axis.set_xlim(-0.5, 1.5)
            axis.set_xticks([0, 1], ["before", "now"])
            axis.set_title(panel.title)
            axis.set_ylabel(panel.unit)
            y_ticks(axis, log=False)
        return figure


def _handles(outcomes: set[str]) -> list[Artist]:
    from matplotlib.lines import Line2D

    return [
        Line2D([], [], color=colour, marker="o", markersize=3.2, linewidth=0.9, label=_WORDS[name])
        for name, colour in _COLOURS.items()
        if name in outcomes
    ]
