"""Checksums of stored files: whatever is damaged on a disk is noticed before it is used.

A JSON document of a folder begins with the checksum of the rest of its text, and names the checksums of the other files beside it under
``files``. Documents that were written before there were checksums have neither.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FILES = "files"
"""Checksums of the other files of a folder, by name."""
_SEAL = re.compile(rb'\{\s*"checksum": "([0-9a-f]{32})",')
_TEXT_SEAL = re.compile(rb"# checksum: ([0-9a-f]{32})\n")
_BLOCK_BYTES = 1 << 20
DAMAGED = "is damaged: its checksum differs"
_PIECE = 1 << 20


class Damaged(ValueError):
    """Content that is not what was written; its text says so."""


def checksum(content: bytes) -> str:
    """Return the checksum of a file's content, 32 hexadecimal digits of BLAKE2b."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def of_files(folder: Path) -> dict[str, str]:
    """Return the checksum of every file of a folder, by name."""
    return {path.name: _of_file(path) for path in sorted(folder.iterdir())}


def _of_file(path: Path) -> str:
    """Return `checksum` of a file that memory need not hold."""
    found = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            found.update(block)
    return found.hexdigest()


def sealed(data: Mapping[str, Any], *, indent: int) -> str:
    """Return a document as text that begins with its checksum.

    Parameters
    ----------
    data : mapping
        The document, with `FILES` in it.
    indent : int
        Blanks at each level.
    """
    body = json.dumps({FILES: {}, **data}, indent=indent, sort_keys=True, allow_nan=False)[1:] + "\n"
    return f'{{\n{" " * indent}"checksum": "{checksum(body.encode())}",{body}'


def unsealed(content: bytes) -> Any:
    """Return a document, without its checksum.

    Parameters
    ----------
    content : bytes
        What its file holds.

    Raises
    ------
    Damaged
        When it is not what was written.
    ValueError, RecursionError
        When it is no JSON.
    """
    seal = _SEAL.match(content)
    if seal is not None and checksum(content[seal.end() :]) != seal[1].decode():
        raise Damaged(DAMAGED)
    data = json.loads(content)
    if isinstance(data, dict) and (seal is not None) != (FILES in data):
        raise Damaged(DAMAGED)
    if isinstance(data, dict):
        data.pop("checksum", None)
    return data


def sealed_text(text: str) -> str:
    """Return a text in a format with comments behind ``#``, with its checksum in the first line."""
    return f"# checksum: {checksum(text.encode())}\n{text}"


def check_text(content: bytes) -> None:
    """Refuse a text with a checksum that is not what was written.

    Raises
    ------
    Damaged
        When its checksum differs.
    """
    seal = _TEXT_SEAL.match(content)
    if seal is not None and checksum(content[seal.end() :]) != seal[1].decode():
        raise Damaged(DAMAGED)


def checked(path: Path, files: Mapping[str, str] | None) -> bytes:
    """Return the content of a file that a document names.

    Parameters
    ----------
    path : Path
        The file.
    files : mapping of str to str, optional
        Checksums by name; None of a document without.

    Raises
    ------
    Damaged
        When it is not what was written.
    OSError
        When it cannot be read.
    """
    content = path.read_bytes()
    if files is not None and files.get(path.name) != checksum(content):
        raise Damaged(DAMAGED)
    return content


def check_file(path: Path, files: Mapping[str, str]) -> None:
    """Refuse a file that a document names and that is not what was written; of a large one no more than a piece is in memory.

    Raises
    ------
    Damaged
        When its checksum differs.
    OSError
        When it cannot be read.
    """
    found = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            found.update(piece)
    if files.get(path.name) != found.hexdigest():
        raise Damaged(DAMAGED)
