"""Classes that were handed over: they run in the process that has them, watched by a thread."""

from __future__ import annotations

import ctypes
import mmap
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from windtunnel import native
from windtunnel.controllers import Description
from windtunnel.foreign.classes import with_classes
from windtunnel.foreign.process import patience_s

LOOK_S = 0.2
"""How often the thread looks at the page."""


class HookStandsStill(Exception):
    """Raised inside a hook that has not answered for too long."""

    def __str__(self) -> str:
        """Return how long that is."""
        return f"did not return within {patience_s():g} s"


def ask(function: str, *given: Any, classes: dict[str, Description]) -> Any:
    """Ask the core to check or run a scenario whose controllers are these classes; other threads run between its hooks only.

    Raises
    ------
    ValueError
        As `classes.with_classes`.
    """
    with tempfile.TemporaryFile() as file:
        file.truncate(mmap.PAGESIZE)
        with mmap.mmap(file.fileno(), mmap.PAGESIZE) as page, _watched(page):
            return with_classes(function, *given, named=[], classes=classes, page_fd=file.fileno())


@contextmanager
def _watched(page: mmap.mmap) -> Iterator[None]:
    """Interrupt a hook that does not answer: by an exception of its own, as Python interrupts nothing else."""
    longest_s, asker, ended = patience_s(), threading.get_ident(), threading.Event()

    def look() -> None:
        seen, since = b"", time.monotonic()
        while not ended.wait(LOOK_S):
            words, now = page[:64], time.monotonic()
            if words != seen or native.guest_last_call(words) is None:
                seen, since = words, now
            elif now - since > longest_s:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(asker), ctypes.py_object(HookStandsStill))
                since = now

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
