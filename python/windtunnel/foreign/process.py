"""Questions to the core that load foreign code, asked in a process of its own: what that code breaks is that process alone."""

from __future__ import annotations

import atexit
import json
import mmap
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any

from windtunnel import native
from windtunnel.foreign.errors import Unreachable

PATIENCE_S = 10.0
"""How long a hook may take, in seconds; ``WINDTUNNEL_PATIENCE_S`` says otherwise."""
LOOK_UP_S = 0.1
"""How often a waiting process looks whether the other one has ended."""
START_S = 60.0
"""How long a process may take to begin."""

STATIC_TLS = "glibc.rtld.optional_static_tls=65536"
"""Room for the thread-local data of all libraries that such a process loads: each whole stack takes some 200 bytes of the 512 that glibc
has by default, so that not all of them could be loaded into one."""

_BEGIN = "import json, sys; sys.path[:] = json.loads(sys.argv[3]); from windtunnel.foreign.worker import main; main(sys.argv[1:3])"


def patience_s() -> float:
    """Return how long a hook may take, in seconds."""
    given = os.environ.get("WINDTUNNEL_PATIENCE_S", "")
    try:
        chosen = float(given) if given else PATIENCE_S
    except ValueError:
        chosen = 0.0
    if not 0.1 <= chosen <= 86_400:
        raise ValueError("WINDTUNNEL_PATIENCE_S", f"{given!r} is not allowed; allowed: 0.1 to 86400 seconds")
    return chosen


class _Process:
    """One such process, which does one thing at a time."""

    def __init__(self) -> None:
        with tempfile.TemporaryFile() as file:
            file.truncate(mmap.PAGESIZE)
            self.page = mmap.mmap(file.fileno(), mmap.PAGESIZE)
            ours, theirs = multiprocessing.Pipe()
            numbers = (theirs.fileno(), file.fileno())
            command = [sys.executable, "-c", _BEGIN, *map(str, numbers), json.dumps(sys.path)]
            # What a library prints is not the caller's result.
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=2, pass_fds=numbers, env=_environment())
            theirs.close()
        self.connection = ours
        try:
            began = self.connection.poll(START_S)
            self.connection.recv() if began else self.end()
        except (EOFError, OSError):
            began = False
            self.end()
        except BaseException:
            self.end()
            raise
        if not began:
            raise RuntimeError(f"the process for controllers from files did not begin (exit code {self.process.returncode})")

    def ask(self, function: str, *given: Any) -> Any:
        """Ask one function of the core; whatever goes wrong, Ctrl-C included, ends the process."""
        try:
            longest_s = patience_s()
            self.page[:] = bytes(mmap.PAGESIZE)
            self.connection.send((function, given))
            self._wait(longest_s)
            kind, answer = self.connection.recv()
        except (EOFError, OSError):
            self.process.wait()
            hook, flow = self._last_call()
            ending = _ending(self.process.returncode)
            raise Unreachable(f"{ending} in {hook}" if hook else ending, flow) from None
        except BaseException:
            self.end()
            raise
        if kind == "refusal":
            raise ValueError(*answer)
        if kind == "bug":
            raise RuntimeError(answer)
        return answer

    def _wait(self, longest_s: float) -> None:
        """Wait for the answer as long as there are signs of life, or no foreign code is being called."""
        seen, since = b"", time.monotonic()
        while not self.connection.poll(LOOK_UP_S):
            words = self.page[:64]
            now = time.monotonic()
            if words != seen or native.guest_last_call(words) is None:
                seen, since = words, now
            elif now - since > longest_s:
                hook, flow = self._last_call()
                raise Unreachable(f"{hook} did not return within {longest_s:g} s", flow)

    def _last_call(self) -> tuple[str, int | None]:
        """Return what was called last, in words (empty when nothing was), and whose it was."""
        last = native.guest_last_call(self.page[:64])
        if last is None:
            return "", None
        hook, place = last
        if place is None:
            return hook, None
        flow, now_s = place
        return f"{hook} of flow {flow + 1} at {now_s:.6f} s", flow

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def end(self) -> None:
        """End it at once."""
        self.connection.close()
        self.process.kill()
        self.process.wait()


def _environment() -> dict[str, str]:
    """Return the environment of such a process: this one's, with room for its libraries."""
    tunables = [text for text in (os.environ.get("GLIBC_TUNABLES", ""), STATIC_TLS) if text]
    return {**os.environ, "GLIBC_TUNABLES": ":".join(tunables)}


def _ending(code: int) -> str:
    """Say how a process ended."""
    if code >= 0:
        return f"ended its process (exit code {code})"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return f"crashed ({name})"


_lock = threading.Lock()
_idle: list[_Process] = []
_owner = os.getpid()


def ask(function: str, *given: Any) -> Any:
    """Ask a function of the core that loads foreign code.

    Parameters
    ----------
    function : str
        Its name in `windtunnel.native`.
    *given
        Its arguments, without the page.

    Returns
    -------
    object
        Its answer.

    Raises
    ------
    ValueError
        What it raised.
    Unreachable
        When the process died, or stood still in a hook for longer than `PATIENCE_S`.
    """
    process = _idle_one() or _Process()
    try:
        return process.ask(function, *given)
    finally:
        if process.is_alive:
            with _lock:
                _idle.append(process)


def _idle_one() -> _Process | None:
    global _owner
    with _lock:
        if _owner != os.getpid():  # After a fork they are the other process's.
            _owner = os.getpid()
            _idle.clear()
        while _idle:
            process = _idle.pop()
            if process.is_alive:
                return process
    return None


@atexit.register
def _end_all() -> None:
    if _owner == os.getpid():
        while _idle:
            _idle.pop().end()
