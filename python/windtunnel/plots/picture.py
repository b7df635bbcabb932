"""A figure that shows itself in a notebook. This module loads matplotlib: it is imported where the first figure is drawn."""

from __future__ import annotations

import io

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from windtunnel.plots.style import RC

DOTS_PER_INCH = 100


class Picture(Figure):
    """A matplotlib figure that a notebook shows as a picture, whether or not a backend of matplotlib's was chosen there.

    Parameters
    ----------
    width_in, height_in : float
        Its size in inches.
    placed : bool
        Whether its panels get places of their own, in place of those that a layout finds by drawing all of it once more.
    """

    def __init__(self, *, width_in: float, height_in: float, placed: bool = False) -> None:
        super().__init__(figsize=(width_in, height_in), layout=None if placed else "constrained")
        FigureCanvasAgg(self)

    def png(self) -> bytes:
        """Return the figure as a PNG file."""
        written = io.BytesIO()
        with matplotlib.rc_context(RC):
            self.savefig(written, format="png", dpi=DOTS_PER_INCH)
        return written.getvalue()

    def _repr_png_(self) -> bytes:
        return self.png()
