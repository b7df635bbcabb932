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
UNPLAIN = {
    r"whoever|nobody|everybody|somebody": "who or what it is: a flow, no packet, the operator, the user, another process",
    r"told (?:from|apart)": "distinguished from, counted apart from, inferred from",
    r"front door": "entry point",
    r"speaks? about": "is about",
    r"falls? silent|(?:of|after a|each) silence": "pauses; an idle period",
    r"(?:decides|seals) its fate": "decides whether it is lost",
    r"as in life": "as on a real path",
    r"anecdote": "one sample",
    r"(?:stack|kernel|transport|sender|application)'s (?:business|affair)": "is decided by",
    r"held [^.|]{0,60}against": "compared with",
    r"same thoughts": "same think times",
    r"untold": "not judged",
    r"(?:on|share|takes|congested) (?:the )?way back|the way there": "the reverse path, the forward path",
    r"means harm": "malicious",
    r"as ever|honest(?:ly)?": "nothing: the sentence says the same without it",
}
"""Expressions of pages and of Python that send a reader to a dictionary, and what is written in their place."""
PAGES = {
    **UNPLAIN,
    r"anybody": "any user, any program",
    r"(?:the|its|their|same) begins?(?= (?:of|and|at|as)\b|[,.;]|$)": "the start",
    r"for good(?= |[,.;:)]|$)(?! measure)": "until the end of the run, permanently",
    r"tells? (?:\w+ ){0,2}apart": "distinguishes",
    r"hardly ever": "rarely",
    r"whatever (?:became|becomes) of": "also when it is lost, whether it has ended or not",
    r"so many as": "as many as",
    r"believe[sd]?": "uses, accepts, trusts",
    r"a guess|guess(?:es|ed|ing)": "an estimate; estimated",
    r"(?:that|which|window|none) none may have": "an illegal window",
    r"has not got": "does not have",
    r"ever after": "from then on",
    r"with [^.|]{0,15} of grace": "to within",
}
"""The same and more, for pages and for Python alone."""
PROSE = ("*.md", "docs/**/*.md", "data/**/*.md", "examples/**/*.md", "python/**/*.py", "python/**/*.template")
COMMENTS = {
    **UNPLAIN,
    r"silence|(?:falls?|is|are) silent": "an idle time; pauses",
    r"(?:transfers|flows|connections) (?:that are )?alive|births?": "open; a new transfer",
    r"believed(?: in)?": "accepted, used, the estimate",
}
"""The same for comments of Rust."""
KEPT = {"python/windtunnel/backends/linux/endpoints.py": "whoever"}
"""A line that goes into a kernel's source, by which builds are named."""
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


@pytest.mark.parametrize("pattern", PAGES)
def test_pages_and_docstrings_use_plain_words(pattern: str) -> None:
    wanted = re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)
    found = []
    for path in sorted({path for place in PROSE for path in ROOT.glob(place)}):
        name = path.relative_to(ROOT).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            used = wanted.search(line)
            if used is not None and KEPT.get(name) != used[0]:
                found.append(f"{name}:{number}: {used[0]!r}; write {PAGES[pattern]!r}")
    assert found == []


@pytest.mark.parametrize("pattern", COMMENTS)
def test_comments_of_rust_use_plain_words(pattern: str) -> None:
    wanted = re.compile(rf"""(?<![:"'])//.*?\b({pattern})\b""", re.IGNORECASE)
    found = []
    for path in sorted(ROOT.glob("crates/*/src/**/*.rs")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            used = wanted.search(line)
            if used is not None:
                found.append(f"{path.relative_to(ROOT)}:{number}: {used[1]!r}; write {COMMENTS[pattern]!r}")
    assert found == []
