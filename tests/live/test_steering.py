"""Packets that come to the router come by one processor's queue: what the namespace's devices say, and that nothing else was changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from windtunnel.live import enter
from windtunnel.live.steering import mask

LOOK = """
import ctypes, json, os
from pathlib import Path
from windtunnel.live import namespaces, steering
from windtunnel.live.netlink import Netlink
mounts = Path("/proc/self/mounts").read_text()
netlink = Netlink()
namespaces.add_host(netlink, 0, mtu=1500, initial_window=0, sysctls=[])
steered = steering.steer()
same = Path("/proc/self/mounts").read_text() == mounts
libc = ctypes.CDLL(None)
assert libc.unshare(0x00020000) == 0
assert libc.mount(None, b"/", None, 0x44000, None) == 0
assert libc.mount(b"sysfs", b"/sys", b"sysfs", 0, None) == 0
read = [path.read_text().strip() for path in Path("/sys/class/net").glob("[!l]*/queues/rx-*/rps_cpus")]
print(json.dumps([steered, same, read]))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a view of sysfs")
def test_every_device_of_the_routers_names_one_processor() -> None:
    command = [sys.executable, "-I", enter.__file__, sys.executable, "-c", LOOK]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    steered, same_mounts, read = json.loads(ended.stdout)
    assert steered
    assert same_mounts
    assert len(read) == 1
    # The kernel prints as many bits as it has processors, in as many figures.
    assert [int(one.replace(",", ""), 16) for one in read] == [int(mask(max(os.sched_getaffinity(0))).replace(",", ""), 16)]
