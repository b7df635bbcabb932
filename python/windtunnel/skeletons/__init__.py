"""A folder to begin a controller of one's own with: a law, its test, a scenario, a page, a workflow."""

from __future__ import annotations

import re
from pathlib import Path

from windtunnel.scenario import ScenarioError, catalogue

LANGUAGES = ("c",)
"""What a controller may be written in."""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,14}")


def write(name: str, language: str, folder: Path) -> list[Path]:
    """Write a new folder.

    Parameters
    ----------
    name : str
        The controller's: at most fifteen lowercase letters, digits and underscores, as the kernel's are.
    language : str
        One of `LANGUAGES`.
    folder : Path
        Which must not be there yet.

    Returns
    -------
    list of Path
        Its files.

    Raises
    ------
    ScenarioError
        When the name, the language or the folder cannot be used.
    """
    if language not in LANGUAGES:
        raise ScenarioError("language", f"{language!r} is not known; allowed: {', '.join(LANGUAGES)}")
    if not _NAME.fullmatch(name) or catalogue().find(name) is not None:
        taken = "is a built-in algorithm's" if catalogue().find(name) is not None else "cannot be one's name in C and in the kernel"
        allowed = "a lowercase letter, then at most fourteen lowercase letters, digits and underscores"
        raise ScenarioError("name", f"{name!r} {taken}; allowed: another, {allowed}")
    if folder.exists():
        raise ScenarioError(str(folder), "is there already; allowed: a new folder")
    try:
        return _copied(Path(__file__).parent / language, folder, name)
    except OSError as error:
        raise ScenarioError(str(folder), f"cannot be written: {error.strerror}") from None


def _named(template: str, name: str) -> str:
    """Return a file's name: a template of Python is none of this package's modules, and a hidden folder may be left out of a wheel."""
    return re.sub("^dot-", ".", template.replace("NAME", name).removesuffix(".template"))


def _copied(source: Path, target: Path, name: str) -> list[Path]:
    target.mkdir(parents=True)
    written: list[Path] = []
    for entry in sorted(source.iterdir(), key=lambda one: one.name):
        place = target / _named(entry.name, name)
        if entry.is_dir():
            written += _copied(entry, place, name)
        else:
            place.write_text(entry.read_text(encoding="utf-8").replace("NAME", name), encoding="utf-8")
            written.append(place)
    return written
