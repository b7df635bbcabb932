"""Parts of a scenario on one line: ``key=value,...``, and lists whose entries are tables or such lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from windtunnel.scenario.errors import refusal, shown, unknown
from windtunnel.scenario.table import Table


def pairs(parts: Iterable[str], text: str, form: str, *, first: Mapping[str, str] | None = None, path: str = "") -> dict[str, str]:
    """Split parts of a line at their equals signs.

    Parameters
    ----------
    parts : iterable of str
        ``key=value`` each.
    text, form : str
        The whole line as a refusal shows it, and what it should look like.
    first : mapping of str to str, optional
        What the line has said already.
    path : str
        Where the line stands, for a refusal.

    Returns
    -------
    dict of str to str
        In the order given, without spaces around.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When a part is not ``key=value`` or a key comes twice.
    """
    table = dict(first or {})
    for part in parts:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not key or not value:
            raise refusal(f"{shown(part)} in {text} is not key=value; allowed: {form}", field=path)
        if key in table:
            raise refusal(f"{key} is given twice in {text}; allowed: once", field=path)
        table[key] = value
    return table


@dataclass(frozen=True)
class Listed:
    """A list whose entries say by a first word what they are: a table with that word under `tag`, or a line that begins with it.

    Parameters
    ----------
    tag : str
        The field that holds the word.
    noun, what : str
        What an entry is called (``"model"``), and its word (``"model of loss"``), in refusals.
    kinds : mapping of str to type
        The words that exist.
    most : int
        Entries allowed.
    form : str
        What a line looks like.
    """

    tag: str
    noun: str
    what: str
    kinds: Mapping[str, type[Table]]
    most: int
    form: str

    def read(self, value: Any) -> list[Any]:
        """Read a list of entries, or a single one.

        Returns
        -------
        list of (dict or table)
            Tables whose word is known; their other fields are yet to be checked.

        Raises
        ------
        pydantic_core.PydanticCustomError
            When it is no list, or an entry has no or an unknown word.
        """
        entries = [value] if isinstance(value, (str, dict, Table)) else value
        if not isinstance(entries, (list, tuple)) or len(entries) > self.most:
            problem = f"{shown(value)} is not a list of {self.noun}s; allowed: at most {self.most}, each a table or {self.form}"
            raise refusal(problem)
        return [self._entry(entry, f"[{index}]") for index, entry in enumerate(entries)]

    def _entry(self, entry: Any, path: str) -> Any:
        if isinstance(entry, Table):
            return entry
        if isinstance(entry, str):
            head, *parts = entry.split(",")
            entry = pairs(parts, shown(entry), self.form, first={self.tag: head.strip()}, path=path)
        if not isinstance(entry, dict):
            raise refusal(f"{shown(entry)} is a {type(entry).__name__}, not a {self.noun}; allowed: a table, or {self.form}", field=path)
        if entry.get(self.tag) not in tuple(self.kinds):
            raise refusal(unknown(self.what, entry.get(self.tag), self.kinds), field=f"{path}.{self.tag}")
        return entry
