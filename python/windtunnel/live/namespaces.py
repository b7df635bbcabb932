"""Hosts as network namespaces without names: they exist as long as a process has them open, and leave nothing behind."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from windtunnel.live.netlink import Netlink, Veth, switch_off

CLONE_NEWNET = 0x40000000
ETH_P_IP = 0x0800
DEVICE = "wire"
"""The only device of a host."""
RECEIVE_BYTES = 64 << 20
"""Memory of the router's socket where the machine allows it: two seconds of 250 Mbit/s."""
SO_RCVBUFFORCE = 33

PR_SET_PDEATHSIG = 1
DISCARDED_BYTES = 1 << 24

_libc = ctypes.CDLL(None, use_errno=True)
_libc.recv.restype = ctypes.c_ssize_t
_libc.recv.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


def _check(result: int, what: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def die_with_parent() -> None:
    """Let this process be killed when the one that started it ends, however it ends."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def discard(descriptor: int) -> int:
    """Throw away what a TCP socket has received, 16 MB at most, without copying it (MSG_TRUNC of tcp(7)); return how much it was.

    Raises
    ------
    BlockingIOError
        When there is nothing.
    OSError
        As the kernel says.
    """
    size = int(_libc.recv(descriptor, None, DISCARDED_BYTES, socket.MSG_TRUNC | socket.MSG_DONTWAIT))
    if size < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return size


def current() -> int:
    """Return a descriptor of the network namespace that the caller is in."""
    return os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)


@contextmanager
def inside(namespace: int) -> Iterator[None]:
    """Be in a network namespace for a while."""
    before = current()
    try:
        _check(_libc.setns(namespace, CLONE_NEWNET), "setns")
        yield
    finally:
        _check(_libc.setns(before, CLONE_NEWNET), "setns")
        os.close(before)


def new() -> int:
    """Return a descriptor of a new network namespace; the caller stays where it is."""
    before = current()
    try:
        _check(_libc.unshare(CLONE_NEWNET), "unshare")
        return current()
    finally:
        _check(_libc.setns(before, CLONE_NEWNET), "setns")
        os.close(before)


@dataclass(frozen=True)
class Host:
    """A host behind one of the router's devices.

    Parameters
    ----------
    namespace : int
        Descriptor of its network namespace.
    address : str
        Its IPv4 address.
    device : int
        Number of the router's device.
    mac : bytes
        Hardware address of its own.
    """

    namespace: int
    address: str
    device: int
    mac: bytes


def address(number: int) -> str:
    """Return the IPv4 address of the host of this number, from 0."""
    return f"10.77.{(number + 1) >> 8}.{(number + 1) & 255}"


def add_host(router: Netlink, number: int, *, mtu: int, initial_window: int, sysctls: list[tuple[str, str]]) -> Host:
    """Make a host; the caller is in the router's namespace.

    Parameters
    ----------
    router : Netlink
        Of that namespace.
    number : int
        Its number among all hosts, from 0.
    mtu : int
        Bytes of IP.
    initial_window : int
        Packets with which its connections begin, 0 for the kernel's own number.
    sysctls : list of (str, str)
        Settings of its namespace: path below /proc/sys, value.

    Returns
    -------
    Host
        Ready to send.

    Raises
    ------
    OSError
        When the machine does not allow it.
    """
    namespace, mac = new(), bytes([2, 0, 0, 1, number >> 8, number & 255])
    name = f"host{number}"
    router.add_veth(Veth(name, DEVICE, namespace, mac, mtu))
    device = socket.if_nametoindex(name)
    switch_off(name)
    with inside(namespace):
        for path, value in sysctls:
            set_sysctl(path, value)
        switch_off(DEVICE)
        own, wire = Netlink(), socket.if_nametoindex(DEVICE)
        own.one_segment(wire)
        own.set_up(wire)
        own.add_address(wire, address(number))
        own.close()
    router.set_up(device)
    with inside(namespace):
        own = Netlink()
        own.add_default_route(wire, initial_window)
        own.close()
    return Host(namespace, address(number), device, mac)


def set_sysctl(path: str, value: str) -> None:
    """Write a setting of the network namespace that the caller is in; `path` is below /proc/sys."""
    with open(f"/proc/sys/{path}", "w", encoding="ascii") as file:
        file.write(value)


def router_socket() -> socket.socket:
    """Return the router's socket: IPv4 packets of all devices of the namespace that the caller is in.

    Raises
    ------
    OSError
        When the machine does not allow it: CAP_NET_RAW.
    """
    router = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_IP))
    try:
        router.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BYTES)
    except PermissionError:
        router.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BYTES)
    return router
