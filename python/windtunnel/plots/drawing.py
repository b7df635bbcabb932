"""What is drawn of a declared figure, and what is said of it. Matplotlib loads with the first figure that is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from windtunnel.plots.compared import draw_compared
from windtunnel.plots.curves import draw_curves
from windtunnel.plots.declared import Compared, Curves, Declaration, Ellipses, Histories, History, Matrix
from windtunnel.plots.ellipses import draw_ellipses, remarks_on_ellipses
from windtunnel.plots.histories import draw_histories
from windtunnel.plots.matrix import draw_matrix, remarks_on_matrix
from windtunnel.plots.points import named_points_of, others_of, points_of, remarks_on

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure


def draw(
    declaration: Declaration,
    *,
    measures: pl.DataFrame | None = None,
    histories: Sequence[History] = (),
    beside: Mapping[str, pl.DataFrame] | None = None,
) -> Figure:
    """Draw a declared figure.

    Parameters
    ----------
    declaration : Curves, Compared, Histories, Matrix or Ellipses
        What to draw.
    measures : polars.DataFrame, optional
        The experiment's measures table; needed by all but `Histories`.
    histories : sequence of History
        Runs with samples; needed by `Histories`.
    beside : mapping of str to polars.DataFrame, optional
        The measures of other backends by what a reader calls each; drawn half-filled beside the others by `Curves` and `Compared`.

    Returns
    -------
    matplotlib.figure.Figure
        In the size it has in a paper, inches.

    Raises
    ------
    ValueError
        When there is nothing to draw: no row of the metric, or no run of the protocol.
    """
    if isinstance(declaration, Curves):
        return draw_curves(declaration, measures, beside or {})
    if isinstance(declaration, Compared):
        return draw_compared(declaration, measures, beside or {})
    if isinstance(declaration, Matrix):
        return draw_matrix(declaration, measures)
    if isinstance(declaration, Ellipses):
        return draw_ellipses(declaration, measures)
    return draw_histories(declaration, histories)


def remarks(
    declaration: Declaration, *, measures: pl.DataFrame | None = None, beside: Mapping[str, pl.DataFrame] | None = None
) -> list[str]:
    """Say what a reader must know to read the figure: repeats, error bars, and how many points are missing and why.

    Parameters
    ----------
    declaration : Curves, Compared, Histories, Matrix or Ellipses
        The figure.
    measures : polars.DataFrame, optional
        The experiment's measures table.
    beside : mapping of str to polars.DataFrame, optional
        Those of other backends.

    Returns
    -------
    list of str
        Whole sentences for the caption; empty for `Histories`.
    """
    if isinstance(declaration, Histories) or measures is None:
        return []
    if isinstance(declaration, Matrix):
        return remarks_on_matrix(declaration, measures)
    if isinstance(declaration, Ellipses):
        return remarks_on_ellipses(declaration, measures)
    points = named_points_of(declaration, measures) if isinstance(declaration, Compared) else points_of(declaration, measures)
    return remarks_on(declaration, points, others_of(declaration, beside or {}))
