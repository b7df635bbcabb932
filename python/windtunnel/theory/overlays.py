"""Theory as curves: x and y in the units of a figure's axes, for the figures of the suites.

The only module of the package with units other than SI: Mbit/s, ms, and queues in BDP (`q`, of the path of the longer RTT). A name of
`OVERLAYS` and arguments of numbers and strings are all a figure needs to store. NaN where a curve is undefined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from windtunnel.theory import buffers, illinois, laws, overhead, refill, responses, rtt_unfairness, synchronised
from windtunnel.theory.numeric import Array, ArrayLike, array, within
from windtunnel.theory.path import Path

MBPS = 1e6
MS = 1e-3


def response_mbps(p: ArrayLike, *, protocol: str, rate_mbps: float, rtt_ms: float) -> Array:
    """Return the response function, Mbit/s, against the loss probability, capped at the link's rate: Fig. 10.

    Parameters
    ----------
    p : array_like
        Loss probability per packet, in (0, 1).
    protocol : str
        One of `responses.PROTOCOLS`; FAST has no response function.
    rate_mbps : float
        Link rate, Mbit/s.
    rtt_ms : float
        RTT, ms.

    Returns
    -------
    numpy.ndarray
        Mbit/s.

    Raises
    ------
    ValueError
        If the protocol has no response function.
    """
    return responses.response_rate_bps(p, protocol=protocol, rtt_s=rtt_ms * MS, rate_bps=rate_mbps * MBPS) / MBPS


def aimd_utilisation(q: ArrayLike, *, keep: float) -> Array:
    """Return the utilisation (fraction) of AIMD flows that back off together, against the buffer in BDP.

    Parameters
    ----------
    q : array_like
        Buffer over BDP, at least 0.
    keep : float
        Share kept: 0.5 for Reno, 0.8 for BIC and H-TCP, 0.875 for Scalable.

    Returns
    -------
    numpy.ndarray
        In (0, 1].
    """
    return buffers.aimd_efficiency(q, keep=keep)


def aimd_aggregate_mbps(q: ArrayLike, *, keep: float, rate_mbps: float) -> Array:
    """Return the aggregate throughput that goes with `aimd_utilisation`, Mbit/s: Fig. 7. `rate_mbps` is the link's rate."""
    return rate_mbps * aimd_utilisation(q, keep=keep)


def eq4_printed(rtt_ms: ArrayLike, *, fixed_ms: float, rate_mbps: float, q: float, queue: str = "mean") -> Array:
    """Return eq. (4) as printed: throughput of the shorter-RTT over the longer-RTT flow, against the RTT of the swept flow; Fig. 5.

    Parameters
    ----------
    rtt_ms : array_like
        Base RTT of the swept flow, ms.
    fixed_ms : float
        Base RTT of the other flow, ms.
    rate_mbps : float
        Link rate, Mbit/s.
    q : float
        Buffer in BDP of the path of the flow of fixed RTT.
    queue : {"mean", "full", "none"}
        Queueing delay added to both RTTs: the mean of two synchronised Reno flows, that of a full queue, or none.

    Returns
    -------
    numpy.ndarray
        Ratio, synchronisation factors equal.

    Raises
    ------
    ValueError
        If `queue` is none of these.
    """
    short, long = _rtts_with_queue(rtt_ms, fixed_ms=fixed_ms, rate_mbps=rate_mbps, q=q, queue=queue)
    return rtt_unfairness.ratio_as_printed(short, long)


def eq4_derived(rtt_ms: ArrayLike, *, fixed_ms: float, rate_mbps: float, q: float, queue: str = "mean") -> Array:
    """Return eq. (4) read as the law of the window, so that throughput goes as 1/T^2. Parameters and result as for `eq4_printed`."""
    short, long = _rtts_with_queue(rtt_ms, fixed_ms=fixed_ms, rate_mbps=rate_mbps, q=q, queue=queue)
    return rtt_unfairness.ratio_derived(short, long)


def loss_overhead_vs_queue(q: ArrayLike, *, protocol: str, rate_mbps: float, rtt_ms: float, flows: int = 2) -> Array:
    """Return the loss overhead against the buffer in BDP: Fig. 8.

    Parameters
    ----------
    q : array_like
        Buffer over BDP, at least 0.
    protocol : str
        One of `overhead.PROTOCOLS`.
    rate_mbps, rtt_ms : float
        Link rate, Mbit/s, and base RTT, ms.
    flows : int
        Number of equal flows.

    Returns
    -------
    numpy.ndarray
        Fraction of the packets sent: smooth arrivals, synchronised flows.

    Raises
    ------
    ValueError
        If there is no closed form for the protocol.
    """
    path = Path(rate_bps=rate_mbps * MBPS, rtt_s=rtt_ms * MS)
    return overhead.loss_overhead(protocol=protocol, pipe=path.pipe, buffer_bdp=q, rtt_s=path.rtt_s, flows=flows)


def loss_overhead_vs_rtt(rtt_ms: ArrayLike, *, protocol: str, rate_mbps: float, q: float, flows: int = 2) -> Array:
    """Return the loss overhead against the base RTT in ms: Fig. 9. Otherwise as `loss_overhead_vs_queue`; `q` is the buffer in BDP."""
    path = Path(rate_bps=rate_mbps * MBPS, rtt_s=within(rtt_ms, above=0) * MS)
    return overhead.loss_overhead(protocol=protocol, pipe=path.pipe, buffer_bdp=q, rtt_s=path.rtt_s, flows=flows)


def conv80_s(
    rtt_ms: ArrayLike, *, protocol: str, rate_mbps: float, q: float, start: synchronised.Start = "slow_start", horizon_s: float = 1200.0
) -> Array:
    """Return the 80 % convergence time of a second flow, s, against the base RTT in ms, from the synchronised map: Fig. 11.

    Parameters
    ----------
    rtt_ms : array_like
        Base RTT, ms.
    protocol : str
        reno, hstcp, bic, htcp, cubic or scalable; htcp with RTT scaling (reference 0.1 s) and its adaptive share kept.
    rate_mbps : float
        Link rate, Mbit/s.
    q : float
        Buffer in BDP.
    start : {"slow_start", "low_share"}
        Slow start, averaged over the moments of the first flow's epoch, or a twentieth of the windows at a loss.
    horizon_s : float
        Later is not drawn, s.

    Returns
    -------
    numpy.ndarray
        Seconds; NaN where some start does not converge within the horizon.

    Raises
    ------
    ValueError
        If the map does not know the protocol.
    """
    known: dict[str, laws.Law] = {
        "reno": laws.Aimd(),
        "hstcp": laws.Hstcp(low_window=31, low_p=1.5e-3),
        "bic": laws.Bic(),
        "htcp": laws.Htcp(kept=float(buffers.adaptive_keep(q))),
        "cubic": laws.Cubic(),
        "scalable": laws.Scalable(),
    }
    if protocol not in known:
        raise ValueError(f"protocol: the synchronised map does not know {protocol!r}; it knows {', '.join(known)}")
    swept = array(rtt_ms)
    times = np.full(swept.size, np.nan)
    valid = np.flatnonzero(swept.ravel() > 0)
    if valid.size:
        path = Path(rate_bps=rate_mbps * MBPS, rtt_s=swept.ravel()[valid] * MS, buffer_bdp=q)
        times[valid] = synchronised.convergence_time_s(known[protocol], path=path, start=start, horizon_s=horizon_s)
    return np.where(np.isfinite(times), times, np.nan).reshape(swept.shape)


def fair_share_mbps(x: ArrayLike, *, rate_mbps: float, flows: int = 2) -> Array:
    """Return the fair share of each flow, Mbit/s: the link's rate over the number of flows, at every x."""
    return np.full_like(array(x), rate_mbps / flows)


def fast_occupancy(packets: ArrayLike, *, alpha: float, flows: int) -> Array:
    """Return the part of its queue that FAST flows at rest keep filled, against the queue's size: alpha packets of each flow.

    Source: Jin, Wei, Low (INFOCOM 2004); Hegde et al. (GridNets 2004), Fig. 3.

    Parameters
    ----------
    packets : array_like
        Queue size, packets.
    alpha : float
        Packets that each flow keeps queued.
    flows : int
        Number of flows.

    Returns
    -------
    numpy.ndarray
        Fraction; NaN where the queue does not hold them and there is no rest.
    """
    size = within(packets, above=0)
    return np.where(size >= alpha * flows, alpha * flows / size, np.nan)


def reno_epoch_s(rate_mbps: ArrayLike, *, rtt_ms: float, q: float, flows: int = 1) -> Array:
    """Return the time between losses of synchronised Reno flows, seconds, against the link's rate: Leith et al. 2008, Fig. 3.

    Parameters
    ----------
    rate_mbps : array_like
        Link rate, Mbit/s, above 0.
    rtt_ms : float
        Base RTT, ms.
    q : float
        Buffer in BDP.
    flows : int
        Number of equal flows.

    Returns
    -------
    numpy.ndarray
        Seconds.
    """
    return refill.epoch_s(Path(rate_bps=within(rate_mbps, above=0) * MBPS, rtt_s=rtt_ms * MS, buffer_bdp=q), flows=flows)


def illinois_epoch_s(rate_mbps: ArrayLike, *, rtt_ms: float, q: float) -> Array:
    """Return the epoch of one Illinois flow, seconds; parameters as for `reno_epoch_s`."""
    return illinois.epoch_s(Path(rate_bps=within(rate_mbps, above=0) * MBPS, rtt_s=rtt_ms * MS, buffer_bdp=q))


def _rtts_with_queue(rtt_ms: ArrayLike, *, fixed_ms: float, rate_mbps: float, q: float, queue: str) -> tuple[Array, Array]:
    """Return the shorter and the longer RTT, seconds, queueing delay included."""
    swept, fixed = within(rtt_ms, above=0) * MS, fixed_ms * MS
    held = Path(rate_bps=rate_mbps * MBPS, rtt_s=fixed, buffer_bdp=q)
    if queue == "mean":
        # The orbit steps through NaN without harm, so that an undefined point stays undefined alone.
        orbit = rtt_unfairness.synchronised_orbit(rate_bps=rate_mbps * MBPS, rtts_s=(swept, fixed), buffer_packets=held.buffer)
        delay = orbit.queueing_s
    elif queue in {"full", "none"}:
        delay = held.buffer / held.capacity if queue == "full" else array(0.0)
    else:
        raise ValueError(f"queue: {queue!r} is none of mean, full, none")
    return np.minimum(swept, fixed) + delay, np.maximum(swept, fixed) + delay


OVERLAYS: Mapping[str, Callable[..., Array]] = {
    "response_mbps": response_mbps,
    "aimd_utilisation": aimd_utilisation,
    "aimd_aggregate_mbps": aimd_aggregate_mbps,
    "eq4_printed": eq4_printed,
    "eq4_derived": eq4_derived,
    "loss_overhead_vs_queue": loss_overhead_vs_queue,
    "loss_overhead_vs_rtt": loss_overhead_vs_rtt,
    "conv80_s": conv80_s,
    "fair_share_mbps": fair_share_mbps,
    "fast_occupancy": fast_occupancy,
    "reno_epoch_s": reno_epoch_s,
    "illinois_epoch_s": illinois_epoch_s,
}
"""Every overlay by name."""


def overlay(name: str) -> Callable[..., Array]:
    """Return an overlay by name: a function of x and keyword arguments, y in the unit of its figure's axis.

    Parameters
    ----------
    name : str
        A key of `OVERLAYS`.

    Returns
    -------
    callable

    Raises
    ------
    ValueError
        If there is none of that name.
    """
    if name not in OVERLAYS:
        raise ValueError(f"overlay: {name!r} is unknown; there are {', '.join(OVERLAYS)}")
    return OVERLAYS[name]
