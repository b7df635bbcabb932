"""Devices, addresses and routes of a network namespace by rtnetlink (rtnetlink(7)), and a device's offloads by ethtool's ioctl."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import socket
import struct
from collections.abc import Sequence
from dataclasses import dataclass

NLM_F_REQUEST, NLM_F_ACK, NLM_F_CREATE, NLM_F_EXCL = 1, 4, 0x400, 0x200
NLMSG_ERROR, RTM_NEWLINK, RTM_NEWADDR, RTM_NEWROUTE = 2, 16, 20, 24
IFLA_ADDRESS, IFLA_IFNAME, IFLA_MTU, IFLA_LINKINFO, IFLA_NET_NS_FD, IFLA_GSO_MAX_SEGS = 1, 3, 4, 18, 28, 40
IFLA_INFO_KIND, IFLA_INFO_DATA, VETH_INFO_PEER = 1, 2, 1
IFA_ADDRESS, IFA_LOCAL = 1, 2
RTA_OIF, RTA_METRICS, RTAX_INITCWND = 4, 8, 11
IFF_UP, IFF_NOARP = 1, 0x80
_LARGEST_DGRAM = 65536

SIOCETHTOOL, SIOCGIFADDR = 0x8946, 0x8915
_OFFLOADS = {"tx": 0x17, "tso": 0x1F, "gso": 0x24, "gro": 0x2C}
"""ETHTOOL_STXCSUM, ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO; one less asks for each."""


@dataclass(frozen=True)
class Veth:
    """A pair of devices.

    Parameters
    ----------
    name, peer : str
        The near one's name and the far one's.
    namespace : int
        Descriptor of the network namespace into which the far one goes.
    mac : bytes
        Hardware address of the far one.
    mtu : int
        Bytes of IP, of both.
    """

    name: str
    peer: str
    namespace: int
    mac: bytes
    mtu: int


def _attribute(kind: int, value: bytes) -> bytes:
    return struct.pack("=HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)


def _link(flags: int = 0, index: int = 0) -> bytes:
    """Return a struct ifinfomsg: `flags` are set, and no other is touched."""
    return struct.pack("=BxHiII", socket.AF_UNSPEC, 0, index, flags, flags)


class Netlink:
    """A connection to the network namespace in which it was made."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
        self._turn = 0

    def add_veth(self, pair: Veth) -> None:
        """Make a pair of devices.

        Raises
        ------
        OSError
            As the kernel says; so do all methods.
        """
        far = _link() + _attribute(IFLA_IFNAME, pair.peer.encode() + b"\0") + _attribute(IFLA_MTU, struct.pack("=I", pair.mtu))
        far += _attribute(IFLA_ADDRESS, pair.mac) + _attribute(IFLA_NET_NS_FD, struct.pack("=I", pair.namespace))
        kind = _attribute(IFLA_INFO_KIND, b"veth\0") + _attribute(IFLA_INFO_DATA, _attribute(VETH_INFO_PEER, far))
        near = _attribute(IFLA_IFNAME, pair.name.encode() + b"\0") + _attribute(IFLA_MTU, struct.pack("=I", pair.mtu))
        self._ask(RTM_NEWLINK, _link() + near + _attribute(IFLA_LINKINFO, kind), NLM_F_CREATE | NLM_F_EXCL)

    def set_up(self, device: int) -> None:
        """Set a device up, without ARP: whom it is for stands in no neighbour table."""
        self._ask(RTM_NEWLINK, _link(IFF_UP | IFF_NOARP, device))

    def one_segment(self, device: int) -> None:
        """Let TCP hand over one segment at a time: gso_max_segs."""
        self._ask(RTM_NEWLINK, _link(index=device) + _attribute(IFLA_GSO_MAX_SEGS, struct.pack("=I", 1)))

    def add_address(self, device: int, address: str) -> None:
        """Give a device an IPv4 address, alone in its network."""
        one = socket.inet_aton(address)
        body = struct.pack("=BBBBI", socket.AF_INET, 32, 0, 0, device) + _attribute(IFA_LOCAL, one) + _attribute(IFA_ADDRESS, one)
        self._ask(RTM_NEWADDR, body, NLM_F_CREATE | NLM_F_EXCL)

    def add_default_route(self, device: int, initial_window: int = 0) -> None:
        """Send everything out of a device; connections begin with so many packets, 0 for the kernel's own number."""
        body = struct.pack("=BBBBBBBBI", socket.AF_INET, 0, 0, 0, 254, 4, 253, 1, 0) + _attribute(RTA_OIF, struct.pack("=I", device))
        if initial_window:
            body += _attribute(RTA_METRICS, _attribute(RTAX_INITCWND, struct.pack("=I", initial_window)))
        self._ask(RTM_NEWROUTE, body, NLM_F_CREATE | NLM_F_EXCL)

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _ask(self, kind: int, body: bytes, flags: int = 0) -> None:
        self._turn += 1
        header = struct.pack("=IHHII", 16 + len(body), kind, NLM_F_REQUEST | NLM_F_ACK | flags, self._turn, 0)
        self._socket.send(header + body)
        answer = self._socket.recv(_LARGEST_DGRAM)
        _, answered, _, _, _ = struct.unpack_from("=IHHII", answer)
        code = -struct.unpack_from("=i", answer, 16)[0] if answered == NLMSG_ERROR else errno.EPROTO
        if code:
            raise OSError(code, os.strerror(code))


class _Value(ctypes.Structure):
    _fields_ = (("command", ctypes.c_uint32), ("data", ctypes.c_uint32))


class _Request(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char * 16), ("data", ctypes.c_void_p), ("rest", ctypes.c_char * 16))


def offloads(device: str) -> dict[str, bool]:
    """Return which of a device's offloads are on, those that it tells of; the device is one of the caller's namespace."""
    found = {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for name, command in _OFFLOADS.items():
            value = _Value(command - 1, 0)
            with contextlib.suppress(OSError):
                fcntl.ioctl(any_socket, SIOCETHTOOL, _Request(device.encode(), ctypes.addressof(value), b""))
                found[name] = bool(value.data)
    return found


def address_of(device: str) -> str:
    """Return a device's first IPv4 address.

    Raises
    ------
    OSError
        When it has none.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        answer = fcntl.ioctl(any_socket, SIOCGIFADDR, struct.pack("256s", device.encode()[:15]))
    return socket.inet_ntoa(answer[20:24])


def switch_off(device: str, offloads: Sequence[str] = tuple(_OFFLOADS)) -> None:
    """Switch a device's offloads off: packets are then what is on the wire, with their checksums.

    Parameters
    ----------
    device : str
        Its name, in the namespace of the caller.
    offloads : sequence of str
        Of ``tx`` (checksums), ``tso``, ``gso``, ``gro``.

    Raises
    ------
    OSError
        As the kernel says.
    """
    for name in offloads:
        switch(device, name, on=False)


def switch(device: str, offload: str, *, on: bool) -> None:
    """Switch one of a device's offloads; see `switch_off`."""
    value = _Value(_OFFLOADS[offload], int(on))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCETHTOOL, _Request(device.encode(), ctypes.addressof(value), b""))
