"""A kernel source: found, checked, and copied as far as a User-Mode Linux build needs it. The user's own tree is only read."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath

from windtunnel.backends.linux.errors import KernelError

OLDEST = (5, 10)
ALLOWED = "allowed: the root of a Linux source tree, or a .tar, .tar.gz, .tar.bz2 or .tar.xz of one"
# Of these only Kconfig and make files are read when a User-Mode Linux kernel without hardware is built.
UNUSED = (
    "Documentation",
    "samples",
    "sound",
    "tools/perf",
    "tools/testing",
    "drivers/accel",
    "drivers/gpu",
    "drivers/infiniband",
    "drivers/media",
    "drivers/net/ethernet",
    "drivers/net/wireless",
    "drivers/scsi",
    "drivers/staging",
)
_ARCHITECTURES = ("um", "x86")
_LANDMARKS = (
    "Makefile",
    "Kconfig",
    "arch/um/Makefile",
    "arch/um/Kconfig",
    "arch/x86/Makefile.um",
    "net/ipv4/Kconfig",
    "scripts/Makefile.build",
)
_MADE = re.compile(r"\.(o|a|ko|cmd|order|mod|mod\.c|d|s|dwo|gcno|lex\.c|tab\.[ch]|symvers)$")
_MADE_FOLDERS = (("include", "config"), ("include", "generated"))
_MADE_AT_ROOT = ("vmlinux", "linux", "System.map", "tags", "TAGS")


@dataclass(frozen=True)
class Source:
    """A kernel source as the user named it.

    Parameters
    ----------
    path : Path
        A folder or a tarball, absolute.
    packed : bool
        Whether it is a tarball.
    """

    path: Path
    packed: bool


def locate(path: Path) -> Source:
    """Look at what the user named, as far as that costs nothing.

    Raises
    ------
    KernelError
        When there is nothing, it cannot be read, or it is a folder that holds no kernel source.
    """
    path = Path(os.path.abspath(path.expanduser()))
    if not path.exists():
        raise KernelError(f"{path}: no such file or folder; {ALLOWED}")
    if not os.access(path, os.R_OK):
        raise KernelError(f"{path}: permission denied; {ALLOWED}")
    if path.is_dir():
        version(path, path)
        return Source(path, packed=False)
    if not path.is_file():  # A device or a pipe may never end.
        raise KernelError(f"{path}: is neither a folder nor a plain file; {ALLOWED}")
    try:
        readable = tarfile.is_tarfile(path)
    except (OSError, EOFError) as error:
        raise KernelError(f"{path}: cannot be read: {error}; {ALLOWED}") from None
    if not readable:
        raise KernelError(f"{path}: is neither a folder nor a tarball that can be read; {ALLOWED}")
    return Source(path, packed=True)


def distribution(folder: Path = Path("/usr/src")) -> Path | None:
    """Return the newest ``linux-source`` tarball the distribution installed, None when there is none."""
    found = [(_numbers(path.name), path) for path in folder.glob("linux-source-*.tar.*")]
    return max(found)[1] if found else None


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text.split(".tar")[0]))


def version(tree: Path, named: Path) -> str:
    """Return the version of a kernel tree, such as ``6.1.192`` or ``6.18.0-rc3``.

    Parameters
    ----------
    tree : Path
        The tree.
    named : Path
        What the user called it, for the message.

    Raises
    ------
    KernelError
        When it is no kernel tree, has no User-Mode Linux, or is too old.
    """
    lacking = [name for name in _LANDMARKS if not (tree / name).is_file()]
    if lacking:
        raise KernelError(f"{named}: is no Linux source tree (it has no {lacking[0]}); {ALLOWED}")
    text = (tree / "Makefile").read_text(encoding="utf-8", errors="replace")[:4000]
    parts = dict(re.findall(r"^(VERSION|PATCHLEVEL|SUBLEVEL|EXTRAVERSION)[ \t]*=[ \t]*(\S*)", text, re.MULTILINE))
    numbers = [parts.get(key, "") for key in ("VERSION", "PATCHLEVEL", "SUBLEVEL")]
    if not all(number.isdigit() for number in numbers):
        raise KernelError(f"{named}: its Makefile names no version; {ALLOWED}")
    if tuple(map(int, numbers[:2])) < OLDEST:
        raise KernelError(f"{named}: is Linux {'.'.join(numbers)}; allowed: {'.'.join(map(str, OLDEST))} and newer")
    # It becomes part of a folder's name.
    return ".".join(numbers) + re.sub(r"[^\w.+-]", "", parts.get("EXTRAVERSION", ""))


def needed(path: str) -> bool:
    """Return whether a build reads this file: make and Kconfig files everywhere, sources where User-Mode Linux has any, nothing made.

    Parameters
    ----------
    path : str
        Relative to the tree's root, with slashes.
    """
    parts = PurePosixPath(path).parts
    name = parts[-1]
    if ".git" in parts or _MADE.search(name) or any(pair in _MADE_FOLDERS for pair in pairwise(parts)):
        return False
    if len(parts) == 1 and (name.startswith(".config") or name in _MADE_AT_ROOT):
        return False
    if name.startswith(("Kconfig", "Makefile", "Kbuild")):
        return True
    if parts[0] == "arch" and len(parts) > 2 and parts[1] not in _ARCHITECTURES:
        return False
    return not any(path.startswith(f"{folder}/") for folder in UNUSED)


def copy(source: Source, into: Path, on_file: Callable[[int], None] = lambda count: None) -> str:
    """Copy what a build needs into an existing, empty folder.

    Parameters
    ----------
    source : Source
        From `locate`.
    into : Path
        The folder.
    on_file : callable
        Told the number of files copied so far.

    Returns
    -------
    str
        The kernel's version.

    Raises
    ------
    KernelError
        When it is no kernel source or cannot be read to its end.
    OSError
        When the copy cannot be written, a full disk among others.
    """
    (_unpack if source.packed else _copy_tree)(source.path, into, on_file)
    return version(into, source.path)


def _copy_tree(tree: Path, into: Path, on_file: Callable[[int], None]) -> None:
    count = 0
    for relative in _walk(tree):
        if not needed(relative):
            continue
        origin, target = tree / relative, into / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            if not relative.rpartition("/")[2].count(".") and _is_program(origin):
                continue
            shutil.copy2(origin, target, follow_symlinks=False)
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.ENOENT):
                raise
            raise KernelError(f"{origin}: cannot be read: {error.strerror}") from None
        count += 1
        on_file(count)


def _is_program(path: Path) -> bool:
    """Return whether a file is a program that make built, such as ``scripts/kconfig/conf``."""
    if path.is_symlink():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def _walk(tree: Path) -> Iterator[str]:
    """Give every file and symbolic link of a tree, relative to it, in a fixed order."""
    for folder, inner, names in os.walk(tree):
        inner.sort()
        base = Path(folder).relative_to(tree)
        if ".git" in inner:
            inner.remove(".git")
        links = [name for name in inner if os.path.islink(os.path.join(folder, name))]
        yield from ((base / name).as_posix() for name in sorted(names + links))


def _unpack(tarball: Path, into: Path, on_file: Callable[[int], None]) -> None:
    """Write a tarball's needed files, without its first folder; plain files and links inside the tree only."""
    count = 0
    try:
        with tarfile.open(tarball, "r|*") as archive:
            for member in archive:
                relative = PurePosixPath(*PurePosixPath(member.name).parts[1:])
                inside = not PurePosixPath(member.name).is_absolute() and ".." not in relative.parts and len(relative.parts) > 0
                if not inside or not needed(relative.as_posix()):
                    continue
                target = into / relative
                if member.issym():
                    _link(member.linkname, target, into)
                elif member.isfile():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    _write(archive, member, target)
                count += 1
                on_file(count)
    except (tarfile.TarError, EOFError, ValueError) as error:
        raise KernelError(f"{tarball}: cannot be unpacked: {error}; {ALLOWED}") from None
    except OSError as error:
        # What gzip makes of damage has no number; a full disk has one.
        if error.errno is not None:
            raise
        raise KernelError(f"{tarball}: cannot be unpacked: {error}; {ALLOWED}") from None


def _link(target_name: str, link: Path, root: Path) -> None:
    """Make a symbolic link unless it leads out of the tree."""
    resolved = os.path.normpath(link.parent / target_name)
    if not os.path.isabs(target_name) and resolved.startswith(f"{root}{os.sep}"):
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target_name)


def _write(archive: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    content = archive.extractfile(member)
    if content is None or target.parent.resolve() != target.parent:
        raise tarfile.ReadError(f"{member.name} is written through a link")
    with target.open("wb") as file:
        shutil.copyfileobj(content, file)
    target.chmod(0o755 if member.mode & 0o100 else 0o644)
    os.utime(target, (member.mtime, member.mtime))


def digest(tree: Path, *extra: str) -> str:
    """Return the digest of a tree's files, names and contents, and of further texts that decide the build.

    Parameters
    ----------
    tree : Path
        A folder.
    *extra : str
        Texts.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    total = hashlib.sha256()
    for text in extra:
        total.update(hashlib.sha256(text.encode()).digest())
    for relative in _walk(tree):
        path = tree / relative
        content = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
        total.update(relative.encode(errors="surrogateescape") + b"\0" + hashlib.sha256(content).digest())
    return total.hexdigest()
