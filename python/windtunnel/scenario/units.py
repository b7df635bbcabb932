"""Quantities with units, as people write them: ``42ms``, ``250Mbit``, ``256kB``, ``20%bdp``.

Everything here returns SI numbers (seconds, bits per second, bytes). A number without a unit is taken to be in SI already.
The core reads them.
"""

from __future__ import annotations

import difflib
import re

from windtunnel import native

EXAMPLES = {"s": "42ms or 300s", "bit/s": "250Mbit", "bytes": "256kB", "packets": "175", "Hz": "3.06GHz"}
"""How to write a quantity, by its SI unit."""

USUAL = {
    "s": ("s", "ms", "us", "ns", "min", "h"),
    "bit/s": ("bit", "kbit", "Mbit", "Gbit", "Tbit"),
    "bytes": ("B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB"),
    "packets": ("packets",),
    "Hz": ("Hz", "kHz", "MHz", "GHz"),
}
"""The usual spelling of each unit that is read, by SI unit; the core reads others, as ``Mbps`` and ``Mbit/s``, too."""

MOST_BDPS = 10.0
"""From so many bandwidth-delay products on, a size without a percent sign is more likely one whose percent sign was forgotten."""


def parse(text: str, unit: str) -> float:
    """Read a quantity of one kind and return it in SI.

    Parameters
    ----------
    text : str
        For example ``"250Mbit"``.
    unit : str
        The SI unit wanted: ``"s"``, ``"bit/s"``, ``"bytes"``, ``"packets"``, ``"Hz"``; anything else means a plain number.

    Returns
    -------
    float
        The value in `unit`.

    Raises
    ------
    ValueError
        When the number or its unit cannot be read, or the value is too large to represent.
    """
    try:
        return native.quantity(text, unit)
    except ValueError as error:
        unknown = re.match(r"unit '(?P<written>.*)' is unknown here; known: ", str(error))
        if unknown is None or unit not in USUAL:
            raise
        raise ValueError(_unknown_unit(unknown["written"], unit)) from None


def _unknown_unit(written: str, unit: str) -> str:
    """Word the refusal of a unit: the nearest of the usual ones, and all of those. Bits are never taken for bytes."""
    lowered = {usual.lower(): usual for usual in USUAL[unit]}
    near = [] if unit == "bytes" and "bit" in written.lower() else difflib.get_close_matches(written.lower(), lowered, n=1, cutoff=0.5)
    hint = f" (did you mean {lowered[near[0]]!r}?)" if near else ""
    return f"unit {written!r} is unknown here{hint}; known: {', '.join(USUAL[unit])}"


def parse_queue(value: object) -> tuple[str, object]:
    """Read a queue size and say which field it belongs to.

    Parameters
    ----------
    value : object
        ``175`` or ``"175"`` (packets), ``"20%bdp"`` or ``"0.2bdp"`` (fraction of the bandwidth-delay product), ``"50ms"`` (time),
        ``"256kB"`` (bytes).

    Returns
    -------
    tuple of (str, object)
        The name of the field of `Bottleneck` and its value there (packets, a fraction, seconds, bytes).

    Raises
    ------
    ValueError
        When it is none of these, or a text that says 10 BDPs or more without a percent sign: ``20bdp`` is 20 BDPs, and 20 % is meant.
    """
    if not isinstance(value, str):
        return "queue_packets", value
    if re.fullmatch(r"\s*[\d.]+\s*%\s*", value):
        raise ValueError(f"a percentage is one of the BDP; write {value.strip()}bdp")
    name, size = native.queue_size(value)
    if name == "queue_bdp" and "%" not in value and isinstance(size, float) and size >= MOST_BDPS:
        raise ValueError(f"without a percent sign it is {size:g} times the BDP; write {size:g}%bdp, or {100 * size:g}%bdp if that is meant")
    return name, size
