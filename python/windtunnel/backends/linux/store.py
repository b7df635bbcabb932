"""The kernels a user has built, in the user's cache: a folder each, written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from windtunnel.backends.linux.errors import KernelError
from windtunnel.usercache import cache

_FACTS = "kernel.json"
_BINARY = "linux"
AGAINST = "against"
"""The folder of a kernel with what its modules are compiled against."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")
HOW_TO_BUILD = "build one: windtunnel kernel build --source PATH"


@dataclass(frozen=True)
class Kernel:
    """A built kernel.

    Parameters
    ----------
    version : str
        The source's version.
    digest : str
        Of the changed source and the configuration that was asked for, 64 hexadecimal digits.
    name : str
        What the user called it; version and digest when not named.
    algorithms : tuple of str
        The congestion controls it offered in its self-test.
    source : str
        Where the source was.
    changes : tuple of str
        What the patcher did.
    compiler : str
        The C compiler's first line about itself.
    built : str
        When, in UTC.
    build_s : float
        Wall time of the build in seconds.
    folder : Path
        Where it is.
    """

    version: str
    digest: str
    name: str
    algorithms: tuple[str, ...]
    source: str
    changes: tuple[str, ...]
    compiler: str
    built: str
    build_s: float
    folder: Path

    @property
    def binary(self) -> Path:
        """The file to execute."""
        return self.folder / _BINARY

    @property
    def id(self) -> str:
        """Version and twelve digits of the digest."""
        return identity(self.version, self.digest)

    @property
    def takes_modules(self) -> bool:
        """Whether modules can be made for it: what they are compiled against was kept."""
        return (self.folder / AGAINST / "Module.symvers").is_file()

    def size_bytes(self) -> int:
        """Return what it takes on the disk, bytes."""
        return _size_bytes(self.folder)

    def against_bytes(self) -> int:
        """Return what the headers, the table of symbols and the programs for making modules take on the disk, bytes."""
        return _size_bytes(self.folder / AGAINST)

    def require(self, algorithm: str) -> None:
        """Refuse a congestion control this kernel does not have.

        Parameters
        ----------
        algorithm : str
            The kernel's name for it.

        Raises
        ------
        KernelError
            Naming what it has.
        """
        if algorithm not in self.algorithms:
            raise KernelError(f"kernel {self.name} has no congestion control {algorithm!r}; it has: {', '.join(self.algorithms)}")


def _size_bytes(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_symlink() or path.is_file())


def identity(version: str, digest: str) -> str:
    """Return the name of a kernel's folder."""
    return f"{version}-{digest[:12]}"


def root() -> Path:
    """Return the folder of all kernels."""
    return cache() / "kernels"


def kernels() -> list[Kernel]:
    """Return the built kernels, the newest first; folders that are none are passed over."""
    try:
        folders = [folder for folder in root().iterdir() if not folder.name.startswith(".")]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise KernelError(f"{root()}: cannot be read: {error.strerror}") from None
    found = [kernel for kernel in map(_read, folders) if kernel is not None]
    return sorted(found, key=lambda kernel: (kernel.built, kernel.id), reverse=True)


def _read(folder: Path) -> Kernel | None:
    try:
        facts = json.loads((folder / _FACTS).read_text(encoding="utf-8"))
        lists = {key: tuple(facts[key]) for key in ("algorithms", "changes")}
        kernel = Kernel(**{**facts, **lists, "folder": folder})
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return kernel if kernel.binary.is_file() else None


def find(wanted: str | None = None) -> Kernel:
    """Return one kernel.

    Parameters
    ----------
    wanted : str, optional
        A name, a version, or the beginning of version and digest or of the digest; the newest kernel when absent. Of several of a version
        the one is meant that was given no name of its own: beside it stand kernels with a patch.

    Raises
    ------
    KernelError
        When there is none, or several differ in what was not said.
    """
    known = kernels()
    if not known:
        raise KernelError(f"no kernel is built; {HOW_TO_BUILD}")
    if wanted is None:
        return known[0]
    exact = [kernel for kernel in known if wanted in (kernel.name, kernel.id, kernel.digest)]
    # 6.1 is 6.1.192, and not 6.12.117.
    series = [kernel for kernel in known if kernel.version.startswith(f"{wanted}.")]
    matches = exact or series or [one for one in known if wanted and (one.id.startswith(wanted) or one.digest.startswith(wanted))]
    plain = [kernel for kernel in matches if kernel.name == kernel.id]
    for found in (matches, plain):
        if len(found) == 1:
            return found[0]
    names = ", ".join(kernel.name for kernel in matches or known)
    problem = "means several kernels" if matches else "is not the name of a built kernel"
    raise KernelError(f"{wanted!r} {problem}; {'say which' if matches else 'built'}: {names}")


def by_digest(digest: str) -> Kernel | None:
    """Return the kernel of this digest, None when it is not built."""
    return next((kernel for kernel in kernels() if kernel.digest == digest), None)


def check_name(name: str, digest: str | None = None) -> None:
    """Refuse a name that cannot be used, or that another kernel has.

    Raises
    ------
    KernelError
        Saying what is allowed.
    """
    if not _NAME.fullmatch(name):
        raise KernelError(f"name {name!r} is refused; allowed: letters, digits, '.', '_', '+', '-', at most 64, a letter or digit first")
    other = next((kernel for kernel in kernels() if kernel.name == name and kernel.digest != digest), None)
    if other is not None:
        raise KernelError(f"name {name!r} belongs to kernel {other.id}; remove it first: windtunnel kernel remove {name}")


@contextlib.contextmanager
def workplace() -> Iterator[Path]:
    """Give a folder to build in, beside the kernels so that a finished one moves in one step; it is gone afterwards.

    Raises
    ------
    KernelError
        When the cache cannot be written, or the disk is full while it is used.
    """
    place = root()
    try:
        place.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=".building-", dir=place))
    except OSError as error:
        raise KernelError(f"{place}: cannot be written: {error.strerror}; allowed: a writable cache (XDG_CACHE_HOME chooses it)") from None
    try:
        yield folder
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS):
            raise KernelError(f"{place}: cannot be written: {error.strerror}; nothing was kept") from None
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def keep(kernel: Kernel, files: Path) -> Kernel:
    """Move a finished kernel's files to their place.

    Parameters
    ----------
    kernel : Kernel
        Its facts.
    files : Path
        A folder with the binary and what else is kept, inside the `workplace`.

    Returns
    -------
    Kernel
        The kernel at its place.
    """
    target = root() / kernel.id
    _write_facts(kernel, files)
    if target.exists():
        # Of the same digest, from another build at the same time, or damaged.
        shutil.rmtree(target)
    files.chmod(0o755)
    files.rename(target)
    return replace(kernel, folder=target)


def used(kernel: Kernel) -> None:
    """Note that a kernel is used now; a cache that cannot be written keeps the time before."""
    with contextlib.suppress(OSError):
        os.utime(kernel.folder)


def rename(kernel: Kernel, name: str) -> Kernel:
    """Give a kernel another name."""
    check_name(name, kernel.digest)
    renamed = replace(kernel, name=name)
    try:
        _write_facts(renamed, kernel.folder)
    except OSError as error:
        raise KernelError(f"{kernel.folder}: cannot be written: {error.strerror}") from None
    return renamed


def _write_facts(kernel: Kernel, folder: Path) -> None:
    facts = asdict(kernel)
    del facts["folder"]
    temporary = folder / f".{_FACTS}.partial"
    temporary.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    temporary.replace(folder / _FACTS)


def remove(kernel: Kernel) -> None:
    """Remove a kernel: out of sight in one step, then from the disk.

    Raises
    ------
    KernelError
        When it cannot be.
    """
    doomed = kernel.folder.with_name(f".removed-{kernel.id}-{os.getpid()}")
    try:
        kernel.folder.rename(doomed)
        shutil.rmtree(doomed)
    except OSError as error:
        raise KernelError(f"{kernel.folder}: cannot be removed: {error.strerror}") from None
