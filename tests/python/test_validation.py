"""The page of what holds and what does not: its tables renewed, and nothing left unexplained."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from stored import DECLARATION, one_line

from windtunnel.claims import packaged_register
from windtunnel.report import validation
from windtunnel.report.cells import reasons_of
from windtunnel.report.environment import VERDICTS
from windtunnel.report.validation import REASONS, ValidationError, renewed
from windtunnel.store import Results, open_results, writing_results

SUMMARY = """# Validation

<!-- generated: summary -->
stale
<!-- end -->

<!-- generated: why -->
<!-- end -->
"""
PAGE = """# Leith and Shorten 2008 (`open08`)

<!-- generated: contents -->
<!-- end -->

## Claims

<!-- generated: open08 -->
<!-- end -->

## Reasons

### c05

*Headline.* As theory has it.

### c14

*Ambiguity: what "almost all" means.* Shares are counted over 30 s.

### c15

*Headline.* The first has the link for itself.

## A word on it
"""
NAME = "validation/open08.md"
PAGES = {"validation.md": SUMMARY, NAME: PAGE}
TODAY = date(2026, 1, 2)
DOCS = Path(__file__).parents[2] / "docs"
PAPERS = ("fast04", "leith08", "li07", "open08", "slac03")


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


@pytest.fixture
def own_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the page's own reasons where the registers have others."""
    monkeypatch.setattr(validation, "with_reasons", lambda page, registers: page)


@pytest.mark.usefixtures("own_reasons")
def test_tables_are_renewed_and_words_stay(results: Results) -> None:
    found = renewed(PAGES, results, TODAY)
    text, summary = found.pages[NAME], found.pages["validation.md"]
    assert "stale" not in summary and text.startswith("# Leith")
    assert text.partition("## Reasons")[2] == PAGE.partition("## Reasons")[2]
    row = next(line for line in text.splitlines() if line.startswith("| c14 |"))
    assert "0.305" in row and "**fails**: ambiguity" in row and "simulator" in row
    # Every estimate says what it is.
    assert "0.305 (0.300 to 0.310): share_first (cubic)<br>" in row
    assert "2026-01-02" in summary and "engine 9" in summary
    assert "| ambiguity | 1 | [open08.c14](validation/open08.md#c14) |" in summary
    assert renewed(found.pages, results, TODAY).pages == found.pages


def test_a_page_has_its_contents(results: Results) -> None:
    text = renewed(PAGES, results, TODAY).pages[NAME]
    lines = ["- [Claims](#claims)", "- [Reasons](#reasons)", "  [c05](#c05), [c14](#c14), [c15](#c15)", "- [A word on it](#a-word-on-it)"]
    assert "\n".join(["<!-- generated: contents -->", "", *lines, ""]) in text


def test_the_summary_counts(results: Results) -> None:
    summary = renewed(PAGES, results, TODAY).pages["validation.md"]
    assert "| open08 | 0 | 0 | 1 | 0 | 17 | 18 |" in summary
    assert "18 claims need no model" in summary and "Of the 15 whose outcome was open, 0 hold: 0%" in summary


def test_of_some_papers_alone_the_summary_is_left_as_it_was(results: Results) -> None:
    other = "# Li, Leith, Shorten 2007 (`li07`)\n\n<!-- generated: li07 -->\nkept\n<!-- end -->\n"
    found = renewed({**PAGES, "validation/li07.md": other}, results, TODAY)
    assert "stale" in found.pages["validation.md"] and found.pages["validation/li07.md"] == other
    assert "0.305" in found.pages[NAME]


def test_a_verdict_that_moved_is_told(results: Results) -> None:
    once = renewed(PAGES, results, TODAY).pages
    held = {NAME: re.sub(r"\*\*fails\*\*: \w+", "holds", once[NAME])}
    assert renewed(once, results, TODAY).moved == ()
    assert renewed({**once, **held}, results, TODAY).moved == ("open08.c14: holds -> fails",)


def test_reasons_are_the_registers(results: Results) -> None:
    text = renewed(PAGES, results, TODAY).pages[NAME]
    (why,) = [claim.why for claim in packaged_register("open08").claims if claim.id == "open08.c14"]
    assert why is not None and why.kind == "emulation" and 'what "almost all" means' not in text
    assert f"### c14 *Emulation: {why.about}.* {why.text}" in " ".join(text.split()) and "**fails**: emulation" in text


def test_the_committed_pages_have_the_reasons_of_the_registers() -> None:
    pages = validation.read_pages(DOCS)
    registers = [packaged_register(paper) for paper in PAPERS]
    for name, page in pages.items():
        assert validation.with_reasons(page, registers) == page, name
        contents = re.search(r"<!-- generated: contents -->\n\n(.*?)\n\n<!-- end -->", page, flags=re.DOTALL)
        assert contents is None or contents[1] == validation.contents(page), name
    kinds = {claim.id: claim.why.kind for register in registers for claim in register.claims if claim.why is not None}
    assert {id: kind.lower() for id, kind in reasons_of("\n\n".join(pages.values())).items()} == kinds and len(kinds) > 60


@pytest.mark.usefixtures("own_reasons")
def test_an_explained_failure_does_not_hold_and_what_is_put_in_counts_apart(tmp_path: Path) -> None:
    """c14 fails with a reason; c22 holds, for its server writes at less than the link's rate. Neither adds to what holds."""
    rows = [(name, "web", seed, "alg_effect", 0.0, f"{name}{seed}") for name in ("cubic", "htcp") for seed in (1, 2, 3)]
    shares = [(name, None, seed, "share_first", 0.3, f"{name}s{seed}") for name in ("cubic", "htcp") for seed in (1, 2, 3)]
    columns = ["alg", "app", "seed", "metric", "value", "run"]
    with writing_results(tmp_path / "results") as folder:
        folder.store_experiment(
            "open08.apps", DECLARATION, pl.DataFrame([(*row[:1], "video", *row[2:]) for row in rows], schema=columns, orient="row")
        )
        folder.store_experiment("open08.fig8", DECLARATION, pl.DataFrame(shares, schema=columns, orient="row").drop("app"))
        facts = [["backend", "engine 9"], ["experiments", 2], ["distinct runs", 12]]
        folder.store_facts({"suites": ["open08"], "order": ["open08.fig8", "open08.apps"], "facts": facts, "findings": []})
    pages = renewed(PAGES, open_results(tmp_path / "results"), TODAY).pages
    text, table = pages["validation.md"], pages[NAME]
    assert "| open08 | 0 | 1 | 1 | 0 | 16 | 18 |" in text
    assert "1 of them hold by construction" in text and "Of the 15 whose outcome was open, 0 hold: 0%" in text
    assert "Of the others 1 are shown" in text and "they count as not holding" in text
    assert re.search(r"^\| c22 \|.*\| holds by construction \|$", table, flags=re.MULTILINE)


@pytest.mark.parametrize("claim", ["c14", "c05"])
def test_a_claim_that_fails_and_a_headline_want_a_paragraph(
    results: Results, claim: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "validation").mkdir()
    for name, page in PAGES.items():
        (tmp_path / name).write_text(re.sub(rf"### {claim}\n\n.*\n", "", page))
    arguments = (str(results.folder), str(tmp_path), str(tmp_path / "stored"))
    before = (tmp_path / NAME).read_text()
    assert validation.main(*arguments, "--list") == 1
    assert (tmp_path / NAME).read_text() == before and not (tmp_path / "stored").exists()
    assert "claims without a reason: 1\n  open08." + claim in capsys.readouterr().out
    assert validation.main(*arguments) == 1
    assert "0.305" in (tmp_path / NAME).read_text()


def test_an_unknown_block_is_refused(results: Results) -> None:
    with pytest.raises(ValidationError) as caught:
        renewed({**PAGES, NAME: PAGE.replace("generated: open08", "generated: open09")}, results, TODAY)
    one_line(caught, "open09", "open08")


def test_the_committed_pages_count_what_their_tables_say() -> None:
    """Of every paper the rows by what the simulator's verdict counts as, and the register says which of those that hold are put in."""
    pages = validation.read_pages(DOCS)
    shown = list(VERDICTS.values())
    totals: Counter[str] = Counter()
    for paper in PAPERS:
        table = re.search(rf"<!-- generated: {paper} -->(.*?)<!-- end -->", pages[f"validation/{paper}.md"], flags=re.DOTALL)
        assert table is not None
        put_in = {claim.id.partition(".")[2] for claim in packaged_register(paper).claims if claim.by_construction}
        counts: Counter[str] = Counter()
        for claim, said in re.findall(r"^\| ([ct]\d+) \|.*\| ([^|]+) \|$", table[1], flags=re.MULTILINE):
            verdict = said.partition(";")[0].partition(":")[0].strip("* ")
            assert verdict in shown and (verdict != "holds" or claim not in put_in) and (verdict != shown[1] or claim in put_in), claim
            counts[verdict] += 1
        row = " | ".join([paper, *(str(counts[name]) for name in shown), str(counts.total())])
        assert f"| {row} |" in pages["validation.md"]
        totals += counts
    # The table of reasons has every claim that fails or stays inconclusive, and no other.
    why = re.search(r"<!-- generated: why -->(.*?)<!-- end -->", pages["validation.md"], flags=re.DOTALL)
    assert why is not None and len(re.findall(r"\[\w+\.[ct]\d+\]", why[1])) == totals["fails"] + totals["inconclusive"]
    readme = re.sub(r"\s+", " ", (DOCS.parent / "README.md").read_text(encoding="utf-8"))
    said = f"{totals['holds']} hold, {totals[shown[1]]} more hold by construction, {totals['fails']} fail, {totals['inconclusive']} stay"
    assert said in readme


def test_the_committed_pages_are_renewed_and_their_reasons_are_known() -> None:
    pages = validation.read_pages(DOCS)
    whole = "\n\n".join(pages.values())
    assert set(reasons_of(whole).values()) <= set(REASONS)
    assert re.search(r"generated: summary -->\n\n\d{4}-\d\d-\d\d, version", pages["validation.md"])
    for word in re.findall(r"\*\*fails\*\*(.*?) \|$", whole, flags=re.MULTILINE):
        assert word.startswith(": "), "a failing claim without a reason"


def test_the_summary_is_read_in_two_minutes() -> None:
    """At 230 words a minute; tables of claims are looked up, not read."""
    page = re.sub(r"<!-- generated: why -->.*?<!-- end -->", "", (DOCS / "validation.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    words = re.findall(r"[A-Za-z]{2,}", re.sub(r"\]\([^)]*\)|<a [^>]*>", "", page))
    assert len(words) < 3 * 230
