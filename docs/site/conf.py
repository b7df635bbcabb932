"""The documentation as a site: Sphinx reads the pages where they lie, so that a link means the same here and in a clone.

``sphinx-build -c docs/site . build/site`` from the root, or ``make site``.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from windtunnel.scenario.table import Table  # noqa: E402
from windtunnel.version import __version__  # noqa: E402

project = "Windtunnel"
author = "The Windtunnel developers"
copyright = "the Windtunnel developers, MIT or Apache-2.0"
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]

root_doc = "docs/site/index"
include_patterns = ["docs/*.md", "docs/**/*.md", "data/**/README.md", "*.md"]
# The pages' own indexes, and what the site has none of.
exclude_patterns = ["docs/README.md", "build", "target", ".venv", "**/target", "**/.*"]

# Anchors as the host of a repository makes them: a link with one is checked, and a broken one ends the build.
myst_heading_anchors = 4
# Words in braces and dollars are a scenario's and a shell's.
myst_enable_extensions: list[str] = []
# What a page shows of an output is no program.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]

autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
napoleon_google_docstring = False
napoleon_use_rtype = False
python_use_unqualified_type_names = True

html_theme = "furo"
# A browser asks for one, and says in its console when there is none.
html_favicon = "static/icon.svg"
html_title = f"Windtunnel {version}"
html_static_path = ["static"]
html_extra_path = ["extra"]
html_css_files = ["site.css"]
html_show_sourcelink = False
# A summary of each page that search finds would be fetched, which a browser refuses from disk.
html_show_search_summary = False
html_copy_source = False
copybutton_prompt_text = r">>> |\$ "
copybutton_prompt_is_regexp = True


CHILDREN = {"docs/algorithms/README": "*", "docs/queues/README": "*", "docs/profiles/rfc": "*"}
"""Pages that are also the index of their folder."""


def _children(_: Any, docname: str, source: list[str]) -> None:
    """Put the pages of a folder below the one that is its index."""
    if CHILDREN.get(docname):
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n:maxdepth: 1\n\n" + CHILDREN[docname] + "\n```\n"


def _links(_: Any, docname: str, source: list[str]) -> None:
    """Lead links to the pages' own index to the site's."""
    for here, there in (("docs/README.md#decisions", "docs/site/decisions.md"), ("docs/README.md", "docs/site/index.md")):
        source[0] = source[0].replace(f"]({here})", f"]({there})")


def _signature(
    _: Any, what: str, name: str, thing: Any, options: Any, signature: str | None, returns: str | None
) -> tuple[str | None, str | None] | None:
    """Say of a table that it takes its fields by name: the list of its parameters follows, with units."""
    if what == "class" and inspect.isclass(thing) and issubclass(thing, Table):
        return "(*, ...)", None
    return None


ACCESSIBLE = (
    ('<p class="caption" role="heading">', '<p class="caption" role="heading" aria-level="2">'),
    ('<aside class="sidebar-drawer">', '<aside class="sidebar-drawer" aria-label="All pages">'),
    ('<aside class="toc-drawer">', '<aside class="toc-drawer" aria-label="This page">'),
    ('<th class="head"><p></p></th>', '<td class="head"></td>'),
    (
        '<div class="table-wrapper colwidths-auto docutils container">',
        '<div class="table-wrapper colwidths-auto docutils container" tabindex="0">',
    ),
    ("<pre>", '<pre tabindex="0">'),
    ('<div id="search-results">', '<h1>Search</h1>\n<div id="search-results">'),
)
"""What the theme writes, and what a screen reader and a keyboard need: levels of headings, names of landmarks, scrolling by keys."""


def _accessible(app: Any, error: Exception | None) -> None:
    """Complete the pages that the theme has written."""
    if error is not None or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        text = before = path.read_text(encoding="utf-8")
        for written, wanted in ACCESSIBLE:
            text = text if wanted in text else text.replace(written, wanted)
        if text != before:
            path.write_text(text, encoding="utf-8")


def setup(app: Any) -> None:
    """Register what this site adds to Sphinx."""
    app.connect("source-read", _links)
    app.connect("source-read", _children)
    app.connect("autodoc-process-signature", _signature)
    app.connect("build-finished", _accessible)
