"""The page of what holds and what does not: its tables renewed, and nothing left unexplained."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from stored import DECLARATION, one_line

from windtunnel.report.validation import REASONS, ValidationError, reasons_of, renewed
from windtunnel.store import Results, open_results, writing_results

PAGE = """# Validation

<!-- generated: summary -->
stale
<!-- end -->

## Leith and Shorten 2008 (`open08`)

<!-- generated: open08 -->
<!-- end -->

**c05.** *Headline.* As theory has it.

**c14.** *Ambiguity: what "almost all" means.* Shares are counted over 30 s.

**c15.** *Headline.* The first has the link for itself.
"""
TODAY = date(2026, 1, 2)
COMMITTED = Path(__file__).parents[2] / "docs" / "validation.md"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """A folder in which c14 fails in both repeats: CUBIC's first flow has 0.3 of the link, H-TCP's too."""
    path = tmp_path_factory.mktemp("validation") / "results"
    shares = {"cubic": (0.3, 0.31), "htcp": (0.3, 0.29)}
    rows = [(name, seed, "share_first", value, f"{name}{seed}") for name, own in shares.items() for seed, value in enumerate(own, start=1)]
    with writing_results(path) as folder:
        measures = pl.DataFrame(rows, schema=["alg", "seed", "metric", "value", "run"], orient="row")
        folder.store_experiment("open08.fig8", DECLARATION | {"repeats": 2}, measures)
        facts = [["backend", "engine 9"], ["experiments", 1], ["distinct runs", 4]]
        folder.store_facts({"suites": ["open08"], "order": ["open08.fig8"], "facts": facts, "findings": []})
    return open_results(path)


def test_tables_are_renewed_and_words_stay(results: Results) -> None:
    text = renewed(PAGE, results, TODAY)
    assert "stale" not in text and text.startswith("# Validation\n")
    assert [line for line in text.splitlines() if line.startswith("**c")] == [line for line in PAGE.splitlines() if line.startswith("**c")]
    row = next(line for line in text.splitlines() if line.startswith("| c14 |"))
    assert "0.305" in row and "**fails**: ambiguity" in row and "simulator" in row
    assert "2026-01-02" in text and "engine 9" in text
    assert renewed(text, results, TODAY) == text


def test_the_summary_counts(results: Results) -> None:
    summary = renewed(PAGE, results, TODAY).partition("## Leith")[0]
    assert "| open08 | 0 | 1 | 0 | 17 | 18 |" in summary
    assert "Of the 18 claims" in summary and "0 hold and 1 more" in summary and "6%" in summary


@pytest.mark.parametrize("claim", ["c14", "c05"])
def test_a_claim_that_fails_and_a_headline_want_a_paragraph(results: Results, claim: str) -> None:
    page = re.sub(rf"\*\*{claim}\..*\n", "", PAGE)
    with pytest.raises(ValidationError) as caught:
        renewed(page, results, TODAY)
    one_line(caught, f"open08.{claim}")


def test_an_unknown_block_is_refused(results: Results) -> None:
    with pytest.raises(ValidationError) as caught:
        renewed(PAGE.replace("generated: open08", "generated: open09"), results, TODAY)
    one_line(caught, "open09", "open08")


def test_the_committed_page_is_renewed_and_its_reasons_are_known() -> None:
    page = COMMITTED.read_text(encoding="utf-8")
    assert set(reasons_of(page).values()) <= set(REASONS)
    assert re.search(r"generated: summary -->\n\n\d{4}-\d\d-\d\d, version", page)
    for word in re.findall(r"\*\*fails\*\*(.*?) \|$", page, flags=re.MULTILINE):
        assert word.startswith(": "), "a failing claim without a reason"
