"""The other side of `process`: loads foreign code and does what it is asked, one thing at a time, until the other side ends."""

from __future__ import annotations

import functools
import json
import multiprocessing.connection
import os
import signal
import sys
import threading
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from windtunnel.controllers import Description


def main(arguments: list[str]) -> None:
    """Answer questions.

    Parameters
    ----------
    arguments : list of str
        Numbers of two open files: of the connection, and of the page on which the core says what it calls.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the asker's.
    connection, page = Connection(int(arguments[0])), int(arguments[1])
    import windtunnel.native  # noqa: F401 - before the caller waits

    connection.send(None)
    while True:
        try:
            function, given = connection.recv()
        except (EOFError, OSError):
            return
        answered = threading.Event()
        threading.Thread(target=_end_without_asker, args=(connection, answered), daemon=True).start()
        answer = _answer(function, given, page)
        answered.set()
        try:
            connection.send(answer)
        except OSError:
            return


def _end_without_asker(connection: Connection, answered: threading.Event) -> None:
    """End with the asker, however it ended, also while a library is busy: nothing is said while an answer is awaited."""
    while not answered.is_set():
        if multiprocessing.connection.wait([connection], 0.2) and not answered.is_set():
            os._exit(1)


def _answer(function: str, given: tuple[Any, ...], page: int) -> tuple[str, Any]:
    try:
        return "answer", _asked(function, given, page)
    except ValueError as error:
        return "refusal", error.args
    except BaseException as error:  # A broken invariant of the core is no Exception.
        return "bug", f"{type(error).__name__}: {error}"


def _asked(function: str, given: tuple[Any, ...], page: int) -> Any:
    from windtunnel import native

    if function in ("check", "run", "run_captured", "conform_rows", "conform_segments"):
        *rest_given, named = given
        in_python = [(name, library) for name, library in named if library.endswith(".py")]
        if in_python:
            from windtunnel.foreign import classes

            rest = [one for one in named if one not in in_python]
            return classes.with_classes(function, *rest_given, named=rest, classes=dict(map(_loaded, in_python)), page_fd=page)
    elif function == "class_described":
        from windtunnel.foreign import classes

        return classes.class_described(*given)
    return getattr(native, function)(*given, page_fd=page)


@functools.lru_cache(maxsize=64)
def _loaded(one: tuple[str, str]) -> tuple[str, Description]:
    """Load a class under the name that scenarios have for it."""
    from windtunnel.foreign import classes

    name, library = one
    kept = json.loads(Path(library).with_suffix(".json").read_text(encoding="utf-8"))
    return name, classes.loaded(library, kept["file"], kept["row"]["name"])


if __name__ == "__main__":
    main(sys.argv[1:])
