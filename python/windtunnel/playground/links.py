"""Addresses of the page: what follows the ``#`` is a resolved scenario, compressed."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from pathlib import Path
from urllib.parse import parse_qs

from windtunnel.scenario import Scenario, ScenarioError, fill

_RAW = -15
"""Of zlib: deflate without a header (RFC 1951)."""
LARGEST_SCENARIO = 1 << 24
"""Bytes of a scenario's text; a link that unpacks to more is refused."""


def page() -> Path:
    """Return the page's file.

    Returns
    -------
    pathlib.Path
        ``playground.html``, which any browser of 2023 or newer opens from the disk.
    """
    return Path(__file__).parent / "playground.html"


def link(scenario: Scenario) -> str:
    """Return an address at which the page shows a scenario.

    Parameters
    ----------
    scenario : Scenario
        What the page runs.

    Returns
    -------
    str
        A ``file:`` address; the scenario in it is complete, with every default filled in.
    """
    packer = zlib.compressobj(9, zlib.DEFLATED, _RAW)
    text = json.dumps(fill(scenario).scenario.model_dump(mode="json", exclude_unset=False), separators=(",", ":"))
    packed = packer.compress(text.encode()) + packer.flush()
    return f"{page().as_uri()}#s={base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def scenario_of(address: str) -> Scenario:
    """Return the scenario in an address of the page.

    Parameters
    ----------
    address : str
        As the page shows it.

    Returns
    -------
    Scenario
        The scenario that the page runs at this address.

    Raises
    ------
    ScenarioError
        When the address has no scenario, or one that cannot be read.
    """
    found = parse_qs(address.partition("#")[2]).get("s")
    if not found:
        raise ScenarioError("link", "holds no scenario; it follows #s= in the page's address")
    try:
        packed = base64.b64decode(found[0] + "=" * (-len(found[0]) % 4), altchars=b"-_", validate=True)
        unpacker = zlib.decompressobj(_RAW)
        text = unpacker.decompress(packed, LARGEST_SCENARIO)
        if not unpacker.eof:
            raise ValueError("it is cut off, or larger than 16 MiB")
        return Scenario.model_validate_json(text)
    except (binascii.Error, zlib.error, UnicodeDecodeError, ValueError) as error:
        if isinstance(error, ScenarioError):
            raise
        raise ScenarioError("link", f"cannot be read: {str(error).splitlines()[0]}") from None
