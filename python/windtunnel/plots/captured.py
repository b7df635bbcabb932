"""The figure of a capture that was read: estimated window, goodput, RTT, retransmissions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from windtunnel.plots.figures import bin_s, figure_of, per_bin, styled
from windtunnel.plots.style import LINE_STYLES

if TYPE_CHECKING:
    from windtunnel.plots.picture import Picture

MOST = 8
"""Flows that one figure shows."""


def captured(samples: pl.DataFrame, *, flows: Sequence[str], title: str) -> Picture:
    """Draw a capture's flows on one time axis; of many the first.

    Parameters
    ----------
    samples : polars.DataFrame, shape (rows, ...)
        `t_s`, `flow`, `cwnd_packets`, `srtt_s`, `delivered_bytes`, `retransmitted_packets`; null where unknown.
    flows : sequence of str
        Their names, by number.
    title : str
        Above the figure.

    Returns
    -------
    matplotlib.figure.Figure
        Four panels: packets, Mbit/s, milliseconds, packets per interval; time in seconds.
    """
    end_s = float(samples["t_s"].max() or 0.0) if samples.height else 0.0  # type: ignore[arg-type]
    width_s = bin_s(end_s)
    with styled():
        figure, axes = figure_of(4, (2.2, 1.6, 1.3, 1.1))
        for number, name in enumerate(flows[:MOST]):
            own = samples.filter(pl.col("flow") == number).sort("t_s")
            if own.is_empty():
                continue
            line: dict[str, Any] = {"color": f"C{number}", "linestyle": LINE_STYLES[number % len(LINE_STYLES)], "linewidth": 0.9}
            t_s = own["t_s"].to_numpy()
            axes[0].plot(t_s, own["cwnd_packets"].to_numpy(), label=name, **line)
            edges = np.arange(t_s[0], t_s[-1] + 1e-9, width_s)
            if edges.size > 1:
                delivered = np.interp(edges, t_s, own["delivered_bytes"].cast(pl.Float64).to_numpy())
                axes[1].plot((edges[1:] + edges[:-1]) / 2, np.diff(delivered) * 8 / width_s / 1e6, **line)
            axes[2].plot(t_s, own["srtt_s"].to_numpy() * 1e3, **line)
            binned = per_bin(t_s, own["retransmitted_packets"].cast(pl.Float64).to_numpy(), width_s=width_s, end_s=end_s)
            if binned is not None:
                axes[3].plot(*binned, drawstyle="steps-mid", **line)
        labels = ("estimated\nwindow (packets)", "goodput (Mbit/s)", "smoothed\nRTT (ms)", f"sent again\n(packets\nper {width_s:g} s)")
        for axis, label in zip(axes, labels, strict=True):
            axis.set_ylabel(label)
            axis.set_ylim(bottom=0)
        axes[-1].set_xlabel("time (s)")
        axes[-1].set_xlim(0, end_s or 1.0)
        shown = None if len(flows) <= MOST else f"first {MOST} of {len(flows)} flows"
        if axes[0].get_legend_handles_labels()[0]:
            figure.legend(loc="outside lower center", title=shown, title_fontsize=7, ncols=2)
        figure.align_ylabels(axes)
        figure.suptitle(title, fontsize=8, x=0.01, ha="left")
        return figure
