"""The windows of both sides over each other, drawn from stored runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from windtunnel.agreement.grid import ONE, STARTS
from windtunnel.agreement.runs import Point, first_run
from windtunnel.plots import Course, Panel, draw_overlaid, write_forms
from windtunnel.store import Results


def draw(stem: Path, experiment: str, point: Point, sides: Sequence[Results], names: tuple[str, str]) -> tuple[tuple[float, float], str]:
    """Draw the first seed's run of a scenario.

    Parameters
    ----------
    stem : Path
        The SVG's name without suffix.
    experiment : str
        The arrangement of flows.
    point : Point
        Protocol and path.
    sides : sequence of Results, shape (2,)
        What both sides measured.
    names : tuple of str
        What they are called.

    Returns
    -------
    tuple of ((float, float), str)
        Width and height in inches, and a caption.

    Raises
    ------
    ResultsError
        When the run is missing or damaged.
    """
    views = [first_run(side, experiment, point) for side in sides]
    ours = views[0]
    panels = []
    for flow in ours.foreground:
        start_s = ours.start_s(flow)
        since = f", from {start_s:.1f} s" if start_s else ""
        title = f"{ours.name(flow)}, {1e3 * ours.base_rtt_s(flow):g} ms{since}"
        series = [view.series(flow) for view in views]
        panels.append(Panel(title, *(Course(one.t_s, one.cwnd_packets) for one in series)))
    figure = draw_overlaid(point[0], panels, end_s=ours.duration_s, names=names)
    caption = (
        "Without jitter."
        if experiment == ONE
        else "Without jitter, the first start."
        if experiment == STARTS
        else "The first seed. Each side draws its own jitter: the runs part, their means are compared."
    )
    return write_forms(figure, stem, (".svg",)), caption
