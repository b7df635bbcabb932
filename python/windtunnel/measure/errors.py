"""What goes wrong with a measurement, as one line."""

from __future__ import annotations

from windtunnel.scenario.errors import one_line


class MeasureError(RuntimeError):
    """The other end does not answer, or nothing more may be sent; its text is one line."""

    def __init__(self, problem: str) -> None:
        super().__init__(one_line(f"measure: {problem}"))
        self.problem = one_line(problem)

    def __reduce__(self) -> tuple[type[MeasureError], tuple[str]]:
        """Return how to make it again, in another process."""
        return type(self), (self.problem,)
