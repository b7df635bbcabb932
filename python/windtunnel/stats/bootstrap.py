"""Which repeats a resample draws: fixed by a name, so that a second evaluation is identical."""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

SEED = 20071015
"""The fixed number beside the name. Changing it changes every interval a little."""


def bootstrap_indices(n: int, resamples: int, *, name: str) -> npt.NDArray[np.int64]:
    """Return the repeats that each bootstrap resample draws, with replacement.

    Parameters
    ----------
    n : int
        Number of repeats, at least 1.
    resamples : int
        Number of resamples.
    name : str
        What the resamples are for; with a fixed number it seeds the generator.

    Returns
    -------
    numpy.ndarray of int64, shape (resamples, n)
        Indices from 0 to n - 1.

    Raises
    ------
    ValueError
        When `n` is below 1 or `resamples` below 0.

    Notes
    -----
    Source: B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7(1), 1979; the seeding is the register's
    (`verdict_rules`). The generator is PCG64, whose integers are the same on every machine.
    """
    if n < 1 or resamples < 0:
        raise ValueError(f"n is {n} and resamples is {resamples}; allowed: n from 1, resamples from 0")
    words = np.frombuffer(hashlib.sha256(name.encode()).digest(), dtype="<u4").tolist()
    generator = np.random.Generator(np.random.PCG64([SEED, *words]))
    return generator.integers(0, n, size=(resamples, n), dtype=np.int64)
