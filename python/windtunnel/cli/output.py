"""Printing: JSON on stdout, tables through rich, notes on stderr."""

from __future__ import annotations

import contextlib
import json
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import typer

MOST_ITEMS = 100
"""Flows of a run, and items of a cell, of which all are shown."""
NARROW = 130
"""Columns of a terminal below which sentences beside seven other columns are squeezed."""
FIRST_ITEMS = 20
"""How many are shown of more."""


def print_json(data: Any) -> None:
    """Print one JSON value, indented; keys keep their order."""
    text = json.dumps(data, indent=2, allow_nan=False, ensure_ascii=True)
    print(text)


def note(text: str) -> None:
    """Print a remark on stderr, so that stdout stays the result."""
    print(f"note: {text}", file=sys.stderr)


@contextlib.contextmanager
def stoppable(left: str = "nothing was written") -> Iterator[None]:
    """Answer Ctrl-C with one line and exit code 130; the option parser would end without a word.

    Parameters
    ----------
    left : str
        What the user can count on.
    """
    try:
        yield
    except KeyboardInterrupt:
        print(f"interrupted: {left}", file=sys.stderr)
        raise typer.Exit(130) from None


def print_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, is_cut: bool = False, ends_in_prose: bool = False
) -> None:
    """Print a table; a pipe gets the same table, wide enough to keep every cell whole.

    Parameters
    ----------
    title : str
        Above the table.
    columns : sequence of str
        Headings, with units.
    rows : iterable of sequences
        Cells; numbers are aligned to the right, None is shown as a dash.
    is_cut : bool
        Of very many rows only the first are shown, and a note says so.
    ends_in_prose : bool
        The last column holds sentences. On a terminal too narrow for them beside the others each row is a paragraph of its own.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table

    every = list(rows)
    shown = every[:FIRST_ITEMS] if is_cut and len(every) > MOST_ITEMS else every
    cells = [[cell(value) for value in row] for row in shown]
    numeric = [_is_numeric(cells, index) for index in range(len(columns))]
    plain = not (sys.stdout.encoding or "").lower().startswith("utf")
    table = Table(title=title, title_justify="left", box=box.ASCII2 if plain else box.SIMPLE_HEAD, pad_edge=False)
    for heading, right in zip(columns, numeric, strict=True):
        table.add_column(heading, justify="right" if right else "left", overflow="fold")
    for row in cells:
        table.add_row(*row)
    console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
    if ends_in_prose and sys.stdout.isatty() and console.width < NARROW:
        print(_paragraphs(title, columns, cells, width=console.width))
        return
    if not sys.stdout.isatty():
        console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False, width=200)
    console.print(table)
    if len(shown) < len(every):
        note(f"{title}: the first {len(shown)} of {len(every)} rows; --json prints all")


def _paragraphs(title: str, columns: Sequence[str], cells: Sequence[Sequence[str]], *, width: int) -> str:
    """Return rows as paragraphs: the first cells with their headings, then the last one's sentences, indented."""
    blocks = [title]
    for row in cells:
        first, *others, prose = row
        said = [f"{heading} {text}" for heading, text in zip(columns[1:], others, strict=False) if text not in ("", "-")]
        fill = textwrap.TextWrapper(width, subsequent_indent="  ", break_on_hyphens=False)
        lines = fill.wrap(f"{first}  {'; '.join(said)}")
        fill.initial_indent = "  "
        blocks.append("\n".join([*lines, *fill.wrap(prose)]))
    return "\n\n".join(blocks) + "\n"


def cell(value: Any) -> str:
    """Return a cell's text: numbers with at most five significant digits, a dash for what is absent."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.5g}" if abs(value) < 1e5 else f"{value:.0f}"
    if isinstance(value, (list, tuple)) and len(value) > MOST_ITEMS:
        return f"{cell(value[:FIRST_ITEMS])}, ... ({len(value)} in all)"
    if isinstance(value, (list, tuple)):
        return ", ".join(cell(item) for item in value) or "-"
    text = str(value)
    encoding = sys.stdout.encoding or "ascii"
    return text.encode(encoding, "replace").decode(encoding)


def _is_numeric(cells: list[list[str]], index: int) -> bool:
    texts = [row[index] for row in cells if row[index] != "-"]
    return bool(texts) and all(text[:1].isdigit() or text[:1] == "-" for text in texts)
