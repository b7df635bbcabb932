"""Congestion epochs: what happens between two back-offs of a flow that always loses at the same window.

The fluid of S. Ha, I. Rhee, L. Xu (CUBIC, 2008), RFC 3649 and the H-TCP papers: deterministic losses, constant RTT. With increase a(w) per
RTT and share kept beta, an epoch from beta W to W has R = integral dw/a rounds and N = integral w dw/a packets, so p = 1/N and
the mean window is N/R.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from windtunnel.theory.laws import Cubic, Htcp, Scalable, WindowLaw
from windtunnel.theory.numeric import Array, ArrayLike, array, bisect, integral, within


@dataclass(frozen=True)
class Epoch:
    """One epoch, arrays of one shape.

    Attributes
    ----------
    rounds : numpy.ndarray
        Length in RTTs.
    packets : numpy.ndarray
        Packets sent.
    """

    rounds: Array
    packets: Array

    @property
    def mean_window(self) -> Array:
        """Mean window over the epoch, packets."""
        return self.packets / self.rounds

    @property
    def loss_probability(self) -> Array:
        """One loss in each epoch, per packet."""
        return 1 / self.packets


def window_epoch(law: WindowLaw, *, peak: ArrayLike) -> Epoch:
    """Return the epoch of a law whose increase depends on the window (AIMD, Scalable, HSTCP, BIC, CTCP).

    Parameters
    ----------
    law : WindowLaw
        Increase and decrease.
    peak : array_like
        Window at each loss, packets, above 0; above the law's low window for the law itself to show.

    Returns
    -------
    Epoch
        Shape of `peak`.
    """
    top = within(peak, above=0)
    low = law.keep(top) * top
    breaks = law.breaks(top)
    rounds = integral(lambda w: 1 / law.per_rtt(w, peak=top), low=low, high=top, breaks=breaks)
    packets = integral(lambda w: w / law.per_rtt(w, peak=top), low=low, high=top, breaks=breaks)
    return Epoch(rounds=rounds, packets=packets)


def scalable_epoch(law: Scalable, *, peak: ArrayLike) -> Epoch:
    """Return Scalable's epoch with growth compounded once per RTT, as ACKs of one window do it: ln(1/beta)/ln(1 + a) rounds.

    Parameters
    ----------
    law : Scalable
        Gain and share kept.
    peak : array_like
        Window at each loss, packets; the epoch must lie above the low window, else NaN.

    Returns
    -------
    Epoch
        Shape of `peak`; (1 - beta) W/a packets. The continuous `window_epoch` has 0.5 % fewer rounds.
    """
    top = within(peak, above=law.low_window / law.kept)
    rounds = np.log(1 / law.kept) / np.log1p(law.gain)
    return Epoch(rounds=np.full_like(top, rounds) + 0 * top, packets=(1 - law.kept) * top / law.gain)


def htcp_growth_integral(duration_s: ArrayLike) -> Array:
    """Return F(D), the integral of H-TCP's f(Delta) from 0 to D: D up to 1 s, then 1 + x + 5 x^2 + x^3/12 with x = D - 1; seconds."""
    d = within(duration_s, at_least=0)
    x = np.maximum(d - 1, 0.0)
    return array(np.minimum(d, 1.0) + x + 5 * x**2 + x**3 / 12)


def htcp_growth_integral_twice(duration_s: ArrayLike) -> Array:
    """Return G(D), the integral of F: D^2/2 up to 1 s, then 1/2 + x + x^2/2 + 5 x^3/3 + x^4/48; seconds squared."""
    d = within(duration_s, at_least=0)
    x = np.maximum(d - 1, 0.0)
    return np.minimum(d, 1.0) ** 2 / 2 + x + x**2 / 2 + 5 * x**3 / 3 + x**4 / 48


def htcp_duration_s(peak: ArrayLike, *, effective_rtt_s: ArrayLike) -> Array:
    """Return the length of an H-TCP epoch: F(D) = W T_e/2, whatever the share kept.

    Parameters
    ----------
    peak : array_like
        Window at each loss, W, packets, above 0.
    effective_rtt_s : array_like
        T_e, seconds: the RTT without RTT scaling, its reference with it (while the scaling is inside its bounds and above 1).

    Returns
    -------
    numpy.ndarray
        Seconds.

    Notes
    -----
    Source: f of draft-leith-tcp-htcp-06 integrated; the factor 2 (1 - beta) of the increase cancels the (1 - beta) W to regain.
    """
    goal = within(peak, above=0) * within(effective_rtt_s, above=0) / 2
    return bisect(lambda d: htcp_growth_integral(d) - goal, low=np.zeros_like(goal), high=1 + goal)


def htcp_epoch(law: Htcp, *, peak: ArrayLike, rtt_s: ArrayLike) -> Epoch:
    """Return the epoch of H-TCP, with the floor of 1 on the scaled increase.

    Parameters
    ----------
    law : Htcp
        Share kept and RTT scaling.
    peak : array_like
        Window at each loss, packets, above 0.
    rtt_s : array_like
        RTT, seconds.

    Returns
    -------
    Epoch
        Broadcast shape of `peak` and `rtt_s`. Its length in seconds is `rounds * rtt_s`.
    """
    top, rtt = np.broadcast_arrays(within(peak, above=0), within(rtt_s, above=0))
    # The window gains 2 (1-beta)/T times the integral of max(scale f, 1) and has (1-beta) W to regain.
    goal = top * rtt / 2
    duration = bisect(lambda d: _scaled_growth(law, d, rtt)[0] - goal, low=np.zeros_like(goal), high=1 + goal)
    gained = 2 * (1 - law.kept) / rtt * _scaled_growth(law, duration, rtt)[1]
    return Epoch(rounds=duration / rtt, packets=(law.kept * top * duration + gained) / rtt)


def _scaled_growth(law: Htcp, duration_s: Array, rtt_s: Array) -> tuple[Array, Array]:
    """Return the first and second integrals of max(scale f, 1); below a scale of 1 the floor holds until f = 1/scale."""
    scale = law.scale(rtt_s)
    # Positive root of x^2/4 + 10 x + 1 = 1/scale.
    floor_s = np.where(scale < 1, 1 - 20 + np.sqrt(400 + 4 * np.maximum(1 / scale - 1, 0.0)), 0.0)
    held = np.minimum(duration_s, floor_s)
    rest = duration_s - held
    first = held + scale * (htcp_growth_integral(duration_s) - htcp_growth_integral(held))
    grown = htcp_growth_integral_twice(duration_s) - htcp_growth_integral_twice(held) - htcp_growth_integral(held) * rest
    return first, held**2 / 2 + held * rest + scale * grown


def cubic_epoch(law: Cubic, *, peak: ArrayLike, rtt_s: ArrayLike) -> Epoch:
    """Return the epoch of CUBIC outside its Reno-friendly region: K seconds at a mean window of (3 + beta) W/4.

    Parameters
    ----------
    law : Cubic
        C and the share kept.
    peak : array_like
        Window at each loss, W, packets, above 0.
    rtt_s : array_like
        RTT, seconds.

    Returns
    -------
    Epoch
        Broadcast shape.
    """
    top, rtt = np.broadcast_arrays(within(peak, above=0), within(rtt_s, above=0))
    rounds = law.k_s(top, start=law.kept * top) / rtt
    return Epoch(rounds=rounds, packets=rounds * top * (3 + law.kept) / 4)


def cubic_passing_s(law: Cubic, *, window: ArrayLike, w_max: ArrayLike, start: ArrayLike, slope_limit: float = np.inf) -> Array:
    """Return when CUBIC's window, after a back-off to `start`, passes a window at or above W_max.

    Parameters
    ----------
    law : Cubic
        C.
    window : array_like
        The window to pass, packets; NaN below `w_max`.
    w_max : array_like
        W_max, packets.
    start : array_like
        Window after the back-off, packets.
    slope_limit : float
        Largest growth in the convex part, packets per second; 160 in Linux 2.6.23.

    Returns
    -------
    numpy.ndarray
        Seconds after the back-off.

    Notes
    -----
    Source: the cubic curve. A limit on the slope matters from sqrt(limit/(3 C)) after the inflection; before the inflection the window
    is taken to be on the curve.
    """
    over = within(array(window) - array(w_max), at_least=0)
    free = np.cbrt(over / law.c)
    bound = np.sqrt(slope_limit / (3 * law.c))
    after = np.where(free <= bound, free, bound + (over - law.c * np.minimum(bound, free) ** 3) / slope_limit)
    return law.k_s(w_max, start=start) + after
