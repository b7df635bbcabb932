"""What goes wrong with the live kernel, each as one line."""

from __future__ import annotations

from windtunnel.scenario.errors import one_line


class LiveError(RuntimeError):
    """The machine does not allow it, cannot keep the rate, or something broke; its text is one line."""

    def __init__(self, problem: str) -> None:
        super().__init__(one_line(f"live: {problem}"))
        self.problem = one_line(problem)

    def __reduce__(self) -> tuple[type[LiveError], tuple[str]]:
        """Return how to make it again, in another process."""
        return type(self), (self.problem,)


class NotValid(LiveError):
    """No try of a run was valid: nothing is said of what it measured."""
