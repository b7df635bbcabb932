"""What is wrong with a results folder."""

from __future__ import annotations

from pathlib import Path


class ResultsError(ValueError):
    """A results folder that cannot be used; its text is one line naming the folder and what is allowed."""

    def __init__(self, path: Path, problem: str) -> None:
        self.path = path
        super().__init__(" ".join(f"{path}: {problem}".split()))
