"""Round-trip times by ICMP echo (RFC 792), where this user may send it; the caller has another way where not."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import time

ECHO_REQUEST, ECHO_REPLY = 8, 0
_ICMP = struct.Struct("!BBHHH")
_STAMP = struct.Struct("!q")
PAYLOAD = bytes(40)
SO_TIMESTAMPNS = 35
STEPPED_NS = 1_000_000
"""The clock of the kernel's stamps was set when it moved so far against the monotonic one meanwhile: that answer is left out."""


def checksum(data: bytes) -> int:
    """Return the Internet checksum (RFC 1071)."""
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF


class Pings:
    """ICMP echo to an IPv4 address.

    Parameters
    ----------
    address : str
        Whom to ask.

    Raises
    ------
    PermissionError
        When this user may not (CAP_NET_RAW, or ``net.ipv4.ping_group_range``).
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._number = os.getpid() & 0xFFFF
        self._sent: dict[int, tuple[int, int]] = {}
        self.asked = 0
        self.echoes: list[tuple[int, int, int]] = []
        self.stepped = 0
        try:
            self._socket, self._is_raw = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP), False
        except PermissionError:
            self._socket, self._is_raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP), True
        self._socket.setblocking(False)
        self._socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)

    def fileno(self) -> int:
        """Return its descriptor."""
        return self._socket.fileno()

    def ask(self) -> None:
        """Ask for an echo."""
        number = self.asked & 0xFFFF
        body = _STAMP.pack(self.asked) + PAYLOAD
        head = _ICMP.pack(ECHO_REQUEST, 0, 0, self._number, number)
        head = _ICMP.pack(ECHO_REQUEST, 0, checksum(head + body), self._number, number)
        self._sent[self.asked] = (time.time_ns(), time.monotonic_ns())
        self.asked += 1
        with contextlib.suppress(OSError):
            self._socket.sendto(head + body, (self._address, 0))

    def take(self) -> None:
        """Take the answers that have come, each with the kernel's time of its arrival."""
        while True:
            try:
                data, control, _, _ = self._socket.recvmsg(2048, 64)
            except OSError:
                return
            if self._is_raw:
                data = data[4 * (data[0] & 15) :]
            if len(data) < _ICMP.size + _STAMP.size or data[0] != ECHO_REPLY:
                continue
            _, _, _, number, _ = _ICMP.unpack_from(data)
            (asked,) = _STAMP.unpack_from(data, _ICMP.size)
            sent = self._sent.pop(asked, None)
            if sent is None or (self._is_raw and number != self._number):
                continue
            self._note(asked, sent, control)

    def _note(self, asked: int, sent: tuple[int, int], control: list[tuple[int, int, bytes]]) -> None:
        real_ns, monotonic_ns = time.time_ns(), time.monotonic_ns()
        came_ns = real_ns
        if control:
            seconds, nanoseconds = struct.unpack_from("=qq", control[0][2])
            came_ns = seconds * 1_000_000_000 + nanoseconds
        if abs((real_ns - sent[0]) - (monotonic_ns - sent[1])) > STEPPED_NS:
            self.stepped += 1
            return
        self.echoes.append((asked, sent[1], sent[1] + came_ns - sent[0]))

    def close(self) -> None:
        """Close its socket."""
        self._socket.close()
