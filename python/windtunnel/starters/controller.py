"""A folder with a controller."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from windtunnel.records import staged
from windtunnel.scenario import catalogue
from windtunnel.starters.copying import StarterError, copy

LANGUAGES = ("c", "python", "rust")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,14}")
# Words that stand for something else in one of the languages, or for a built-in controller's file.
_TAKEN = {"windtunnel", "test", "main", "self", "crate", "super", "struct", "class", "def", "fn", "impl", "import", "return"}
_TAKEN |= {"int", "long", "short", "char", "double", "float"}


def create(name: str, language: str, folder: Path, *, sources: Path | None = None) -> list[Path]:
    """Make a folder with a controller that builds, passes its test and runs.

    Parameters
    ----------
    name : str
        What it is called: a lowercase letter, then lowercase letters, digits and ``_``, 15 at most, as Linux allows.
    language : str
        One of `LANGUAGES`.
    folder : Path
        The new folder; it must not exist.
    sources : Path, optional
        Windtunnel's own sources, for Rust; those that this package is part of when absent.

    Returns
    -------
    list of Path
        The files, relative to the folder.

    Raises
    ------
    StarterError
        When the name is none, the folder exists or cannot be made, or the sources are not there.
    """
    if not _NAME.fullmatch(name) or name in _TAKEN:
        allowed = "a lowercase letter, then up to 14 of a-z, 0-9 and _, and no word of C, Rust or Python"
        raise StarterError(f"name: {name!r} cannot be a controller's; allowed: {allowed}")
    if catalogue().find(name) is not None:
        raise StarterError(f"name: {name!r} is a built-in algorithm's; allowed: another")
    if language not in LANGUAGES:
        raise StarterError(f"language: {language!r} is not known; allowed: {', '.join(LANGUAGES)}")
    if folder.exists():
        raise StarterError(f"{folder}: exists; name another folder with --to")
    words = {
        "name": name,
        "Name": name.title().replace("_", ""),
        "file": {"c": f"./{name}.c", "python": f"./{name}.py", "rust": f"./target/release/lib{name}.so"}[language],
        "against": {"c": f'"git:$BASE:{name}.c"', "python": f'"git:$BASE:{name}.py"', "rust": "gate.toml"}[language],
        "first": {"c": _first(f"{name}.c"), "python": _first(f"{name}.py"), "rust": ""}[language],
        "build": "      - run: cargo build --release\n" if language == "rust" else "",
        "test": "cargo test && cargo build --release" if language == "rust" else "pytest",
        "crate": str(_crate(sources)) if language == "rust" else "",
    }
    made: list[Path] = []
    try:
        with staged(folder) as work:
            for part in ("common", language):
                copy(files("windtunnel.starters") / "templates" / part, work, Path(), words, made)
    except OSError as error:
        raise StarterError(f"{folder}: cannot be made: {error.strerror}") from None
    return sorted(made)


def _first(file: str) -> str:
    """Return the workflow's line for a file that is new: there is nothing before it, and it is judged by itself."""
    return f'          git cat-file -e "$BASE:{file}" || BASE=HEAD\n'


def _crate(sources: Path | None) -> Path:
    root = sources or Path(__file__).resolve().parents[3]
    crate = root / "crates" / "windtunnel"
    if not (crate / "Cargo.toml").is_file():
        raise StarterError(f"sources: {root} has no crates/windtunnel; a controller in Rust is built with it, name a clone with --sources")
    return crate.resolve()
