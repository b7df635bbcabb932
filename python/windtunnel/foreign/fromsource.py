"""A stack that is compiled from a folder of the user's: picoquic, which is a package of no registry."""

from __future__ import annotations

import hashlib
from pathlib import Path

from windtunnel.foreign.errors import ForeignError

FOR = "picoquic"
"""The stack that is built from such a folder."""
VARIABLE = "WINDTUNNEL_SOURCE"
"""What the adapter's build script finds the folder by, in its environment."""
_BESIDE = "picotls"
_NEEDED = ("CMakeLists.txt", "picoquic/picoquic.h", f"../{_BESIDE}/include/picotls.h", f"../{_BESIDE}/deps/cifra/src/aes.c")
_COMPILED = {".c", ".h", ".inc", ".txt"}


def named(folder: Path | None) -> Path:
    """Return the folder of picoquic's sources that a user named, absolute; picotls is the folder ``picotls`` beside it.

    Parameters
    ----------
    folder : Path, optional
        As it was given; None where none was.

    Raises
    ------
    ForeignError
        When none was given, or it lacks a file that a build needs; names the file.
    """
    if folder is None:
        raise ForeignError("source", f"{FOR} is built from a folder of yours: windtunnel stacks build {FOR} --source FOLDER")
    place = folder.expanduser().absolute()
    for name in _NEEDED:
        if not (place / name).is_file():
            raise ForeignError(str(folder), f"has no {name}; allowed: {FOR}'s source folder, with {_BESIDE} and its submodules beside it")
    return place


def covered(folder: Path) -> str:
    """Return what the sources that a build takes come to.

    Parameters
    ----------
    folder : Path
        As `named` returns it.

    Returns
    -------
    str
        A digest of names and contents: picoquic's library and its list of files, and picotls with what lies in it.
    """
    hashed = hashlib.sha256()
    tls = folder.parent / _BESIDE
    listed = [
        folder / "CMakeLists.txt",
        *(folder / FOR).rglob("*"),
        *(path for part in ("lib", "include", "deps") for path in (tls / part).rglob("*")),
    ]
    for path in sorted(listed):
        if path.suffix in _COMPILED and path.is_file():
            hashed.update(str(path.relative_to(folder.parent)).encode() + b"\0" + path.read_bytes())
    return hashed.hexdigest()
