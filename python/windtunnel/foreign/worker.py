"""The other side of `process`: loads foreign code and does what it is asked, one thing at a time, until nobody asks any more."""

from __future__ import annotations

import multiprocessing.connection
import os
import signal
import sys
import threading
from multiprocessing.connection import Connection
from typing import Any


def main(arguments: list[str]) -> None:
    """Answer questions.

    Parameters
    ----------
    arguments : list of str
        Numbers of two open files: of the connection, and of the page on which the core says what it calls.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the asker's.
    connection, page = Connection(int(arguments[0])), int(arguments[1])
    from windtunnel import native

    connection.send(None)
    while True:
        try:
            function, given = connection.recv()
        except (EOFError, OSError):
            return
        answered = threading.Event()
        threading.Thread(target=_end_without_asker, args=(connection, answered), daemon=True).start()
        answer = _answer(getattr(native, function), given, page)
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


def _answer(function: Any, given: tuple[Any, ...], page: int) -> tuple[str, Any]:
    try:
        return "answer", function(*given, page_fd=page)
    except ValueError as error:
        return "refusal", error.args
    except BaseException as error:  # A broken invariant of the core is no Exception.
        return "bug", f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    main(sys.argv[1:])
