"""A browser, and a page that remembers what it complained about or asked for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")


@dataclass
class Watched:
    """A page of the browser and everything it complained about or asked for."""

    page: Any
    errors: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    requested: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    executable = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if executable is None:
        pytest.skip(f"no browser: set CHROMIUM, or install one of {', '.join(NAMES)}")
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def watched(browser: Any) -> Iterator[Watched]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    seen = Watched(page)
    page.on("console", lambda message: seen.errors.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: seen.errors.append(str(error)))
    page.on("requestfailed", lambda request: seen.failed.append(request.url))
    page.on("request", lambda request: seen.requested.append(request.url))
    yield seen
    context.close()
