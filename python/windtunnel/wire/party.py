"""One run at one end: its streams, its datagrams, its samples, its seconds; it stops by itself."""

from __future__ import annotations

import select
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from windtunnel.wire.datagrams import Datagrams
from windtunnel.wire.machine import Look
from windtunnel.wire.pings import Pings
from windtunnel.wire.streams import Stream

DRAIN_S = 15.0
"""Streams that have not delivered everything so long after the end are ended at once."""
PING_S = 0.1
"""From one request for an echo to the next."""
GREET_S = 0.1
WRITE_BYTES = 1 << 20
"""A stream writes so much before others have their turn."""
EARLY_S = 0.5
"""An answer that comes so long before the end is no answer to the whole run."""
OTHER_ENDED = "the other end has ended the run"
TURN_S = 0.002
"""A source of datagrams is looked at so often."""


@dataclass
class Given:
    """What a run is given.

    Parameters
    ----------
    seconds : float
        How long those who send do so.
    sample_s : float
        From one look at TCP_INFO to the next.
    budget_bytes : int
        Payload of streams, and datagrams: this end stops when it has sent or received so much.
    """

    seconds: float
    sample_s: float
    budget_bytes: int


@dataclass
class Party:
    """One end of a run.

    Parameters
    ----------
    given : Given
        Its orders.
    streams : sequence of Stream
        Open ones.
    datagrams : Datagrams, optional
        Where there are any.
    pings : Pings, optional
        ICMP; requests for an echo go by datagrams where it is None and `asks`.
    asks : bool
        Whether this end measures round-trip times.
    """

    given: Given
    streams: Sequence[Stream]
    datagrams: Datagrams | None = None
    pings: Pings | None = None
    asks: bool = False
    rows: list[list[Any]] = field(default_factory=list)
    seconds: list[list[float]] = field(default_factory=list)
    stopped: str | None = None
    _is_finished: bool = False

    def run(self, watched: Sequence[Any] = ()) -> dict[str, Any]:
        """Do the run.

        Parameters
        ----------
        watched : sequence
            What has a descriptor that is not to become readable: the connection to the other end. The run ends when it does.

        Returns
        -------
        dict
            ``rows`` (of `windtunnel.wire.streams.COLUMNS`), ``seconds`` (rows: the time, what arrived of each stream in all, and what
            arrived and left of datagrams, bytes), ``streams`` (facts), ``echoes`` and ``asked``, ``machine``, ``stopped`` (why before
            its time, or None).
        """
        self._epoll = select.epoll()
        self._by_descriptor = {stream.connection.fileno(): stream for stream in self.streams}
        for stream in self.streams:
            self._epoll.register(stream.connection.fileno(), stream.events())
        self._watched = {one.fileno() for one in watched}
        for descriptor in [*self._watched, *(one.fileno() for one in (self.datagrams, self.pings) if one is not None)]:
            self._epoll.register(descriptor, select.EPOLLIN)
        look, self._began = Look(), time.monotonic()
        self._due = {"second": 1.0, "look": 0.0, "ask": 0.0, "greet": 0.0}
        try:
            while not self._turn():
                pass
        finally:
            for stream in self.streams:
                self._end(stream)
            self._epoll.close()
        self._count(time.monotonic() - self._began)
        return self._answer(look.since())

    def _turn(self) -> bool:
        """Do what is due, wait for what comes; return whether the run is over."""
        now = time.monotonic() - self._began
        if (now >= self.given.seconds or self.stopped) and not self._is_finished:
            self._finish()
        if self._is_over(now):
            return True
        self._do_due(now)
        sending = now < self.given.seconds and not self.stopped and self.datagrams is not None and self.datagrams.send_due(now)
        wait = TURN_S if sending else max(0.0, min(self._due.values()) - now, 0.0)
        for descriptor, happened in self._epoll.poll(min(wait, 1.0)):
            stream = self._by_descriptor.get(descriptor)
            if stream is not None:
                self._on_stream(stream, happened)
            elif descriptor in self._watched:
                # Near the end it is the other end's answer, which is read afterwards.
                self._epoll.unregister(descriptor)
                if now < self.given.seconds - EARLY_S:
                    self.stopped = OTHER_ENDED
            elif self.pings is not None and descriptor == self.pings.fileno():
                self.pings.take()
            elif self.datagrams is not None:
                self.datagrams.take()
        self._check()
        return False

    def _is_over(self, now: float) -> bool:
        if now > self.given.seconds + DRAIN_S or self.stopped == OTHER_ENDED:
            return True
        return (now >= self.given.seconds or self.stopped is not None) and all(stream.is_over for stream in self.streams)

    def _do_due(self, now: float) -> None:
        due = self._due
        if now >= due["second"]:
            self._count(now)
            due["second"] = float(int(now) + 1)
        if now >= due["look"]:
            self._look(now)
            due["look"] = max(due["look"] + self.given.sample_s, now)
        if self.asks and now < self.given.seconds and now >= due["ask"]:
            if self.pings is not None:
                self.pings.ask()
            elif self.datagrams is not None:
                self.datagrams.ask(int(now / PING_S))
            due["ask"] = due["ask"] + PING_S
        elif not self.asks or now >= self.given.seconds:
            due["ask"] = float("inf")
        # Who knows where the other is says so until the end: datagrams may be lost.
        if self.datagrams is not None and now >= due["greet"]:
            self.datagrams.greet()
            due["greet"] += GREET_S
        elif self.datagrams is None:
            due["greet"] = float("inf")

    def _on_stream(self, stream: Stream, happened: int) -> None:
        if stream.sends and happened & (select.EPOLLERR | select.EPOLLHUP | select.EPOLLRDHUP):
            # The receiver closes when it has everything: with its FIN came the last ACK.
            self._end(stream)
        elif stream.sends:
            stream.write(WRITE_BYTES)
        else:
            stream.read()

    def _end(self, stream: Stream) -> None:
        """Look at a stream for the last time, and close it."""
        if not stream.is_over:
            if stream.sends:
                self._row(stream, time.monotonic() - self._began)
            stream.note()
            if stream.has_finished:
                stream.close()
            else:
                stream.abort()

    def _finish(self) -> None:
        """Let everything that is under way arrive; who receives waits for the end of what the other sends, unless this end has enough."""
        self._is_finished = True
        for stream in self.streams:
            if stream.sends and not stream.is_over:
                stream.finish()
                self._epoll.modify(stream.connection.fileno(), select.EPOLLRDHUP)
            elif self.stopped:
                self._end(stream)

    def _look(self, now: float) -> None:
        for stream in self.streams:
            if stream.sends:
                self._row(stream, now)

    def _row(self, stream: Stream, now: float) -> None:
        row = stream.row(round(now * 1e9))
        if row is not None:
            self.rows.append(row)

    def _count(self, now: float) -> None:
        loads = (self.datagrams.received_bytes, self.datagrams.sent_bytes) if self.datagrams else (0, 0)
        self.seconds.append([round(now, 6), *(stream.received_bytes for stream in self.streams), *loads])

    def _spent(self) -> bool:
        moved = sum(stream.written_bytes + stream.received_bytes for stream in self.streams)
        if self.datagrams is not None:
            moved += self.datagrams.sent_bytes + self.datagrams.received_bytes
        return moved >= self.given.budget_bytes

    def _check(self) -> None:
        if self.stopped is None and self._spent():
            self.stopped = f"{self.given.budget_bytes} bytes were sent, as many as were allowed"

    def _answer(self, machine: dict[str, Any]) -> dict[str, Any]:
        facts = [
            {"stream": one.number, "sends": one.sends, "written_bytes": one.written_bytes, "received_bytes": one.received_bytes}
            | one.facts
            | ({"broken": one.broken} if one.broken else {})
            for one in self.streams
        ]
        source = self.pings or self.datagrams
        return {
            "rows": self.rows,
            "seconds": self.seconds,
            "streams": facts,
            "echoes": [list(echo) for echo in source.echoes] if source is not None and self.asks else [],
            "began_ns": round(self._began * 1e9),
            "asked": self._asked(),
            "datagrams": None if self.datagrams is None else [self.datagrams.sent, self.datagrams.received],
            "machine": machine,
            "stopped": self.stopped,
        }

    def _asked(self) -> int:
        if not self.asks:
            return 0
        return self.pings.asked if self.pings is not None else int(self.given.seconds / PING_S)
