"""Both ends of a flow: a sender that always has data, or so many bytes, and a receiver that throws them away."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import socket
import struct
from dataclasses import dataclass, field
from typing import Any

from windtunnel.live import counters, namespaces
from windtunnel.live.counters import Counts, Info
from windtunnel.live.namespaces import Host

PORT = 1000
CHUNK = bytes(64 * 1024)
UNSENT_BYTES = 128 * 1024
"""Kept waiting in the socket: more than one ACK ever releases, little when a flow stops."""
READ_AT_BYTES = 256 * 1024
"""The receiver sleeps until so much has come."""
PACED_AT_MOST = 1 << 62
"""Bytes per second: asks for the kernel's pacing and never limits it."""
TCP_NOTSENT_LOWAT, TCP_WINDOW_CLAMP, SO_MAX_PACING_RATE = 25, 10, 47
TCP_IP_BYTES = 40

SETTINGS = (
    ("net/ipv4/tcp_no_metrics_save", "1"),
    ("net/ipv4/tcp_moderate_rcvbuf", "0"),
    ("net/ipv4/tcp_rmem", "4096 1073741824 1073741824"),
    ("net/ipv4/tcp_wmem", "4096 67108864 1073741824"),
    ("net/ipv4/conf/all/rp_filter", "0"),
    ("net/ipv4/conf/default/rp_filter", "0"),
)
"""Of every host's namespace: neither buffers nor what was learned of other connections limit a flow."""


@dataclass
class Flow:
    """A flow.

    Parameters
    ----------
    index : int
        Its number.
    given : dict
        Its orders: ``algorithm`` (the kernel's name), ``window_bytes``, ``mtu``, ``paced``, ``handshake``, ``start_ns``, ``stop_ns``,
        ``bytes``.
    sends, receives : Host
        Where its ends are.
    """

    index: int
    given: dict[str, Any]
    sends: Host
    receives: Host
    sender: socket.socket | None = None
    listener: socket.socket | None = None
    receiver: socket.socket | None = None
    netstat: int = -1
    to_write: int | None = None
    has_begun: bool = False
    has_finished: bool = False
    latest: Info | None = None
    counts: Counts = field(default_factory=Counts)
    was_slow_start: bool = False
    mark_episodes: int = 0

    def open(self) -> None:
        """Make the sockets of both ends.

        Raises
        ------
        OSError
            When the kernel lacks its algorithm; the text names it.
        """
        self.open_receiver()
        self.open_sender()

    def open_receiver(self) -> None:
        """Make the receiver's socket, which waits for the sender; see `open`."""
        with namespaces.inside(self.receives.namespace):
            self.listener = self._socket()
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, READ_AT_BYTES)
            self.listener.setsockopt(socket.IPPROTO_TCP, TCP_WINDOW_CLAMP, self.given["window_bytes"])
            self.listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, self.given["mtu"] - TCP_IP_BYTES)
            self.listener.bind((self.receives.address, PORT))
            self.listener.listen(1)

    def open_sender(self) -> None:
        """Make the sender's socket; see `open`."""
        self.to_write = self.given["bytes"]
        with namespaces.inside(self.sends.namespace):
            self.netstat = counters.open_netstat()
            self.sender = self._socket()
            self.sender.setsockopt(socket.IPPROTO_TCP, TCP_NOTSENT_LOWAT, UNSENT_BYTES)
            if not self.given["handshake"]:
                # The last ACK of a handshake before the start leaves with the first data.
                self.sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 0)
            if self.given["paced"]:
                self.sender.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, struct.pack("=Q", PACED_AT_MOST))

    def _socket(self) -> socket.socket:
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        made.setblocking(False)
        # Some ask something of the receiver too: DCTCP's answers each mark in its own way.
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, self.given["algorithm"].encode())
        return made

    def connect(self) -> None:
        """Begin the connection."""
        assert self.sender is not None
        code = self.sender.connect_ex((self.receives.address, PORT))
        if code not in (0, errno.EINPROGRESS):
            raise OSError(code, os.strerror(code))

    def accept(self) -> bool:
        """Take the connection at the receiver, if it is there."""
        assert self.listener is not None
        try:
            self.receiver, _ = self.listener.accept()
        except BlockingIOError:
            return False
        self.receiver.setblocking(False)
        self.receiver.setsockopt(socket.IPPROTO_TCP, TCP_WINDOW_CLAMP, self.given["window_bytes"])
        return True

    def look(self) -> bool:
        """Read the sender's counters; return whether there is a sender."""
        if self.sender is None:
            return False
        self.latest = counters.info(self.sender)
        return True

    def write(self) -> None:
        """Write until the socket is full, or everything is written."""
        assert self.sender is not None
        while self.to_write is None or self.to_write > 0:
            chunk = CHUNK if self.to_write is None or self.to_write >= len(CHUNK) else CHUNK[: self.to_write]
            try:
                taken = self.sender.send(chunk)
            except (BlockingIOError, ConnectionError, TimeoutError):
                return
            if self.to_write is not None:
                self.to_write -= taken
        self.finish()

    def finish(self) -> None:
        """Let the receiver close when it has everything that was written."""
        self.to_write = 0
        if not self.has_finished and self.sender is not None:
            self.has_finished = True
            with contextlib.suppress(OSError):
                self.sender.shutdown(socket.SHUT_WR)

    def read(self) -> None:
        """Throw away what has come, without copying it; close at the end."""
        assert self.receiver is not None
        try:
            while namespaces.discard(self.receiver.fileno()):
                pass
        except BlockingIOError:
            self.receiver.setsockopt(socket.IPPROTO_TCP, TCP_WINDOW_CLAMP, self.given["window_bytes"])
            return
        except OSError:
            pass
        self.receiver.close()
        self.receiver = None

    def close(self) -> None:
        """End it at once, and say nothing to the other end."""
        for one in (self.sender, self.receiver, self.listener):
            if one is not None:
                with contextlib.suppress(OSError):
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("=ii", 1, 0))
                one.close()
        self.sender = self.receiver = self.listener = None
        if self.netstat >= 0:
            os.close(self.netstat)
            self.netstat = -1


def watched(sender: bool) -> int:
    """Return what is waited for of a sender, or of a receiver."""
    return select.EPOLLOUT | select.EPOLLRDHUP | select.EPOLLET if sender else select.EPOLLIN | select.EPOLLRDHUP
