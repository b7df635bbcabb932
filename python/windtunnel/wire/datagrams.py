"""Datagrams of a run: a source whose rate swings as a sine, requests for an echo, and the echoes. All carry the run's tag."""

from __future__ import annotations

import contextlib
import math
import socket
import struct
import time
from collections.abc import Callable
from typing import Any

from windtunnel.wire.channel import TAG_BYTES

LOAD, ASK, ECHO, HELLO = range(4)
HEADER = struct.Struct("!Bqq")
"""Kind, number, time of sending (of the sender's clock)."""
UDP_IP_BYTES = 28
ECHO_BYTES = 64
BATCH = 64
"""Sent at most before something else has its turn."""
BEHIND_S = 0.02
"""A source that was not scheduled sends afterwards no more than what was due in so long."""


class Datagrams:
    """Datagrams to one address and from it, those of one run.

    Parameters
    ----------
    connection : socket.socket
        Of UDP, not blocking, not connected.
    tag : bytes
        Of the run.
    allowed : callable
        Whether a sender's address is the peer's.
    source : dict, optional
        ``rate_bps`` (IP), ``amplitude_bps``, ``period_s``, ``packet_bytes``: what this end sends.
    peer : tuple, optional
        Where to; at the listener it becomes known by the peer's first datagram with the tag, and nothing is sent before.
    """

    def __init__(
        self, connection: socket.socket, tag: bytes, *, allowed: Callable[[Any], bool], source: dict[str, Any] | None, peer: Any = None
    ) -> None:
        self.connection, self._tag, self._allowed, self._source, self.peer = connection, tag, allowed, source, peer
        self.sent = self.received = self.foreign = 0
        self.sent_bytes = self.received_bytes = 0
        self.echoes: list[tuple[int, int, int]] = []
        self._due_packets = 0.0
        self._looked_s = 0.0
        if source is not None:
            self._filler = bytes(source["packet_bytes"] - UDP_IP_BYTES - TAG_BYTES - HEADER.size)

    def fileno(self) -> int:
        """Return its descriptor."""
        return self.connection.fileno()

    def rate_bps(self, since_s: float) -> float:
        """Return the source's rate so long after the run's beginning."""
        assert self._source is not None
        swing = math.sin(2 * math.pi * since_s / self._source["period_s"]) if self._source["amplitude_bps"] else 0.0
        return float(self._source["rate_bps"] + self._source["amplitude_bps"] * swing)

    def send_due(self, since_s: float) -> bool:
        """Send what the source owes; return whether there is a source that can send."""
        if self._source is None or self.peer is None:
            return False
        passed = min(since_s - self._looked_s, BEHIND_S)
        self._due_packets += passed * self.rate_bps(since_s) / (8 * self._source["packet_bytes"])
        self._looked_s = since_s
        for _ in range(min(int(self._due_packets), BATCH)):
            self._send(LOAD, self.sent, self._filler)
            self.sent += 1
            self.sent_bytes += self._source["packet_bytes"]
            self._due_packets -= 1
        return True

    def greet(self) -> None:
        """Show the listener where datagrams of this run come from."""
        self._send(HELLO, 0, b"")

    def ask(self, number: int) -> None:
        """Ask for an echo."""
        self._send(ASK, number, bytes(ECHO_BYTES - TAG_BYTES - HEADER.size))

    def _send(self, kind: int, number: int, filler: bytes) -> None:
        # A full queue of the device is a loss like another; a port that is closed is told by the run's end.
        with contextlib.suppress(OSError):
            if self.peer is not None:
                self.connection.sendto(self._tag + HEADER.pack(kind, number, time.monotonic_ns()) + filler, self.peer)

    def take(self) -> None:
        """Take what has come: count it, answer it, or note an echo."""
        while True:
            try:
                data, sender = self.connection.recvfrom(65536)
            except BlockingIOError:
                return
            except OSError:
                continue
            if not self._allowed(sender) or len(data) < TAG_BYTES + HEADER.size or data[:TAG_BYTES] != self._tag:
                self.foreign += 1
                continue
            kind, number, sent_ns = HEADER.unpack_from(data, TAG_BYTES)
            if self.peer is None:
                self.peer = sender
            if kind == LOAD:
                self.received += 1
                self.received_bytes += len(data) + UDP_IP_BYTES
            elif kind == ASK:
                with contextlib.suppress(OSError):
                    self.connection.sendto(data[:TAG_BYTES] + HEADER.pack(ECHO, number, sent_ns) + data[TAG_BYTES + HEADER.size :], sender)
            elif kind == ECHO:
                self.echoes.append((number, sent_ns, time.monotonic_ns()))
