"""What a run on this machine's kernel could leave behind, and how long the kernel may take to be rid of it.

Other people's runs may be on the machine too: what is ours is told by a mark in the environment, which all that a test starts has.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import time
from pathlib import Path

NAME = "WINDTUNNEL_TESTS"
os.environ.setdefault(NAME, secrets.token_hex(8))
MARK = f"{NAME}={os.environ[NAME]}"
"""A server that clears the environment of what it starts has to be told of it."""
LATER_S = 5.0
"""Namespaces and BPF programs are freed behind our back: after a grace period, and when the last connection that used them is gone."""
Left = dict[str, frozenset[str]]
"""Names of what is there, by kind."""


def ours() -> list[int]:
    """The processes that tests of this session started and that have not ended."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if MARK.encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append(int(process.name))
        except OSError:
            continue
    return sorted(found)


def left_behind() -> Left:
    """What a run could leave: devices, named namespaces, sockets, settings; our processes, their namespaces, BPF programs."""
    own, processes = os.readlink("/proc/self/ns/net"), ours()
    spaces, commands = set(), set()
    for process in processes:
        try:
            spaces.add(os.readlink(f"/proc/{process}/ns/net"))
            commands.add(f"{process} {Path(f'/proc/{process}/cmdline').read_bytes().decode(errors='replace')}")
        except OSError:
            continue
    named = Path("/run/netns")
    settings = ("tcp_rmem", "tcp_wmem", "tcp_no_metrics_save")
    return {
        "devices": frozenset(os.listdir("/sys/class/net")),
        "named": frozenset(os.listdir(named) if named.exists() else ()),
        "namespaces": frozenset(spaces - {own}),
        "sockets": frozenset(line.split()[-1] for line in Path("/proc/net/packet").read_text().splitlines()[1:]),
        "bpf": _bpf(processes),
        "settings": frozenset(f"{name} {Path('/proc/sys/net/ipv4', name).read_text()}" for name in settings),
        "processes": frozenset(commands),
    }


def _bpf(processes: list[int]) -> frozenset[str]:
    """Return the BPF programs of congestion controllers, but for those that others hold, where they can be listed."""
    if shutil.which("bpftool") is None:
        return frozenset()
    said = subprocess.run(["bpftool", "-j", "prog", "list"], capture_output=True, text=True, check=False)
    found = {str(one["id"]): one.get("name") for one in json.loads(said.stdout or "[]") if one.get("type") == "struct_ops"}
    others = _held_by_others(set(processes)) if found else set()
    return frozenset(f"{number} {name}" for number, name in found.items() if number not in others)


def _held_by_others(processes: set[int]) -> set[str]:
    """Return the numbers of the BPF programs of which processes that are not ours have descriptors."""
    found = set()
    for descriptor in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if int(descriptor.parts[2]) in processes or "bpf-prog" not in os.readlink(descriptor):
                continue
            lines = (descriptor.parents[1] / "fdinfo" / descriptor.name).read_text().splitlines()
        except OSError:
            continue
        found |= {line.split()[1] for line in lines if line.startswith("prog_id:")}
    return found


def new_since(before: Left) -> dict[str, list[str]]:
    """What is there and was not, by kind: looked for until nothing is, for as long as the kernel may take."""
    until = time.monotonic() + LATER_S
    while True:
        now = left_behind()
        found = {kind: sorted(now[kind] - before[kind]) for kind in now if now[kind] - before[kind]}
        if not found or time.monotonic() > until:
            return found
        time.sleep(0.05)
