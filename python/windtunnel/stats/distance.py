"""How far apart two distributions are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def ks_distance(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Return the two-sample Kolmogorov-Smirnov distance: the largest difference of the empirical distribution functions.

    Parameters
    ----------
    first, second : array_like, shape (n,) and (m,)
        The samples, in one unit; quantiles at evenly spread levels stand for the samples they were taken of, within half a level each.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        When a sample is empty or holds NaN.

    Notes
    -----
    Source: N. V. Smirnov, "Table for estimating the goodness of fit of empirical distributions", Annals of Mathematical Statistics
    19(2), 1948.
    """
    a, b = (np.sort(np.asarray(part, dtype=np.float64).ravel()) for part in (first, second))
    if not a.size or not b.size or np.isnan(a).any() or np.isnan(b).any():
        raise ValueError("a sample is empty or holds NaN; allowed: at least one number each")
    at = np.concatenate((a, b))
    below = [np.searchsorted(part, at, side="right") / part.size for part in (a, b)]
    return float(np.abs(below[0] - below[1]).max())
