"""What the kernel tells of a connection: TCP_INFO and TCP_CC_INFO (linux/tcp.h), and the counters of its namespace."""

from __future__ import annotations

import os
import socket
import struct
import sys
from typing import NamedTuple

TCP_CC_INFO = 26
CC_WORDS = 5
OPEN, DISORDER, CWR, RECOVERY, LOSS = range(5)
"""Congestion states."""

_INFO = struct.Struct("=8B24I4Q6I4Q2I")
_LEAST_BYTES = _INFO.size
_SEND_WINDOW = 228
"""Where the receiver's window stands, in kernels since 5.5."""


class Info(NamedTuple):
    """What is used of a struct tcp_info; times in microseconds, rates in bytes per second, windows in packets.

    `window_limited_us` and `buffer_limited_us` are the parts of `busy_us` in which the receiver's window, or the sender's buffer, held
    it back. `send_window_bytes` is the window that the receiver has advertised, 0 where the kernel does not tell.
    """

    state: int
    unacked: int
    sacked: int
    lost: int
    retrans: int
    rtt_us: int
    ssthresh: int
    cwnd: int
    total_retrans: int
    pacing_rate: int
    min_rtt_us: int
    data_sent: int
    busy_us: int
    window_limited_us: int
    delivered: int
    delivered_marked: int
    mss_bytes: int
    acked_bytes: int
    buffer_limited_us: int
    send_window_bytes: int

    @property
    def in_flight(self) -> int:
        """Packets in flight, as the kernel counts them (tcp_packets_in_flight)."""
        return self.unacked - self.sacked - self.lost + self.retrans


def info(connection: socket.socket) -> Info:
    """Read a connection's TCP_INFO.

    Raises
    ------
    OSError
        When the kernel is too old to tell what is needed (4.18).
    """
    raw = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 512)
    if len(raw) < _LEAST_BYTES:
        raise OSError(f"TCP_INFO has {len(raw)} bytes; at least {_LEAST_BYTES} are needed, as Linux 4.18 and newer have")
    word = _INFO.unpack_from(raw)
    return Info(
        state=word[1],
        unacked=word[12],
        sacked=word[13],
        lost=word[14],
        retrans=word[15],
        rtt_us=word[23],
        ssthresh=word[25],
        cwnd=word[26],
        total_retrans=word[31],
        pacing_rate=word[32],
        min_rtt_us=word[39],
        data_sent=word[41],
        busy_us=word[43],
        window_limited_us=word[44],
        delivered=word[46],
        delivered_marked=word[47],
        mss_bytes=word[10],
        acked_bytes=word[34],
        buffer_limited_us=word[45],
        send_window_bytes=int.from_bytes(raw[_SEND_WINDOW : _SEND_WINDOW + 4], sys.byteorder),
    )


def algorithm_words(connection: socket.socket) -> list[int]:
    """Return the five words that the algorithm reports of itself, zeros where it reports none."""
    try:
        raw = connection.getsockopt(socket.IPPROTO_TCP, TCP_CC_INFO, 4 * CC_WORDS)
    except OSError:
        raw = b""
    return list(struct.unpack(f"={CC_WORDS}I", raw.ljust(4 * CC_WORDS, b"\0")))


class Counts(NamedTuple):
    """Counters of a namespace."""

    loss_episodes: int = 0
    timeouts: int = 0
    undos: int = 0


_MEANING = {
    **dict.fromkeys(("TCPRenoRecovery", "TCPSackRecovery", "TCPLossProbeRecovery"), "loss_episodes"),
    "TCPTimeouts": "timeouts",
    **dict.fromkeys(("TCPFullUndo", "TCPPartialUndo", "TCPDSACKUndo", "TCPLossUndo"), "undos"),
}
"""A tail probe that repaired a loss is a window reduction like one by fast recovery."""


def open_netstat() -> int:
    """Return a descriptor of the counters of the namespace that the caller is in."""
    return os.open("/proc/thread-self/net/netstat", os.O_RDONLY | os.O_CLOEXEC)


def netstat(descriptor: int) -> Counts:
    """Read the counters of a namespace.

    Raises
    ------
    OSError
        When they are not as expected.
    """
    lines = os.pread(descriptor, 65536, 0).decode("ascii").splitlines()
    if len(lines) < 2 or not lines[0].startswith("TcpExt: "):
        raise OSError("/proc/net/netstat: not two lines of TcpExt")
    found = dict.fromkeys(Counts._fields, 0)
    for name, value in zip(lines[0].split()[1:], lines[1].split()[1:], strict=True):
        if name in _MEANING:
            found[_MEANING[name]] += int(value)
    return Counts(**found)
