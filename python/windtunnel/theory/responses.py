"""Response functions: the mean window under a given loss probability.

Deterministic losses, one every 1/p packets, constant RTT: the epoch whose packets are 1/p. Independent losses give a few per cent more
or less (Reno: K = 1.31 in place of 1.22). Delay-based protocols have no such function: what FAST does under random loss is a
matter for simulation. Valid for p below about 1e-2, where windows stay above some ten packets.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from windtunnel.theory import laws
from windtunnel.theory.epochs import Epoch, htcp_epoch, scalable_epoch, window_epoch
from windtunnel.theory.numeric import PACKET_BITS, Array, ArrayLike, array, bisect, within
from windtunnel.theory.square_root import aimd_mean_window, parallel_mean_window

LARGEST_PEAK = 1e9
"""Upper end of the search for a peak, packets."""


def peak_window(p: ArrayLike, *, epoch: Callable[[Array], Epoch]) -> Array:
    """Return the window at each loss at which an epoch has 1/p packets.

    Parameters
    ----------
    p : array_like
        Loss probability per packet, in (0, 1).
    epoch : callable
        Epoch as a function of the peak; its packets must rise with it.

    Returns
    -------
    numpy.ndarray
        Packets; NaN where no peak between 1 and 1e9 packets fits.
    """
    goal = -np.log(within(p, above=0, below=1))
    exponent = bisect(
        lambda x: np.log(epoch(np.exp(x)).packets) - goal, low=np.zeros_like(goal), high=np.full_like(goal, np.log(LARGEST_PEAK)), steps=60
    )
    return np.exp(exponent)


def mean_window(p: ArrayLike, *, law: laws.WindowLaw) -> Array:
    """Return the mean window of a law whose increase depends on the window. Packets; parameters as for `peak_window`."""
    return window_epoch(law, peak=peak_window(p, epoch=lambda top: window_epoch(law, peak=top))).mean_window


def scalable_peak_window(p: ArrayLike, *, gain: float = 0.01, decrease: float = 0.125) -> Array:
    """Return Scalable's window at each loss, a/(d p): packets. Valid where it is above the low window (16)."""
    return gain / (decrease * within(p, above=0, below=1))


def hstcp_response_window(p: ArrayLike, *, rounded: bool = False) -> Array:
    """Return HSTCP's response function as RFC 3649 states it, packets: exact exponents, or the rounded 0.12/p^0.835.

    Parameters
    ----------
    p : array_like
        Loss probability per packet, between 1e-7 and 1e-3.
    rounded : bool
        Use the RFC's rounded constants.

    Returns
    -------
    numpy.ndarray
        Packets. The epochs of the law itself have a mean window up to 2.3 % larger (`mean_window`).
    """
    loss, law = within(p, above=0, below=1), laws.Hstcp()
    return 0.12 / loss**0.835 if rounded else law.low_window * (loss / law.low_p) ** law.exponent()


def cubic_mean_window(p: ArrayLike, *, rtt_s: ArrayLike, law: laws.Cubic | None = None, reno_friendly: bool = True) -> Array:
    """Return CUBIC's mean window, RFC 9438 eq. 5: (C (3 + beta)/(4 (1 - beta)))^(1/4) (RTT/p)^(3/4).

    Parameters
    ----------
    p : array_like
        Loss probability per packet, in (0, 1).
    rtt_s : array_like
        RTT, seconds.
    law : Cubic, optional
        C and the share kept; those of RFC 9438 by default.
    reno_friendly : bool
        Take Reno's mean window where that is larger.

    Returns
    -------
    numpy.ndarray
        Packets.
    """
    cubic = law or laws.Cubic()
    loss = within(p, above=0, below=1)
    factor = (cubic.c * (3 + cubic.kept) / (4 * (1 - cubic.kept))) ** 0.25
    window = factor * (within(rtt_s, above=0) / loss) ** 0.75
    return array(np.maximum(window, aimd_mean_window(loss)) if reno_friendly else window)


def cubic_reno_boundary_p(rtt_s: ArrayLike, *, law: laws.Cubic | None = None) -> Array:
    """Return the loss probability above which Reno's mean window exceeds CUBIC's; `rtt_s` in seconds, proportional to its cube."""
    cubic = law or laws.Cubic()
    factor = (cubic.c * (3 + cubic.kept) / (4 * (1 - cubic.kept))) ** 0.25
    return array((factor / np.sqrt(1.5)) ** 4 * within(rtt_s, above=0) ** 3)


def illinois_mean_windows(p: ArrayLike) -> tuple[Array, Array]:
    """Return the bounds of Illinois' mean window: with an empty queue AIMD(10, 1/8), with a full one AIMD(0.3, 1/2); packets.

    Source: S. Liu, T. Basar, R. Srikant, Performance Evaluation 65, 2008.
    """
    return aimd_mean_window(p, increase=10, decrease=0.125), aimd_mean_window(p, increase=0.3, decrease=0.5)


def ctcp_peak_window(p: ArrayLike) -> Array:
    """Return CTCP's window at each loss while no queue forms: ((1.25/8)/((1 - 2^-1.25) p))^0.8; the mean is 0.7285 of it. Packets."""
    return (1.25 / 8 / (1 - 2**-1.25) / within(p, above=0, below=1)) ** 0.8


def response_window(p: ArrayLike, *, protocol: str, rtt_s: ArrayLike) -> Array:
    """Return a protocol's mean window under loss, with the constants of Li, Leith, Shorten (2007), Table II, where it has them.

    Parameters
    ----------
    p : array_like
        Loss probability per packet, in (0, 1).
    protocol : str
        One of `PROTOCOLS`. H-TCP with RTT scaling (reference 0.1 s) and share kept 0.8, which its adaptive rule reaches without a queue.
    rtt_s : array_like
        RTT, seconds; only CUBIC and H-TCP look at it.

    Returns
    -------
    numpy.ndarray
        Packets.

    Raises
    ------
    ValueError
        If the protocol has no response function here.
    """
    if protocol not in _RESPONSES:
        raise ValueError(f"protocol: no response function for {protocol!r}; there is one for {', '.join(PROTOCOLS)}")
    loss, rtt = np.broadcast_arrays(within(p, above=0, below=1), within(rtt_s, above=0))
    return _RESPONSES[protocol](loss, rtt)


def response_rate_bps(p: ArrayLike, *, protocol: str, rtt_s: ArrayLike, rate_bps: ArrayLike = np.inf) -> Array:
    """Return a protocol's rate under loss: window over RTT, capped at the link's rate; bits per second. See `response_window`."""
    window = response_window(p, protocol=protocol, rtt_s=rtt_s)
    return np.minimum(window * PACKET_BITS / array(rtt_s), array(rate_bps))


def _scalable(p: Array, rtt_s: Array) -> Array:
    """Return Scalable's mean window, Reno's where the epoch would not lie above the low window."""
    mean = scalable_epoch(laws.Scalable(), peak=scalable_peak_window(p)).mean_window
    return np.where(np.isnan(mean), aimd_mean_window(p), mean)


def _htcp(p: Array, rtt_s: Array) -> Array:
    law = laws.Htcp(kept=0.8)
    peak = peak_window(p, epoch=lambda top: htcp_epoch(law, peak=top, rtt_s=rtt_s))
    return htcp_epoch(law, peak=peak, rtt_s=rtt_s).mean_window


_RESPONSES: dict[str, Callable[[Array, Array], Array]] = {
    "reno": lambda p, _: aimd_mean_window(p),
    "ptcp": lambda p, _: parallel_mean_window(p),
    "scalable": _scalable,
    "hstcp": lambda p, _: mean_window(p, law=laws.Hstcp(low_window=31, low_p=1.5e-3)),
    "bic": lambda p, _: mean_window(p, law=laws.Bic()),
    "htcp": _htcp,
    "cubic": lambda p, rtt_s: cubic_mean_window(p, rtt_s=rtt_s),
    "ctcp": lambda p, _: mean_window(p, law=laws.Ctcp()),
}
PROTOCOLS = tuple(_RESPONSES)
"""Protocols that `response_window` knows."""
