"""What this machine's kernel, user and tools allow of BPF, and the kernel's types as a header."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import os
import platform
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from windtunnel.backends.live.errors import LiveError
from windtunnel.usercache import cache as user_cache

TYPES = Path("/sys/kernel/btf/vmlinux")
CAPABILITIES = {"CAP_BPF": 39, "CAP_PERFMON": 38, "CAP_NET_ADMIN": 12}
"""Which loading takes, by their numbers (capabilities(7))."""
CLANGS = ("clang-22", "clang-21", "clang-20", "clang-19", "clang-18", "clang")
"""BPF of version 4, which divides signed numbers, came with clang 18."""
LEAST_CLANG = 18


def missing() -> str | None:
    """Return what is missing for loading a controller into this kernel, one line; None when nothing is."""
    if not TYPES.is_file():
        return f"a controller from a file needs the kernel's types, and {TYPES} is not there (CONFIG_DEBUG_INFO_BTF)"
    lacking = [name for name, bit in CAPABILITIES.items() if not _effective() >> bit & 1]
    if lacking:
        return f"a controller from a file is loaded by bpf(2), and {', '.join(lacking)} is missing: run as root"
    if clang() is None:
        install = "which is not installed (Debian: apt-get install clang-19)"
        return f"a controller from a file is compiled for BPF by clang {LEAST_CLANG} or newer, {install}"
    if _bpftool() is None:
        return "the kernel's types are read by bpftool, which is not installed (Debian: apt-get install bpftool)"
    if _hertz() is None:
        return "CONFIG_HZ of this kernel is not known: neither /proc/config.gz nor its file in /boot has it"
    return None


def _effective() -> int:
    text = Path("/proc/self/status").read_text("ascii", "replace")
    found = re.search(r"^CapEff:\s*([0-9a-f]+)", text, re.MULTILINE)
    return int(found[1], 16) if found else 0


@cache
def clang() -> str | None:
    """Return the compiler's path, None where there is none that is new enough."""
    for name in CLANGS:
        path = shutil.which(name)
        if path is not None:
            said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
            found = re.search(r"version (\d+)\.", said)
            if found and int(found[1]) >= LEAST_CLANG:
                return path
    return None


def _bpftool() -> str | None:
    return shutil.which("bpftool") or shutil.which("bpftool", path="/usr/sbin:/sbin")


@cache
def _hertz() -> int | None:
    """Return CONFIG_HZ."""
    texts = []
    with contextlib.suppress(OSError):
        texts.append(gzip.decompress(Path("/proc/config.gz").read_bytes()).decode("ascii", "replace"))
    with contextlib.suppress(OSError):
        texts.append(Path(f"/boot/config-{platform.release()}").read_text("ascii", "replace"))
    for text in texts:
        found = re.search(r"^CONFIG_HZ=(\d+)", text, re.MULTILINE)
        if found:
            return int(found[1])
    return None


def hertz() -> int:
    """Return the kernel's ticks a second.

    Raises
    ------
    LiveError
        When they are not known.
    """
    found = _hertz()
    if found is None:
        raise LiveError(str(missing()))
    return found


def types() -> Path:
    """Return the folder of ``vmlinux.h``: made of the kernel's types, and kept for each kernel.

    Raises
    ------
    LiveError
        When it cannot be made.
    """
    key = hashlib.sha256(f"{platform.release()} {platform.version()}".encode()).hexdigest()[:16]
    folder = user_cache() / "bpf" / key
    if (folder / "vmlinux.h").is_file():
        return folder
    made = subprocess.run([str(_bpftool()), "btf", "dump", "file", str(TYPES), "format", "c"], capture_output=True, text=True, check=False)
    if made.returncode != 0 or "struct tcp_congestion_ops {" not in made.stdout:
        raise LiveError(f"bpftool tells no types of this kernel: {(made.stderr.strip().splitlines() or ['it said nothing'])[0]}")
    folder.mkdir(parents=True, exist_ok=True)
    temporary = folder / f".vmlinux.{os.getpid()}"
    temporary.write_text(made.stdout, encoding="utf-8")
    temporary.replace(folder / "vmlinux.h")
    return folder


@cache
def names(folder: Path) -> frozenset[str]:
    """Return the names of types and constants in a folder's ``vmlinux.h``."""
    header = (folder / "vmlinux.h").read_text(encoding="utf-8")
    kinds = re.findall(r"^(?:struct|union|enum) (\w+) \{", header, re.MULTILINE)
    return frozenset(kinds) | frozenset(re.findall(r"^\t(\w+) = -?\d+,?$", header, re.MULTILINE))
