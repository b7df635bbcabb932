"""Data as scripts: a page that is opened from disk may load a script, but may fetch nothing."""

from __future__ import annotations

import json
from typing import Any


def data_script(name: str, value: Any) -> str:
    """Return a script that hands a value to the page.

    Parameters
    ----------
    name : str
        What the page asks for it by.
    value : object
        JSON types; numbers are finite.

    Returns
    -------
    str
        ASCII, one line.

    Raises
    ------
    ValueError
        When a number is not finite.
    """
    return f"windtunnel.data({_json(name)}, {_json(value)});\n"


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"), sort_keys=True)
