"""Back-offs: the window reductions of a flow that stood."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from windtunnel.frames import pl

Array = npt.NDArray[np.float64]

REDUCTIONS = ("loss_episode", "timeout")


@dataclass(frozen=True)
class Backoffs:
    """The back-offs of one flow, in order of time.

    Attributes
    ----------
    t_s : numpy.ndarray, shape (backoffs,)
        Seconds.
    before_packets : numpy.ndarray, shape (backoffs,)
        cwnd at the back-off.
    after_packets : numpy.ndarray, shape (backoffs,)
        The window it leads to (ssthresh after it); NaN for a timeout, which records none.
    """

    t_s: Array
    before_packets: Array
    after_packets: Array

    def within(self, t0: float, t1: float) -> Backoffs:
        """Return those from `t0` to `t1` (seconds)."""
        chosen = (self.t_s >= t0) & (self.t_s <= t1)
        return Backoffs(self.t_s[chosen], self.before_packets[chosen], self.after_packets[chosen])

    @property
    def factors(self) -> Array:
        """Window after over cwnd before, where both were recorded; shape (loss episodes,)."""
        known = ~np.isnan(self.after_packets)
        return self.after_packets[known] / self.before_packets[known]


def backoffs_by_flow(events: pl.DataFrame) -> dict[int, Backoffs]:
    """Return every flow's back-offs over the whole run.

    A back-off is a loss episode or a retransmission timeout. One that was undone afterwards is none. A timeout within an episode is
    part of it: it reports the same cwnd from before as the reduction it follows.

    Parameters
    ----------
    events : polars.DataFrame, shape (events, ...)
        The records' events, in order of time.

    Returns
    -------
    dict of int to Backoffs
        By flow number; flows that never backed off are absent.
    """
    chosen = events.filter(pl.col("kind").is_in([*REDUCTIONS, "undo"])).select("t_s", "flow", "kind", "value", "value2")
    kept: dict[int, list[tuple[float, float, float]]] = {}
    for t_s, flow, kind, value, value2 in chosen.iter_rows():
        standing = kept.setdefault(int(flow), [])
        if kind == "undo":
            if standing:
                standing.pop()
        elif not (kind == "timeout" and standing and standing[-1][1] == value):
            standing.append((t_s, value, np.nan if value2 is None else value2))
    return {flow: Backoffs(*np.array(rows, dtype=np.float64).T) for flow, rows in kept.items() if rows}
