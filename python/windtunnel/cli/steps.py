"""Progress of a long command on stderr: a moving line on a terminal, a line per step elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.status import Status


class Steps:
    """Steps with their time, files counted within a step, remarks. Use it as a context."""

    def __init__(self) -> None:
        self._console = Console(file=sys.stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)
        self._status: Status | None = Status("", console=self._console) if self._console.is_terminal else None
        self._step: str | None = None
        self._began = self._shown = 0.0
        self._done = 0

    def __enter__(self) -> Steps:
        """Begin to show."""
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the last step, if nothing went wrong in it."""
        if kind is None:
            self._close()
        if self._status is not None:
            self._status.stop()

    def step(self, name: str) -> None:
        """Close the step before and begin another."""
        self._close()
        self._step, self._began, self._done = name, time.monotonic(), 0
        self._show()

    def count(self, done: int) -> None:
        """Show how many files the step has handled, a few times a second."""
        self._done = done
        if time.monotonic() - self._shown > 0.2:
            self._show()

    def say(self, line: str) -> None:
        """Print a remark."""
        self._console.print(f"  {line}")

    def fail(self, line: str) -> None:
        """Print why it ended; the step that failed is not closed."""
        self._step = None
        self._console.print(f"error: {line}")

    def _show(self) -> None:
        self._shown = time.monotonic()
        if self._status is not None and self._step is not None:
            self._status.update(self._line(self._shown))

    def _close(self) -> None:
        if self._step is not None:
            self._console.print(self._line(time.monotonic()))
        self._step = None

    def _line(self, now: float) -> str:
        files = f", {self._done} files" if self._done else ""
        return f"{self._step}: {now - self._began:.0f} s{files}"
