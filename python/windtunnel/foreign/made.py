"""From a file to its row of the catalogue: made once, kept in the user's cache under its content."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel import native
from windtunnel.foreign.errors import ForeignError, Unreachable
from windtunnel.foreign.kinds import NATIVE, PYTHON, is_made, named
from windtunnel.usercache import cache

if TYPE_CHECKING:
    from windtunnel.controllers import Description

ROW_VERSION = 2
"""Raised by hand when rows say something else; older ones are asked for again."""


@dataclass(frozen=True)
class Controller:
    """A controller from a file.

    Parameters
    ----------
    name : str
        What scenarios call it: the file's name and its key.
    library : Path
        What was made of it, in the cache.
    row : mapping
        What it says of itself: `name` (its own), `summary`, `parameters`, `variables`, `needs`.
    described : Description, optional
        The class, where it was handed over and runs in this process; it has no library.
    """

    name: str
    library: Path
    row: Mapping[str, Any]
    described: Description | None = None

    @property
    def file(self) -> str:
        """The file's name."""
        return self.name.partition(":")[0]

    @property
    def key(self) -> str:
        """What identifies its content, and what built it."""
        return self.name.partition(":")[2]


_known: dict[str, Controller] = {}


def folder() -> Path:
    """Return where libraries and rows are kept."""
    return cache() / "controllers"


def compiler() -> str:
    """Return the C compiler's command: ``$CC`` when it is a plain command, ``cc`` otherwise."""
    given = os.environ.get("CC", "").strip()
    return given if given and len(given.split()) == 1 else "cc"


def make(text: str, *, beside: Path | None = None) -> Controller:
    """Make a file's controller, or find it made.

    Parameters
    ----------
    text : str
        The file.
    beside : Path, optional
        The folder where relative names begin; the current one when absent.

    Returns
    -------
    Controller
        With its row.

    Raises
    ------
    ForeignError
        When the file is none, does not compile, or holds no controller.
    """
    head, colon, rest = text.partition(":")
    if head.endswith(PYTHON):
        return _make_class(head, rest, beside)
    if colon and head.endswith(NATIVE):
        raise ForeignError(head, f"holds one controller and has no variant {rest!r}; leave it out")
    _refuse_other_kinds(head if beside is None else str(beside / head))
    path = Path(head).expanduser()
    if beside is not None:
        path = beside / path
    try:
        key, library = native.guest_made(str(path), str(folder()), compiler())
    except ValueError as error:
        raise ForeignError(*_told(error)) from None
    name = named(path.name, key)
    found = _found(name) or _described(name, Path(library), str(path))
    _known[name] = found
    return found


def _refuse_other_kinds(file: str) -> None:
    """Refuse a file whose name does not say what it is."""
    path = Path(file).expanduser()
    if path.is_dir():
        raise ForeignError(file, "is a folder; give one file: C (.c), a shared library (.so) or a class in Python (.py)")
    if path.exists() and path.suffix not in NATIVE:
        raise ForeignError(file, "is neither C (.c) nor a shared library (.so) nor a class in Python (.py): its name must end so")


def _make_class(head: str, cls: str, beside: Path | None) -> Controller:
    from windtunnel.foreign import classes

    path = Path(head).expanduser() if beside is None else beside / Path(head).expanduser()
    key, library = classes.made(path, cls, folder())
    name = named(f"{path.stem}.{cls}{PYTHON}" if cls else path.name, key)
    found = _found(name) or _described(name, library, str(path), "class_described", cls)
    _known[name] = found
    return found


def adopt(cls: type) -> Controller:
    """Take a class as a controller; it runs in this process.

    Raises
    ------
    ForeignError
        When it is none.
    """
    from windtunnel import controllers
    from windtunnel.foreign import classes

    try:
        described = controllers.describe(cls)
    except controllers.ControllerError as error:
        raise ForeignError("", str(error)) from error
    name = named(f"{described.name}{PYTHON}", described.content)
    row = classes.row(described)
    _check(described.name, row)
    found = _known[name] = Controller(name, Path(), row, described)
    return found


def _told(error: ValueError) -> tuple[str, str, tuple[str, ...]]:
    """Return file, problem and the compiler's lines of an error of the core."""
    file, problem, *details = error.args if len(error.args) > 1 else ("", str(error))
    return str(file), str(problem), tuple(details[0]) if details else ()


def controller(name: str) -> Controller | None:
    """Return the controller of this name, None when it is not in the cache."""
    known = _known.get(name)
    if known is not None and (known.described is not None or known.library.is_file()):
        return known
    found = _found(name) if is_made(name) else None
    if found is not None:
        _known[name] = found
    return found


def required(name: str) -> Controller:
    """Return the controller of this name.

    Raises
    ------
    ForeignError
        When it is not in the cache any more.
    """
    found = controller(name)
    if found is None:
        file = name.partition(":")[0]
        raise ForeignError(file, f"what was made of it ({name}) is not in the cache any more; name the file again, as ./{file}")
    return found


def _found(name: str) -> Controller | None:
    key = name.partition(":")[2]
    row = folder() / f"{key}.json"
    try:
        kept = json.loads(row.read_text(encoding="utf-8"))
        library = folder() / kept["library"]
        if kept["version"] != ROW_VERSION or kept["name"] != name or not library.is_file():
            return None
        found = Controller(name, library, kept["row"])
    except (OSError, ValueError, LookupError, TypeError):
        return None
    with contextlib.suppress(OSError):
        os.utime(library)  # When it was last used.
    return found


def _described(name: str, library: Path, file: str, function: str = "guest_described", *more: str) -> Controller:
    """Ask a process of its own what the library says of itself, and keep the answer."""
    import tempfile

    from windtunnel.foreign.process import ask

    try:
        row = json.loads(ask(function, str(library), file, *more))
    except ValueError as error:
        raise ForeignError(*_told(error)) from None
    except Unreachable as error:
        raise ForeignError(file, error.said) from None
    _check(file, row)
    text = json.dumps({"version": ROW_VERSION, "name": name, "library": library.name, "file": file, "row": row}, indent=1) + "\n"
    place = library.with_suffix(".json")
    try:
        with tempfile.NamedTemporaryFile("w", dir=place.parent, suffix=".row", delete=False, encoding="utf-8") as kept:
            kept.write(text)
        os.replace(kept.name, place)
    except OSError as error:
        raise ForeignError(file, f"{place.parent} cannot be written: {error.strerror}; XDG_CACHE_HOME chooses another cache") from None
    return Controller(name, library, row)


RESERVED = ("streams", "stagger", "slow_start")
"""Names of parameters that mean something to every scenario."""


def _check(file: str, row: Mapping[str, Any]) -> None:
    taken = [p["name"] for p in row["parameters"] if p["name"] in RESERVED]
    if taken:
        raise ForeignError(file, f"parameter {taken[0]}: scenarios use this name themselves; allowed: any but {', '.join(RESERVED)}")
