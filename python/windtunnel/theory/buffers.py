"""How much buffer a protocol needs, and what less of it costs.

Sources: C. Villamizar, C. Song (CCR 24(5), 1994) for B = P; G. Appenzeller, I. Keslassy, N. McKeown (SIGCOMM 2004) for B = P/sqrt(n); the
efficiency below a full buffer is integrated from AIMD with the RTT max(T, w/C). Fluid: no bursts, so real queues of a few packets do worse.
"""

from __future__ import annotations

import numpy as np

from windtunnel.theory.laws import WindowLaw
from windtunnel.theory.numeric import Array, ArrayLike, array, integral, within
from windtunnel.theory.path import Path


def full_utilisation_buffer(keep: ArrayLike) -> Array:
    """Return the buffer, in BDP, from which one flow or n synchronised flows never empty the link: (1 - beta)/beta.

    Parameters
    ----------
    keep : array_like
        Share of the window kept, in (0, 1].

    Returns
    -------
    numpy.ndarray
        Buffer over BDP.
    """
    beta = within(keep, above=0, at_most=1)
    return (1 - beta) / beta


def adaptive_keep(buffer_bdp: ArrayLike, *, low: float = 0.5, high: float = 0.8) -> Array:
    """Return H-TCP's adaptive share kept at a full queue, T_min/T_max = 1/(1 + q), within its bounds.

    Source: draft-leith-tcp-htcp-06, section 3. `buffer_bdp` is q, at least 0.
    """
    return np.clip(1 / (1 + within(buffer_bdp, at_least=0)), low, high)


def unsynchronised_buffer(flows: ArrayLike) -> Array:
    """Return the buffer, in BDP, that keeps a link busy under n long, unsynchronised Reno flows: 1/sqrt(n), n at least 1."""
    return 1 / np.sqrt(within(flows, at_least=1))


def aimd_efficiency(buffer_bdp: ArrayLike, *, keep: ArrayLike = 0.5) -> Array:
    """Return the utilisation of a link by AIMD flows that back off together.

    Parameters
    ----------
    buffer_bdp : array_like
        q, buffer over BDP, at least 0.
    keep : array_like
        beta, share kept, in (0, 1).

    Returns
    -------
    numpy.ndarray
        Fraction of the link rate: (1 - beta^2)(1+q)^2/((1+q)^2 + 1 - 2 beta (1+q)), and 1 from beta (1+q) = 1.
    """
    top, beta = 1 + within(buffer_bdp, at_least=0), within(keep, above=0, below=1)
    value = (1 - beta**2) * top**2 / (top**2 + 1 - 2 * beta * top)
    return np.where(beta * top >= 1, 1.0 + 0 * value, value)


def aimd_mean_queue(buffer_bdp: ArrayLike, *, keep: ArrayLike = 0.5) -> Array:
    """Return the time-average queue, in BDP, of AIMD flows that back off together.

    Parameters as for `aimd_efficiency`. Integrated from max(beta (1+q), 1) to 1 + q with the time per packet of window equal to the RTT.
    """
    top, beta = 1 + within(buffer_bdp, at_least=0), within(keep, above=0, below=1)
    low = beta * top
    start = np.maximum(low, 1.0)
    time = np.maximum(1 - low, 0.0) + (top**2 - start**2) / 2
    area = (top**3 - start**3) / 3 - (top**2 - start**2) / 2
    return array(area / time)


def efficiency(law: WindowLaw, *, path: Path, flows: int = 1) -> Array:
    """Return the utilisation by n synchronised flows of any law whose increase depends on the window.

    Parameters
    ----------
    law : WindowLaw
        Increase and decrease of each flow.
    path : Path
        The bottleneck; the flows share its RTT.
    flows : int
        n.

    Returns
    -------
    numpy.ndarray
        Fraction of the link rate: packets of an epoch over capacity x its length, integral of max(T, n w/C) dw/a(w).
    """
    top, idle, capacity, rtt = np.broadcast_arrays(path.full / flows, path.pipe / flows, path.capacity, array(path.rtt_s))
    low = law.keep(top) * top
    breaks = (*law.breaks(top), idle)
    packets = integral(lambda w: flows * w / law.per_rtt(w, peak=top), low=low, high=top, breaks=breaks)
    length = integral(lambda w: np.maximum(rtt, flows * w / capacity) / law.per_rtt(w, peak=top), low=low, high=top, breaks=breaks)
    return packets / (capacity * length)
