"""The one place where a kind of file is recognised."""

from __future__ import annotations

import re
from collections.abc import Iterable

NATIVE = (".c", ".so", ".dylib")
"""How files end that the core makes into a library and loads."""

PYTHON = ".py"
"""How a file ends whose controller is a class; its name may stand behind a colon."""

_MADE = re.compile(r"([A-Za-z0-9_+-][A-Za-z0-9._+-]*):([0-9a-f]{16})")


def is_file(text: str) -> bool:
    """Return whether a text that stands where an algorithm's name may stand means a file.

    No built-in protocol has a dot or a slash in its name; what follows a colon is not the file's.
    """
    if is_made(text):
        return False
    head = text.partition(":")[0]
    return "/" in head or head in (".", "..") or head.endswith((*NATIVE, PYTHON))


def is_made(name: str) -> bool:
    """Return whether a name is that of a file that was made: ``mine.c:3f9a12b0c4de5678``."""
    found = _MADE.fullmatch(name)
    return found is not None and "." in found[1]


def named(file_name: str, key: str) -> str:
    """Return the name under which scenarios know what was made of a file; letters that would end the name are replaced."""
    readable = re.sub(r"[^A-Za-z0-9._+-]", "_", file_name).lstrip(".")
    return f"{readable[-60:] or 'controller.c'}:{key}"


def shown(algorithm: str, among: Iterable[str] = ()) -> str:
    """Return what readers see of an algorithm's name: of one from a file the file's name, of any other all of it.

    Parameters
    ----------
    algorithm : str
        A name as scenarios have it.
    among : iterable of str, optional
        What stands beside it: of two files of one name the beginning of what distinguishes them is shown too.
    """
    if not is_made(algorithm):
        return algorithm
    file, _, key = algorithm.partition(":")
    is_one_of_several = any(other != algorithm and is_made(other) and other.partition(":")[0] == file for other in among)
    return f"{file} ({key[:4]})" if is_one_of_several else file
