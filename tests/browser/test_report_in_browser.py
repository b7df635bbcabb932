"""A report opened from disk in a real browser: every page, every image, every link, and no request to anywhere."""

from __future__ import annotations

import io
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urlparse

import pytest
from accessible import faults
from contrasts import contrast, luminance
from matplotlib.image import imread

from windtunnel import report


@pytest.fixture(scope="module")
def folder(synthetic: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report.write(synthetic.study(), tmp_path_factory.mktemp("browser") / "report").parent


def pages(folder: Path) -> list[Path]:
    found = [folder / "index.html", *sorted((folder / "experiments").glob("*.html"))]
    assert len(found) == 7
    return found


def load_images(page: Any) -> list[dict[str, Any]]:
    page.evaluate("for (const image of document.images) image.loading = 'eager'")
    page.wait_for_function("[...document.images].every((image) => image.complete)")
    return list(page.evaluate("[...document.images].map((image) => ({source: image.src, width: image.naturalWidth}))"))


def test_every_page_opens_without_an_error_or_a_request_to_elsewhere(folder: Path, watched: Any) -> None:
    for path in pages(folder):
        watched.page.goto(path.as_uri())
        images = load_images(watched.page)
        assert images, path.name
        assert [image["source"] for image in images if image["width"] == 0] == []
    assert watched.errors == []
    assert watched.failed == []
    elsewhere = [url for url in watched.requested if not url.startswith((folder.as_uri(), "data:"))]
    assert elsewhere == []


def test_every_page_can_be_read_with_a_keyboard_and_a_screen_reader(folder: Path, watched: Any) -> None:
    for path in [*pages(folder), *sorted((folder / "points").rglob("*.html"))[:1]]:
        watched.page.goto(path.as_uri())
        assert faults(watched.page) == [], path.name


def test_every_link_leads_to_a_file_and_an_anchor_that_exist(folder: Path, watched: Any) -> None:
    anchors: dict[Path, set[str]] = {}
    links: list[tuple[Path, str]] = []
    for path in pages(folder):
        watched.page.goto(path.as_uri())
        anchors[path.resolve()] = set(watched.page.evaluate("[...document.querySelectorAll('[id]')].map((element) => element.id)"))
        links += [(path, url) for url in watched.page.evaluate("[...document.links].map((link) => link.href)")]
    assert len(links) > 50
    for path, url in links:
        parts = urlparse(url)
        target = Path(unquote(parts.path)).resolve()
        assert parts.scheme == "file" and target.is_relative_to(folder.resolve()), (path.name, url)
        assert target.is_file(), (path.name, url)
        if parts.fragment:
            assert unquote(parts.fragment) in anchors[target], (path.name, url)


def test_the_filter_shows_the_claims_of_one_verdict_and_works_from_the_keyboard(folder: Path, watched: Any) -> None:
    page = watched.page
    page.goto((folder / "index.html").as_uri())
    shown = "[...document.querySelectorAll('tr[data-verdict]')].filter((row) => !row.hidden).map((row) => row.dataset.verdict)"
    assert page.evaluate(shown) == ["holds", "fails", "inconclusive", "not_run"]
    page.focus("button[data-filter=fails]")
    page.keyboard.press("Enter")
    assert page.evaluate(shown) == ["fails"]
    assert page.get_attribute("button[data-filter=fails]", "aria-pressed") == "true"
    assert page.inner_text(".filtered") == "1 of 4 shown"
    page.click("button[data-filter=all]")
    assert len(page.evaluate(shown)) == 4


@pytest.mark.parametrize("width", [360, 1280])
def test_no_page_is_wider_than_the_screen(folder: Path, watched: Any, width: int) -> None:
    watched.page.set_viewport_size({"width": width, "height": 800})
    for path in pages(folder):
        watched.page.goto(path.as_uri())
        load_images(watched.page)
        assert watched.page.evaluate("document.documentElement.scrollWidth") <= width, path.name


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_figures_follow_the_scheme_and_text_keeps_its_contrast(folder: Path, watched: Any, scheme: str) -> None:
    page = watched.page
    page.emulate_media(color_scheme=scheme)
    page.goto((folder / "experiments" / "made.fairness.html").as_uri())
    colours = """(names) => names.map((name) => {
      const element = document.querySelector(name);
      let box = element;
      while (box && getComputedStyle(box).backgroundColor === 'rgba(0, 0, 0, 0)') box = box.parentElement;
      return [getComputedStyle(element).color, getComputedStyle(box).backgroundColor];
    })"""
    names = ["body", "figcaption p", "a", ".badge.holds", ".badge.fails", ".badge.inconclusive", ".badge.not_run", ".range", ".detail"]
    for name, (ink, paper) in zip(names, page.evaluate(colours, names), strict=True):
        # WCAG 2.2, success criterion 1.4.3: at least 4.5 to 1.
        assert contrast(ink, paper) >= 4.5, (name, ink, paper)
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (luminance(paper) > 0.5) == (scheme == "light")
    for name in ("made.fairness-ratio.svg", "made.cwnd-cwnd.svg"):
        page.goto((folder / "figures" / name).as_uri())
        assert page.evaluate("getComputedStyle(document.querySelector('#patch_1 path')).fill") == paper


def test_a_figure_prints_on_white_whatever_the_screen_shows(folder: Path, watched: Any) -> None:
    corners = {}
    for media in ("screen", "print"):
        watched.page.emulate_media(media=media, color_scheme="dark")
        watched.page.goto((folder / "experiments" / "made.fairness.html").as_uri())
        load_images(watched.page)
        # On a screen the live figure stands in its place.
        watched.page.evaluate("document.querySelector('figure').classList.toggle('is-live', matchMedia('print').matches)")
        pixels = imread(io.BytesIO(watched.page.locator("figure img").screenshot()), format="png")
        corners[media] = pixels[4, 4, :3].mean()
    assert corners["screen"] < 0.2
    assert corners["print"] == 1.0
