"""How fast AIMD flows come to share: positive systems.

Source: R. Shorten, F. Wirth, D. Leith, "A positive systems model of TCP-like congestion control: asymptotic results", IEEE/ACM ToN 14(3),
2006. The windows at successive congestion events obey w(k+1) = A w(k) while their sum at an event is the pipe and the buffer.
"""

from __future__ import annotations

import numpy as np

from windtunnel.theory.numeric import Array, ArrayLike, array, within


def transition_matrix(*, keeps: ArrayLike, gains: ArrayLike, synchronisation: ArrayLike = 1.0) -> Array:
    """Return A = diag(beta) + g (1 - beta)^T/sum(g).

    Parameters
    ----------
    keeps : array_like, shape (n,)
        Share of the window each flow keeps, in (0, 1).
    gains : array_like, shape (n,)
        Growth of each flow, alpha/T, packets per second.
    synchronisation : array_like
        Share of the congestion events at which a flow backs off; below 1 this is the mean matrix, with 1 - lambda (1 - beta) for beta.

    Returns
    -------
    numpy.ndarray, shape (n, n)
        Columns sum to 1.
    """
    beta = np.atleast_1d(mean_keep(keeps, synchronisation=synchronisation))
    g = np.broadcast_to(within(gains, above=0), beta.shape)
    return np.diag(beta) + np.outer(g / g.sum(), 1 - beta)


def perron_vector(*, keeps: ArrayLike, gains: ArrayLike, synchronisation: ArrayLike = 1.0) -> Array:
    """Return the shares of the windows to which the flows converge: in proportion to g/(lambda (1 - beta)).

    Parameters as for `transition_matrix`. Shape (n,); sums to 1. These are windows at events, not rates: see `rtt_unfairness`.
    """
    beta = np.atleast_1d(mean_keep(keeps, synchronisation=synchronisation))
    weight = np.broadcast_to(within(gains, above=0), beta.shape) / (1 - beta)
    return array(weight / weight.sum())


def mean_keep(keep: ArrayLike, *, synchronisation: ArrayLike = 1.0) -> Array:
    """Return the share kept per congestion event of a flow that backs off at a share lambda of them: 1 - lambda (1 - beta)."""
    return 1 - within(synchronisation, above=0, at_most=1) * (1 - within(keep, above=0, below=1))


def epochs_to_converge(keep: ArrayLike, *, remaining: ArrayLike = 0.2, synchronisation: ArrayLike = 1.0) -> Array:
    """Return the epochs after which a gap between equal flows is a share of what it was: ln(remaining)/ln(beta).

    Parameters
    ----------
    keep : array_like
        Share kept, common to all flows, in (0, 1).
    remaining : array_like
        Share of the gap that is left, in (0, 1): 0.2 is 80 % convergence from nothing.
    synchronisation : array_like
        Share of the events at which a flow backs off, in (0, 1].

    Returns
    -------
    numpy.ndarray
        Epochs, not whole. Scalable and other multiplicative increases never converge while losses are synchronised; nothing here applies.
    """
    return np.log(within(remaining, above=0, below=1)) / np.log(mean_keep(keep, synchronisation=synchronisation))


def gap_after(epochs: ArrayLike, *, keep: ArrayLike) -> Array:
    """Return the share of a gap between equal synchronised flows that is left after some epochs: beta^k."""
    return within(keep, above=0, below=1) ** array(epochs)
