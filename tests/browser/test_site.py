"""The documentation as a site: every page is in it, every link and anchor leads somewhere, everything public has an entry."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from accessible import faults

import windtunnel

ROOT = Path(__file__).resolve().parents[2]
ELSEWHERE = ("rust/",)
"""What `make site` puts beside Sphinx's pages."""


class Page(HTMLParser):
    """The links and the anchors of a page, and what it fetches."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.fetched: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors |= {given[name] or "" for name in ("id", "name") if name in given}
        if tag == "a" and given.get("href"):
            self.links.append(str(given["href"]))
        source = given.get("src") or (given.get("href") if tag == "link" else None)
        if source:
            self.fetched.append(source)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    # Sphinx ends with 1 at any warning: a link to a page, an anchor or a name that does not exist is one.
    options = ["-q", "-W", "--keep-going", "-d", str(folder / "trees"), "-c", "docs/site"]
    command = [sys.executable, "-m", "sphinx", *options, ".", str(folder / "html")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    return {path.relative_to(site).as_posix(): Page(path) for path in sorted(site.rglob("*.html"))}


def test_every_link_and_anchor_of_the_pages_leads_somewhere(site: Path, pages: dict[str, Page]) -> None:
    broken = []
    for name, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (site / name).parent.joinpath(unquote(parts.path)).resolve() if parts.path else site / name
            inside = target.relative_to(site.resolve()).as_posix()
            if inside.startswith(ELSEWHERE):
                continue
            if not target.is_file() or (parts.fragment and inside in pages and unquote(parts.fragment) not in pages[inside].anchors):
                broken.append(f"{name}: {link}")
    assert broken == []
    assert sum(len(page.links) for page in pages.values()) > 5000


def test_the_site_works_without_a_network(pages: dict[str, Page]) -> None:
    assert [(name, one) for name, page in pages.items() for one in page.fetched if urlsplit(one).netloc] == []


def test_every_page_of_the_documentation_is_in_the_site(pages: dict[str, Page]) -> None:
    written = {path.relative_to(ROOT).with_suffix(".html").as_posix() for path in (ROOT / "docs").rglob("*.md")} - {"docs/README.html"}
    assert written - set(pages) == set()
    start = pages["docs/site/index.html"]
    for kind in ("tutorials", "guides", "reference", "concepts"):
        assert any(f"/{kind}/" in link for link in start.links), kind


def test_everything_public_has_an_entry_with_its_text(site: Path, pages: dict[str, Page]) -> None:
    anchors = set().union(*(page.anchors for name, page in pages.items() if "/api/" in name))
    public = {f"windtunnel.{name}" for name in windtunnel.__all__ if name != "__version__"}
    assert {name for name in public if name not in anchors} == set()
    for page, text in (("runs", "flow_samples"), ("scenarios", "Base round-trip time"), ("controllers", "on_rate_sampled")):
        assert text in (site / f"docs/site/api/{page}.html").read_text(encoding="utf-8"), page


def test_search_finds_a_page_from_disk(site: Path, watched: Any) -> None:
    watched.page.goto((site / "search.html").as_uri() + "?q=bandwidth-delay")
    watched.page.wait_for_selector("#search-results a")
    found = watched.page.eval_on_selector_all("#search-results li a", "all => all.map(one => one.getAttribute('href'))")
    assert any("semantics.html" in link for link in found)
    assert watched.errors == []


def test_pages_open_without_an_error_or_a_request_to_elsewhere_and_fit_a_phone(site: Path, watched: Any) -> None:
    for name in ("docs/site/index.html", "docs/algorithms/cubic.html", "docs/site/api/scenarios.html", "docs/validation.html"):
        for width in (390, 1280):
            watched.page.set_viewport_size({"width": width, "height": 900})
            watched.page.goto((site / name).as_uri())
            assert watched.page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
    assert watched.errors == []


@pytest.mark.parametrize("name", ["docs/site/index.html", "docs/site/api/scenarios.html", "docs/validation/li07.html", "search.html"])
def test_pages_can_be_read_with_a_keyboard_and_a_screen_reader(site: Path, watched: Any, name: str) -> None:
    watched.page.goto((site / name).as_uri())
    assert faults(watched.page) == []
