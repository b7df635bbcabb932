"""Figures of speech that readers stumbled over: each was replaced by the field's words, and none comes back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RIDDLES = {
    "house is full": "shared buffer full",
    "give birth": "start the next transfer",
    "give_birth": "next_transfer",
    "nobody can have again": "cannot be measured again",
    "in the blink of an eye": "at once",
    "under the hood": "inside",
    "out of the box": "without configuration",
    "silver bullet": "cure",
    "ballpark": "estimate",
}
"""Words, and what is written in their place."""
PLACES = ("*.md", "docs/**/*.md", "python/**/*.py", "python/**/*.html", "python/**/*.template", "crates/**/*.rs", "examples/**/*.md")


@pytest.mark.parametrize("words", RIDDLES)
def test_no_riddle_is_written_again(words: str) -> None:
    wanted = re.compile(rf"\b{re.escape(words)}\b", re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}: {words!r}; write {RIDDLES[words]!r}"
        for pattern in PLACES
        for path in ROOT.glob(pattern)
        if "target" not in path.parts and wanted.search(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == []
