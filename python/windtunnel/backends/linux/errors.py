"""What goes wrong with kernels and guests, each as one line that says what is allowed or what to do."""

from __future__ import annotations

from pathlib import Path

from windtunnel.scenario.errors import one_line


class KernelError(ValueError):
    """A kernel source, a built kernel or a place for one that cannot be used; its text is one line."""

    def __init__(self, problem: str) -> None:
        super().__init__(one_line(problem))

    def __reduce__(self) -> tuple[type[KernelError], tuple[str]]:
        """Return how to make it again, in another process."""
        return type(self), (str(self),)


class Unrecognised(ValueError):
    """A place in a source that is not as expected; its text says what was looked for."""


class BuildFailed(RuntimeError):
    """A step of a build that failed.

    Parameters
    ----------
    step : str
        The step, as progress names it.
    log : Path
        Where its whole output is.
    last : str
        The line of the output that says most, empty when none does.
    """

    def __init__(self, step: str, log: Path, last: str) -> None:
        self.step = step
        self.log = log
        self.last = last
        super().__init__(one_line(f"the build failed while {step}" + (f": {last}" if last else "") + f"; log: {log}"))

    def __reduce__(self) -> tuple[type[BuildFailed], tuple[str, Path, str]]:
        """Return how to make it again, in another process."""
        return type(self), (self.step, self.log, self.last)


class GuestFailed(RuntimeError):
    """A guest that panicked, died or was killed.

    Parameters
    ----------
    reason : str
        What happened to it, without a full stop.
    lines : tuple of str
        The last lines it printed.
    """

    def __init__(self, reason: str, lines: tuple[str, ...]) -> None:
        self.reason = reason
        self.lines = lines
        said = " | ".join(line.strip() for line in lines if line.strip())
        super().__init__(one_line(f"{reason}; its last lines: {said}" if said else f"{reason}; it printed nothing"))

    def __reduce__(self) -> tuple[type[GuestFailed], tuple[str, tuple[str, ...]]]:
        """Return how to make it again, in another process."""
        return type(self), (self.reason, self.lines)
