"""The time of a run as its hosts see it: flows start, write, read and stop, and their senders are looked at."""

from __future__ import annotations

import os
import select
import time
from typing import Any

from windtunnel.live.ends import Flow, watched
from windtunnel.live.watch import Watch


class Loop:
    """The time of a run: starts, looks, data, stops.

    Parameters
    ----------
    flows : list of Flow
        Each with its sockets at hand: both ends, or the one that is here.
    watch_ns : int
        Between two looks at the senders.
    """

    def __init__(self, flows: list[Flow], watch_ns: int) -> None:
        self.flows, self.watch_ns = flows, watch_ns
        self.epoll = select.epoll()
        self.named: dict[int, tuple[Flow, str]] = {}
        self.watch = Watch(flows)
        sent = [(place, flow) for place, flow in enumerate(flows) if flow.sender is not None]
        actions = [(flow.given["start_ns"], 0, place) for place, flow in sent]
        actions += [(flow.given["stop_ns"], 1, place) for place, flow in sent if flow.given["stop_ns"] is not None]
        self.actions = sorted(actions, reverse=True)
        self.next_look = 0
        self.begin_ns = 0

    def run(self, begin_ns: int, end: int) -> dict[str, Any]:
        """Run until a descriptor is readable.

        Parameters
        ----------
        begin_ns : int
            When the network's time begins, of the monotonic clock.
        end : int
            The descriptor.

        Returns
        -------
        dict
            ``rows`` and ``events`` (see `windtunnel.live.watch.Watch`), ``steal`` and ``ticks`` (of all processors meanwhile).
        """
        for flow in self.flows:
            self._register(flow, "listener")
            self._register(flow, "receiver")
        self.epoll.register(end, select.EPOLLIN)
        before, self.begin_ns = processors(), begin_ns
        try:
            while not self._turn(end):
                pass
        finally:
            self.epoll.close()
        self.watch.look(self._now())
        ticks, steal = (late - early for late, early in zip(processors(), before, strict=True))
        return {"rows": self.watch.rows, "events": self.watch.events, "steal": steal, "ticks": ticks}

    def _now(self) -> int:
        return time.monotonic_ns() - self.begin_ns

    def _turn(self, end: int) -> bool:
        """Do what is due, wait for what comes next; return whether it is over."""
        now = self._now()
        while self.actions and self.actions[-1][0] <= now:
            _, what, index = self.actions.pop()
            (self._start, self._stop)[what](self.flows[index], now)
        if now >= self.next_look:
            self.watch.look(now)
            self.next_look = max(self.next_look + self.watch_ns, now - now % self.watch_ns)
        until = min([self.next_look, *(self.actions[-1][:1] if self.actions else ())])
        for descriptor, happened in self.epoll.poll(max(0.0, (until - self._now()) * 1e-9)):
            if descriptor == end:
                return True
            self._on_event(*self.named[descriptor], happened)
        return False

    def _register(self, flow: Flow, name: str) -> None:
        one = getattr(flow, name)
        if one is not None:
            self.named[one.fileno()] = (flow, name)
            self.epoll.register(one.fileno(), watched(name == "sender"))

    def _start(self, flow: Flow, now: int) -> None:
        if flow.given["handshake"]:
            flow.connect()
        self._register(flow, "sender")
        if not flow.given["handshake"]:
            self.watch.begin(flow, now)
            flow.write()

    def _stop(self, flow: Flow, now: int) -> None:
        del now
        flow.finish()

    def _on_event(self, flow: Flow, name: str, happened: int) -> None:
        if name == "listener":
            if flow.receiver is None and flow.accept():
                self._register(flow, "receiver")
        elif name == "receiver":
            if flow.receiver is not None:
                flow.read()
        elif flow.sender is not None:
            self._on_sender(flow, happened)

    def _on_sender(self, flow: Flow, happened: int) -> None:
        broken = happened & (select.EPOLLERR | select.EPOLLHUP)
        if happened & select.EPOLLOUT and not broken and not flow.has_begun:
            self.watch.begin(flow, self._now())
        # The receiver closes when it has everything: with its FIN came the last ACK.
        if broken or happened & select.EPOLLRDHUP:
            self.watch.end(flow, self._now())
        elif happened & select.EPOLLOUT and flow.has_begun:
            flow.write()


def processors() -> tuple[int, int]:
    """Return the ticks of all processors since boot, and those that were stolen from this machine (proc(5))."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    return sum(ticks), ticks[7]


def prefer(priority: int) -> bool:
    """Run before everything of the usual scheduler, if that is allowed (CAP_SYS_NICE)."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except OSError:
        return False
    return True
