"""What the page of each algorithm says, as data: equations, departures from the source, limits, what was checked.

The file `pages.json` beside this module is made from `docs/algorithms/`: ``python -m windtunnel.scenario.pages DOCS [--check]``.
"""

from __future__ import annotations

import functools
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path

_TARGET = Path(__file__).with_name("pages.json")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_SECTION = re.compile(r"\*\*(\w+)\.\*\*\s+(.*)", re.DOTALL)


@dataclass(frozen=True)
class Page:
    """One algorithm's page: its paragraphs as plain text, its departures as (what, why)."""

    equations: str
    limits: str
    checked: str
    departures: tuple[tuple[str, str], ...]


def parse(markdown: str) -> Page:
    """Read a page.

    Parameters
    ----------
    markdown : str
        A file of `docs/algorithms/`.

    Returns
    -------
    Page
        What it says.

    Raises
    ------
    ValueError
        When a section is missing.
    """
    sections = {}
    for block in markdown.split("\n\n"):
        found = _SECTION.match(block)
        if found:
            sections[found[1].lower()] = _plain(found[2])
    missing = [name for name in ("equations", "limits", "checked") if name not in sections]
    if missing:
        raise ValueError(f"no section {', '.join(missing)}")
    return Page(sections["equations"], sections["limits"], sections["checked"], tuple(_departures(markdown)))


def _plain(text: str) -> str:
    return " ".join(_LINK.sub(r"\1", text).replace("`", "").split())


def _departures(markdown: str) -> Iterator[tuple[str, str]]:
    """Yield the rows of the tables headed `departure`, or by what a variant does."""
    for block in markdown.split("\n\n"):
        heading, *rows = block.strip().splitlines() or [""]
        if heading.startswith(("| departure", "| what ")):
            for row in rows[1:]:
                what, _, why = row.strip().removeprefix("|").removesuffix("|").partition(" | ")
                yield _plain(what), _plain(why)


@functools.cache
def pages() -> dict[str, Page]:
    """Return the pages shipped with the package, by protocol (read once)."""
    text = resources.files(__package__).joinpath(_TARGET.name).read_text(encoding="utf-8")
    return {
        name: Page(page["equations"], page["limits"], page["checked"], tuple((what, why) for what, why in page["departures"]))
        for name, page in json.loads(text).items()
    }


def rendered(folder: Path) -> str:
    """Return the text of `pages.json` for a folder of pages.

    Parameters
    ----------
    folder : Path
        Holds one Markdown file per protocol, and a README.

    Returns
    -------
    str
        JSON, by protocol.

    Raises
    ------
    ValueError
        When a page lacks a section; names the page.
    """
    found = {}
    for path in sorted(folder.glob("*.md")):
        if path.name == "README.md":
            continue
        try:
            found[path.stem] = asdict(parse(path.read_text(encoding="utf-8")))
        except ValueError as error:
            raise ValueError(f"{path.name}: {error}") from None
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    """Write the file, or with ``--check`` only compare it.

    Returns
    -------
    int
        0 when it is written or up to date, 1 when ``--check`` finds a difference, 2 for other arguments.
    """
    folder, *rest = arguments or [""]
    if not Path(folder).is_dir() or rest not in ([], ["--check"]):
        print("usage: python -m windtunnel.scenario.pages DOCS_ALGORITHMS [--check]", file=sys.stderr)
        return 2
    text = rendered(Path(folder))
    if not rest:
        _TARGET.write_text(text, encoding="utf-8")
        return 0
    if _TARGET.read_text(encoding="utf-8") == text:
        return 0
    print(f"{_TARGET} differs from {folder}; run: make docs", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
