"""A sweep as a notebook shows it: a small figure, its first rows, and what was run."""

from __future__ import annotations

import base64
from html import escape

import polars as pl

from windtunnel.extras import is_installed
from windtunnel.scenario import ScenarioError
from windtunnel.sweeps.frame import dimensions_of


class SweepFrame(pl.DataFrame):
    """The frame of a sweep. It is a frame like any other; in a notebook it shows a figure of its first measure, too."""

    def _repr_html_(self, *, _from_series: bool = False) -> str:
        try:
            dimensions = dimensions_of(self)
        except ScenarioError:
            # Rows of it without its columns.
            return str(super()._repr_html_(_from_series=_from_series))
        return f"<div>{_heading(self, dimensions)}{_picture(self, dimensions)}{super()._repr_html_()}</div>"


def _heading(frame: pl.DataFrame, dimensions: list[str]) -> str:
    points = frame.select(dimensions).n_unique()
    counts = ", ".join(f"{name} ({frame[name].n_unique()})" for name in dimensions)
    return f"<p><b>{points} points of {escape(counts)}</b>; {len(frame)} runs, {frame['seed'].n_unique()} seeds</p>"


def _picture(frame: pl.DataFrame, dimensions: list[str]) -> str:
    """Draw the first measure that can be drawn; nothing without one, or where nothing is installed that draws."""
    if not is_installed("matplotlib"):
        return ""
    from windtunnel.plots.picture import Picture
    from windtunnel.sweeps.figures import plot_sweep

    measures = [name for name in frame.columns if name not in (*dimensions, "seed", "run")]
    for measure in measures:
        try:
            drawn = plot_sweep(frame, measure)
        except ScenarioError:
            continue
        if isinstance(drawn, Picture):
            picture = base64.b64encode(drawn.png()).decode("ascii")
            return (
                f'<img alt="{escape(measure)} with standard errors" style="max-width: 42em" src="data:image/png;base64,{picture}">'
                f"<p>{escape(measure)}: means over the seeds with their standard errors; windtunnel.plot_sweep draws the other measures</p>"
            )
    return ""
