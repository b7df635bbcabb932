"""Back-offs and what follows them, read from the sampled window alone: the same for a stack that reports no events as for the simulator."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from windtunnel.metrics import View
from windtunnel.metrics.backoffs import Array

FALL = 0.93
"""A window below this share of its largest since the last back-off has backed off: no law here reduces by less than 15 %, and the
growth between two samples is far below that."""
SETTLED_RTTS = 1.5
"""A reduction that is spread over a round trip (RFC 6937) has ended within so many: the smallest window in them is where it led."""


@dataclass(frozen=True)
class Epoch:
    """From one back-off to the next.

    Parameters
    ----------
    t_s, cwnd, rounds : numpy.ndarray, shape (samples,)
        From the smallest window after the back-off to the largest before the next: seconds since the first, packets, and round trips.
    before : float
        The window that was reduced, packets.
    """

    t_s: Array
    cwnd: Array
    rounds: Array
    before: float

    @property
    def kept(self) -> float:
        """The window after over the one before."""
        return float(self.cwnd[0]) / self.before


def epochs(view: View, begin_s: float) -> list[Epoch]:
    """Return the epochs of the first flow whose back-off is after `begin_s` (seconds); the last one ends with the run."""
    series = view.series(0)
    known = ~np.isnan(series.cwnd_packets) & (series.cwnd_packets > 0) & (series.srtt_s > 0)
    t_s, cwnd, srtt = series.t_s[known], series.cwnd_packets[known], series.srtt_s[known]
    if t_s.size < 2:
        return []
    rounds = np.concatenate(([0.0], np.cumsum(np.diff(t_s) / srtt[:-1])))
    marks = list(_backoffs(t_s, cwnd, srtt))
    found = []
    for number, (peak, low) in enumerate(marks):
        end = marks[number + 1][0] if number + 1 < len(marks) else t_s.size - 1
        if t_s[peak] >= begin_s and end > low:
            span = slice(low, end + 1)
            found.append(Epoch(t_s[span] - t_s[low], cwnd[span], rounds[span] - rounds[low], float(cwnd[peak])))
    return found


def _backoffs(t_s: Array, cwnd: Array, srtt: Array) -> Iterator[tuple[int, int]]:
    """Yield the samples before and after each reduction."""
    peak = at = 0
    while at < t_s.size:
        if cwnd[at] >= cwnd[peak]:
            peak = at
        elif cwnd[at] < FALL * cwnd[peak]:
            end = int(np.searchsorted(t_s, t_s[at] + SETTLED_RTTS * srtt[at]))
            low = at + int(np.argmin(cwnd[at : max(end, at + 1)]))
            yield peak, low
            peak = at = low
        at += 1


def median(values: list[float]) -> float | None:
    """Return the median of what is known; None of nothing."""
    known = [value for value in values if not math.isnan(value)]
    return float(np.median(known)) if known else None
