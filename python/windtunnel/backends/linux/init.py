"""The guest's only program: compiled once from the sources beside this module, kept in the user's cache.

There are two: ``guest`` runs a scenario's plan, ``recorder`` plays the peer of the kernel's TCP and records what that answers.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from importlib.resources import as_file, files
from pathlib import Path

from windtunnel.backends.linux.errors import KernelError
from windtunnel.usercache import cache

_FLAGS = ("-std=gnu11", "-O2", "-static", "-Wall", "-Wextra")
GUEST = "guest"
RECORDER = "recorder"
# What the recorder takes from the other.
_SHARED = ("clock.c", "fail.c", "message.c", "netlink.c")


def binary(program: str = GUEST) -> Path:
    """Return a guest's program, compiled now if these sources never were.

    Parameters
    ----------
    program : str
        `GUEST` or `RECORDER`.

    Returns
    -------
    Path
        A static executable in the user's cache, under the digest of its sources.

    Raises
    ------
    KernelError
        When there is no C compiler, the sources do not compile, or the cache cannot be written.
    """
    target = cache() / "init" / digest(program) / "init"
    if not target.exists():
        _compile(program, target)
    return target


@functools.cache
def digest(program: str = GUEST) -> str:
    """Return the digest of a program's sources and the compiler's flags, sixteen hexadecimal digits; read once by a process."""
    total = hashlib.sha256(" ".join(_FLAGS).encode())
    for name in _folders(program):
        for source in sorted((files("windtunnel.backends.linux") / name).iterdir(), key=lambda entry: entry.name):
            if source.name.endswith((".c", ".h")):
                total.update(f"{source.name}\n".encode() + source.read_bytes())
    return total.hexdigest()[:16]


def _folders(program: str) -> tuple[str, ...]:
    return (GUEST,) if program == GUEST else (GUEST, program)


def _compile(program: str, target: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise KernelError("no C compiler is installed; the guest's program needs one (Debian: apt-get install build-essential)")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".init-", dir=target.parent)
        os.close(handle)
    except OSError as error:
        raise KernelError(f"{target.parent}: cannot be written: {error.strerror}; XDG_CACHE_HOME chooses another cache") from None
    made = Path(name)
    try:
        with as_file(files("windtunnel.backends.linux") / program) as folder, as_file(files("windtunnel.backends.linux") / GUEST) as shared:
            sources = sorted(str(path) for path in folder.glob("*.c"))
            if program != GUEST:
                sources += [f"-I{shared}", *(str(shared / name) for name in _SHARED)]
            command = [compiler, *_FLAGS, "-o", str(made), *sources]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.strip().splitlines()
            raise KernelError(f"the guest's program cannot be compiled: {said[0] if said else 'the compiler said nothing'}")
        made.chmod(0o755)
        made.replace(target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            made.unlink()
