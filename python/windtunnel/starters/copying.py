"""Templates become files."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class StarterError(ValueError):
    """A folder that cannot be made; one line."""


def copy(source: Any, work: Path, under: Path, words: dict[str, str], made: list[Path]) -> None:
    """Copy the templates of a folder, with the words that stand between @ replaced.

    Parameters
    ----------
    source : Traversable
        Their folder.
    work : Path
        Where they go.
    under : Path
        The folder in it; relative.
    words : dict of str to str
        What stands for what.
    made : list of Path
        Gets the files, relative to `work`.
    """
    for entry in source.iterdir():
        # What has a point in front, or would be taken for code of this package, has another name here.
        own = entry.name.removesuffix(".template").replace("dot-", ".", 1).replace("NAME", words["name"])
        place = under / own
        if entry.is_dir():
            if entry.name != "__pycache__":
                copy(entry, work, place, words, made)
            continue
        text = entry.read_text(encoding="utf-8")
        for word, value in words.items():
            text = text.replace(f"@{word}@", value)
        (work / place).parent.mkdir(parents=True, exist_ok=True)
        (work / place).write_text(text, encoding="utf-8")
        made.append(place)
