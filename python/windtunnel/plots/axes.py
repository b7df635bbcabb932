"""The page of a declared figure: panels, margins, ticks, numbers and legends, placed by hand so that every figure lines up.

Margins are fixed in inches instead of solved for: figures of one report align with each other, the same figure is the same file on
every machine, and drawing takes a fraction of the time.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windtunnel.foreign import shown
from windtunnel.plots.declared import Value
from windtunnel.plots.style import DECLARED_RC

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH_IN = 7.2

_LEGEND_ROW_IN = 0.165
_CHARACTER_IN = 0.068
_HANDLE_IN = 0.43
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_PANEL_TEXT = {
    "rate": "{:g} Mbit/s",
    "rtt": "RTT {:g} ms",
    "q": "queue {:g} BDP",
    "qpkt": "queue {:g} packets",
    "qms": "queue {:g} ms",
    "p": "loss probability {:g}",
}


@contextlib.contextmanager
def styled() -> Iterator[None]:
    """Draw with the settings of declared figures, whatever the reader's own are."""
    import matplotlib

    with matplotlib.rc_context(DECLARED_RC):
        yield


@dataclass(frozen=True)
class Grid:
    """Panels of a figure: how many columns, how high each is, and what stands around them, inches."""

    panels: int
    columns: int
    panel_height_in: float
    legend_rows: int = 0
    right_in: float = 0.14
    gap_in: float = 0.22
    row_gap_in: float = 0.36
    left_in: float = 0.62
    bottom_in: float = 0.48

    @property
    def rows(self) -> int:
        """Rows of panels."""
        return math.ceil(self.panels / self.columns)


def sheet(grid: Grid, *, titled: bool) -> tuple[Figure, list[Axes]]:
    """Make a figure with its panels.

    Parameters
    ----------
    grid : Grid
        The panels.
    titled : bool
        Leave room for the panels' titles.

    Returns
    -------
    tuple of (matplotlib.figure.Figure, list of matplotlib.axes.Axes)
        The figure, and its panels by row.
    """
    from windtunnel.plots.picture import Picture

    title_in = 0.22 if titled else 0.08
    top_in = title_in + grid.legend_rows * _LEGEND_ROW_IN + (0.05 if grid.legend_rows else 0)
    between_in = grid.row_gap_in + (title_in if titled else 0)
    height_in = top_in + grid.bottom_in + grid.rows * grid.panel_height_in + (grid.rows - 1) * between_in
    figure = Picture(width_in=WIDTH_IN, height_in=height_in, placed=True)
    inner_in = WIDTH_IN - grid.left_in - grid.right_in - (grid.columns - 1) * grid.gap_in
    panel_in = inner_in / grid.columns
    axes = []
    for number in range(grid.panels):
        row, column = divmod(number, grid.columns)
        left = grid.left_in + column * (panel_in + grid.gap_in)
        bottom = height_in - top_in - (row + 1) * grid.panel_height_in - row * between_in
        width, height = panel_in / WIDTH_IN, grid.panel_height_in / height_in
        bounds = (round(left / WIDTH_IN, 6), round(bottom / height_in, 6), round(width, 6), round(height, 6))
        axes.append(figure.add_axes(bounds))
    return figure, axes


def panel_title(dimension: str | None, value: Value | None) -> str:
    """Return a panel's title: the value with its unit.

    Parameters
    ----------
    dimension : str, optional
        The dimension that makes the panels.
    value : str or float, optional
        Its value.

    Returns
    -------
    str
        Empty for a figure of one panel.
    """
    if dimension is None or value is None:
        return ""
    if isinstance(value, str):
        return shown(value)
    return _PANEL_TEXT.get(dimension, dimension + " {:g}").format(value)


def number(value: float) -> str:
    """Write a number plainly.

    Parameters
    ----------
    value : float
        The number.

    Returns
    -------
    str
        Such as ``0.05`` or ``600``.
    """
    return f"{value:g}".replace("-", "\N{MINUS SIGN}")


def numbers(values: Sequence[float]) -> list[str]:
    """Write the ticks of a logarithmic axis: all plainly, or all as powers of ten when one would be long.

    Parameters
    ----------
    values : sequence of float
        Positive numbers.

    Returns
    -------
    list of str
        Such as ``0.05``, ``600`` or ``10⁻⁶``.
    """
    if all(0.9e-3 <= value < 1e5 for value in values):
        return [number(value) for value in values]
    return [_power(value) for value in values]


def _power(value: float) -> str:
    exponent = math.floor(math.log10(value) + 1e-9)
    lead = value / 10**exponent
    power = "10" + str(exponent).translate(_SUPERSCRIPTS)
    return power if math.isclose(lead, 1) else f"{lead:g}\N{MULTIPLICATION SIGN}{power}"


def ticks_at_points(axis: Axes, values: Sequence[float], *, log: bool) -> None:
    """Put the ticks of the x axis at the measured points, and label those that have room.

    Parameters
    ----------
    axis : matplotlib.axes.Axes
        With its limits set.
    values : sequence of float
        Measured x, ascending and positive where `log`.
    log : bool
        A logarithmic axis. One of more than three decades gets decades instead.
    """
    from matplotlib.ticker import FixedFormatter, FixedLocator, NullFormatter

    if log and values[-1] / values[0] > 1e3:
        first, last = (round(math.log10(edge)) for edge in (values[0], values[-1]))
        labelled = [10.0**exponent for exponent in range(first, last + 1)]
    else:
        labelled = _with_room(axis, values)
    axis.xaxis.set_major_locator(FixedLocator(labelled))
    axis.xaxis.set_major_formatter(FixedFormatter(numbers(labelled) if log else [number(value) for value in labelled]))
    axis.xaxis.set_minor_locator(FixedLocator([value for value in values if value not in labelled]))
    axis.xaxis.set_minor_formatter(NullFormatter())


def _with_room(axis: Axes, values: Sequence[float]) -> list[float]:
    """Choose from the right, where labels are longest, the values whose labels do not touch."""
    figure = axis.get_figure(root=True)
    assert figure is not None
    width_in = axis.get_position().width * figure.get_size_inches()[0]
    low, high = axis.get_xlim()
    scale = axis.get_xaxis().get_transform().transform
    start, stop = scale(low), scale(high)
    labelled: list[float] = []
    edge_in = math.inf
    for value in reversed(values):
        centre_in = (scale(value) - start) / (stop - start) * width_in
        half_in = len(number(value)) * _CHARACTER_IN / 2
        if centre_in + half_in + 0.04 <= edge_in:
            labelled.append(value)
            edge_in = centre_in - half_in
    return labelled[::-1]


def y_ticks(axis: Axes, *, log: bool) -> None:
    """Put few, round ticks on the y axis.

    Parameters
    ----------
    axis : matplotlib.axes.Axes
        With its limits set.
    log : bool
        A logarithmic axis: decades, with 2 and 5 in between where there are few of them.
    """
    from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, MaxNLocator, NullFormatter

    if not log:
        axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
        axis.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
        return
    low, high = axis.get_ylim()
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if math.log10(high / low) < 2.2 else (1,)
    major = [step * 10.0**exponent for exponent in exponents for step in steps if low <= step * 10.0**exponent <= high]
    minor = [step * 10.0**exponent for exponent in exponents for step in range(2, 10)]
    axis.yaxis.set_major_locator(FixedLocator(major))
    axis.yaxis.set_major_formatter(FixedFormatter(numbers(major)))
    axis.yaxis.set_minor_locator(FixedLocator([value for value in minor if low <= value <= high and value not in major]))
    axis.yaxis.set_minor_formatter(NullFormatter())


def legend_rows(labels: Sequence[str]) -> list[int]:
    """Return how many entries stand in each row of a legend above the panels, filled like lines of text.

    Parameters
    ----------
    labels : sequence of str
        The entries.

    Returns
    -------
    list of int
        Entries per row; their sum is the number of labels.
    """
    rows: list[int] = []
    used_in = math.inf
    for label in labels:
        width_in = len(label) * _CHARACTER_IN + _HANDLE_IN
        if used_in + width_in > WIDTH_IN - 0.6:
            rows.append(0)
            used_in = 0.0
        rows[-1] += 1
        used_in += width_in
    return rows


def legend_above(figure: Figure, handles: Sequence[Artist], *, left_in: float) -> None:
    """Put a legend in rows above the panels, aligned with their left edge.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    handles : sequence of matplotlib.artist.Artist
        Its entries, with labels.
    left_in : float
        Where the panels begin, inches.
    """
    height_in = figure.get_size_inches()[1]
    spacing = {"columnspacing": 1.4, "handlelength": 2.0, "handletextpad": 0.5, "borderpad": 0.2, "labelspacing": 0.35}
    start = 0
    for row, count in enumerate(legend_rows([str(handle.get_label()) for handle in handles])):
        place = ((left_in - 0.06) / WIDTH_IN, 1 - (0.03 + row * _LEGEND_ROW_IN) / height_in)
        entries = list(handles[start : start + count])
        figure.legend(handles=entries, loc="upper left", bbox_to_anchor=place, ncols=count, borderaxespad=0, **spacing)
        start += count
