"""The pages of the profiles: each line says what a text asks for, and the test that shows it or why it is not so; the tests exist."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs/profiles").glob("*.md"))
RFCS = ("3168", "5681", "6298", "6582", "6675", "6937", "8257", "8985", "9331", "9406", "9438", "9937")
_LINE = re.compile(r"- (?P<section>[^:]+): (?P<said>.*?)(?:done: (?P<done>`.*`)|not: because (?P<why>.+))")
_RUST = re.compile(r"#\[test\]\s*(?:#\[[^\]]*\]\s*)*fn (\w+)\(")
_PYTHON = re.compile(r"^def (test_\w+)\(", re.MULTILINE)


@cache
def known() -> frozenset[str]:
    """Names of all tests, of Rust and of Python."""
    found: set[str] = set()
    for path in (ROOT / "crates").rglob("*.rs"):
        found.update(_RUST.findall(path.read_text(encoding="utf-8")))
    for path in (ROOT / "tests").rglob("test_*.py"):
        found.update(_PYTHON.findall(path.read_text(encoding="utf-8")))
    return frozenset(found)


def requirements(page: Path) -> Iterator[str]:
    _, *sections = page.read_text(encoding="utf-8").split("\n## ")
    for section in sections:
        yield from (line for line in section.splitlines()[1:] if line.startswith("- "))


def test_every_profile_has_its_page() -> None:
    catalogue = json.loads((ROOT / "python/windtunnel/scenario/catalogue.json").read_text(encoding="utf-8"))
    assert {page.stem for page in PAGES} == {row["name"] for row in catalogue["profiles"]}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_requirement_is_done_by_a_test_that_exists_or_not_for_a_reason(page: Path) -> None:
    lines = list(requirements(page))
    assert lines
    for line in lines:
        found = _LINE.fullmatch(line)
        assert found is not None, f"neither done by a test nor not for a reason: {line}"
        named = re.findall(r"`(\w+)`", found["done"] or "")
        assert bool(named) != bool(found["why"]), line
        # A reason may name a test as well, beside options and variants.
        named += [name for name in re.findall(r"`(\w+)`", found["why"] or "") if name.count("_") >= 3]
        assert [name for name in named if name not in known()] == [], line


@pytest.mark.parametrize("rfc", RFCS)
def test_the_page_of_the_texts_has_every_text(rfc: str) -> None:
    page = (ROOT / "docs/profiles/rfc.md").read_text(encoding="utf-8")
    assert re.search(rf"^## RFC {rfc}, ", page, flags=re.MULTILINE)


@pytest.mark.parametrize("page", [page for page in PAGES if page.stem != "linux-6.12"], ids=lambda page: page.stem)
def test_every_page_has_every_text(page: Path) -> None:
    """The one of 6.12 says what differs from 6.1's."""
    headings = " ".join(re.findall(r"^## (RFC .*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert [rfc for rfc in RFCS if rfc not in headings] == []
