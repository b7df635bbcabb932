"""From the overview to a run's file in a real browser, by mouse and by keyboard; every chart drawn, none slow."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest
import walked
from accessible import faults
from matplotlib.image import imread

from windtunnel import report
from windtunnel.records import Records
from windtunnel.records.model import frame_of
from windtunnel.store import RunStore, open_results

LONG = 100_000
OPENS_MS = 2_000
DRAWS_MS = 100
"""A tenth of a second feels like no wait (Nielsen, Usability Engineering, 1993, chapter 5)."""


def lengthened(run: Records) -> Records:
    """The same run with 10^5 samples of one flow in place of its own."""
    rng = np.random.default_rng(1)
    sawtooth = 100 + np.arange(LONG) % 400 + rng.normal(0, 5, LONG)
    columns = {"t_s": np.arange(LONG) * 0.01, "flow": np.zeros(LONG), "cwnd_packets": sawtooth, "srtt_s": 0.02 + sawtooth / 1e5}
    delivered = {"delivered_bytes": np.cumsum(sawtooth).astype(np.int64)}
    return dataclasses.replace(run, flow_samples=frame_of("flow_samples", {**columns, **delivered}))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    results = tmp_path_factory.mktemp("browser") / "results"
    runs = walked.write(results)
    name = walked.key("reno", 40.0, 2)
    RunStore(results / "runs").write(name, lengthened(runs[name]), "all")
    return report.write(report.assemble(open_results(results)), tmp_path_factory.mktemp("browser") / "report").parent


def test_every_page_draws_its_charts_without_an_error_or_a_request_to_elsewhere(folder: Path, watched: Any) -> None:
    page = watched.page
    drawn = 0
    for path in sorted(folder.rglob("*.html")):
        page.goto(path.as_uri())
        charts = page.evaluate(
            """() => [...document.querySelectorAll('[data-chart], [data-figure]')].map((box) => {
              const inks = [...box.querySelectorAll('canvas')].map((canvas) => {
                const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
                return new Set(new Uint32Array(pixels.buffer)).size;
              });
              return inks.length ? Math.min(...inks) : 0;
            })"""
        )
        assert faults(page) == [], path
        # Paper, axes, and at least one line with its soft edges.
        assert all(inks > 4 for inks in charts), path
        drawn += len(charts)
    assert drawn > 20
    assert (watched.errors, watched.failed) == ([], [])
    assert [url for url in watched.requested if not url.startswith((folder.as_uri(), "data:"))] == []


def test_a_reader_walks_from_the_overview_to_a_file_by_mouse(folder: Path, watched: Any) -> None:
    page = watched.page
    page.goto((folder / "index.html").as_uri())
    page.click("h3 a")
    assert page.title().startswith("walk.one")
    box = page.locator('a.spot[href*="htcp-40"]').bounding_box()
    # Beside the mark, not on it: the nearest one takes the click.
    page.mouse.move(box["x"] + box["width"] / 2 - 12, box["y"] + box["height"] / 2 + 10)
    assert "2.438 ± 0.062" in page.inner_text(".tip")
    page.mouse.down()
    page.mouse.up()
    page.wait_for_url("**/points/walk.one/htcp-40.html")
    page.click("text=seed 1")
    page.wait_for_url(f"**/runs/{walked.key('htcp', 40.0, 1)}.html")
    with page.expect_download() as download:
        page.click("text=flow_samples.parquet")
    assert pl.read_parquet(download.value.path())["flow"].n_unique() == 2
    assert watched.errors == []


def test_marks_are_reached_by_arrow_keys_and_opened_by_enter(folder: Path, watched: Any) -> None:
    page = watched.page
    page.goto((folder / "experiments" / "walk.one.html").as_uri())
    label = "document.activeElement.getAttribute('aria-label')"
    assert page.evaluate("document.querySelectorAll('#figure-1 .spot[tabindex=\"0\"]').length") == 1
    page.focus('.spot[tabindex="0"]')
    assert page.evaluate(label).startswith("reno, RTT 20 ms")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(label).startswith("reno, RTT 40 ms")
    page.keyboard.press("ArrowDown")
    assert page.evaluate(label).startswith("htcp, RTT 40 ms: 2.438 ± 0.062")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    page.wait_for_url("**/points/walk.one/htcp-40.html")


def test_a_run_is_zoomed_by_keyboard_and_shown_whole_again(folder: Path, watched: Any) -> None:
    page = watched.page
    page.goto((folder / "runs" / f"{walked.key('htcp', 40.0, 1)}.html").as_uri())
    plots = page.locator("[data-chart] .plot")
    assert plots.count() >= 5

    def pictures() -> list[bytes]:
        page.wait_for_timeout(100)
        return [plots.nth(at).locator("canvas").evaluate("(canvas) => canvas.toDataURL()") for at in (0, 2)]

    whole = pictures()
    plots.first.focus()
    page.keyboard.press("+")
    page.keyboard.press("ArrowRight")
    near = pictures()
    # All charts of a run show the same time.
    assert near[0] != whole[0] and near[1] != whole[1]
    page.keyboard.press("Home")
    assert pictures() == whole
    page.keyboard.press("+")
    page.click("text=Show all")
    assert pictures() == whole


def test_a_line_is_hidden_in_every_chart_and_comes_back(folder: Path, watched: Any) -> None:
    page = watched.page
    for path, picture in (("runs/" + walked.key("htcp", 40.0, 1), "[data-chart] canvas"), ("experiments/walk.one", "#figure-1 canvas")):
        page.goto((folder / f"{path}.html").as_uri())
        canvas, button = page.locator(picture).first, page.locator(".legend button").first
        before = canvas.evaluate("(canvas) => canvas.toDataURL()")
        assert button.get_attribute("aria-pressed") == "true"
        button.press("Enter")
        page.wait_for_timeout(100)
        assert button.get_attribute("aria-pressed") == "false"
        assert canvas.evaluate("(canvas) => canvas.toDataURL()") != before
        button.press("Enter")
        page.wait_for_timeout(100)
        assert canvas.evaluate("(canvas) => canvas.toDataURL()") == before


def test_the_drawn_series_are_downloaded_as_csv(folder: Path, watched: Any) -> None:
    page = watched.page
    name = walked.key("reno", 20.0, 1)
    page.goto((folder / "runs" / f"{name}.html").as_uri())
    with page.expect_download() as download:
        page.click("text=What is drawn (CSV)")
    assert download.value.suggested_filename == f"{name[:12]}.csv"
    rows = list(csv.DictReader(Path(download.value.path()).read_text(encoding="utf-8").splitlines()))
    windows = [row for row in rows if row["quantity"] == "Congestion window" and row["line"] == "flow 1 (reno)"]
    assert len(windows) == 120 or len(windows) == 121
    assert float(windows[-1]["t_s"]) == pytest.approx(6.0, abs=0.06)


def busy(page: Any) -> Callable[[], float]:
    """Return what tells for how many milliseconds the page has had a processor: other work on the machine does not count."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        named = {one["name"]: one["value"] for one in devtools.send("Performance.getMetrics")["metrics"]}
        return 1e3 * float(named["TaskDuration"])

    return spent


def test_a_hundred_thousand_points_open_and_zoom_without_a_wait(folder: Path, watched: Any) -> None:
    page = watched.page
    path = folder / "runs" / f"{walked.key('reno', 40.0, 2)}.html"
    page.goto(path.as_uri())
    size = page.evaluate(
        "windtunnel.stored(document.querySelector('[data-chart]').dataset.chart).lines.reduce((sum, one) => sum + one.v.length, 0)"
    )
    assert size > 0.99 * LONG
    spent = busy(page)
    before = spent()
    page.goto(path.as_uri())
    opened = spent()
    page.focus("[data-chart] .plot")
    focused = spent()
    page.evaluate(
        """() => new Promise((done) => {
          document.querySelector('[data-chart] .plot').dispatchEvent(new KeyboardEvent('keydown', {key: '+'}));
          requestAnimationFrame(() => setTimeout(done));
        })"""
    )
    drawn = spent()
    assert 0 < opened - before < OPENS_MS
    assert 0 < drawn - focused < DRAWS_MS


@pytest.mark.parametrize("width", [360, 1280])
def test_no_page_is_wider_than_the_screen_and_charts_fill_it(folder: Path, watched: Any, width: int) -> None:
    page = watched.page
    page.set_viewport_size({"width": width, "height": 800})
    run = walked.key("htcp", 40.0, 1)
    for name in ("index", "experiments/walk.one", "points/walk.one/htcp-40", f"runs/{run}"):
        page.goto((folder / f"{name}.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
    assert page.locator("[data-chart] canvas").first.bounding_box()["width"] > 0.8 * width
    # A chart follows its page.
    page.set_viewport_size({"width": 700, "height": 800})
    page.wait_for_timeout(200)
    assert 560 < page.locator("[data-chart] canvas").first.bounding_box()["width"] <= 700


def test_paper_and_readers_without_scripts_get_the_printed_figure(folder: Path, browser: Any, watched: Any) -> None:
    shown = "[...document.querySelectorAll('.still, .live')].map((box) => [box.className.split(' ').pop(), box.checkVisibility()])"
    live, still = [["live", True], ["still", False]], [["live", False], ["still", True]]
    uri = (folder / "experiments" / "walk.one.html").as_uri()
    watched.page.goto(uri)
    assert watched.page.evaluate(shown) == live * 2
    watched.page.emulate_media(media="print")
    assert watched.page.evaluate(shown) == still * 2
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(uri)
    assert plain.locator("#figure-1 img").is_visible() and not plain.locator("#figure-1 .live").is_visible()
    context.close()


def test_charts_follow_the_scheme_and_print_in_the_colours_of_paper(folder: Path, watched: Any) -> None:
    page = watched.page
    page.goto((folder / "runs" / f"{walked.key('htcp', 40.0, 1)}.html").as_uri())

    def inks(**media: str) -> set[int]:
        page.emulate_media(**media)
        page.wait_for_timeout(150)
        read = (
            "(canvas) => [...new Set(new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer))]"
        )
        return set(page.locator("[data-chart] canvas").first.evaluate(read))

    light, dark = inks(media="screen", color_scheme="light"), inks(media="screen", color_scheme="dark")
    # H-TCP's colour, #d55e00 on paper and #e87d40 on a dark screen, as alpha, blue, green, red.
    assert 0xFF005ED5 in light and 0xFF407DE8 not in light
    assert 0xFF407DE8 in dark and 0xFF005ED5 not in dark
    assert 0xFF005ED5 in inks(media="print", color_scheme="dark")


def test_the_grid_of_several_papers_is_folded_until_asked(synthetic: ModuleType, tmp_path: Path, watched: Any) -> None:
    study = synthetic.study()
    first = study.sections[0]
    sections = [dataclasses.replace(first, id=f"{paper}.one", figures=()) for paper in ("a", "b")]
    watched.page.goto(report.write(dataclasses.replace(study, sections=sections), tmp_path / "r").as_uri())
    rows = watched.page.locator(".grid tbody tr:visible")
    assert rows.all_inner_texts()[0].startswith("a") and rows.count() == 2
    assert watched.page.locator(".grid thead").is_visible()
    watched.page.press("[data-unfold]", "Enter")
    assert rows.count() == 4
    assert watched.page.get_attribute("[data-unfold]", "aria-pressed") == "true"


def test_every_thing_to_click_has_a_name(folder: Path, watched: Any) -> None:
    page = watched.page
    for path in sorted(folder.rglob("*.html")):
        page.goto(path.as_uri())
        unnamed = page.evaluate(
            """() => [...document.querySelectorAll('a[href], button, [tabindex="0"]')]
              .filter((one) => !one.closest('[aria-hidden]'))
              .filter((one) => !(one.textContent.trim() || one.getAttribute('aria-label') || one.getAttribute('aria-labelledby')))
              .map((one) => one.outerHTML.slice(0, 120))"""
        )
        assert unnamed == [], path


def test_bars_of_several_curves_at_one_x_are_drawn_side_by_side(folder: Path, watched: Any) -> None:
    page = watched.page
    page.goto((folder / "experiments" / "walk.one.html").as_uri())
    reno, htcp = (page.locator(f'#figure-1 a.spot[href*="{alg}-40"]').first for alg in ("reno", "htcp"))
    apart = htcp.bounding_box()["x"] - reno.bounding_box()["x"]
    # As in print, 1.7 points of 1/72 inch, in pixels of 1/96.
    assert apart == pytest.approx(1.7 * 96 / 72, abs=0.1)


def test_a_table_that_is_cut_shows_where_there_is_more(folder: Path, watched: Any) -> None:
    page = watched.page
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto((folder / "runs" / f"{walked.key('htcp', 40.0, 1)}.html").as_uri())
    table = page.locator(".scroll", has=page.locator("table")).first
    assert table.evaluate("(box) => box.scrollWidth > box.clientWidth + 40")

    def edges() -> list[float]:
        """How dark the paper is at both ends of a row of the table, from 0 to 1: the least of a line between two rows of text."""
        page.wait_for_timeout(100)
        pixels = imread(io.BytesIO(table.screenshot()), format="png")[..., :3].mean(axis=2)
        return [float(np.median(pixels[40:-10, column])) for column in (2, -3)]

    paper = 1.0
    left, right = edges()
    assert left == pytest.approx(paper, abs=0.02) and right < paper - 0.1
    table.evaluate("(box) => { box.scrollLeft = box.scrollWidth; }")
    left, right = edges()
    assert left < paper - 0.1 and right == pytest.approx(paper, abs=0.02)
