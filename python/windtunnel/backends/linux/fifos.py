"""Links whose queue is limited in time, or in bytes with the packet on the wire among them, where packets of several sizes share it.

No qdisc of the kernel's has either limit. The guest has one of ours for them (``queue/fifo.c``), a module of its kernel, which is compiled
once per kernel and kept in its folder like a controller from a file.
"""

from __future__ import annotations

import hashlib
import os
from importlib.resources import files
from pathlib import Path

from windtunnel.backends.linux import links, store, usermodules
from windtunnel.backends.linux.complaints import complaint
from windtunnel.backends.linux.errors import KernelError
from windtunnel.backends.linux.expressible import counts_exactly
from windtunnel.backends.linux.store import Kernel
from windtunnel.scenario import Scenario

_NAME = "windtunnel_fifo"
_SOURCE = "fifo.c"


def wanted(full: Scenario) -> list[links.Link]:
    """Return the links that have such a queue."""
    return [one for one in links.each(full) if counts_exactly(full, one)]


def lines(full: Scenario) -> list[str]:
    """Return the plan's lines: the module, and the limit of each link in nanoseconds or in bytes."""
    found = []
    for one in wanted(full):
        limit_ns = "-" if one.link.queue_s is None else round(one.link.queue_s * 1e9)
        found.append(f"fifo {one.name} {limit_ns} {'-' if one.link.queue_bytes is None else one.link.queue_bytes}")
    return [f"module {_NAME} {_SOURCE}", *found] if found else []


def unsupported(kernel: Kernel, full: Scenario) -> list[str]:
    """Return why a kernel has no such queue, one entry per link."""
    if kernel.takes_modules:
        return []
    again = f"it was built without modules; build it again: windtunnel kernel build --source {kernel.source}"
    return [
        f"{one.path}: kernel {kernel.name} is too old for a queue of {_unit(one)} that several sizes share: {again}" for one in wanted(full)
    ]


def _unit(one: links.Link) -> str:
    return "bytes" if one.link.queue_s is None else "seconds"


def contents(kernel: Kernel, full: Scenario) -> dict[str, bytes]:
    """Return the module as a file of a guest's root folder; none where no link wants it.

    Raises
    ------
    KernelError
        See `made`.
    """
    return {f"{_NAME}.ko": made(kernel).read_bytes()} if wanted(full) else {}


def made(kernel: Kernel) -> Path:
    """Make the module, or find it made.

    Raises
    ------
    KernelError
        When the kernel takes no modules, it does not compile, or the folder cannot be written.
    """
    if not kernel.takes_modules:
        raise KernelError(
            f"kernel {kernel.name} was built without modules; windtunnel kernel build --source {kernel.source} builds it again"
        )
    source = (files("windtunnel.backends.linux") / "queue" / _SOURCE).read_bytes()
    target = kernel.folder / "modules" / f"{_NAME}-{hashlib.sha256(source).hexdigest()[:8]}.ko"
    if target.is_file():
        return target
    with store.workplace() as place:
        (place / f"{_NAME}.c").write_bytes(source)
        (place / "Kbuild").write_text(f"obj-m := {_NAME}.o\n", encoding="utf-8")
        said = usermodules.compiled(kernel, place, f"{_NAME}.ko")
        if said is not None:
            raise KernelError(f"the queue's module cannot be compiled for kernel {kernel.name}: {complaint(said, place)}")
        target.parent.mkdir(exist_ok=True)
        os.replace(place / f"{_NAME}.ko", target)
    return target
