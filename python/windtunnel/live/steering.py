"""One processor for the packets that come to the router, so that they come in the order in which their host sent them.

Between two veth devices a packet waits in a queue of the processor that sent it. A socket's packets leave on several: on one where its
pacing timer runs, on another where an ACK came. The queues are emptied side by side, and one packet in some ten thousand was overtaken by
the next. A kernel that has seen that once waits a quarter of the shortest RTT longer before it takes a packet for lost (RACK, RFC 8985
6.2). Receive packet steering (Documentation/networking/scaling.rst) puts all of a device's packets into one queue.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

CLONE_NEWNS = 0x00020000
MS_REC, MS_PRIVATE = 0x4000, 0x40000
DEVICES = Path("/sys/class/net")
_WORD_BITS = 32


def mask(processor: int) -> str:
    """Return the mask of one processor as the kernel reads masks: words of 32 bits in hexadecimal, the highest first."""
    words = [1 << processor % _WORD_BITS, *[0] * (processor // _WORD_BITS)]
    return ",".join(f"{word:08x}" for word in words)


def steer() -> bool:
    """Steer the packets that come by the devices of the caller's network namespace to one processor; return whether the machine allows it.

    A process of its own does it: the namespace's devices are in a view of sysfs that is mounted for it, and nowhere else.
    """
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            _steer(ctypes.CDLL(None, use_errno=True))
        except BaseException:  # Nothing of the starting process is to run here.
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _steer(libc: ctypes.CDLL) -> None:
    for result in (
        libc.unshare(CLONE_NEWNS),
        libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None),
        libc.mount(b"sysfs", b"/sys", b"sysfs", 0, None),
    ):
        if result != 0:
            raise OSError(ctypes.get_errno(), "mount")
    chosen = mask(max(os.sched_getaffinity(0)))
    for device in DEVICES.iterdir():
        if device.name != "lo":
            for queue in (device / "queues").glob("rx-*"):
                (queue / "rps_cpus").write_text(chosen)
