"""Increase and decrease laws as fluids see them: packets per RTT, and the share of the window a back-off keeps.

Sources: Table II and section V of Li, Leith, Shorten (ToN 2007), RFC 3649, RFC 9438, and the papers named at each law. They are real-valued
and continuous: no lookup tables, no integer credits. A law sees a flow's window, the time since its last back-off and what the
protocol remembers of it; all of them arrays of one shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from windtunnel.theory.numeric import Array, ArrayLike, array


@dataclass(frozen=True)
class FlowState:
    """What a law may look at, arrays of one shape.

    Attributes
    ----------
    window : numpy.ndarray
        Packets.
    since_s : numpy.ndarray
        Seconds since the last back-off.
    reference : numpy.ndarray
        The window the protocol aims at (W_max of CUBIC, last_max of BIC), packets; 0 before the first back-off.
    start : numpy.ndarray
        Window just after the last back-off, packets.
    base_rtt_s : numpy.ndarray
        Smallest RTT, seconds.
    """

    window: Array
    since_s: Array
    reference: Array
    start: Array
    base_rtt_s: Array


class Law(Protocol):
    """An increase and a decrease."""

    def increase(self, flow: FlowState, *, rtt_s: Array) -> Array:
        """Return the packets added in the coming RTT."""

    def keep(self, window: ArrayLike) -> Array:
        """Return the share of the window kept at a back-off."""

    def reference(self, flow: FlowState) -> Array:
        """Return what is remembered of a back-off at the flow's window."""


class WindowLaw(Law, Protocol):
    """A law whose increase depends on the window and on the last peak alone, so that an epoch is an integral over the window."""

    def per_rtt(self, window: ArrayLike, *, peak: ArrayLike) -> Array:
        """Return the increase in packets per RTT at a window, the last back-off having been at `peak`."""

    def breaks(self, peak: Array) -> tuple[Array, ...]:
        """Return the windows at which the increase is not smooth."""


@dataclass(frozen=True)
class Aimd:
    """Additive increase, multiplicative decrease; Reno by default (RFC 5681).

    Attributes
    ----------
    step : float
        Packets per RTT.
    kept : float
        Share kept at a back-off.
    """

    step: float = 1.0
    kept: float = 0.5

    def per_rtt(self, window: ArrayLike, *, peak: ArrayLike = 0.0) -> Array:
        """Return the step, whatever the window."""
        return np.full_like(array(window), self.step)

    def breaks(self, peak: Array) -> tuple[Array, ...]:
        """Return nothing: the increase is constant."""
        return ()

    def increase(self, flow: FlowState, *, rtt_s: Array) -> Array:
        """Return the step."""
        return self.per_rtt(flow.window)

    def keep(self, window: ArrayLike) -> Array:
        """Return the share kept."""
        return np.full_like(array(window), self.kept)

    def reference(self, flow: FlowState) -> Array:
        """Remember the window."""
        return flow.window


@dataclass(frozen=True)
class Scalable:
    """Scalable TCP: T. Kelly, CCR 33(2), 2003; the constants of Li, Leith, Shorten (2007), Table II. Reno up to `low_window`."""

    gain: float = 0.01
    kept: float = 0.875
    low_window: float = 16.0

    def per_rtt(self, window: ArrayLike, *, peak: ArrayLike = 0.0) -> Array:
        """Return gain x window."""
        w = array(window)
        return np.where(w <= self.low_window, 1.0, self.gain * w)

    def breaks(self, peak: Array) -> tuple[Array, ...]:
        """Return the low window."""
        return (np.full_like(peak, self.low_window),)

    def increase(self, flow: FlowState, *, rtt_s: Array) -> Array:
        """Return gain x window."""
        return self.per_rtt(flow.window)

    def keep(self, window: ArrayLike) -> Array:
        """Return the share kept."""
        return np.where(array(window) <= self.low_window, 0.5, self.kept)

    def reference(self, flow: FlowState) -> Array:
        """Remember the window."""
        return flow.window


@dataclass(frozen=True)
class Hstcp:
    """HighSpeed TCP, RFC 3649 sections 5 and 6, continuous.

    Attributes
    ----------
    low_window, high_window : float
        Packets. Li, Leith, Shorten (2007) use 31 with `low_p` 1.5e-3.
    low_p, high_p : float
        Loss probabilities that belong to them.
    high_decrease : float
        Share removed at `high_window`.
    rounded : bool
        Use the RFC's rounded p(w) = 0.078/w^1.2 in place of the exact line between the two points.
    """

    low_window: float = 38.0
    high_window: float = 83000.0
    low_p: float = 1e-3
    high_p: float = 1e-7
    high_decrease: float = 0.1
    rounded: bool = False

    def exponent(self) -> float:
        """Return S of W = low_window (p/low_p)^S; -0.8348 by default."""
        return float(np.log(self.high_window / self.low_window) / np.log(self.high_p / self.low_p))

    def decrease(self, window: ArrayLike) -> Array:
        """Return b(w), the share removed."""
        w = np.maximum(array(window), self.low_window)
        position = np.log(w / self.low_window) / np.log(self.high_window / self.low_window)
        return array(np.maximum(0.5 + (self.high_decrease - 0.5) * position, 0.01))

    def response_p(self, window: ArrayLike) -> Array:
        """Return p(w), the loss probability at which the response function has this window."""
        w = np.maximum(array(window), self.low_window)
        return 0.078 / w**1.2 if self.rounded else self.low_p * (w / self.low_window) ** (1 / self.exponent())

    def per_rtt(self, window: ArrayLike, *, peak: ArrayLike = 0.0) -> Array:
        """Return a(w) = 2 w^2 p(w) b(w)/(2 - b(w)), 1 up to the low window and never below 1."""
        w, b = array(window), self.decrease(window)
        value = w**2 * self.response_p(w) * 2 * b / (2 - b)
        return np.where(w <= self.low_window, 1.0, np.maximum(value, 1.0))

    def breaks(self, peak: Array) -> tuple[Array, ...]:
        """Return the low window."""
        return (np.full_like(peak, self.low_window),)

    def increase(self, flow: FlowState, *, rtt_s: Array) -> Array:
        """Return a(w)."""
        return self.per_rtt(flow.window)

    def keep(self, window: ArrayLike) -> Array:
        """Return 1 - b(w)."""
        return 1 - self.decrease(window)

    def reference(self, flow: FlowState) -> Array:
        """Remember the window."""
        return flow.window


@dataclass(frozen=True)
class Bic:
    """BIC: L. Xu, K. Harfoush, I. Rhee, INFOCOM 2004; constants of Li, Leith, Shorten (2007), Table II.

    Above the last peak the increase is (w - peak)/(B - 1): the benchmark prints w1/(B - 1), which is not continuous.
    """

    s_max: float = 32.0
    divisor: float = 4.0
    smooth: float = 20.0
    kept: float = 0.8
    low_window: float = 14.0

    def per_rtt(self, window: ArrayLike, *, peak: ArrayLike) -> Array:
        """Return the binary search's step below the peak and the accelerating one above it."""
        w, last = array(window), array(peak)
        plateau = self.divisor / self.smooth
        distance = (last - w) / self.divisor
        below = np.where(distance > self.s_max, self.s_max, np.where(distance > 1, distance, plateau))
        fast = np.minimum((w - last) / (self.divisor - 1), self.s_max)
        above = np.where(w < last + self.divisor, plateau, fast)
        return np.where(w <= self.low_window, 1.0, np.where(w < last, below, above))

    def breaks(self, peak: Array) -> tuple[Array, ...]:
        """Return the low window and the two ends of the binary search."""
        return (np.full_like(peak, self.low_window), peak - self.divisor * self.s_max, peak - self.divisor)

    def increase(self, flow: FlowState, *, rtt_s: Array) -> Array:
        """Return the step; before the first back-off at least a twentieth of the window."""
        step = self.per_rtt(flow.window, peak=flow.reference)
        return np.where(flow.reference > 0, step, np.maximum(step, flow.window / 20))

    def keep(self, window: ArrayLike) -> Array:
        """Return the share kept."""
        return np.where(array(window) <= self.low_window, 0.5, self.kept)

    def reference(self, flow: FlowState) -> Array:
        """Remember the window, or less of it when the last peak was not reached (fast convergence)."""
        return np.where(flow.window < flow.reference, flow.window * (1 + self.kept) / 2, flow.window)


@dataclass(frozen=True)
class Ctcp:
    """Compound TCP while its delay window grows: K. Tan et al., INFOCOM 2006. Reno up to `low_window`."""

    gain: float = 0.125
    power: float = 0.75
    kept: float = 0.5
    low_window: float = 38.0

    def per_rtt(self, window: ArrayLike, *, peak: ArrayLike = 0.0) -> Array:
        """Return gain x window^power."""
        w = array(window)
        return np.where(w <= self.low_window, 1.0, self.gain * w**self.power)

    def breaks(self, peak: Array) -> tuple[Array, ...]:
        """Return the low window."""
        return (np.full_like(peak, self.low_window),)

    def increase(self, flow: FlowState, *, rtt_s: Array) -> Array:
        """Return gain x window^power."""
        return self.per_rtt(flow.window)

    def keep(self, window: ArrayLike) -> Array:
        """Return the share kept."""
        return np.full_like(array(window), self.kept)

    def reference(self, flow: FlowState) -> Array:
        """Remember the window."""
        return flow.window


@dataclass(frozen=True)
class Htcp:
    """H-TCP: D. Leith, R. Shorten, PFLDnet 2004; draft-leith-tcp-htcp-06; Li, Leith, Shorten (2007), V.C.

    Attributes
    ----------
    kept : float
        Share kept; `buffers.adaptive_keep` gives the adaptive rule's value at a full queue.
    t_ref_s : float or None
        Reference RTT of the RTT scaling, seconds; None switches it off.
    scale_limits : tuple of float
        Bounds of the scaling T/t_ref; (0, inf) with t_ref 1 s is the rule as printed in the paper.
    """

    kept: float = 0.5
    t_ref_s: float | None = 0.1
    scale_limits: tuple[float, float] = (0.1, 2.0)

    def growth(self, since_s: ArrayLike) -> Array:
        """Return f(Delta): 1 for the first second, then 1 + 10 x + x^2/4."""
        x = np.maximum(array(since_s) - 1.0, 0.0)
        return 1 + 10 * x + x**2 / 4

    def scale(self, rtt_s: ArrayLike) -> Array:
        """Return the factor on f of a flow of this base RTT (seconds)."""
        rtt = array(rtt_s)
        return np.ones_like(rtt) if self.t_ref_s is None else np.clip(rtt / self.t_ref_s, *self.scale_limits)

    def per_rtt_at(self, since_s: ArrayLike, *, rtt_s: ArrayLike) -> Array:
        """Return alpha(Delta) = 2 (1 - beta) max(f scale, 1), packets per RTT."""
        return 2 * (1 - self.kept) * np.maximum(self.growth(since_s) * self.scale(rtt_s), 1.0)

    def increase(self, flow: FlowState, *, rtt_s: Array) -> Array:
        """Return alpha(Delta)."""
        return self.per_rtt_at(flow.since_s, rtt_s=flow.base_rtt_s)

    def keep(self, window: ArrayLike) -> Array:
        """Return the share kept."""
        return np.full_like(array(window), self.kept)

    def reference(self, flow: FlowState) -> Array:
        """Remember the window."""
        return flow.window


@dataclass(frozen=True)
class Cubic:
    """CUBIC, RFC 9438: C (t - K)^3 + W_max, with the Reno-friendly region."""

    c: float = 0.4
    kept: float = 0.7

    def k_s(self, w_max: ArrayLike, *, start: ArrayLike) -> Array:
        """Return K = cbrt((W_max - start)/C), seconds; 0 when the start is not below W_max."""
        return np.cbrt(np.maximum(array(w_max) - array(start), 0.0) / self.c)

    def window_at(self, t_s: ArrayLike, *, w_max: ArrayLike, start: ArrayLike) -> Array:
        """Return the cubic curve, packets, `t_s` seconds after the back-off."""
        return self.c * (array(t_s) - self.k_s(w_max, start=start)) ** 3 + array(w_max)

    def increase(self, flow: FlowState, *, rtt_s: Array) -> Array:
        """Return the way to where the curve is an RTT later, at most half a window, or Reno's estimate where that is ahead."""
        goal = np.maximum(flow.reference, flow.start)
        later = flow.since_s + rtt_s
        target = np.clip(self.window_at(later, w_max=goal, start=flow.start), flow.window, 1.5 * flow.window)
        friendly = flow.start + 3 * (1 - self.kept) / (1 + self.kept) * later / rtt_s
        return np.maximum(target, friendly) - flow.window

    def keep(self, window: ArrayLike) -> Array:
        """Return the share kept."""
        return np.full_like(array(window), self.kept)

    def reference(self, flow: FlowState) -> Array:
        """Remember the window, or less of it when the last peak was not reached (fast convergence)."""
        return np.where(flow.window < flow.reference, flow.window * (1 + self.kept) / 2, flow.window)
