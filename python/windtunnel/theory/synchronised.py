"""Two flows of one RTT that lose together, round by round: how long a newcomer takes to reach its share.

The map of R. Shorten, F. Wirth, D. Leith (ToN 14(3), 2006) with any increase law in place of the additive one. A step is one RTT, base RTT
plus queueing; when the windows' sum passes pipe and buffer, both flows back off. The newcomer either doubles per RTT until the first loss,
starting at evenly spread moments of the first flow's epoch, or starts with a given share at a loss. Convergence is the benchmark's: the
averaged rate of the newcomer, with the memory 1/lambda = clip(0.01 E, 1 s, 5 s), first reaches 80 % of half the link's use.

What it leaves out: unsynchronised losses, more than one back-off at the end of slow start, and H-TCP's first back-offs, which halve.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from windtunnel.theory.buffers import aimd_efficiency
from windtunnel.theory.laws import FlowState, Law
from windtunnel.theory.numeric import Array, Mask, array
from windtunnel.theory.path import Path
from windtunnel.theory.refill import refill_bound_s

Start = Literal["slow_start", "low_share"]


@dataclass(frozen=True)
class Criterion:
    """When a newcomer counts as converged.

    Attributes
    ----------
    fraction : float
        Share of its fair rate that its averaged rate must reach.
    memory_share, memory_s_min, memory_s_max : float
        Memory of the average: a share of the time Reno needs to fill the pipe, within bounds in seconds.
    """

    fraction: float = 0.8
    memory_share: float = 0.01
    memory_s_min: float = 1.0
    memory_s_max: float = 5.0

    def memory_s(self, path: Path) -> Array:
        """Return the memory on a path, seconds."""
        return np.clip(self.memory_share * refill_bound_s(path), self.memory_s_min, self.memory_s_max)


def convergence_times_s(
    law: Law,
    *,
    path: Path,
    start: Start = "slow_start",
    phases: int = 16,
    low_share: float = 0.05,
    initial_window: float = 3.0,
    criterion: Criterion | None = None,
    horizon_s: float = 3600.0,
) -> Array:
    """Return the newcomer's convergence time for each moment at which it may start.

    Parameters
    ----------
    law : Law
        Of both flows.
    path : Path
        The bottleneck; its fields may be arrays of shape (n,).
    start : {"slow_start", "low_share"}
        Slow start at `phases` moments of the first flow's epoch, or `low_share` of the windows at a loss.
    phases : int
        Moments, evenly spread over the epoch.
    low_share : float
        Newcomer's share of the windows when it starts at a loss, in (0, 1/2).
    initial_window : float
        Newcomer's window at the start of slow start, packets.
    criterion : Criterion, optional
        Convergence; 80 % by default.
    horizon_s : float
        Later than this is infinite.

    Returns
    -------
    numpy.ndarray, shape (n, phases), or (n, 1) from a low share
        Seconds after the newcomer's start; infinite where it does not converge within the horizon.
    """
    rule = criterion or Criterion()
    lanes = _Lanes.of(path, columns=phases if start == "slow_start" else 1)
    incumbent = _settled(law, lanes)
    if start == "slow_start":
        incumbent = _grown_to_phase(law, lanes, incumbent, _epoch_length_s(law, lanes, incumbent))
        newcomer = _state(lanes, window=np.full_like(lanes.full, initial_window))
        slow = np.ones_like(lanes.full, dtype=bool)
    else:
        incumbent = _backed_off(law, _with_window(incumbent, (1 - low_share) * lanes.full))
        newcomer = _backed_off(law, _state(lanes, window=low_share * lanes.full))
        slow = np.zeros_like(lanes.full, dtype=bool)
    return _race(law, lanes, flows=(incumbent, newcomer), slow=slow, rule=rule, horizon_s=horizon_s)


def convergence_time_s(law: Law, *, path: Path, start: Start = "slow_start", horizon_s: float = 3600.0) -> Array:
    """Return the mean of `convergence_times_s` over the moments of start; infinite if any of them is. Shape (n,)."""
    return array(convergence_times_s(law, path=path, start=start, horizon_s=horizon_s).mean(axis=-1))


def epochs_to_ratio(
    law: Law, *, total_window: float, ratio: float = 0.8, start_shares: tuple[float, float] = (0.9, 0.05), limit: int = 10_000
) -> float:
    """Return the congestion epochs two equal-RTT flows need until the smaller window is `ratio` of the larger at a loss.

    Parameters
    ----------
    law : Law
        One whose increase needs no time: AIMD, Scalable, HSTCP, BIC, CTCP.
    total_window : float
        Sum of the windows at each loss, packets.
    ratio : float
        In (0, 1).
    start_shares : tuple of float
        Windows at the start over `total_window`; together at most 1. They grow to the first loss, which ends no epoch.
    limit : int
        Epochs after which the answer is infinite.

    Returns
    -------
    float
        Epochs. Growth is continuous: the last round of an epoch is cut where the sum meets the total.
    """
    window, idle = np.array(start_shares) * total_window, np.zeros(2)
    start = FlowState(window=window, since_s=idle, reference=window, start=window, base_rtt_s=idle + 0.1)
    flows = _grown_to_total(law, start, total_window)
    for epoch in range(limit):
        if flows.window.min() >= ratio * flows.window.max():
            return float(epoch)
        flows = _grown_to_total(law, _backed_off(law, flows), total_window)
    return np.inf


def _grown_to_total(law: Law, flows: FlowState, total_window: float) -> FlowState:
    while True:
        step = law.increase(flows, rtt_s=flows.base_rtt_s)
        room = (total_window - flows.window.sum()) / step.sum()
        flows = _with_window(flows, flows.window + min(room, 1.0) * step)
        if room <= 1.0:
            return flows


@dataclass(frozen=True)
class _Lanes:
    """One lane per path and moment of start, arrays of shape (n, columns)."""

    full: Array
    capacity: Array
    base_rtt: Array
    buffer_bdp: Array
    path: Path

    @classmethod
    def of(cls, path: Path, *, columns: int) -> _Lanes:
        rate, rtt, q = (
            np.atleast_1d(x)[:, None] for x in np.broadcast_arrays(array(path.rate_bps), array(path.rtt_s), array(path.buffer_bdp))
        )
        wide = Path(
            rate_bps=np.repeat(rate, columns, axis=1), rtt_s=np.repeat(rtt, columns, axis=1), buffer_bdp=np.repeat(q, columns, axis=1)
        )
        return cls(full=wide.full, capacity=wide.capacity, base_rtt=array(wide.rtt_s), buffer_bdp=array(wide.buffer_bdp), path=wide)

    def rtt(self, windows: Array) -> Array:
        return np.maximum(self.base_rtt, windows / self.capacity)


def _state(lanes: _Lanes, *, window: Array) -> FlowState:
    zero = np.zeros_like(window)
    return FlowState(window=window, since_s=zero, reference=zero, start=window, base_rtt_s=lanes.base_rtt)


def _with_window(flow: FlowState, window: Array) -> FlowState:
    return FlowState(window=window, since_s=flow.since_s, reference=flow.reference, start=flow.start, base_rtt_s=flow.base_rtt_s)


def _backed_off(law: Law, flow: FlowState) -> FlowState:
    kept = np.maximum(law.keep(flow.window) * flow.window, 1.0)
    return FlowState(window=kept, since_s=np.zeros_like(kept), reference=law.reference(flow), start=kept, base_rtt_s=flow.base_rtt_s)


def _chosen(mask: Mask, yes: FlowState, no: FlowState) -> FlowState:
    return FlowState(
        window=np.where(mask, yes.window, no.window),
        since_s=np.where(mask, yes.since_s, no.since_s),
        reference=np.where(mask, yes.reference, no.reference),
        start=np.where(mask, yes.start, no.start),
        base_rtt_s=no.base_rtt_s,
    )


def _grown(flow: FlowState, *, by: Array, rtt: Array) -> FlowState:
    return FlowState(
        window=flow.window + by, since_s=flow.since_s + rtt, reference=flow.reference, start=flow.start, base_rtt_s=flow.base_rtt_s
    )


def _settled(law: Law, lanes: _Lanes) -> FlowState:
    """Return a lone flow just after a loss at pipe and buffer, its memory that of the same loss before."""
    alone = _state(lanes, window=lanes.full)
    return _backed_off(law, FlowState(lanes.full, alone.since_s, lanes.full, lanes.full, lanes.base_rtt))


def _epoch_length_s(law: Law, lanes: _Lanes, flow: FlowState) -> Array:
    length = np.zeros_like(lanes.full)
    running = np.ones_like(lanes.full, dtype=bool)
    while running.any():
        rtt = lanes.rtt(flow.window)
        length = np.where(running, length + rtt, length)
        flow = _grown(flow, by=law.increase(flow, rtt_s=rtt), rtt=rtt)
        running &= flow.window <= lanes.full
    return length


def _grown_to_phase(law: Law, lanes: _Lanes, flow: FlowState, epoch_s: Array) -> FlowState:
    """Return the lone flow at each column's moment of its epoch."""
    columns = epoch_s.shape[1]
    until = epoch_s * (np.arange(columns) + 0.5) / columns
    while (running := flow.since_s < until).any():
        rtt = lanes.rtt(flow.window)
        flow = _chosen(running, _grown(flow, by=law.increase(flow, rtt_s=rtt), rtt=rtt), flow)
    return flow


def _race(law: Law, lanes: _Lanes, *, flows: tuple[FlowState, FlowState], slow: Mask, rule: Criterion, horizon_s: float) -> Array:
    incumbent, newcomer = flows
    share_kept = law.keep(lanes.full / 2)
    goal = rule.fraction * 0.5 * lanes.capacity * aimd_efficiency(lanes.buffer_bdp, keep=share_kept)
    memory = rule.memory_s(lanes.path)
    time, average = np.zeros_like(lanes.full), np.zeros_like(lanes.full)
    reached = np.full_like(lanes.full, np.inf)
    while (np.isinf(reached) & (time < horizon_s)).any():
        rtt = lanes.rtt(incumbent.window + newcomer.window)
        forget = np.exp(-rtt / memory)
        average = average * forget + newcomer.window / rtt * (1 - forget)
        time = time + rtt
        reached = np.where(np.isinf(reached) & (average >= goal) & (time < horizon_s), time, reached)
        step = np.where(slow, newcomer.window, law.increase(newcomer, rtt_s=rtt))
        incumbent = _grown(incumbent, by=law.increase(incumbent, rtt_s=rtt), rtt=rtt)
        newcomer = _grown(newcomer, by=step, rtt=rtt)
        lost = incumbent.window + newcomer.window > lanes.full
        incumbent = _chosen(lost, _backed_off(law, incumbent), incumbent)
        newcomer = _chosen(lost, _backed_off(law, newcomer), newcomer)
        slow = slow & ~lost
    return reached
