"""The data connections of a run, at either end: who sends has always something to send, who receives throws it away."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import struct
from dataclasses import dataclass, field
from typing import Any

from windtunnel.live import counters
from windtunnel.live.counters import Info
from windtunnel.live.namespaces import discard

CHUNK = bytes(64 * 1024)
UNSENT_BYTES = 256 * 1024
"""Kept waiting in the socket; what is in flight is beside it."""
TCP_NOTSENT_LOWAT, TCP_WINDOW_CLAMP = 25, 10
COLUMNS = (
    *("t_ns", "stream", "state", "cwnd", "ssthresh", "rtt_us", "min_rtt_us", "in_flight", "delivered", "sent", "retransmitted"),
    *("pacing_rate", "lost", "acked_bytes", "busy_us", "window_limited_us", "buffer_limited_us", "send_window_bytes"),
)
"""Of a row of TCP_INFO; what is counted is counted from the connection's beginning on."""


def prepare(made: socket.socket, window_bytes: int | None) -> None:
    """Give a socket that will connect or listen its window: buffers of that size; the kernel's own sizes where there is none.

    Linux doubles what is asked for (socket(7)), half of it for its own use.
    """
    if window_bytes is not None:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window_bytes)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, window_bytes)
        made.setsockopt(socket.IPPROTO_TCP, TCP_WINDOW_CLAMP, window_bytes)


@dataclass
class Stream:
    """One data connection.

    Parameters
    ----------
    number : int
        Its number in the run.
    connection : socket.socket
        Connected.
    sends : bool
        Whether this end sends.
    algorithm : str
        The kernel's name of its congestion control.
    """

    number: int
    connection: socket.socket
    sends: bool
    algorithm: str
    received_bytes: int = 0
    written_bytes: int = 0
    is_over: bool = False
    has_finished: bool = False
    broken: str | None = None
    latest: Info | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    def open(self) -> None:
        """Set what this end sets.

        Raises
        ------
        OSError
            When the kernel lacks its algorithm, or does not let this user have it.
        """
        self.connection.setblocking(False)
        if self.sends:
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, self.algorithm.encode())
            self.connection.setsockopt(socket.IPPROTO_TCP, TCP_NOTSENT_LOWAT, UNSENT_BYTES)

    def events(self) -> int:
        """Return what is waited for."""
        return select.EPOLLOUT | select.EPOLLRDHUP if self.sends else select.EPOLLIN | select.EPOLLRDHUP

    def write(self, at_most: int) -> int:
        """Write until the socket is full; return how many bytes."""
        before = self.written_bytes
        while not self.has_finished and self.written_bytes - before < at_most:
            try:
                self.written_bytes += self.connection.send(CHUNK)
            except BlockingIOError:
                break
            except OSError as error:
                self._break(error)
                break
        return self.written_bytes - before

    def read(self) -> int:
        """Throw away what has come; return how many bytes. At the end, close."""
        before = self.received_bytes
        try:
            while size := discard(self.connection.fileno()):
                self.received_bytes += size
            self.note()
            self.close()
        except BlockingIOError:
            pass
        except OSError as error:
            self._break(error)
        return self.received_bytes - before

    def finish(self) -> None:
        """Send nothing more; the receiver closes when it has everything."""
        if self.sends and not self.has_finished and not self.is_over:
            self.has_finished = True
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_WR)

    def row(self, now: int) -> list[Any] | None:
        """Return a row of what the kernel says of it, None when it is over."""
        if self.is_over:
            return None
        info = self.latest = counters.info(self.connection)
        return [
            now,
            self.number,
            info.state,
            info.cwnd,
            info.ssthresh,
            info.rtt_us,
            info.min_rtt_us,
            info.in_flight,
            info.delivered,
            info.data_sent,
            info.total_retrans,
            info.pacing_rate,
            info.lost,
            info.acked_bytes,
            info.busy_us,
            info.window_limited_us,
            info.buffer_limited_us,
            info.send_window_bytes,
        ]

    def note(self) -> None:
        """Note, before it is closed, what the kernel gave it."""
        if self.is_over:
            return
        with contextlib.suppress(OSError):
            used = self.connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16)
            self.facts = {
                "algorithm": used.rstrip(b"\0").decode(),
                "send_buffer_bytes": self.connection.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF),
                "receive_buffer_bytes": self.connection.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF),
                "mss_bytes": counters.info(self.connection).mss_bytes,
            }

    def close(self) -> None:
        """Close it."""
        self.is_over = True
        self.connection.close()

    def abort(self) -> None:
        """End it at once."""
        if not self.is_over:
            self.note()
            with contextlib.suppress(OSError):
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("=ii", 1, 0))
            self.close()

    def _break(self, error: OSError) -> None:
        self.broken = error.strerror or os.strerror(error.errno or 0)
        self.abort()
