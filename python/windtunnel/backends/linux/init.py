"""The guest's only program: compiled once from the sources beside this module, kept in the user's cache."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import tempfile
from importlib.resources import as_file, files
from pathlib import Path

from windtunnel.backends.linux.errors import KernelError
from windtunnel.backends.linux.store import cache

_FLAGS = ("-std=gnu11", "-O2", "-static", "-Wall", "-Wextra")


def binary() -> Path:
    """Return the guest's program, compiled now if these sources never were.

    Returns
    -------
    Path
        A static executable in the user's cache, under the digest of its sources.

    Raises
    ------
    KernelError
        When there is no C compiler, the sources do not compile, or the cache cannot be written.
    """
    target = cache() / "init" / digest() / "init"
    if not target.exists():
        _compile(target)
    return target


def digest() -> str:
    """Return the digest of the sources and the compiler's flags, sixteen hexadecimal digits."""
    total = hashlib.sha256(" ".join(_FLAGS).encode())
    folder = files("windtunnel.backends.linux") / "guest"
    for source in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if source.name.endswith((".c", ".h")):
            total.update(f"{source.name}\n".encode() + source.read_bytes())
    return total.hexdigest()[:16]


def _compile(target: Path) -> None:
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
        with as_file(files("windtunnel.backends.linux") / "guest") as folder:
            sources = sorted(str(path) for path in folder.glob("*.c"))
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
