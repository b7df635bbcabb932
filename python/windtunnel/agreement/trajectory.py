"""How far apart the windows of one flow are, round trip by round trip, up to the second loss."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from windtunnel.metrics import View
from windtunnel.metrics.backoffs import Array

RESOLUTION_PACKETS = 1.0
"""Windows are whole packets: one more or less is no distance."""


@dataclass(frozen=True)
class Distance:
    """The distance of two trajectories.

    Attributes
    ----------
    largest, mean : float
        Distance of the simulator from the kernel, relative to the kernel, over the round trips.
    at_s : float
        Where the largest is, seconds after the start.
    sim_packets, linux_packets : float
        The windows there.
    until_s : float
        How far was compared, seconds after the start: the earlier second loss, or the shorter run.
    losses_s : tuple of (float or None, float or None)
        The second loss of the simulator and of the kernel, seconds after the start.
    """

    largest: float
    mean: float
    at_s: float
    sim_packets: float
    linux_packets: float
    until_s: float
    losses_s: tuple[float | None, float | None]


def distance(sim: View, linux: View) -> Distance | None:
    """Compare cwnd(t) of the first flow of two runs in the middle of every round trip.

    In the middle, because a round's ACKs come in a burst at its edge until the window fills the path: a microsecond there is a doubling.

    Parameters
    ----------
    sim, linux : View
        Runs of the same scenario, sampled several times per round trip.

    Returns
    -------
    Distance or None
        None when a run has no samples or ends within a round trip.
    """
    rtt_s = linux.base_rtt_s(0)
    step_s = max(sim.sample_s, linux.sample_s)
    runs = [_Course.of(view) for view in (sim, linux)]
    if any(run.t_s.size < 2 for run in runs):
        return None
    losses = (runs[0].second_loss_s, runs[1].second_loss_s)
    # A loss is noticed at the next sample.
    until_s = min(*(run.end_s for run in runs), *(loss - step_s for loss in losses if loss is not None))
    middles = rtt_s * (np.arange(int(until_s / rtt_s)) + 0.5)
    if not middles.size:
        return None
    ours, theirs = (np.interp(middles, run.t_s, run.cwnd_packets) for run in runs)
    apart = np.abs(ours - theirs)
    apart = np.where(apart <= RESOLUTION_PACKETS, 0.0, apart / theirs)
    worst = int(apart.argmax())
    return Distance(
        largest=float(apart[worst]),
        mean=float(apart.mean()),
        at_s=float(middles[worst]),
        sim_packets=float(ours[worst]),
        linux_packets=float(theirs[worst]),
        until_s=float(until_s),
        losses_s=losses,
    )


@dataclass(frozen=True)
class _Course:
    """A flow's window against the time since its start."""

    t_s: Array
    cwnd_packets: Array
    second_loss_s: float | None
    end_s: float

    @staticmethod
    def of(view: View) -> _Course:
        series, start_s = view.series(0), view.start_s(0)
        backoffs = view.backoffs(0).t_s
        second = float(backoffs[1]) - start_s if backoffs.size > 1 else None
        end_s = float(series.t_s[-1]) - start_s if series.t_s.size else 0.0
        return _Course(series.t_s - start_s, series.cwnd_packets, second, end_s)
