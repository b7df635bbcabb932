"""What is wrong with a results folder, or with a question to it."""

from __future__ import annotations

from pathlib import Path


class ResultsError(ValueError):
    """A results folder that cannot be used; its text is one line naming the folder, or the object in a store, and what is allowed."""

    def __init__(self, path: Path | str, problem: str) -> None:
        self.path = path
        self.problem = problem
        super().__init__(" ".join(f"{path}: {problem}".split()))

    def __reduce__(self) -> tuple[type[ResultsError], tuple[Path | str, str]]:
        """Return how to make it again: it crosses from workers to their parent, and `args` holds the whole line only."""
        return type(self), (self.path, self.problem)


class OtherFormatError(ResultsError):
    """A results folder of another format than this version's."""


class QueryError(ValueError):
    """A query that cannot be answered; its text is one line."""


def words(error: Exception) -> str:
    """Return DuckDB's message on one line, without the Python traceback it may quote."""
    return one_line(str(error).partition("Traceback (most recent call last)")[0])[:300]


def one_line(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())
