"""Draw a metric by two names: numbers in tinted cells."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

from windtunnel.plots.axes import Grid, sheet, styled
from windtunnel.plots.declared import Matrix
from windtunnel.plots.style import ABOVE, BELOW, INK, PAPER, QUIET, TINTS, shade

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ROW_IN = 0.26
_LETTER_IN = 0.066
_NEAR = 0.04
"""Within this share of the way from the centre to a limit a cell has no tint."""


def cells_of(declaration: Matrix, measures: pl.DataFrame) -> dict[tuple[str, str], float]:
    """Return the mean over repeats of each cell, by row and column, mirrored ones included.

    Raises
    ------
    ValueError
        When the table has no row of the metric, or lacks a column the declaration names.
    """
    lacking = [name for name in (declaration.x, declaration.y, *declaration.fixed) if name not in measures.columns]
    if lacking:
        raise ValueError(f"figure {declaration.name!r}: the table has no column {lacking[0]!r}")
    chosen = measures.filter(pl.col("metric") == declaration.metric, pl.col("value").is_not_null(), pl.col("value").is_not_nan())
    for column, value in declaration.fixed.items():
        chosen = chosen.filter(pl.col(column) == value)
    means = chosen.group_by(declaration.y, declaration.x, maintain_order=True).agg(pl.col("value").mean())
    found = {(str(row), str(column)): float(value) for row, column, value in means.iter_rows()}
    if not found:
        raise ValueError(f"figure {declaration.name!r}: the table has no row of {declaration.metric} with these values")
    if declaration.mirrored is not None:
        found |= {(column, row): declaration.mirrored - value for (row, column), value in found.items() if (column, row) not in found}
    return found


def draw_matrix(declaration: Matrix, measures: pl.DataFrame | None) -> Figure:
    """Draw the means of a metric, a row and a column for each name.

    Parameters
    ----------
    declaration : Matrix
        The figure.
    measures : polars.DataFrame, optional
        The measures table.

    Returns
    -------
    matplotlib.figure.Figure
        In the units of the metric.

    Raises
    ------
    ValueError
        When there is no table or nothing in it to draw.
    """
    if measures is None:
        raise ValueError(f"figure {declaration.name!r}: a measures table is needed")
    from matplotlib.patches import Rectangle

    cells = cells_of(declaration, measures)
    rows, columns = (list(dict.fromkeys(key[side] for key in cells)) for side in (0, 1))
    if declaration.mirrored is not None:
        columns = rows  # In one order, so that the diagonal is one.
    longest_in = _LETTER_IN * max(len(name) for name in (*rows, *columns)) + 0.12
    with styled():
        figure, (axis,) = sheet(Grid(1, 1, _ROW_IN * len(rows), left_in=longest_in, bottom_in=0.72 * longest_in + 0.05), titled=False)
        axis.set_xlim(0, len(columns))
        axis.set_ylim(len(rows), 0)
        for y, row in enumerate(rows):
            for x, column in enumerate(columns):
                value = cells.get((row, column), math.nan)
                axis.add_patch(Rectangle((x, y), 1, 1, facecolor=_tint(declaration, value), edgecolor=PAPER, linewidth=0.8))
                text, colour = ("\N{EN DASH}", QUIET) if math.isnan(value) else (f"{value:.2f}", INK)
                axis.text(x + 0.5, y + 0.5, text, ha="center", va="center", fontsize=6.8, color=colour)
        axis.set_yticks([y + 0.5 for y in range(len(rows))], rows)
        axis.set_xticks([x + 0.5 for x in range(len(columns))], columns)
        for label in axis.get_xticklabels():
            label.set(rotation=45, ha="right", rotation_mode="anchor")
        axis.tick_params(length=0)
        axis.grid(visible=False)
        for spine in axis.spines.values():
            spine.set_visible(False)
        return figure


def _tint(declaration: Matrix, value: float) -> str:
    """Return a cell's colour."""
    low, high = declaration.y_limits
    if math.isnan(value):
        return PAPER
    room = high - declaration.centre if value > declaration.centre else declaration.centre - low
    share = min(abs(value - declaration.centre) / room, 1.0) if room > 0 else 0.0
    if share < _NEAR:
        return PAPER
    return shade(ABOVE if value > declaration.centre else BELOW, TINTS[min(int(share * len(TINTS)), len(TINTS) - 1)])


def remarks_on_matrix(declaration: Matrix, measures: pl.DataFrame) -> list[str]:
    """Say how many repeats a cell is the mean of, and what its tint means."""
    chosen = measures.filter(pl.col("metric") == declaration.metric, pl.col("value").is_not_null())
    repeats = sorted(set(chosen.group_by(declaration.y, declaration.x).len()["len"].to_list()))
    said = [f"Blue above {declaration.centre:g}, orange below, the stronger the further."]
    if repeats and repeats[-1] > 1:
        count = f"{repeats[0]}" if len(repeats) == 1 else f"{repeats[0]} to {repeats[-1]}"
        said.insert(0, f"Numbers are means of {count} repeats.")
    return said
