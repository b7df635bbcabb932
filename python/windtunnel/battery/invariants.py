"""What no controller may break, whatever happens to it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from windtunnel.battery.sampling import SAMPLE_S
from windtunnel.run import Run

RECOVERY = (2, 3)
"""States in which the transport reduces the window: CWR and Recovery."""
CWND_MAX = 2**31 - 1
LEAST_KEPT = 0.95
"""A smaller fall is rounding."""


@dataclass(frozen=True)
class Invariant:
    """Something that holds in every run.

    Parameters
    ----------
    name : str
        What it is called.
    what : str
        One line.
    broken : callable of Run to str
        Where it is broken, in one line; empty where it holds.
    """

    name: str
    what: str
    broken: Callable[[Run], str]


def _unsound_window(run: Run) -> str:
    acks = run.acks
    assert acks is not None
    bad = acks.filter(~(pl.col("cwnd").is_finite() & (pl.col("cwnd") >= 1) & (pl.col("cwnd") <= CWND_MAX)))
    if bad.height:
        first = bad.row(0, named=True)
        return f"flow {first['flow'] + 1} at {first['t_s']:.6f} s: cwnd is {first['cwnd']}"
    return ""


def _stopped_pacing(run: Run) -> str:
    bad = run.flow_samples.filter(pl.col("pacing_rate_bps").is_not_null() & ~(pl.col("pacing_rate_bps") > 0))
    if bad.height:
        first = bad.row(0, named=True)
        return f"flow {first['flow'] + 1} at {first['t_s']:.3f} s: it paces at {first['pacing_rate_bps']} bit/s"
    return ""


def _episodes(samples: pl.DataFrame) -> Iterator[tuple[float, np.ndarray]]:
    """Yield begin and thresholds of each run of samples of one flow within one reduction; CWR that becomes Recovery is two."""
    states = np.where(np.isin(samples["state"].to_numpy(), RECOVERY), samples["state"].to_numpy(), 0)
    thresholds, times = samples["ssthresh_packets"].fill_null(float("inf")).to_numpy(), samples["t_s"].to_numpy()
    edges = [0, *(np.flatnonzero(np.diff(states)) + 1), len(states)]
    for begin, end in itertools.pairwise(edges):
        if begin < end and states[begin]:
            yield float(times[begin]), thresholds[begin:end]


def _reacted_twice(run: Run) -> str:
    starts = run.events.filter(pl.col("kind") == "loss_episode")
    for (flow,), samples in run.flow_samples.partition_by("flow", as_dict=True).items():
        own = starts.filter(pl.col("flow") == flow)
        times, answers = own["t_s"].to_numpy(), own["value2"].to_numpy()
        for begin_s, thresholds in _episodes(samples):
            # Two episodes may follow each other between two samples.
            first, last = np.searchsorted(times, [begin_s, begin_s + SAMPLE_S * len(thresholds)], side="right")
            # A controller that moves the threshold itself on every ACK, as Prague does and BBR once, has not left it as it answered.
            if first == 0 or last > first or abs(thresholds[0] - answers[first - 1]) > (1 - LEAST_KEPT) * answers[first - 1]:
                continue
            if thresholds.min() < LEAST_KEPT * thresholds[0]:
                return f"flow {flow + 1} at {begin_s:.3f} s: the threshold falls from {thresholds[0]:g} to {thresholds.min():g}"
    return ""


INVARIANTS = (
    Invariant("sound windows", "every window is finite, and one segment or more", _unsound_window),
    Invariant("one reaction", "the threshold does not fall a second time within one congestion episode", _reacted_twice),
    Invariant("paces on", "a flow that paces never paces at nothing", _stopped_pacing),
)
"""Those there are: a new one is one entry. Survival and the same bits twice are checked where the runs are made."""
