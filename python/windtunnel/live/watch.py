"""What the senders' kernel tells, looked at again and again: rows of counters, and what happened between two looks."""

from __future__ import annotations

from typing import Any

from windtunnel.live import counters
from windtunnel.live.counters import CWR, OPEN, Counts, Info
from windtunnel.live.ends import Flow


def is_slow_start(info: Info) -> bool:
    """Return whether a connection is below its threshold."""
    return info.cwnd < info.ssthresh


class Watch:
    """Rows and events of all flows; times are real ones since the beginning of the network's time, nanoseconds.

    Parameters
    ----------
    flows : list of Flow
        Whom to look at.

    Attributes
    ----------
    rows : list of list
        Columns as `COLUMNS` says.
    events : list of list
        Time, flow, kind, value and second value, None for none.
    """

    def __init__(self, flows: list[Flow]) -> None:
        self._flows = flows
        self.rows: list[list[Any]] = []
        self.events: list[list[Any]] = []
        self._base: dict[int, tuple[Info, Counts]] = {}

    def begin(self, flow: Flow, now: int) -> None:
        """Note that a flow begins."""
        flow.has_begun = True
        flow.look()
        assert flow.latest is not None
        flow.counts = counters.netstat(flow.netstat)
        flow.was_slow_start = True
        self._base[flow.index] = (flow.latest, flow.counts)
        self._note(now, flow, "start")

    def end(self, flow: Flow, now: int) -> None:
        """Note that everything of a flow is acknowledged, and close it."""
        if flow.has_begun and flow.sender is not None:
            self._look(flow, now)
            self._note(now, flow, "stop")
        if flow.sender is not None:
            flow.sender.close()
            flow.sender = None

    def look(self, now: int) -> None:
        """Look at all flows that have begun and have not ended."""
        for flow in self._flows:
            if flow.has_begun and flow.sender is not None:
                self._look(flow, now)

    def _note(self, now: int, flow: Flow, kind: str, value: float | None = None, value2: float | None = None) -> None:
        self.events.append([now, flow.index, kind, value, value2])

    def _look(self, flow: Flow, now: int) -> None:
        before, counted = flow.latest, flow.counts
        if before is None or flow.sender is None:
            return
        flow.look()
        info = flow.latest
        assert info is not None
        # The namespace's counters cost a formatted file: they are read only when they can have moved.
        if before.state != OPEN or info.state != OPEN or before.total_retrans != info.total_retrans:
            flow.counts = counters.netstat(flow.netstat)
        self._happened(flow, now, before, counted)
        self._row(flow, now, info)

    def _happened(self, flow: Flow, now: int, before: Info, counted: Counts) -> None:
        info, counts = flow.latest, flow.counts
        assert info is not None
        for _ in range(counts.loss_episodes - counted.loss_episodes):
            self._note(now, flow, "loss_episode", before.cwnd, info.ssthresh)
        # No counter tells of an answer to congestion marks, but the state and a new ssthresh do.
        if (
            info.state == CWR
            and info.delivered_marked != before.delivered_marked
            and (before.state != CWR or info.ssthresh != before.ssthresh)
            and counts.loss_episodes == counted.loss_episodes
        ):
            self._note(now, flow, "loss_episode", before.cwnd, info.ssthresh)
            flow.mark_episodes += 1
        for _ in range(counts.timeouts - counted.timeouts):
            self._note(now, flow, "timeout", before.cwnd)
        for _ in range(counts.undos - counted.undos):
            self._note(now, flow, "undo", info.cwnd)
        # Slow start that ends by a loss is no exit, but the episode's.
        if info.state >= CWR:
            flow.was_slow_start = False
            return
        if flow.was_slow_start and not is_slow_start(info):
            self._note(now, flow, "slow_start_exit", info.cwnd)
        flow.was_slow_start = is_slow_start(info)

    def _row(self, flow: Flow, now: int, info: Info) -> None:
        assert flow.sender is not None
        first, base = self._base[flow.index]
        since = [late - early for late, early in zip(flow.counts, base, strict=True)]
        since[0] += flow.mark_episodes
        self.rows.append(
            [
                now,
                flow.index,
                info.state,
                info.cwnd,
                info.ssthresh,
                info.rtt_us,
                info.min_rtt_us,
                info.in_flight,
                info.delivered - first.delivered,
                info.data_sent - first.data_sent,
                info.total_retrans - first.total_retrans,
                info.pacing_rate,
                info.lost,
                info.delivered_marked - first.delivered_marked,
                info.window_limited_us,
                *since,
                *counters.algorithm_words(flow.sender),
            ]
        )


COLUMNS = (
    *("t_ns", "flow", "state", "cwnd", "ssthresh", "rtt_us", "min_rtt_us", "in_flight", "delivered", "sent", "retransmitted"),
    *("pacing_rate", "lost", "marked", "window_limited_us", "loss_episodes", "timeouts", "undos"),
    *(f"word{number}" for number in range(counters.CC_WORDS)),
)
"""Of a row; what is counted is counted from the flow's beginning on."""
