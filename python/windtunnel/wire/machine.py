"""What a machine did meanwhile, and what it is: processors, devices, drops, and the settings a measurement is repeated with."""

from __future__ import annotations

import contextlib
import os
import platform
import socket
from pathlib import Path
from typing import Any

from windtunnel.live import netlink

SETTINGS = (
    *("tcp_rmem", "tcp_wmem", "tcp_mem", "tcp_congestion_control", "tcp_available_congestion_control", "tcp_window_scaling", "tcp_sack"),
    *("tcp_timestamps", "tcp_ecn", "tcp_moderate_rcvbuf", "tcp_no_metrics_save", "tcp_slow_start_after_idle", "tcp_adv_win_scale"),
    *("tcp_limit_output_bytes", "tcp_mtu_probing", "tcp_pacing_ss_ratio", "tcp_pacing_ca_ratio", "tcp_notsent_lowat"),
)
CORE = ("rmem_max", "wmem_max", "rmem_default", "wmem_default", "default_qdisc", "netdev_max_backlog", "somaxconn", "netdev_budget")
COUNTED = (
    *("TCPLossProbes", "TCPTimeouts", "TCPBacklogDrop", "TCPRcvQDrop", "PruneCalled", "RcvPruned", "TCPRcvCollapsed", "TCPMemoryPressures"),
    *("TCPSpuriousRTOs", "TCPDSACKRecv", "TCPSACKReorder", "TCPWantZeroWindowAdv", "TCPToZeroWindowAdv"),
)
"""Of all connections of the machine, from /proc/net/netstat."""


def processors() -> tuple[int, int, int]:
    """Return the ticks of all processors since boot, those in which they worked, and those that were stolen (proc(5))."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    return sum(ticks), sum(ticks) - ticks[3] - ticks[4], ticks[7]


def devices() -> dict[str, list[int]]:
    """Return bytes received, received and dropped packets, bytes sent, packets dropped at sending, of each device but the loopback."""
    found = {}
    for line in Path("/proc/thread-self/net/dev").read_text("ascii").splitlines()[2:]:
        name, _, words = line.partition(":")
        if name.strip() != "lo":
            values = [int(word) for word in words.split()]
            found[name.strip()] = [values[0], values[3], values[8], values[11]]
    return found


def counted() -> dict[str, int]:
    """Return the counters of `COUNTED` that this kernel has."""
    lines = Path("/proc/thread-self/net/netstat").read_text("ascii").splitlines()
    names, values = lines[0].split()[1:], lines[1].split()[1:]
    known = dict(zip(names, values, strict=False))
    return {name: int(known[name]) for name in COUNTED if name in known}


class Look:
    """What a machine did between a look and a later one."""

    def __init__(self) -> None:
        self._ticks, self._devices, self._counted = processors(), devices(), counted()
        own = os.times()
        self._own_s = own.user + own.system

    def since(self) -> dict[str, Any]:
        """Return processor time (seconds: of this process, of the whole machine, stolen), bytes and drops of devices, counters."""
        ticks, own = processors(), os.times()
        total, busy, stolen = (late - early for late, early in zip(ticks, self._ticks, strict=True))
        second = os.sysconf("SC_CLK_TCK")
        moved = {
            name: [late - early for late, early in zip(values, self._devices[name], strict=True)]
            for name, values in devices().items()
            if name in self._devices
        }
        names = ("received_bytes", "receive_drops", "sent_bytes", "send_drops")
        counters = {name: late - self._counted.get(name, 0) for name, late in counted().items()}
        return {
            "process_s": own.user + own.system - self._own_s,
            "busy_s": busy / second,
            "processors_s": total / second,
            "stolen_s": stolen / second,
            "devices": {name: dict(zip(names, values, strict=True)) for name, values in moved.items()},
            "counters": {name: value for name, value in counters.items() if value},
        }


def device_towards(address: str) -> str | None:
    """Return the device that has the address of this end of the path to another; None where it cannot be told."""
    try:
        family, _, _, _, other = socket.getaddrinfo(address, 9, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, socket.SOCK_DGRAM) as asking:
            asking.connect(other)
            own = asking.getsockname()[0]
    except OSError:
        return None
    for _, name in socket.if_nameindex():
        with contextlib.suppress(OSError):
            if netlink.address_of(name) == own:
                return name
    return None


def facts(towards: str) -> dict[str, Any]:
    """Return what a measurement is repeated with: kernel, processor, device, driver, offloads, settings, versions."""
    name = device_towards(towards)
    return {
        "kernel": f"{platform.release()} {platform.version()}",
        "machine": platform.machine(),
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "processor": _processor(),
        "device": _device(name),
        "settings": _settings(),
    }


def _processor() -> str | None:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return None


def _settings() -> dict[str, str]:
    named = {f"net.ipv4.{name}": Path("/proc/sys/net/ipv4", name) for name in SETTINGS}
    named |= {f"net.core.{name}": Path("/proc/sys/net/core", name) for name in CORE}
    found = {}
    for name, path in named.items():
        with contextlib.suppress(OSError):
            found[name] = " ".join(path.read_text("ascii").split())
    return found


def _device(name: str | None) -> dict[str, Any] | None:
    if name is None:
        return None
    found: dict[str, Any] = {"name": name}
    folder = Path("/sys/class/net", name)
    for key, file in (("speed_mbps", "speed"), ("mtu_bytes", "mtu"), ("queue_packets", "tx_queue_len")):
        with contextlib.suppress(OSError, ValueError):
            found[key] = int((folder / file).read_text("ascii"))
    with contextlib.suppress(OSError):
        found["driver"] = (folder / "device/driver").resolve(strict=True).name
    found["offloads"] = netlink.offloads(name)
    return found
