"""What goes wrong with code from files, in one line."""

from __future__ import annotations


class ForeignError(ValueError):
    """A file that is no controller, or a controller that did what none may; its text is one line.

    Parameters
    ----------
    where : str
        The file.
    problem : str
        What is wrong with it.
    details : sequence of str
        Every line of a compiler, about the user's file alone.
    """

    def __init__(self, where: str, problem: str, details: tuple[str, ...] = ()) -> None:
        self.where = where
        self.problem = problem
        self.details = tuple(details)
        super().__init__(f"{where}: {problem}" if where else problem)

    def __reduce__(self) -> tuple[type[ForeignError], tuple[str, str, tuple[str, ...]]]:
        """Return how to make it again, in another process."""
        return type(self), (self.where, self.problem, self.details)


class Unreachable(Exception):
    """The process that had loaded foreign code gave no answer: it died, or was ended because it stood still.

    Parameters
    ----------
    what : str
        What became of it, as ``crashed (SIGSEGV)``.
    hook : str
        What was called last; empty when nothing was.
    flow : int, optional
        Whose hook.
    now_s : float, optional
        When, in seconds of simulated time.
    """

    def __init__(self, what: str, hook: str = "", flow: int | None = None, now_s: float | None = None) -> None:
        self.what = what
        self.hook = hook
        self.flow = flow
        self.now_s = now_s
        super().__init__(self.said)

    @property
    def said(self) -> str:
        """The whole of it: what, in which hook, of which flow, when."""
        place = f" in {self.hook}" if self.hook else ""
        if self.flow is not None and self.now_s is not None:
            place += f" of flow {self.flow} at {self.now_s:.6f} s"
        return self.what + place
