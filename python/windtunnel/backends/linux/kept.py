"""Start a command under a keeper: it ends with us, whatever ends us, and leaves no process behind."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

_KEEPER = Path(__file__).with_name("keeper.py")
_LINE_BYTES_MAX = 1 << 16


@dataclass(frozen=True)
class Command:
    """What to start, and within which limits.

    Parameters
    ----------
    program : str
        The file to execute.
    arguments : sequence of str
        From the program's own name on.
    environment : mapping of str to str
        All of it.
    cwd : str
        Where it starts.
    wall_s : float
        When it is killed, in seconds of wall time.
    fixed_addresses : bool
        Without the host's randomisation of addresses.
    powerless : bool
        Without root's powers even where we are root, except for reading folders.
    remove : str or None
        A folder the keeper removes if we are gone before the end.
    """

    program: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    cwd: str
    wall_s: float
    fixed_addresses: bool = False
    powerless: bool = False
    remove: str | None = None


@dataclass(frozen=True)
class Report:
    """How a command ended.

    Parameters
    ----------
    why : str
        ``ended`` by itself, ``late`` (killed when its time was over) or ``abandoned`` (killed because we let go).
    code : int
        Its exit code, or minus the signal's number.
    wall_s, cpu_s : float
        Wall time, and CPU time with that of its children, in seconds.
    peak_bytes : int
        The largest memory any of its processes held.
    """

    why: str
    code: int
    wall_s: float
    cpu_s: float
    peak_bytes: int


class Kept:
    """A command that runs: iterate over `lines`, then ask for the `report`."""

    def __init__(self, process: subprocess.Popen[bytes], result: BinaryIO) -> None:
        self._process = process
        self._result = result

    def lines(self) -> Iterator[str]:
        """Give what it prints, on either stream, line by line until its end."""
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        # Ctrl-C ends a poll; a read it may not, where a library has asked for system calls to be taken up again.
        readable = select.poll()
        readable.register(descriptor, select.POLLIN | select.POLLHUP)
        rest = b""
        while True:
            readable.poll()
            part = os.read(descriptor, 65536)
            if not part:
                break
            *whole, rest = (rest + part).split(b"\n")
            yield from (line.decode(errors="replace").rstrip("\r") for line in whole)
            rest = rest[-_LINE_BYTES_MAX:]
        if rest:
            yield rest.decode(errors="replace").rstrip("\r")

    def report(self) -> Report:
        """Wait for the end and return how it ended.

        Raises
        ------
        RuntimeError
            When the keeper itself was killed.
        """
        text = self._result.read()
        self._process.wait()
        if not text:
            raise RuntimeError(f"the process that keeps {self._process.args!r} was killed")
        return Report(**json.loads(text))


@contextlib.contextmanager
def kept(command: Command) -> Iterator[Kept]:
    """Start a command; leaving the block kills what is left of it.

    Parameters
    ----------
    command : Command
        What to start.

    Yields
    ------
    Kept
        The running command.
    """
    mine, keepers = os.pipe()
    result = os.fdopen(mine, "rb")
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_KEEPER), str(keepers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=(keepers,),
        )
    except OSError:
        result.close()
        raise
    finally:
        os.close(keepers)
    running = Kept(process, result)
    assert process.stdin is not None and process.stdout is not None
    try:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(asdict(command)).encode() + b"\n")
            process.stdin.flush()
        yield running
    finally:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        process.wait()
        process.stdout.close()
        result.close()
