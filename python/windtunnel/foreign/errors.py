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
    said : str
        What became of it: as ``crashed (SIGSEGV) in on_acked of flow 0 at 5.000086 s``.
    flow : int, optional
        Whose hook was called last.
    """

    def __init__(self, said: str, flow: int | None = None) -> None:
        self.said = said
        self.flow = flow
        super().__init__(said)
