"""What a kernel's TCP does segment by segment: scripts played against it in guests, and its answers as files of text."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from windtunnel.backends.linux import init, stimuli
from windtunnel.backends.linux.errors import GuestFailed, KernelError
from windtunnel.backends.linux.guest import Limits, guest
from windtunnel.backends.linux.store import Kernel

CPU_S_PER_SCRIPT = 0.03
"""Of one core, roughly: what a script costs."""

_NEEDED = ("TUN", "PACKET")
_LIMITS = Limits(wall_s=1800.0, memory_bytes=512 << 20)
_SEED = 1


@dataclass(frozen=True)
class Recorded:
    """One algorithm's recordings.

    Parameters
    ----------
    algorithm : str
        Its name here, `stimuli.ALGORITHMS`.
    path : Path
        The file.
    fresh : bool
        Whether it was made now; otherwise it was there.
    """

    algorithm: str
    path: Path
    fresh: bool


def check(kernel: Kernel) -> None:
    """Refuse a kernel that cannot have a peer made of a program.

    Raises
    ------
    KernelError
        When it was built without the options that takes.
    """
    try:
        options = (kernel.folder / "config").read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise KernelError(f"{kernel.folder / 'config'}: cannot be read: {error.strerror}") from None
    absent = [f"CONFIG_{name}" for name in _NEEDED if f"CONFIG_{name}=y" not in options]
    if absent:
        raise KernelError(
            f"kernel {kernel.name} is too old: it was built without {', '.join(absent)}; build it again: windtunnel kernel build"
        )


def play(kernel: Kernel, scripts: Sequence[str], limits: Limits = _LIMITS) -> str:
    """Play scripts against a kernel, in one guest, and return what it recorded.

    Parameters
    ----------
    kernel : Kernel
        With what `check` asks for.
    scripts : sequence of str
        As `stimuli` makes them.
    limits : Limits, optional
        Of the guest.

    Returns
    -------
    str
        The recordings, see ``data/kernel-segments/recorded/README.md``.

    Raises
    ------
    KernelError
        When the kernel is too old, or a script cannot be played.
    GuestFailed
        When the guest did not end by itself.
    """
    check(kernel)
    contents = {"scripts": "".join(f"{script}\n" for script in scripts).encode()}
    with guest(kernel.binary, init.binary(init.RECORDER), contents, seed=_SEED, limits=limits) as ended:
        failure, made = ended.folder / "failure", ended.folder / "segments"
        if failure.exists():
            raise KernelError(f"the guest stopped: {failure.read_text(encoding='utf-8').strip()}")
        if not made.exists():
            raise GuestFailed("the guest recorded nothing", ended.lines)
        return made.read_text(encoding="utf-8")


def record(
    kernel: Kernel,
    folder: Path,
    algorithms: Sequence[str],
    tell: Callable[[Recorded], None],
    *,
    numbers: range = stimuli.FIRST,
) -> None:
    """Record the scripts of some algorithms, a file each; one that is there and would be the same is left.

    Parameters
    ----------
    kernel : Kernel
        With what `check` asks for.
    folder : Path
        Where to; made when it is not there.
    algorithms : sequence of str
        Of `stimuli.ALGORITHMS`.
    tell : callable
        Told of each file.
    numbers : range, optional
        Which scripts of each kind; when absent those that `stimuli.scripts` makes.

    Raises
    ------
    KernelError
        When something cannot be played or written.
    """
    check(kernel)
    for algorithm in algorithms:
        scripts = stimuli.scripts(algorithm, numbers)
        header = _header(kernel, algorithm, scripts)
        path = folder / f"{algorithm}.txt"
        fresh = not _begins_with(path, header)
        if fresh:
            _write(path, header + play(kernel, scripts))
        tell(Recorded(algorithm, path, fresh))


def _header(kernel: Kernel, algorithm: str, scripts: Sequence[str]) -> str:
    made_from = hashlib.sha256("\n".join((kernel.digest, init.digest(init.RECORDER), *scripts)).encode()).hexdigest()[:16]
    return f"# Linux {kernel.version}, {algorithm}: {len(scripts)} scripts; README.md explains the lines\n# made from {made_from}\n"


def _begins_with(path: Path, header: str) -> bool:
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(len(header)) == header
    except OSError:
        return False


def _write(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        raise KernelError(f"{path}: cannot be written: {error.strerror}") from None
