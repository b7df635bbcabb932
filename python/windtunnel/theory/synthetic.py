"""Two increase functions with the same ends and different shapes.

Source: D. Leith, R. Shorten, "Next generation TCP: open questions", PFLDnet 2008, section II.B. w is the window just before the last
back-off: only this reading meets the paper's own steady state. Time in any unit.
"""

from __future__ import annotations

import numpy as np

from windtunnel.theory.numeric import Array, ArrayLike, array, within

SHAPES = ("convex", "concave-convex")


def regain_time(window: ArrayLike, *, keep: ArrayLike = 0.5, c: ArrayLike = 0.5) -> Array:
    """Return T_w, after which both functions are back at w (packets): cbrt((1 - beta) w/c)."""
    return np.cbrt((1 - within(keep, above=0, below=1)) * within(window, above=0) / within(c, above=0))


def convex(t: ArrayLike, *, window: ArrayLike, keep: ArrayLike = 0.5, c: ArrayLike = 0.5) -> Array:
    """Return the convex function, beta w + c T^3, packets."""
    return array(keep) * array(window) + array(c) * within(t, at_least=0) ** 3


def concave_convex(t: ArrayLike, *, window: ArrayLike, keep: ArrayLike = 0.5, c: ArrayLike = 0.5) -> Array:
    """Return the concave, then convex function, w + c (T - T_w)^3, packets."""
    return array(window) + array(c) * (within(t, at_least=0) - regain_time(window, keep=keep, c=c)) ** 3


def mean_over_peak(keep: ArrayLike) -> tuple[Array, Array]:
    """Return mean over peak window in the steady state of the convex, (1 + 3 beta)/4, and the other function, (3 + beta)/4."""
    beta = within(keep, above=0, below=1)
    return (1 + 3 * beta) / 4, (3 + beta) / 4


def mean_cubed_interval(p: ArrayLike) -> Array:
    """Return E[T^3] of geometric intervals, P(T = k) = p (1 - p)^(k-1): (6 - 6 p + p^2)/p^3; p in (0, 1]."""
    loss = within(p, above=0, at_most=1)
    return (6 - 6 * loss + loss**2) / loss**3


def mean_peak_convex(p: ArrayLike, *, keep: ArrayLike = 0.5, c: ArrayLike = 0.5) -> Array:
    """Return the convex function's mean window at a back-off under such intervals: c E[T^3]/(1 - beta), packets."""
    return array(c) * mean_cubed_interval(p) / (1 - within(keep, above=0, below=1))


def peaks(shape: str, intervals: ArrayLike, *, keep: float = 0.5, c: float = 0.5, start: float = 1.0) -> Array:
    """Return the window just before every loss, the law iterated over given times between losses.

    Parameters
    ----------
    shape : {"convex", "concave-convex"}
        Which of the two functions.
    intervals : array_like, shape (n,)
        Times from one loss to the next.
    keep, c : float
        As in `convex`.
    start : float
        The window before the first back-off, packets.

    Returns
    -------
    numpy.ndarray, shape (n,)
        Packets.

    Raises
    ------
    ValueError
        If there is no such function.
    """
    if shape not in SHAPES:
        raise ValueError(f"shape: {shape!r} is none of {', '.join(SHAPES)}")
    window, found = float(start), []
    for interval in array(intervals).tolist():
        if shape == "convex":
            window = keep * window + c * interval**3
        else:
            window += c * (interval - ((1 - keep) * window / c) ** (1 / 3)) ** 3
        found.append(window)
    return array(found)
