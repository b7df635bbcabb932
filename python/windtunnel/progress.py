"""Progress of what takes long: a bar on a terminal, a line that is written again in a notebook, a line every ten seconds in a log."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from windtunnel.experiment import Step

STEPS = {"runs": "Running", "measures": "Measuring"}
_AGAIN_S = 0.25
"""How often a notebook's line is written again."""

EVERY_S = 10.0
"""How long a log goes without a line."""
PATIENCE_S = 1.0
"""How long a command may take before a terminal shows a bar."""


class Progress:
    """What a command is doing, for people who wait. Use it as a context, and tell it each step.

    Parameters
    ----------
    quiet : bool
        Show nothing, for ``--json``.
    every_s : float
        How long a log goes without a line.
    """

    def __init__(self, *, quiet: bool, every_s: float = EVERY_S) -> None:
        self._quiet = quiet
        self._every_s = every_s
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._what: str | None = None
        self._began = 0.0
        self._count = ""
        self._share: float | None = None
        self._bar: Bar | None = None
        self._tasks: dict[str, Any] = {}

    def __enter__(self) -> Progress:
        """Begin to show, on a terminal after a moment."""
        if self._quiet:
            return self
        on_terminal = sys.stderr.isatty()
        if on_terminal:
            self._bar = _bar()
        threading.Thread(target=self._show if on_terminal else self._say, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Stop showing."""
        with self._lock:
            self._ended.set()
            if self._bar is not None and self._bar.live.is_started:
                self._bar.stop()

    def step(self, what: str, done: int | None = None, total: int | None = None, share: float | None = None) -> None:
        """Say how far it is.

        Parameters
        ----------
        what : str
            The step, as ``Running``; another than the one before ends that.
        done, total : int, optional
            How many of how many; absent where it is not known.
        share : float, optional
            The share of the work that is done, 0 to 1, where the items differ in size; by their number when absent.
        """
        if self._quiet:
            return
        with self._lock:
            if what != self._what:
                self._what, self._began = what, time.monotonic()
            self._count = f" {done}/{total}" if total is not None else ""
            self._share = share if share is not None else done / total if done is not None and total else None
            if self._bar is not None:
                if what not in self._tasks:
                    self._tasks[what] = self._bar.add_task(what, total=None, count="")
                whole = None if self._share is None else 1.0
                self._bar.update(self._tasks[what], count=self._count.strip(), total=whole, completed=self._share)

    def _show(self) -> None:
        if not self._ended.wait(PATIENCE_S):
            with self._lock:
                if self._bar is not None and not self._ended.is_set():
                    self._bar.start()

    def _say(self) -> None:
        while not self._ended.wait(self._every_s):
            with self._lock:
                if self._what is not None and not self._ended.is_set():
                    print(self._line(time.monotonic() - self._began), file=sys.stderr, flush=True)

    def _line(self, spent_s: float) -> str:
        left = f", about {spent_s * (1 / self._share - 1):.0f} s left" if self._share else ""
        return f"{self._what}:{self._count} after {spent_s:.0f} s{left}"


def _bar() -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, ProgressColumn, Task, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar
    from rich.text import Text

    class Left(ProgressColumn):
        max_refresh = 0.5

        def render(self, task: Task) -> Text:
            return Text(left_words(task.time_remaining, finished=task.finished))

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[count]}"), TimeElapsedColumn(), Left())
    return Bar(*columns, console=Console(stderr=True))


def left_words(left_s: float | None, *, finished: bool) -> str:
    """Return what a bar says of the time left: nothing once it is finished or while it is not known."""
    if finished or left_s is None:
        return ""
    minutes, seconds = divmod(int(left_s), 60)
    return f"left: {minutes // 60}:{minutes % 60:02d}:{seconds:02d}"


@contextlib.contextmanager
def progress(*, quiet: bool, log: bool = True) -> Iterator[Callable[[Step], None]]:
    """Show how far a plan has come.

    Parameters
    ----------
    quiet : bool
        Show nothing.
    log : bool
        Whether lines are printed where stderr is no terminal: of a command, but not of a function, whose program's output is its own.

    Yields
    ------
    callable
        Takes each `Step`.
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if not quiet and shell is not None and getattr(shell, "kernel", None) is not None:
        yield _in_notebook()
        return
    with Progress(quiet=quiet or not (log or sys.stderr.isatty())) as shown:

        def on_step(step: Step) -> None:
            share = step.weight_done / step.weight_total if step.weight_total else None
            shown.step(STEPS[step.what], step.done, step.total, share)

        yield on_step


def _in_notebook() -> Callable[[Step], None]:
    """Return what writes one line of the cell's output again and again."""
    from IPython.display import display  # type: ignore[import-not-found,unused-ignore]

    began, shown, lines = time.monotonic(), [0.0], dict[str, str]()
    handle = display({"text/plain": ""}, raw=True, display_id=True)  # type: ignore[no-untyped-call,unused-ignore]

    def on_step(step: Step) -> None:
        now = time.monotonic()
        if not step.total:
            return
        lines[step.what] = f"{STEPS[step.what]}: {step.done} of {step.total}, {_time(step, now - began)}"
        if now - shown[0] >= _AGAIN_S or step.done == step.total:
            shown[0] = now
            handle.update({"text/plain": "\n".join(lines.values())}, raw=True)

    return on_step


def _time(step: Step, elapsed_s: float) -> str:
    left = (
        f", about {elapsed_s * (step.weight_total / step.weight_done - 1):.0f} s left" if 0 < step.weight_done < step.weight_total else ""
    )
    return f"{elapsed_s:.0f} s{left}"
