"""Text files, read strictly."""

from __future__ import annotations

from pathlib import Path

from windtunnel.scenario.errors import ScenarioError

LARGEST_BYTES = 4_000_000


def read_text(path: Path) -> str:
    """Read a small text file strictly.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    str
        Its text.

    Raises
    ------
    ScenarioError
        When it is missing, unreadable, too large or not UTF-8.
    """
    name = str(path)
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ScenarioError(name, f"cannot be read: {reason}; allowed: a readable file") from None
    if len(data) > LARGEST_BYTES:
        raise ScenarioError(name, f"is larger than {LARGEST_BYTES} bytes; allowed: a scenario of at most that size")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ScenarioError(name, f"is not text (byte {error.start} is not UTF-8); allowed: UTF-8 TOML or JSON") from None
    if "\0" in text:
        raise ScenarioError(name, "is not text (it holds NUL bytes); allowed: UTF-8 TOML or JSON")
    return text
