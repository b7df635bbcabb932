"""The interactive form of an experiment's figure: what its script draws, and where its points lead."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from windtunnel.plots.axes import panel_title
from windtunnel.plots.declared import Curves, Histories
from windtunnel.plots.histories import chosen_histories
from windtunnel.plots.live import live_curves
from windtunnel.plots.points import Point
from windtunnel.report.model import Figure
from windtunnel.report.names import Places, file_name, run_href, value_title
from windtunnel.report.series import LARGEST_CHART, LARGEST_PAGE, is_charted
from windtunnel.report.text import mean_and_error

MOST_PANELS = 8
"""Histories drawn live in one figure; each loads the data of a run."""


def live_figure(figure: Figure, places: Places, *, stored: Container[str]) -> tuple[dict[str, Any] | None, list[str]]:
    """Return what draws a figure in the browser.

    Parameters
    ----------
    figure : Figure
        The figure.
    places : Places
        The pages of its experiment's points.
    stored : container of str
        Keys of the runs that have pages.

    Returns
    -------
    tuple of (dict or None, list of str)
        JSON types, None for a figure that is shown as printed; and the names of the data it needs beside its own.
    """
    declaration = figure.declaration
    if isinstance(declaration, Curves) and figure.measures is not None:
        return _curves(declaration, figure, places), []
    if isinstance(declaration, Histories):
        return _histories(declaration, figure, places, stored)
    return None, []


def _curves(declaration: Curves, figure: Figure, places: Places) -> dict[str, Any] | None:
    assert figure.measures is not None

    def describe(point: Point, measured_by: str) -> dict[str, Any]:
        place = {declaration.series: point.series, declaration.x: point.x}
        place |= {} if declaration.panels is None or point.panel is None else {declaration.panels: point.panel}
        known = {name: value for name, value in {**declaration.fixed, **place}.items() if _is_dimension(places, name)}
        said = mean_and_error(point.mean, point.sem if point.n > 1 else float("nan"))
        more = f", n = {point.n}" if point.n > 1 else ""
        text = ", ".join(value_title(name, value) for name, value in place.items())
        return {"h": places.href(known), "t": f"{text}, {measured_by}" if measured_by else text, "v": f"{said}{more}"}

    try:
        return {"kind": "curves", **live_curves(declaration, figure.measures, describe, figure.beside)}
    except ValueError:
        return None  # Drawing says why.


def _is_dimension(places: Places, name: str) -> bool:
    return any(name in page.point.values for page in places.pages)


def _histories(declaration: Histories, figure: Figure, places: Places, stored: Container[str]) -> tuple[dict[str, Any] | None, list[str]]:
    try:
        histories = chosen_histories(declaration, figure.histories)
    except ValueError:
        return None, []  # Drawing says why.
    if len(histories) > MOST_PANELS or not is_charted(declaration.quantity) or any(history.run not in stored for history in histories):
        return None, []
    # What all figures of a page load must stay small enough for a page.
    numbers = sum(min(history.flow_samples.height, LARGEST_CHART) for history in histories)
    sharing = sum(isinstance(one.declaration, Histories) for one in places.section.figures)
    if numbers * sharing > LARGEST_PAGE:
        return None, []
    names = [f"{history.run}-{declaration.quantity}" for history in histories]
    panels = [
        {
            "title": panel_title(declaration.panels, history.point[declaration.panels]) if declaration.panels else "",
            "data": name,
            "run": run_href(history.run),
        }
        for history, name in zip(histories, names, strict=True)
    ]
    live = {"kind": "histories", "name": declaration.name, "title": declaration.title, "y_label": declaration.y_label, "panels": panels}
    return live, [file_name(name) for name in names]
