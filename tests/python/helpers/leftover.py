"""What a run on this machine's kernel could leave behind."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path


def left_behind() -> dict[str, object]:
    """What a run could leave: devices, named namespaces, processes with namespaces of their own, settings of the machine."""
    own = os.readlink("/proc/self/ns/net")
    spaces = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            spaces.add(os.readlink(process / "ns/net"))
        except OSError:
            continue
    named = Path("/run/netns")
    settings = ("tcp_rmem", "tcp_wmem", "tcp_no_metrics_save", "tcp_available_congestion_control")
    return {
        "devices": sorted(os.listdir("/sys/class/net")),
        "named": sorted(os.listdir(named)) if named.exists() else [],
        "namespaces": len(spaces - {own}),
        "sockets": len(Path("/proc/net/packet").read_text().splitlines()),
        "bpf": _bpf(),
        "settings": [Path("/proc/sys/net/ipv4", name).read_text() for name in settings],
        "processes": [
            path
            for path in Path("/proc").glob("[0-9]*/cmdline")
            if any(name in _read(path) for name in (b"windtunnel.live", b"windtunnel.wire"))
        ],
    }


def _bpf() -> list[str]:
    """Return the BPF programs of congestion controllers, where they can be listed."""
    if shutil.which("bpftool") is None:
        return []
    said = subprocess.run(["bpftool", "-j", "prog", "list"], capture_output=True, text=True, check=False)
    return sorted(f"{one['id']} {one.get('name')}" for one in json.loads(said.stdout or "[]") if one.get("type") == "struct_ops")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def soon(expected: dict[str, object]) -> dict[str, object]:
    """What is left after at most two seconds: the kernel takes namespaces away behind our back."""
    until = time.monotonic() + 2.0
    while (found := left_behind()) != expected and time.monotonic() < until:
        time.sleep(0.05)
    return found
