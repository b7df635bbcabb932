"""Text files written whole or not at all."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from windtunnel.scenario.errors import ScenarioError


def put(text: str, path: Path, field: str) -> None:
    """Write a text file, whole or not at all.

    Parameters
    ----------
    text : str
        Its content.
    path : Path
        The file; what is there is replaced.
    field : str
        Where it was named, for the error.

    Raises
    ------
    ScenarioError
        When it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.partial")
    try:
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise ScenarioError(field, f"{path} cannot be written: {error.strerror}; allowed: a file in a folder that exists") from None
