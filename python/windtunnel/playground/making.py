"""Makes the page of its parts: ``python -m windtunnel.playground.making [WASM]``.

Without a module, that of the page as it is stays in it: an edit of a script, of the sheet or of a lesson needs no compiler for WebAssembly.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from windtunnel.playground.links import page
from windtunnel.plots.style import DARK, LOOK
from windtunnel.scenario import catalogue

SOURCES = Path(__file__).parent / "sources"
SHARED = Path(__file__).parents[1] / "report" / "assets"
"""The report's: its sheet, and the charts' library with what all charts share."""
STYLES = (SHARED / "report.css", SHARED / "charts" / "charts.css", SOURCES / "playground.css")
SCRIPTS = (
    SHARED / "charts" / "uplot-1.6.32.min.js",
    SHARED / "charts" / "base.js",
    SHARED / "charts" / "keys.js",
    *(
        SOURCES / f"{name}.js"
        for name in ("core", "address", "series", "charts", "player", "knobs", "flight", "controls", "results", "main")
    ),
)


def made(core: str) -> str:
    """Return the page.

    Parameters
    ----------
    core : str
        The module, compressed by gzip, in base64.

    Returns
    -------
    str
        One HTML document that needs no other file.
    """
    looks = {name: [colour, DARK.get(colour, colour)] for name, (colour, _) in LOOK.items()}
    lessons = json.loads(_text(SOURCES / "lessons.json"))
    parts = {
        "style": "\n".join(map(_text, STYLES)),
        "script": "\n".join(map(_text, SCRIPTS)).replace("</script", "<\\/script"),
        "look": json.dumps(looks),
        "lessons": json.dumps(lessons, ensure_ascii=False).replace("</", "<\\/"),
        "engine": str(catalogue().engine_version),
        "core": core,
    }
    return re.sub(r"@@(\w+)@@", lambda found: parts[found[1]], _text(SOURCES / "page.html"))


def module_of(text: str) -> str:
    """Return the module in a page, as `made` takes it.

    Parameters
    ----------
    text : str
        The page.

    Returns
    -------
    str
        The module, compressed by gzip, in base64.
    """
    found = re.search(r'id="core">([^<]*)</script>', text)
    if found is None:
        raise ValueError("the page holds no module")
    return found[1]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8").strip()


def main(arguments: Sequence[str]) -> int:
    """Write the page anew, with a module when one is named."""
    if arguments:
        packed = gzip.compress(Path(arguments[0]).read_bytes(), 9, mtime=0)
        core = base64.b64encode(packed).decode()
    else:
        core = module_of(_text(page()))
    page().write_text(made(core) + "\n", encoding="utf-8")
    print(f"{page().name}: {page().stat().st_size / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
