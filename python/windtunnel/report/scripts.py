"""Data of a page that is opened from disk: it may load a script and read what it holds itself, but may fetch nothing."""

from __future__ import annotations

import json
from typing import Any

from markupsafe import Markup


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


def data_block(name: str, value: Any) -> Markup:
    """Return a value that the page itself holds, as a block of data in its HTML; nothing of it is run.

    Parameters
    ----------
    name : str
        What the page asks for it by.
    value : object
        JSON types; numbers are finite.

    Returns
    -------
    markupsafe.Markup
        ASCII, one line, with no character that HTML would take for its own.

    Raises
    ------
    ValueError
        When a number is not finite.
    """
    inside = _json(value).replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")
    return Markup('<script type="application/json" data-name="{}">').format(name) + Markup(inside) + Markup("</script>")


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"), sort_keys=True)
