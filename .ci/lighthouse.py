"""Looks at the site, a report and the playground with Lighthouse, and writes what it found to docs/reference/pages.md.

Lighthouse is downloaded by npx; it needs Node 18.16 or newer and Chromium. Pages are served from this machine, for it takes no files.
A page with a score below 90 for accessibility or good practice, a message in the console, or more than it may weigh, ends it with 1.
"""

from __future__ import annotations

import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULT = ROOT / "docs/reference/pages.md"
LIGHTHOUSE = "lighthouse@12.8.2"
CATEGORIES = ("accessibility", "best-practices", "performance", "seo")
HELD = {"accessibility": 0.9, "best-practices": 0.9}
"""Scores that must be reached. Speed depends on the machine, and search engines see no file on a disk: both are only shown."""
PLAYGROUND = ROOT / "python/windtunnel/playground"
WEIGHT_MOST_MB = 2.5

PAGES: tuple[tuple[str, Path, str], ...] = (
    ("site, first page", ROOT / "build/site", "index.html"),
    ("site, first tutorial", ROOT / "build/site", "docs/tutorials/first-run.html"),
    ("site, Python reference", ROOT / "build/site", "docs/site/api/scenarios.html"),
    ("report, overview", ROOT / "build/demo/report", "index.html"),
    ("report, an experiment", ROOT / "build/demo/report", "experiments/li07.fig1.html"),
    ("playground", PLAYGROUND, "playground.html"),
)


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Files of a folder, without a line per request."""

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port of this machine; its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def looked_at(address: str, chromium: str) -> dict[str, Any]:
    """Return Lighthouse's result for an address."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "result.json"
        command = ["npx", "--yes", LIGHTHOUSE, address, "--quiet", "--preset=desktop", "--output=json", f"--output-path={out}"]
        command += [f"--only-categories={','.join(CATEGORIES)}", "--chrome-flags=--headless=new --no-sandbox --disable-gpu"]
        done = subprocess.run(command, env=os.environ | {"CHROME_PATH": chromium}, capture_output=True, text=True, check=False)
        if not out.is_file():
            sys.exit(f"error: Lighthouse could not look at {address}: {(done.stderr or done.stdout).strip()[-500:]}")
        return json.loads(out.read_text(encoding="utf-8"))


def findings(result: dict[str, Any]) -> list[str]:
    """Return what Lighthouse finds wrong in the categories that are held."""
    found = []
    for category in HELD:
        for reference in result["categories"][category]["auditRefs"]:
            audit = result["audits"][reference["id"]]
            if audit["score"] is not None and audit["score"] < 1 and reference["weight"] > 0:
                found.append(f"{audit['id']} ({audit['title'].rstrip('.')})")
    return found


def row(name: str, result: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Return a page's row of the table, and what of it is not as it should be."""
    scores = {category: result["categories"][category]["score"] for category in CATEGORIES}
    weight_mb = result["audits"]["total-byte-weight"]["numericValue"] / 1e6
    messages = len(result["audits"]["errors-in-console"]["details"]["items"])
    wrong = [f"{name}: {category} {scores[category]:.2f}, below {least}" for category, least in HELD.items() if scores[category] < least]
    wrong += [f"{name}: {messages} messages in the console"] if messages else []
    wrong += [f"{name}: {weight_mb:.2f} MB, above {WEIGHT_MOST_MB}"] if weight_mb > WEIGHT_MOST_MB else []
    cells = [name, *(f"{100 * scores[category]:.0f}" for category in CATEGORIES), f"{weight_mb:.2f}", str(messages)]
    return [*cells, "; ".join(findings(result)) or "none"], wrong


def main() -> int:
    """Look at every page that is there."""
    chromium = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None or shutil.which("npx") is None:
        sys.exit("error: Lighthouse needs Chromium and Node's npx; neither is a part of this project")
    missing = [str((folder / page).relative_to(ROOT)) for _, folder, page in PAGES if not (folder / page).is_file()]
    if missing:
        sys.exit(f"error: {', '.join(missing)}: not there; `make site demo` makes them")
    rows, wrong, version = [], [], ""
    for name, folder, page in PAGES:
        print(f"{name}: {page}", flush=True)
        with served(folder) as address:
            result = looked_at(f"{address}/{page}", chromium)
        version = result["lighthouseVersion"]
        cells, faults = row(name, result)
        rows.append(cells)
        wrong += faults
    RESULT.write_text(text(rows, version), encoding="utf-8")
    print(f"pages: {RESULT.relative_to(ROOT)}")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


def text(rows: list[list[str]], version: str) -> str:
    """Return the page."""
    head = ["page", *CATEGORIES, "MB", "messages", "what it finds in the first two"]
    table = ["| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows)]
    day = datetime.now(timezone.utc).strftime("%Y-%m-%d")
    return "\n".join(
        [
            "# The pages, seen by Lighthouse",
            "",
            f"Generated by `make lighthouse`: Lighthouse {version} in headless Chromium, as on a desktop, on {day}. Scores are out of 100.",
            "MB is all that a page fetches, as it lies on the disk; messages are errors in the browser's console. Accessibility and good",
            f"practice must reach {100 * min(HELD.values()):.0f}, and a page may weigh {WEIGHT_MOST_MB} MB; anything else ends it with 1.",
            "Speed and what search engines look for are shown only.",
            "",
            *table,
            "",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
