"""A kernel as a whole stack: built with code of ours that is one end of a connection, under a clock that the simulator keeps.

Such a kernel starts no process and mounts nothing. It is no kernel of `store`: it is kept with the library that drives it, as stacks are.
"""

from __future__ import annotations

import re
import time
from importlib.resources import files
from pathlib import Path

from windtunnel.backends.linux import build, store
from windtunnel.backends.linux.errors import Unrecognised
from windtunnel.backends.linux.patch import Change
from windtunnel.foreign import stacks
from windtunnel.foreign.stacks import Stack

_HOME = "arch/um/kernel"
_SOURCES = ("endpoint.c", "endpoint.h", "socket.c", "socket.h")
_ASKED = re.compile(
    r"^static void __time_travel_update_time\(unsigned long long ns, bool idle\)\n"
    r"\{\n\tif \(time_travel_mode == TT_MODE_EXTERNAL && time_travel_ext_request\(ns\)\)\n\t\ttime_travel_ext_wait\(idle\);\n"
    r"(\telse\n)\t\ttime_travel_set_time\(ns\);\n\}\n",
    re.MULTILINE,
)
_DECLARED = """\
/* windtunnel: whoever keeps the clock outside is asked before an idle machine goes on. */
bool windtunnel_goes_on(unsigned long long now, unsigned long long next);

"""
_OBJECTS = re.compile(r"^obj-y \+= load_file\.o\n", re.MULTILINE)


def _clock(text: str) -> tuple[str, str]:
    """Time passes while the machine is idle, in one function."""
    places = list(_ASKED.finditer(text))
    if len(places) != 1:
        raise Unrecognised("one function __time_travel_update_time(ns, idle) that sets the time or waits for another's")
    (place,) = places
    asked = "\telse if (!idle || windtunnel_goes_on(time_travel_time, ns))\n"
    return "an idle machine asks how far it may go", (
        text[: place.start()] + _DECLARED + text[place.start() : place.start(1)] + asked + text[place.end(1) :]
    )


def _objects(text: str) -> tuple[str, str]:
    if len(_OBJECTS.findall(text)) != 1:
        raise Unrecognised("one line `obj-y += load_file.o`")
    return "two files more", _OBJECTS.sub(lambda line: f"{line[0]}obj-y += windtunnel_endpoint.o windtunnel_socket.o\n", text)


CHANGES = (
    Change(f"{_HOME}/time.c", "a clock that is kept outside", _clock),
    Change(f"{_HOME}/Makefile", "one end of a connection", _objects),
)
"""To a kernel that is an endpoint, beside those that every kernel gets."""


def sources() -> dict[str, bytes]:
    """Return our files by their places in a kernel's tree."""
    here = files("windtunnel.backends.linux") / "endpoint"
    return {f"{_HOME}/windtunnel_{name}": (here / name).read_bytes() for name in _SOURCES}


def make(path: Path, *, jobs: int, progress: build.Progress) -> Stack:
    """Build the stack ``linux`` from a kernel's source and keep it; what is built already is not built again.

    Parameters
    ----------
    path : Path
        A source tree or tarball; only read.
    jobs : int
        Compilers at the same time.
    progress : build.Progress
        Told how far it is.

    Returns
    -------
    Stack
        What was built, or found.

    Raises
    ------
    KernelError
        When the source, a tool or a place cannot be used.
    BuildFailed
        When a step of the kernel's build fails; the log stays.
    ForeignError
        When there is no Rust toolchain, or the library cannot be built.
    """
    began = time.monotonic()
    with store.workplace() as place:
        ready = build.prepare(path, place, progress, more=CHANGES, files=sources())
        found = stacks.kept(stacks.KERNEL, beside=ready.digest)
        if found is not None:
            return found
        make = build.Make(ready.tree, f"endpoint-{store.identity(ready.version, ready.digest)}", jobs, progress)
        make.configure(ready.asked)
        make.compile("linux")
        tested = make.test()
        progress.step("building the library")
        facts = place / "kernel"
        facts.write_text(f"{ready.version}\n{' '.join(tested.algorithms)}\n", encoding="utf-8")
        with_it = {"linux": ready.tree / "linux", "kernel": facts, "config": ready.tree / ".config"}
        made = stacks.build(stacks.KERNEL, progress.say, beside=ready.digest, files=with_it, spent_s=time.monotonic() - began)
        make.log.unlink(missing_ok=True)
        return made
