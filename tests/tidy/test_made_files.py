"""Files that are made of others and committed are what those make of them now."""

from __future__ import annotations

from windtunnel.playground import making, page


def test_the_page_is_made_of_its_sources() -> None:
    text = page().read_text(encoding="utf-8")
    # As one truth value: pytest would print a megabyte of two pages.
    same = making.made(making.module_of(text)) + "\n" == text
    assert same, "run make playground-page"
