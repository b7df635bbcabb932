"""Addresses of the playground: a resolved scenario after the ``#``.

It is the scenario's JSON text, compressed (RFC 1951), in the letters of RFC 4648, section 5.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib

from windtunnel.scenario.errors import ScenarioError

_RAW = -zlib.MAX_WBITS
"""Of zlib: deflate without a header."""
_WORD = re.compile(r"#(?:[^#]*&)?s=([^&#]*)")
LARGEST = 1 << 24
"""Bytes of a scenario's text; an address that holds more is refused."""


def is_address(text: str) -> bool:
    """Return whether a text is an address with a scenario, and no file's name.

    Parameters
    ----------
    text : str
        What stands where a scenario file may stand.

    Returns
    -------
    bool
        Whether it has ``#s=``.
    """
    return _WORD.search(text) is not None


def packed(text: str) -> str:
    """Return what follows the page's name in an address.

    Parameters
    ----------
    text : str
        A scenario's JSON.

    Returns
    -------
    str
        ``#s=`` and the compressed text.
    """
    packer = zlib.compressobj(9, zlib.DEFLATED, _RAW)
    return "#s=" + base64.urlsafe_b64encode(packer.compress(text.encode()) + packer.flush()).decode().rstrip("=")


def unpacked(address: str) -> str:
    """Return the scenario's JSON in an address.

    Parameters
    ----------
    address : str
        As the page shows it.

    Returns
    -------
    str
        The text.

    Raises
    ------
    ScenarioError
        When there is none, or it cannot be read.
    """
    found = _WORD.search(address)
    if found is None:
        raise ScenarioError("address", "holds no scenario; allowed: an address of the playground, with #s=")
    try:
        word = base64.b64decode(found[1] + "=" * (-len(found[1]) % 4), altchars=b"-_", validate=True)
        unpacker = zlib.decompressobj(_RAW)
        text = unpacker.decompress(word, LARGEST).decode()
    except (binascii.Error, zlib.error, UnicodeDecodeError):
        raise ScenarioError("address", "holds a scenario that cannot be read: it is cut off or was changed") from None
    if not unpacker.eof:
        raise ScenarioError("address", f"holds a scenario that is cut off, or larger than {LARGEST >> 20} MiB")
    return text
