"""Distributions of the window: which values are pooled, their spread, and their quantiles."""

from __future__ import annotations

import numpy as np

from windtunnel.metrics.backoffs import Array
from windtunnel.metrics.view import View

SYNTHETIC = ("convex", "concave-convex")
"""Protocols whose distribution is of the window at back-offs; of all others it is of the window at every sample."""
UNSETTLED = 1000
"""Back-offs left out of the first, of each flow: the process has forgotten its start by then."""
LEVELS = tuple(float(level) for level in (np.arange(200) + 0.5) / 200)
"""Where the quantiles that stand for a distribution are taken: the middles of 200 equal parts."""


def windows(view: View, flows: tuple[int, ...], t0: float, t1: float) -> Array:
    """Return the windows whose distribution is compared, of some flows together.

    Parameters
    ----------
    view : View
        The run.
    flows : tuple of int
        Flow numbers.
    t0, t1 : float
        Seconds; of no meaning for the synthetic protocols, whose back-offs after the first thousand all count.

    Returns
    -------
    numpy.ndarray, shape (n,)
        Packets.

    Notes
    -----
    Source: Leith, Shorten (PFLDnet 2008), Figs 4 to 6; the register, `cov`.
    """
    parts = [np.empty(0)]
    for flow in flows:
        if view.name(flow).partition(":")[0] in SYNTHETIC:
            parts.append(view.backoffs(flow).before_packets[UNSETTLED:])
        else:
            series = view.series(flow)
            parts.append(series.cwnd_packets[(series.t_s >= t0) & (series.t_s <= t1)])
    return np.concatenate(parts)


def quantile(values: Array, level: float) -> float | None:
    """Return the smallest value that at least this share of the values do not exceed; None without values."""
    return float(np.quantile(values, level, method="inverted_cdf")) if values.size else None


def level_pkts(level: float, view: View) -> float | None:
    """Return a quantile of the windows of the flows under test over the default window, packets.

    Parameters
    ----------
    level : float
        In (0, 1); the claims' `ks` compares two runs by all of `LEVELS`.
    view : View
        The run.

    Returns
    -------
    float or None
        None without windows.
    """
    return quantile(windows(view, view.under_test, *view.window_s), level) if view.under_test else None
