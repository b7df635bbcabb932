"""Controllers in this machine's kernel while something runs, and none of them afterwards."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from windtunnel import foreign
from windtunnel.backends.live.bpf import hold, made
from windtunnel.backends.live.bpf.kernel import missing
from windtunnel.backends.live.bpf.translate import TABLE
from windtunnel.backends.live.errors import LiveError
from windtunnel.foreign import ForeignError

_TRACE = re.compile(r"\s*(?:\d+: |;|R\d+=|R\d+_|from \d|func '|cur state|old state|last_idx|parent |regs=|mark_precise)")
"""Lines of the verifier's log that follow the program, and are no verdict."""
Key = tuple[str, tuple[tuple[str, str], ...]]
"""A controller: the scenario's name of it, and its settings."""


@dataclass(frozen=True)
class Held:
    """A controller in the kernel.

    Parameters
    ----------
    name : str
        Under which the kernel knows it.
    process : subprocess.Popen
        Which holds it.
    """

    name: str
    process: subprocess.Popen[str]


@contextlib.contextmanager
def loaded(controllers: Iterable[Key]) -> Iterator[dict[Key, str]]:
    """Have controllers in the kernel for a while.

    Parameters
    ----------
    controllers : iterable
        Which; each once.

    Yields
    ------
    dict
        Of each the kernel's name.

    Raises
    ------
    LiveError
        When the machine does not allow it: what is missing.
    ForeignError
        When a file becomes no BPF program, or the kernel's verifier refuses it: its line, and what is wanted.
    """
    wanted = list(dict.fromkeys(controllers))
    if not wanted:
        yield {}
        return
    lacking = missing()
    if lacking is not None:
        raise LiveError(lacking)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="windtunnel-bpf-")))
        names = {}
        for algorithm, settings in wanted:
            name = f"wt{secrets.token_hex(6)}"
            target = made.compiled(algorithm, dict(settings), name, folder)
            held = _held(target, name, foreign.required(algorithm).file)
            stack.callback(_release, held)
            names[algorithm, settings] = held.name
        yield names


def _held(target: Path, name: str, file: str) -> Held:
    log = target.with_suffix(".log")
    with log.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-I", hold.__file__, str(target), TABLE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, "LC_ALL": "C"},
            start_new_session=True,
        )
    assert process.stdout is not None
    said = process.stdout.readline().strip()
    if said == "held":
        return Held(name, process)
    _release(Held(name, process))
    text = log.read_text(encoding="utf-8", errors="replace")
    raise ForeignError(file, f"is refused by this kernel: {verdict(text) or said.partition(' ')[2] or 'the loader ended'}")


def _release(held: Held) -> None:
    """Take a controller out; connections that use it keep the kernel's default from then on."""
    for one in (held.process.stdin, held.process.stdout):
        if one is not None:
            one.close()
    try:
        held.process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        held.process.kill()
        held.process.wait()


def verdict(log: str) -> str | None:
    """Return what the verifier wants, one line with the file's line, of what libbpf and the kernel said.

    Parameters
    ----------
    log : str
        libbpf's and the verifier's.
    """
    unknown = re.search(r"failed to find BTF for extern '(\w+)'", log)
    if unknown:
        return f"it calls {unknown[1]}, which no BPF program of this kernel can"
    lines = [line for line in log.splitlines() if line.strip() and not line.startswith(("libbpf:", "--"))]
    end = next((place for place, line in enumerate(lines) if line.startswith("processed ")), len(lines))
    told = [line.strip() for line in lines[:end] if not _TRACE.match(line)]
    where = [found for line in lines[:end] if (found := re.search(r"@ ([\w.+-]+:\d+)", line)) and not found[1].startswith("windtunnel")]
    if not told:
        return None
    at = f"{where[-1][1]}: " if where else ""
    return f"{at}the verifier says: {told[-1]}"
