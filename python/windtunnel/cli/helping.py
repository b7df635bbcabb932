"""What ``--help`` shows: usage, text, and a box each of arguments, options and commands.

Typer draws such boxes through rich, which takes longer to load than all else that ``--help`` does.
"""

from __future__ import annotations

import inspect
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

NARROWEST, WIDEST = 50, 160
"""Columns of a help, however wide the terminal is."""
LONGEST_NAME = 32
"""Letters of an option with its value; the text of a longer one begins on the next line."""
ROUNDED, PLAIN = "╭─╮│╰╯", "+-+|++"
BOLD, DIM, CYAN = "1", "2", "1;36"
_OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
_BOUND = "\xa0"
"""A space at which no line ends."""
_REMARK = re.compile(r"\[(?:default:\s[^\]]*|required)\]")


class Command(TyperCommand):
    """A command whose help is drawn here."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help into `formatter`."""
        formatter.write(_page(self, ctx))


class Group(TyperGroup):
    """A group of commands whose help is drawn here."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help into `formatter`."""
        formatter.write(_page(self, ctx))


def _page(command: TyperCommand | TyperGroup, context: Any) -> str:
    width = min(max(shutil.get_terminal_size((80, 24)).columns, NARROWEST), WIDEST)
    return "\n".join(_lines(command, context, width)) + "\n"


def _lines(command: TyperCommand | TyperGroup, context: Any, width: int) -> Iterator[str]:
    yield ""
    for line in command.get_usage(context).splitlines():
        yield " " + _styled(line, BOLD)
    yield ""
    for paragraph in _paragraphs(command.help or ""):
        yield from (" " + _marked(line) for line in textwrap.wrap(paragraph, width - 2, break_on_hyphens=False))
        yield ""
    shown = [one for one in command.get_params(context) if not getattr(one, "hidden", False)]
    yield from _box("Arguments", [_row(one, context) for one in shown if isinstance(one, TyperArgument)], width)
    yield from _box("Options", [_row(one, context) for one in shown if not isinstance(one, TyperArgument)], width)
    if isinstance(command, TyperGroup):
        own = [command.commands[name] for name in command.list_commands(context)]
        rows = [(one.name or "", next(iter(_paragraphs(one.short_help or one.help or "")), "")) for one in own if not one.hidden]
        yield from _box("Commands", rows, width)


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a docstring, each in one line."""
    return [" ".join(part.split()) for part in inspect.cleandoc(text).replace("`", "").split("\n\n") if part.strip()]


def _row(parameter: Any, context: Any) -> tuple[str, str]:
    """Return an argument or an option as it is typed, and its text."""
    name, text = parameter.get_help_record(context)
    if isinstance(parameter, TyperArgument):
        name = name.split(" <")[0]  # What it is named says what it is.
    return name, _REMARK.sub(lambda found: found[0].replace(" ", _BOUND), " ".join(text.replace("`", "").split()))


def _box(title: str, rows: Sequence[tuple[str, str]], width: int) -> Iterator[str]:
    if not rows:
        return
    left_top, across, right_top, side, left_bottom, right_bottom = list(_corners())
    side = _styled(side, DIM)
    inner = width - 4
    column = max((len(name) for name, _ in rows if len(name) <= LONGEST_NAME), default=LONGEST_NAME)
    yield _styled(f"{left_top}{across} {title} {across * (width - len(title) - 5)}{right_top}", DIM)
    for name, text in rows:
        if len(name) > column:
            for part in textwrap.wrap(name, inner, break_on_hyphens=False):
                yield f"{side} {_styled(part, CYAN)}{' ' * (inner - len(part))} {side}"
            name = ""
        for number, line in enumerate(textwrap.wrap(text, inner - column - 2, break_on_hyphens=False) or [""]):
            head, rest = "" if number else name, " " * (inner - column - 2 - len(line))
            yield f"{side} {_styled(head, CYAN)}{' ' * (column + 2 - len(head))}{_marked(line.replace(_BOUND, ' '))}{rest} {side}"
    yield _styled(f"{left_bottom}{across * (width - 2)}{right_bottom}", DIM)


def _corners() -> str:
    """Return what boxes are drawn with, in letters that the terminal has."""
    try:
        ROUNDED.encode(sys.stdout.encoding or "ascii")
    except UnicodeError:
        return PLAIN
    return ROUNDED


def _marked(line: str) -> str:
    """Return a line with its options and its remarks marked."""
    return _REMARK.sub(lambda found: _styled(found[0], DIM), _OPTION.sub(lambda found: _styled(found[0], CYAN), line))


def _styled(text: str, style: str) -> str:
    """Return a text in a style; where the output is no terminal, typer removes it."""
    if not text or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return f"\x1b[{style}m{text}\x1b[0m"


def new_app(**settings: Any) -> typer.Typer:
    """Return a group of commands; each of its commands is given ``cls=Command``."""
    return typer.Typer(cls=Group, rich_markup_mode=None, no_args_is_help=True, **settings)
