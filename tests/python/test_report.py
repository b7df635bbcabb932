"""A report's pages: the numbers they are given, text that stays text, and a folder that is whole or absent."""

from __future__ import annotations

import csv
import dataclasses
import html
import io
import math
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl
import pytest

from windtunnel import plots, report
from windtunnel.records import FolderError
from windtunnel.report.names import file_name
from windtunnel.report.text import MINUS, MISSING, TIMES, interval, mean_and_error, number

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> \" ' & {{ 7 * 7 }}"


def small(**more: Any) -> report.Report:
    facts: dict[str, Any] = {
        "title": "T",
        "subtitle": "",
        "suite": "s",
        "command": "",
        "made": "",
        "facts": {},
        "findings": (),
        "sections": (),
    }
    return report.Report(**{**facts, **more})


def section(**more: Any) -> report.Section:
    return report.Section(**{"id": "s.one", "title": "One", "question": "Why?", "source": "a paper", **more})


def page(index: Path, name: str = "s.one") -> str:
    return (index.parent / "experiments" / f"{name}.html").read_text(encoding="utf-8")


def cells(text: str) -> list[list[str]]:
    body = text.partition('<table class="data">')[2].partition("</table>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", body.partition("<tbody>")[2], flags=re.DOTALL)
    return [
        [html.unescape(re.sub(r"<[^>]+>", "|", cell)) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, flags=re.DOTALL)] for row in rows
    ]


@pytest.fixture(scope="module")
def written(synthetic: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report.write(synthetic.study(), tmp_path_factory.mktemp("report") / "study")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (42.0, "42"),
        (683.0, "683"),
        (0.9487, "0.949"),
        (-0.0512, f"{MINUS}0.0512"),
        (1234.56, "1235"),
        (1.2e-5, f"1.20 {TIMES} 10⁻⁵"),
        (3.5e7, f"3.50 {TIMES} 10⁷"),
        (math.inf, "∞"),
        (math.nan, MISSING),
    ],
)
def test_numbers_are_short_and_plain(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("mean", "sem", "text"),
    [
        (0.95342, 0.01234, "0.953 ± 0.012"),
        (239.44, 31.2, "239 ± 31"),
        (12345.6, 789.0, "12346 ± 789"),
        (-1.5, 0.25, f"{MINUS}1.50 ± 0.25"),
        (1.234e-5, 2.1e-6, f"(1.23 ± 0.21) {TIMES} 10⁻⁵"),
        (0.5, 0.0, "0.5000 ± 0"),
        (0.5, math.nan, "0.5000"),
        (math.inf, math.nan, "∞"),
    ],
)
def test_the_error_sets_the_digits_of_the_mean(mean: float, sem: float, text: str) -> None:
    assert mean_and_error(mean, sem) == text


def test_a_small_mean_has_no_more_digits_than_a_large_one() -> None:
    assert mean_and_error(4.36363573e-7, 8.5e-14) == f"4.3636 {TIMES} 10⁻⁷ ± 8.5 {TIMES} 10⁻¹⁴"


def test_an_interval_without_ends_is_not_shown() -> None:
    assert interval(math.nan, math.nan) == ""
    assert interval(0.91, math.inf) == "[0.910, ∞]"


def test_the_table_shows_the_numbers_given(tmp_path: Path) -> None:
    row = ["reno", 42, report.Estimate(0.95342, 0.01234, 0.919, 0.988, 5), None, report.Estimate(239.4, 31.2, 152.8, 326.0, 4, 1)]
    table = report.Table(
        ["protocol", "RTT (ms)", "ratio", "jain", "time (s)"], [row, ["htcp", 82, report.Estimate(0.5, 0.1, 0.2, 0.8, 5), 0.25, None]]
    )
    text = page(report.write(small(sections=[section(table=table)]), tmp_path / "r"))
    first, second = cells(text)
    assert first == ["reno", "42", "0.953 ± 0.012|[0.919, 0.988]|", MISSING, "239 ± 31|[153, 326], n = 4, 1 of 4 not reached|"]
    assert second == ["htcp", "82", "0.50 ± 0.10|[0.200, 0.800]|", "0.250", MISSING]
    assert "Means over 5 repeats" in text


def test_the_csv_has_full_precision_and_empty_cells_for_what_is_missing(tmp_path: Path) -> None:
    table = report.Table(["alg", "x"], [["reno", report.Estimate(1 / 3, 0.1, math.nan, math.nan, 1)], ["htcp", None]])
    index = report.write(small(sections=[section(table=table)]), tmp_path / "r")
    rows = list(csv.reader(io.StringIO((index.parent / "tables" / "s.one.csv").read_text(encoding="utf-8"))))
    assert rows[0] == ["alg", "x: mean", "x: standard error", "x: 95 % low", "x: 95 % high", "x: n", "x: infinite"]
    assert rows[1] == ["reno", "0.3333333333333333", "0.1", "", "", "1", "0"]
    assert rows[2] == ["htcp", "", "", "", "", "", ""]


def test_a_table_is_made_of_measures_with_a_column_per_protocol() -> None:
    rows = [("reno", 42.0, s, v) for s, v in enumerate([1.0, 2.0, 3.0], 1)] + [("htcp", 42.0, 1, 7.0), ("reno", 16.0, 1, None)]
    frame = pl.DataFrame(rows, schema=["alg", "rtt", "seed", "value"], orient="row").with_columns(pl.lit("jain").alias("metric"))
    table = report.table_of(frame, dimensions={"rtt": "RTT (ms)"}, metrics={"jain": "Jain"}, across="alg")
    assert (list(table.columns), table.caption) == (["RTT (ms)", "reno", "htcp"], "Jain")
    # 16 ms has no value at all, so it has no row.
    ((rtt, reno, htcp),) = table.rows
    assert rtt == 42.0
    assert isinstance(reno, report.Estimate) and isinstance(htcp, report.Estimate)
    # Mean 2; of the 27 resamples of three one has 1 three times, 3.7 %, so the interval is the whole range.
    assert (reno.mean, reno.n) == (2.0, 3)
    assert (reno.low, reno.high) == (1.0, 3.0)
    assert htcp.n == 1 and math.isnan(htcp.sem)
    long = report.table_of(frame, dimensions={"rtt": "RTT (ms)", "alg": "protocol"}, metrics={"jain": "Jain"})
    assert [row[:2] for row in long.rows] == [[16.0, "reno"], [42.0, "reno"], [42.0, "htcp"]]
    assert long.rows[0][2] is None


def test_a_row_that_does_not_fit_its_headings_is_refused() -> None:
    with pytest.raises(ValueError, match="row 2 has 1 cells for 2 columns"):
        report.Table(["a", "b"], [[1, 2], [3]])


def test_what_holds_by_construction_is_counted_apart(synthetic: ModuleType, tmp_path: Path) -> None:
    holds, fails, *_ = synthetic.verdicts()
    put_in = dataclasses.replace(holds, id="made.c09", by_construction="The rate is set to this number.")
    index = report.write(small(sections=[section(verdicts=[holds, put_in, fails])]), tmp_path / "r")
    text = index.read_text(encoding="utf-8")
    tiles = re.findall(r'<li class="tile (\w+)"><span class="count">(\d+)</span>', text)
    assert dict(tiles) == {"holds": "1", "by_construction": "1", "fails": "1", "inconclusive": "0", "not_run": "0"}
    (page,) = (tmp_path / "r" / "experiments").glob("*.html")
    said = page.read_text(encoding="utf-8")
    assert "The rate is set to this number." in said and said.count("holds by construction") >= 2


def test_hostile_text_stays_text_everywhere(synthetic: ModuleType, tmp_path: Path) -> None:
    fields = {"id": HOSTILE, "claim": HOSTILE, "predicate": HOSTILE, "published": HOSTILE, "section": HOSTILE, "reason": HOSTILE}
    verdict = dataclasses.replace(synthetic.verdicts()[2], **fields, sensitivity={HOSTILE: "fails"})
    declared = dataclasses.replace(synthetic.FAIRNESS, name="f", title=HOSTILE, caption=HOSTILE, y_label=HOSTILE)
    hostile = section(
        title=HOSTILE,
        question=HOSTILE,
        source=HOSTILE,
        parameters=((HOSTILE, HOSTILE),),
        figures=[report.Figure(declared, synthetic.fairness())],
        table=report.Table([HOSTILE], [[HOSTILE]], caption=HOSTILE),
        verdicts=[verdict],
        command=HOSTILE,
        notes=(HOSTILE,),
    )
    texts = {"title": HOSTILE, "subtitle": HOSTILE, "suite": HOSTILE, "command": HOSTILE, "made": HOSTILE}
    index = report.write(small(**texts, facts={HOSTILE: HOSTILE}, findings=(HOSTILE,), sections=[hostile]), tmp_path / "r")
    for text in (index.read_text(encoding="utf-8"), page(index)):
        assert "<script>" not in text
        assert "<img src=x" not in text
        assert "onerror=alert(2)&gt;" in text
        # Every script is one of our files.
        assert re.findall(r"<script(?! src=\"[\w./-]+\" defer></script>)", text) == []
        assert "{{ 7 * 7 }}" in html.unescape(text)
        # A quotation mark of the text must not end an attribute.
        assert all('"' not in value for value in re.findall(r'alt="([^"]*)"', text))
    svg = (index.parent / "figures" / "s.one-f.svg").read_text(encoding="utf-8")
    assert "<script" not in svg and "<img" not in svg


def test_two_experiments_or_figures_of_one_name_are_refused(synthetic: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"experiment 'a-b' is there twice"):
        report.write(small(sections=[section(id="a/b"), section(id="a b")]), tmp_path / "r")
    figure = report.Figure(synthetic.OVERHEAD, synthetic.overhead())
    with pytest.raises(ValueError, match=r"figure 's.one-overhead' is there twice"):
        report.write(small(sections=[section(figures=[figure, figure])]), tmp_path / "r")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "safe"), [("li07.fig4", "li07.fig4"), ("../../etc", "etc"), ("a/b c", "a-b-c"), (".hidden", "hidden"), ("///", "unnamed")]
)
def test_file_names_stay_inside_the_folder(name: str, safe: str) -> None:
    assert file_name(name) == safe


def test_a_report_that_cannot_be_drawn_leaves_nothing_behind(synthetic: ModuleType, tmp_path: Path) -> None:
    broken = report.Figure(synthetic.FAIRNESS, synthetic.fairness().filter(pl.col("metric") == "none"))
    good = report.Figure(synthetic.OVERHEAD, synthetic.overhead())
    with pytest.raises(ValueError, match="no row of fair_minmax"):
        report.write(small(sections=[section(figures=[good]), section(id="s.two", figures=[broken])]), tmp_path / "r")
    assert list(tmp_path.iterdir()) == []


def test_an_earlier_report_stays_when_the_new_one_fails_and_is_replaced_whole_when_it_does_not(
    synthetic: ModuleType, tmp_path: Path
) -> None:
    index = report.write(small(title="first", sections=[section(id="s.old")]), tmp_path / "r")
    lost = report.Figure(synthetic.HISTORIES, histories=[])
    with pytest.raises(ValueError, match="no run with samples fits"):
        report.write(small(title="second", sections=[section(figures=[lost])]), tmp_path / "r")
    assert "first" in index.read_text(encoding="utf-8")
    report.write(small(title="third", sections=[section()]), tmp_path / "r")
    assert "third" in index.read_text(encoding="utf-8")
    assert [path.name for path in (tmp_path / "r" / "experiments").iterdir()] == ["s.one.html"]


def test_a_folder_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("chapter 1", encoding="utf-8")
    with pytest.raises(FolderError, match=r"holds thesis\.tex"):
        report.write(small(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def references(folder: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(folder.rglob("*.html")):
        for target in re.findall(r'(?:href|src|srcset|action|poster)="([^"]*)"', path.read_text(encoding="utf-8")):
            yield path, html.unescape(target)


def test_nothing_points_outside_the_folder_and_every_target_exists(written: Path) -> None:
    folder = written.parent
    found = list(references(folder))
    assert len(found) > 60
    for path, target in found:
        if target.startswith(("#", "data:,")):
            continue
        assert not re.match(r"[a-z]+:|//", target), (path.name, target)
        resolved = (path.parent / target.partition("#")[0]).resolve()
        assert resolved.is_relative_to(folder.resolve()) and resolved.is_file(), (path.name, target)
    for sheet in folder.glob("*.css"):
        assert not re.search(r"url\(|@import|@font-face", sheet.read_text(encoding="utf-8"))
    for figure in folder.rglob("*.svg"):
        assert not re.search(r'href="(?!#)', figure.read_text(encoding="utf-8"))


def test_every_image_has_a_text_and_every_figure_a_pdf(written: Path) -> None:
    for path in (written.parent / "experiments").iterdir():
        for alt in re.findall(r'<img[^>]*\balt="([^"]*)"', path.read_text(encoding="utf-8")):
            assert " against " in alt
    stems = {path.stem for path in (written.parent / "figures").glob("*.svg") if not path.stem.endswith("-small")}
    assert len(stems) == 6
    assert {path.stem for path in (written.parent / "figures").glob("*.pdf")} == stems


def test_every_page_says_in_its_head_what_it_is(written: Path) -> None:
    for path in written.parent.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        (title,) = re.findall("<title>(.*?)</title>", text, re.DOTALL)
        assert title and f'<meta name="description" content="{title}: measured by Windtunnel' in text, path.name


def test_the_overview_shows_every_experiment_small(written: Path) -> None:
    shown = re.findall(r'<img src="(figures/[^"]+)"', written.read_text(encoding="utf-8"))
    assert len(shown) == 6
    for name in shown:
        stamp = (written.parent / name).read_text(encoding="utf-8")
        # A hundred of them are a third of what a page may weigh.
        assert name.endswith("-small.svg") and len(stamp) < 12_000
    # Seven protocols at two rates, and an axis for each rate.
    fairness = (written.parent / "figures" / "made.fairness-ratio-small.svg").read_text(encoding="utf-8")
    assert fairness.count("<path") == 2 * 7 + 2
    ends = [float(end) for end in re.findall(r"[ML]([\d.]+) ", fairness)]
    assert min(ends) >= 0 and max(ends) <= 272


def test_the_overview_counts_the_verdicts_and_each_has_a_word_and_a_sign(written: Path) -> None:
    text = written.read_text(encoding="utf-8")
    counts = dict(re.findall(r'<li class="tile (\w+)"><span class="count">(\d+)</span>', text))
    assert counts == {"holds": "1", "by_construction": "0", "fails": "1", "inconclusive": "1", "not_run": "1"}
    for sign, word in (("✓", "holds"), ("✕", "fails"), ("?", "inconclusive"), (MISSING, "not run")):
        assert f'aria-hidden="true">{sign}</span>{word}</span>' in text


def test_a_claim_shows_published_estimate_interval_reason_and_what_changes_it(written: Path) -> None:
    text = html.unescape(
        re.sub(r"<[^>]+>", " ", page(written, "made.fairness").partition('id="claim-made.c03"')[2].partition("</article>")[0])
    )
    shown = " ".join(text.split())
    for expected in ("BIC converges faster", "(figure)", "∞ [412, ∞] 239 [178, 302]", "62 % of the resamples hold", "Runs 10"):
        assert expected in shown
    assert re.search(r"long_memory: ✕ fails changed", shown)
    assert re.search(r"short_memory: \? inconclusive (?!changed)", shown)


def test_captions_count_what_is_missing(written: Path, synthetic: ModuleType) -> None:
    remarks = plots.remarks(synthetic.CONVERGENCE, measures=synthetic.convergence())
    assert len(remarks) == 4
    assert all(html.escape(remark) in page(written, "made.convergence") for remark in remarks)


def test_the_same_report_is_the_same_folder_on_any_number_of_processes(synthetic: ModuleType, tmp_path: Path) -> None:
    study = synthetic.study()
    study = dataclasses.replace(study, sections=study.sections[-2:])
    one, two = (report.write(study, tmp_path / str(jobs), jobs=jobs).parent for jobs in (1, 2))
    names = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert len(names) == 22
    assert names == sorted(path.relative_to(two) for path in two.rglob("*") if path.is_file())
    assert [name for name in names if (one / name).read_bytes() != (two / name).read_bytes()] == []
